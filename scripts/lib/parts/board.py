"""Runs parts, so many at a time, tells of each when it ends, and prints the table."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from parts.part import Count, Part, Running


@dataclass(frozen=True)
class Result:
    part: Part
    seconds: float
    count: Count


def flushed(line: str) -> None:
    print(line, flush=True)


def run(parts: list[Part], jobs: int, folder: Path, say: Callable[[str], None] = flushed) -> list[Result]:
    """Begins the parts in their order, `jobs` at a time. `say` gets a line for each, and all words of one that has failed."""
    waiting, running, results = list(parts), [], []
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
    result = Result(one.part, one.seconds, one.part.count(words, status))
    say(f"{one.part.name:<40} {verdict(result.count)} in {result.seconds:.0f} s")
    for line in words.rstrip().splitlines() if result.count.failed else ():
        say(f"  | {line}")
    return result


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
