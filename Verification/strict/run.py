"""One scenario: its server, its probe, its plan, and what it finds by itself."""

import asyncio
import random
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from strict import plan
from strict.behaviour import Behaviour
from strict.connection import Connection
from strict.keys import BUNDLE, TEAM, Keys
from strict.ledger import Ledger
from strict.probe import DEADLINES, Outcome, Probe
from strict.server import Server
from strict.tokens import ProviderTokens

FRESH = 100


class Run:
    """What a scenario works with."""

    probed = "apns-probe"
    plain: type[Behaviour] = Behaviour  # what a healthy server does

    def __init__(self, name: str, keys: Keys, folder: Path, programs: Path, seed: str) -> None:
        self.name, self.keys, self.folder, self.program = name, keys, folder, str(programs / self.probed)
        self.random = random.Random(f"{name}/{seed}")
        self.ledger = Ledger()
        self.probe = Probe()
        self.server: Server | None = None
        self.items: list[Any] = []
        self.extra: list[str] = []  # findings of the scenario itself
        self.replaced: float | None = None
        self.closing = False
        self.position = 0
        self.orders: list[str] = []
        self.expected_exit = 0
        self.environment: dict[str, str] = {}
        self.replace_within = 1.5
        self.done_at = float("inf")

    async def start(
        self,
        count: int,
        behaviour: Behaviour | Callable[[Server], Behaviour] | None = None,
        *,
        options: Sequence[str] = (),
        deadlines: dict[str, int] | None = None,
        certificate: str = "server",
        certificates: bool = False,
        connections: int = 3,
        spacing: int = 100,
        reconnect: str = "50,400",
        host: str = "127.0.0.1",
        **making: Any,
    ) -> None:
        """Starts the server with a behaviour and the probe beside it; `making` goes to plan.make."""
        self.count = count
        self.items = plan.make(self.random, count + FRESH, **making)
        tokens = ProviderTokens(self.keys.public, TEAM)
        context = self.keys.context(certificate, certificates)
        self.server = Server(self.ledger, context, tokens, self.items, certificates=certificates, host=host, random=self.random)
        if behaviour is not None:
            self.server.behaviour = behaviour
        self.server.listen()
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "plan.tsv").write_text("".join(item.line() for item in self.items))
        arguments = ["--host", host, "--port", str(self.server.port), "--plan", str(self.folder / "plan.tsv")]
        arguments += ["--trust", str(self.keys.trust), "--bundle", BUNDLE, "--connections", str(connections)]
        arguments += ["--spacing", str(spacing), "--reconnect", reconnect]
        self.deadlines = {**DEADLINES, **(deadlines or {})}
        for name, value in self.deadlines.items():
            arguments += ["--deadline", f"{name}={value}"]
        if certificates:
            arguments += ["--certificate", str(self.keys.folder / "client.pem")]
            arguments += ["--private-key", str(self.keys.folder / "client-key.pem")]
        else:
            arguments += ["--key-id", "KEYAAAAAAA", "--team-id", TEAM, "--key", str(self.keys.folder / "KEYAAAAAAA.p8")]
        arguments += options  # the last one counts
        self.arguments = arguments
        await self.probe.start(self.program, arguments, self.folder / "probe.ndjson", self.environment)

    async def again(self, options: Sequence[str] = ()) -> None:
        """Another probe in the first one's place; nothing was sent yet."""
        self.probe = Probe()
        self.server.listen()
        await self.probe.start(self.program, [*self.arguments, *options], self.folder / "probe.ndjson")

    def send(self, count: int | None = None, way: str | None = None, width: int = 400) -> str:
        """Orders the next part of the plan to be sent; in all three ways unless one is named."""
        if count is None:
            count = self.count - self.position
        if way is None:
            third = count // 3
            self.send(third, "single", width)
            self.send(third, "feed", width)
            return self.send(count - 2 * third, "batch")
        part = f"{self.position} {self.position + count}"
        self.position += count
        order = f"{way} {part}" if way == "batch" else f"{way} {part} {width}"
        self.orders.append(self.probe.order(order))
        return order

    async def finish(self, seconds: float) -> None:
        """Waits for the outcome of everything that was sent."""
        for order in self.orders:
            await self.probe.finished(order, seconds)
        self.done_at = time.monotonic()

    async def fresh(self, seconds: float = 15) -> None:
        """A healthy server takes a fresh batch of 100."""
        self.server.behaviour = self.plain()
        for connection in self.server.open:
            connection.behaviour = self.server.behaviour
        if self.server.listener is None:
            self.server.listen()
        order = self.send(FRESH, "batch")
        await self.probe.finished(order, seconds)
        fresh = {item.id for item in self.items[-FRESH:]}
        accepted = sum(1 for line in self.probe.outcomes if line["id"] in fresh and line.get("status") == 200)
        if accepted != FRESH:
            rest = [line for line in self.probe.outcomes if line["id"] in fresh and line.get("status") != 200]
            self.find(f"of the fresh batch {accepted} were accepted; the rest: {[brief(line) for line in rest[:5]]}")

    async def gone(self, connections: Iterable[Connection], seconds: float, what: str) -> None:
        """Connections that carry nothing any more are given up within their deadline."""
        deadline = time.monotonic() + seconds
        while any(not connection.dead for connection in connections):
            if time.monotonic() > deadline:
                self.find(f"a connection was kept for more than {seconds:.1f} s: {what}")
                return
            await asyncio.sleep(0.02)

    def find(self, text: str) -> None:
        self.extra.append(text)

    def require(self, condition: object, text: str) -> None:
        if not condition:
            self.find(text)

    async def close(self, grace: int = 3000, seconds: float | None = None) -> None:
        order = self.probe.order(f"close {grace}")
        await self.probe.finished(order, seconds or grace / 1000 + 3)


def brief(line: Outcome) -> str:
    return " ".join(str(line[name]) for name in ("id", "fate", "status", "reason", "code", "text") if line.get(name))
