"""Compares counts with those that were recorded: a pure decision and its table."""

from counts.run import Count

INSTRUCTIONS = 0.03  # of the recorded number
FEWEST = 3.0  # instructions; below that a share says nothing
ALLOCATIONS = 0.05  # for each notification


def verdict(recorded: Count | None, counted: Count) -> str:
    """`grown`, `shrunk`, `same` or, without a record, `new`; what has grown in one respect has grown."""
    if recorded is None:
        return "new"
    room = max(FEWEST, INSTRUCTIONS * recorded.instructions)
    instructions = counted.instructions - recorded.instructions
    allocations = counted.allocations - recorded.allocations
    if instructions > room or allocations > ALLOCATIONS:
        return "grown"
    if instructions < -room or allocations < -ALLOCATIONS:
        return "shrunk"
    return "same"


def line(case: str, recorded: Count | None, counted: Count) -> str:
    """A row of the table."""
    change = ""
    if recorded is not None and recorded.instructions > 0:
        change = f"{(counted.instructions / recorded.instructions - 1) * 100:+.1f} %"
    word = verdict(recorded, counted)
    return (
        f"{case:<18}{counted.instructions:>13,.1f}{change:>10}{counted.allocations:>13.3f}"
        f"{recorded.allocations if recorded else float('nan'):>10.3f}{counted.bytes:>11,.0f}"
        f"   {'' if word == 'same' else word.upper() if word == 'grown' else word}"
    ).rstrip()


HEADING = f"{'per notification':<18}{'instructions':>13}{'change':>10}{'allocations':>13}{'before':>10}{'bytes':>11}"


def self_test() -> None:
    """One count for each answer."""
    before = Count(1000.0, 1.0, 64.0)
    table = [
        (Count(1000.0, 1.0, 64.0), "same"),
        (Count(1029.0, 1.04, 64.0), "same"),
        (Count(1031.0, 1.0, 64.0), "grown"),
        (Count(1000.0, 1.06, 64.0), "grown"),
        (Count(500.0, 1.06, 64.0), "grown"),
        (Count(969.0, 1.0, 64.0), "shrunk"),
        (Count(1000.0, 0.9, 64.0), "shrunk"),
    ]
    for counted, expected in table:
        found = verdict(before, counted)
        if found != expected:
            raise SystemExit(f"counts: {counted} against {before} is {found}, expected {expected}")
    if verdict(None, before) != "new" or verdict(Count(10.0, 0, 0), Count(12.5, 0, 0)) != "same":
        raise SystemExit("counts: a new or a small count is judged wrongly")
