"""The scenarios by name, and what many of them ask in the end."""

from collections.abc import Awaitable, Callable

from strict.check import Tally
from strict.run import Run

After = Callable[[Tally], None]  # what is asked of a scenario's tally
Scenario = Callable[[Run], Awaitable[After | None]]

SCENARIOS: dict[str, Scenario] = {}
RUNS: dict[str, type[Run]] = {}  # of those that need another run than the plain one


def scenario(function: Scenario) -> Scenario:
    """Registers a coroutine over a Run; it may return a function over the tally."""
    SCENARIOS[function.__name__.replace("_", "-")] = function
    return function


def nothing_lost(run: Run, *, repeats: int | None = None, unknown: bool = False, rejected: bool = False) -> After:
    """Everything has an answer, save what the server left open."""

    def after(tally: Tally) -> None:
        run.require(tally.not_sent == 0, f"{tally.not_sent} ended as not sent, though the server took requests")
        run.require(unknown or tally.unknown == 0, f"{tally.unknown} are unknown, and nothing was ambiguous")
        run.require(rejected or tally.rejected == 0, f"{tally.rejected} were rejected: {dict(tally.reasons)}")
        if repeats is not None:
            run.require(tally.repeats <= repeats, f"{tally.repeats} repeats, expected at most {repeats}")

    return after
