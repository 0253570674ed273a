"""The cases, one file for each group. How to write one:

    from faults.cases import case

    @case("broker", repeat=10)
    def broker_killed(run):
        \"\"\"kill -9 of the broker in mid load\"\"\"        # the line that --list shows
        run.open(rules=..., more={"dispatch": {"request_timeout": "5s"}})   # queues, indexes, simulator, proxies
        run.start()                       # prune and a dispatcher; a first load has passed, its memory is noted
        run.issue(20, 100)                # 20 messages of 100, confirmed; or load = run.load(rate=500) … load.stop()
        run.services.control("kill-broker")
        run.fault(allowance=...)          # notes the moment and what is recorded; the bound of repeats comes from it
        run.services.control("start-broker")
        run.healed()                      # recovery counts from here

The frame does the rest (Run.finish): waits until everything issued is final, sends a fresh batch, stops the dispatchers
by SIGTERM (exit 0), reads the ledgers and judges (oracle). What else a case wants to hold true, it raises as an
AssertionError. Facts a case needs: `run.quick` (seconds instead of minutes), `run.random` (seeded), `run.broker`,
`run.store`, `run.apns` (proxies: trap, hold, release, mute, reset_links, profile, refusing, heal), `run.new_path()` for a
dispatcher with proxies of its own (`simulator=run.add_simulator(…)`: its pushes are told from others'), `forged.py` for
retries made by hand, `run.simulator`, `run.deliveries` and `run.devices` (pymongo), `process.py` for `eventually`. A
dispatcher killed on purpose is told to the frame by `run.crashed(process)`. Servers of its own: make them in
`run.servers_folder`, end them by `run.at_close`, and `run.use(…)` them before `run.open` (the folder servers). Other cases
run beside this one, on the same servers: one that stops, kills or sets them up says `alone=True`, and has servers to itself.
It must leave them running, with the settings they had.

Every file in this folder is imported; file name = group name. `repeat` is how often the full form runs it; `quick=False`
leaves it out of the quick form, whose whole group should take seconds.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    name: str
    group: str
    summary: str
    function: Callable
    repeat: int
    quick: bool
    later: bool
    alone: bool
    long: bool
    provider: str = "apns"  # of the first lane


ALL: list[Case] = []


def case(
    group: str,
    *,
    repeat: int = 1,
    quick: bool = True,
    later: bool = False,
    alone: bool = False,
    long: bool = False,
    fcm: str = "",
) -> Callable:
    """Registers a function as a case; its name, with dashes, is the case's, its docstring the summary.

    later: its quick form takes so long that the test command leaves it to `.ci/run`. alone: no other case may use the same
    servers meanwhile. long: takes more than ten seconds in the quick form, so begin it early. fcm: the case is there a second
    time with a first lane to FCM: "quick" has it among the later ones of the quick form, too, "full" in the full form alone.
    """

    def register(function: Callable) -> Callable:
        name = function.__name__.replace("_", "-")
        summary = function.__doc__.strip().splitlines()[0]
        ALL.append(Case(name, group, summary, function, repeat, quick, later, alone, long))
        if fcm:
            again = f"the same at a lane to FCM: {summary}"
            is_quick = quick and fcm == "quick"
            ALL.append(Case(f"{name}-fcm", group, again, function, repeat, is_quick, True, alone, long, "fcm"))
        return function

    return register


def load_all() -> list[Case]:
    """Imports every group and returns its cases in order."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        importlib.import_module(f"{__name__}.{module.name}")
    return ALL
