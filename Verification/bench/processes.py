"""Processes that a benchmark starts, and how it waits for them."""

import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from common.usage import cpu_seconds


@dataclass
class Program:
    """A program that was started here, and ends here."""

    name: str
    process: subprocess.Popen
    log: Path

    @classmethod
    def start(cls, name: str, command: list, log: Path) -> "Program":
        """Starts it with both outputs in a file; it gets no settings from the caller's environment."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("WAYBILL_")}
        with log.open("wb") as output:
            process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        return cls(name, process, log)

    @property
    def pid(self) -> int:
        return self.process.pid

    def check(self) -> None:
        """Raises when it has ended by itself."""
        status = self.process.poll()
        if status is not None:
            raise RuntimeError(f"{self.name} ended with status {status}:\n{self.words()}")

    def words(self, lines: int = 12) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def end(self, patience: float = 60) -> None:
        """Asks it to stop; raises when it does not, or not with status 0."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.kill()
                raise RuntimeError(f"{self.name} did not stop within {patience} s:\n{self.words()}") from None
        if self.process.returncode != 0:
            raise RuntimeError(f"{self.name} ended with status {self.process.returncode}:\n{self.words()}")

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def listens(port: int) -> bool:
    """Whether somebody listens on a port of loopback."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def await_port(program: Program, port: int, patience: float = 20) -> None:
    """Waits until a program listens."""
    end = time.monotonic() + patience
    while not listens(port):
        program.check()
        if time.monotonic() > end:
            raise RuntimeError(f"{program.name} does not listen:\n{program.words()}")
        time.sleep(0.05)


def wait_until_idle(pids: list[int], share: float = 0.05, patience: float = 60) -> None:
    """Waits until these processes together use less than a share of one CPU for half a second."""
    end = time.monotonic() + patience
    before = sum(map(cpu_seconds, pids))
    while time.monotonic() < end:
        time.sleep(0.5)
        after = sum(map(cpu_seconds, pids))
        if after - before < 0.5 * share:
            return
        before = after
