"""The scenarios by name: what each measures, and how."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pipeline
from pipeline import Plan
from results import Row
from rig import Rig


@dataclass
class Effort:
    """How much is done for a figure."""

    repeat: int
    scale: float  # of every scenario's number of notifications

    def count(self, notifications: int, least: int = 1000) -> int:
        """A scenario's number of notifications at this scale, in whole thousands."""
        return max(least, int(notifications * self.scale) // 1000 * 1000)


@dataclass
class Scenario:
    summary: str
    measure: Callable[[Rig, Effort], list[Row]]
    # What --compare runs with the programs of two revisions in turn; None where that makes no sense.
    plan: Callable[[Effort], Plan] | None = None


def repeated(rig: Rig, plan: Plan, repeat: int, label: str) -> Row:
    row = Row(label)
    for _ in range(repeat):
        row.add(pipeline.run(rig, plan))
    return row


def plain(label: str, plan: Callable[[Effort], Plan], summary: str) -> Scenario:
    """A scenario that is one row of equal runs."""
    return Scenario(summary, lambda rig, effort: [repeated(rig, plan(effort), effort.repeat, label)], plan)


SCENARIOS = {
    "pipeline": plain(
        "messages of 100, array form",
        lambda effort: Plan(effort.count(300_000)),
        "the whole way, queue filled beforehand: array form, messages of 100, payloads of 200 bytes",
    ),
    "campaign": plain(
        "messages of 100, one payload",
        lambda effort: Plan(effort.count(300_000), form="campaign"),
        "the same with one payload for the hundred tokens of a message",
    ),
    "single": plain(
        "messages of 1",
        lambda effort: Plan(effort.count(60_000), per_message=1),
        "the same with a message for each notification",
    ),
}


def compare(rig: Rig, plan: Plan, repeat: int, other: Path, names: tuple[str, str]) -> list[Row]:
    """Runs a plan with the programs here and with others in turn, so that a drift of the machine meets both."""
    rows = [Row(name) for name in names]
    for _ in range(repeat):
        for row, programs in zip(rows, (None, other)):
            row.add(pipeline.run(rig, replace(plan, programs=programs)))
    ratio = Row(f"{names[0]} / {names[1]}")
    ratio.add({name: value / rows[1].medians[name] for name, value in rows[0].medians.items() if rows[1].medians[name]})
    return [*rows, ratio]
