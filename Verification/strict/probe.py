"""The client under test, in a process of its own."""

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from common.usage import cpu_seconds, memory

Outcome = dict[str, Any]  # a line of the probe's

DEADLINES = {
    "resolve": 2000, "connect": 1500, "handshake": 1000, "settings": 1000, "request": 8000, "pingInterval": 1500,
    "pingAnswer": 700, "close": 3000, "idleSurplus": 60_000, "unreachable": 30_000,
}  # fmt: skip


class Probe:
    def __init__(self) -> None:
        self.process: asyncio.subprocess.Process | None = None
        self.lines: list[Outcome] = []
        self.outcomes: list[Outcome] = []
        self.problems: list[str] = []
        self.done: set[str] = set()
        self.changed = asyncio.Event()
        self.ended = False
        self.usage = (0.0, 0)

    async def start(
        self, program: str, arguments: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        self.log = open(log, "wb")
        self.process = await asyncio.create_subprocess_exec(
            program,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=self.log,
            env={**os.environ, **(environment or {})},
        )
        self.process.stdout._limit = 1 << 24  # type: ignore[attr-defined]
        self.reader = asyncio.create_task(self.read())
        await self.until(lambda: any(line["kind"] == "ready" for line in self.lines), 10, "the probe is ready")

    async def read(self) -> None:
        async for raw in self.process.stdout:
            self.log.write(raw)
            line = json.loads(raw)
            self.lines.append(line)
            if line["kind"] == "outcome":
                self.outcomes.append(line)
            elif line["kind"] == "problem":
                self.problems.append(line["text"])
            elif line["kind"] == "done":
                self.done.add(line["order"])
            self.changed.set()
        self.ended = True
        self.changed.set()

    def order(self, text: str) -> str:
        self.process.stdin.write(f"{text}\n".encode())
        return text

    async def until(self, condition: Callable[[], object], seconds: float, what: str) -> None:
        """Waits for a condition on what the probe has said."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not condition():
            left = deadline - loop.time()
            if left <= 0:
                raise TimeoutError(f"waited {seconds} s in vain: {what}")
            if self.ended:
                raise TimeoutError(f"the probe ended while it was waited for: {what}")
            self.changed.clear()
            try:
                await asyncio.wait_for(self.changed.wait(), min(left, 0.2))
            except TimeoutError:
                pass

    async def finished(self, order: str, seconds: float) -> None:
        await self.until(lambda: order in self.done, seconds, order)

    def measure(self) -> tuple[float, int]:
        """Seconds of CPU and the highest resident size in MiB so far."""
        try:
            self.usage = (cpu_seconds(self.process.pid), memory(self.process.pid)[1] >> 20)
        except (OSError, KeyError):
            pass
        return self.usage

    async def end(self, seconds: float = 10) -> int | str | None:
        """Returns the exit status."""
        if self.process is None:
            return None
        if self.process.returncode is None:
            self.process.stdin.close()
        try:
            status: int | str = await asyncio.wait_for(self.process.wait(), seconds)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
            status = "it had to be killed"
        await self.reader
        self.log.close()
        return status
