"""Runs parts, so many at a time, tells of each when it ends, and prints the table."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from parts.part import Count, Part, Running

# A test that recorded an issue, or the line of a fault case or strict scenario with the findings below it.
COMPLAINT = re.compile(r"^(?:✘ Test .* recorded an issue.*|\S.* FAILED \d+ of \d+(?:\n {4}.*)*)$", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    part: Part
    seconds: float
    count: Count
    complaints: tuple[str, ...] = ()


def flushed(line: str) -> None:
    print(line, flush=True)


def run(parts: list[Part], jobs: int, folder: Path, say: Callable[[str], None] = flushed) -> list[Result]:
    """Begins the parts in their order, `jobs` at a time. `say` gets a line for each, and all words of one that has failed."""
    waiting, results = list(parts), []
    running: list[Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(Running(waiting.pop(0), folder))
            for one in list(running):
                status = one.poll()
                if status is not None:
                    running.remove(one)
                    results.append(finish(one, status, say))
            time.sleep(0.05)
    finally:
        for one in running:
            one.end()
    return results


def finish(one: Running, status: int, say: Callable[[str], None]) -> Result:
    words = one.words()
    count = one.part.count(words, status)
    found = tuple(match.group().removeprefix("✘ ") for match in COMPLAINT.finditer(words)) or (
        f"exit status {status}, see above",
    )
    result = Result(one.part, one.seconds, count, found if count.failed else ())
    say(f"{one.part.name:<40} {verdict(result.count)} in {result.seconds:.0f} s")
    for line in worth_showing(words) if result.count.failed else ():
        say(f"  | {line}")
    return result


def worth_showing(words: str) -> list[str]:
    """All lines, but of Swift Testing's "◇ … started" only the last few, which tell where a process has crashed."""
    lines = words.rstrip().splitlines()
    return [line for number, line in enumerate(lines) if not line.startswith("◇") or number >= len(lines) - 5]


def complaints(results: list[Result]) -> list[str]:
    """What failed, and why, once more at the end of everything."""
    return [f"FAILED {result.part.name}: {line}" for result in results for line in result.complaints]


def verdict(count: Count) -> str:
    return f"{count.failed} FAILED, {count.passed} passed" if count.failed else f"{count.passed} passed"


def table(results: list[Result], before: list[tuple[str, float]], seconds: float) -> str:
    """Every part with its seconds. before: what ran before the parts, one after the other."""
    lines = ["", f"{'part':<40} {'seconds':>7}   passed  failed"]
    lines += [f"{name:<40} {took:>7.0f}" for name, took in before]
    for result in sorted(results, key=lambda result: -result.seconds):
        count = result.count
        lines.append(f"{result.part.name:<40} {result.seconds:>7.0f}   {count.passed:>6}  {count.failed:>6}")
    lines.append(f"{'all of these, side by side':<40} {seconds:>7.0f}")
    return "\n".join(lines)
