"""One part: a command, run to its end with its words kept, and what its words say about how many have passed."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LIMIT = 30 * 60  # seconds; whoever takes longer hangs

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
RUN_OF_TESTS = re.compile(r"Test run with (\d+) tests? in \d+ suites? (passed|failed) after", re.MULTILINE)
FAILED_TEST = re.compile(r"^. Test (?!run with |case ).* failed after ", re.MULTILINE)
CASES = re.compile(r"^(\d+) of (\d+) cases passed in ", re.MULTILINE)
SCENARIOS = re.compile(r"^(\d+) scenarios, (\d+) violated$", re.MULTILINE)


@dataclass(frozen=True)
class Count:
    passed: int
    failed: int


# How a command's words are read, by what is in it; any other passes or fails as a whole.
def count_of(command: str) -> Callable[[str, int], Count]:
    known = {
        "faults.sh": fault_cases,
        "strict-client.sh": strict_scenarios,
        "sanitize.sh": swift_tests,
        "swift test": swift_tests,
    }
    return next((count for script, count in known.items() if script in command), one)


def one(words: str, status: int) -> Count:
    """A part that passes or fails as a whole."""
    return Count(0, 1) if status else Count(1, 0)


def swift_tests(words: str, status: int) -> Count:
    """By Swift Testing's own closing line; without one the process has ended early, and that is a failure."""
    closing = RUN_OF_TESTS.findall(words)
    total = int(closing[-1][0]) if closing else 0
    failed = len(FAILED_TEST.findall(words))
    if not total or (closing[-1][1] == "failed") != bool(status):
        failed = max(failed, 1)
    elif status:
        failed = max(failed, 1)  # an issue outside of any test
    return Count(max(total - failed, 0), failed)


def fault_cases(words: str, status: int) -> Count:
    """By the closing line of scripts/faults.sh."""
    closing = CASES.findall(words)
    passed, total = map(int, closing[-1]) if closing else (0, 0)
    return Count(passed, max(total - passed, 1 if status or not total else 0))


def strict_scenarios(words: str, status: int) -> Count:
    """By the closing line of scripts/strict-client.sh."""
    closing = SCENARIOS.findall(words)
    total, failed = map(int, closing[-1]) if closing else (0, 0)
    return Count(total - failed, max(failed, 1 if status or not total else 0))


@dataclass(frozen=True)
class Part:
    """name: for people. count: reads words and status."""

    name: str
    command: tuple[str, ...]
    count: Callable[[str, int], Count] = one


class Running:
    """A part under way, in a process group of its own, with its words in a file."""

    def __init__(self, part: Part, folder: Path) -> None:
        self.part = part
        self._log = folder / (re.sub(r"\W+", "-", part.name) + ".log")
        self._began = time.monotonic()
        with open(self._log, "wb") as words:
            self._process = subprocess.Popen(
                part.command, stdin=subprocess.DEVNULL, stdout=words, stderr=subprocess.STDOUT, start_new_session=True
            )

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def poll(self) -> int | None:
        """The exit status when it has ended. Ends what has taken too long."""
        if self.seconds > LIMIT and self._process.poll() is None:
            self.end()
        return self._process.poll()

    def words(self) -> str:
        return ESCAPES.sub("", self._log.read_text(errors="replace"))

    def end(self) -> None:
        """SIGTERM to all of its processes, so that they can end what they have started; SIGKILL when that takes long."""
        for number, patience in ((signal.SIGTERM, 60), (signal.SIGKILL, 10)):
            try:
                os.killpg(self._process.pid, number)
                self._process.wait(patience)
                return
            except ProcessLookupError:
                return
            except subprocess.TimeoutExpired:
                continue
