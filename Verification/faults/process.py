"""A program under test: started, watched, signalled, and ended with its words kept in a file."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

# What is waited for comes sooner or later on a busy machine, too; only a failure takes all of the time.
PATIENCE = 4


class Process:
    """One running program; its words go to `log`."""

    def __init__(self, name: str, arguments: list[str], log: Path, variables: dict[str, str] | None = None) -> None:
        self.name, self.log = name, log
        self._began, self._ended = time.time(), 0.0
        environment = {key: value for key, value in os.environ.items() if not key.startswith("WAYBILL_")} | (variables or {})
        with open(log, "ab") as words:
            self._popen = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                env=environment,
                start_new_session=True,
            )
        self.pid = self._popen.pid
        self._was_killed = False

    @property
    def runs(self) -> bool:
        return self._popen.poll() is None

    @property
    def lifetime(self) -> tuple[int, int | None]:
        """When it began, and when its end was noticed, in milliseconds; None while it runs."""
        if not self.runs and not self._ended:
            self._ended = time.time()
        return int(self._began * 1000), int(self._ended * 1000) or None

    @property
    def words(self) -> str:
        return self.log.read_text(errors="replace")

    def signal(self, number: int) -> None:
        """Sends a signal; a process that is gone already is let be."""
        if self.runs:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL, without waiting: safe on any thread."""
        self._was_killed = True
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def wait(self, seconds: float = 10) -> int:
        """The exit status, negative for a signal. Kills what does not end in time, as `eventually` counts it, and says so."""
        try:
            status = self._popen.wait(seconds * PATIENCE)
            self._ended = self._ended or time.time()
            return status
        except subprocess.TimeoutExpired:
            self.kill()
            self._popen.wait(10)
            raise RuntimeError(f"{self.name} did not end within {seconds * PATIENCE:g} s") from None

    @property
    def fell(self) -> str:
        """How it ended on its own account; empty while it runs, and after a kill of ours or an exit with 0."""
        status = self._popen.poll()
        if status in (None, 0) or (self._was_killed and status == -signal.SIGKILL):
            return ""
        return f"{self.name} ended with {status}"

    def end(self, seconds: float = 40) -> int:
        """SIGTERM, then the exit status."""
        self.signal(signal.SIGTERM)
        return self.wait(seconds)

    def memory(self) -> int:
        """Resident bytes; 0 when it is gone."""
        try:
            with open(f"/proc/{self.pid}/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            return 0

    def descriptors(self) -> int:
        """Open file descriptors; 0 when it is gone."""
        try:
            return len(os.listdir(f"/proc/{self.pid}/fd"))
        except OSError:
            return 0


def eventually(what: str, condition: Callable[[], T], within: float = 30, pause: float = 0.05) -> T:
    """Waits until a condition holds and returns its value; a TimeoutError names what did not come.

    within: seconds on a machine that does nothing else; waits PATIENCE times as long before it gives up.
    """
    within *= PATIENCE
    end = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError(f"{what} (waited {within:g} s)")
        time.sleep(pause)
