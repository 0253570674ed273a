"""A TCP proxy that hurts: between the product and one server, on a thread of its own.

Everything that passes is a unit (wires.py). Observers see it first, then a trap may decide about it; the profile shapes
what is left: latency, jitter, bandwidth, pieces. A case may also act on all links at once: cut, hold, mute, refuse.
"""

import asyncio
import random
import socket
import threading
from collections.abc import Callable
from typing import TypeVar

from proxy import wires
from proxy.link import CUT, DROP, HOLD, PASS, Link, Profile, Trap, Way, reset_socket
from proxy.wires import Cutter, Plain

T = TypeVar("T")


class Proxy:
    """Listens on `port` of loopback and forwards to `target` (a port). Methods may be called from any thread."""

    def __init__(self, name: str, target: int, cutter: Callable[[], Plain | Cutter] = wires.Plain, seed: int = 0) -> None:
        self.name, self.target = name, target
        self.profile = Profile()
        self.heartbeat: int | None = None  # seconds that a connection.tune shall propose instead
        self.refusing = False
        self.port = 0
        self._cutter = cutter
        self._random = random.Random(f"{name}/{seed}")
        self._traps: list[Trap] = []
        self._observers: list[Callable] = []
        self._hold_new = {"up": False, "down": False}
        self._links: set[Link] = set()
        self._count = 0
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), name=f"proxy-{name}", daemon=True)
        self._thread.start()
        ready.wait()

    # -- From the cases

    def trap(
        self,
        match: Callable,
        then: Callable[[], object] | None = None,
        decision: str = HOLD,
        skip: int = 0,
        before: bool = True,
    ) -> Trap:
        """Sets a trap; see Trap."""
        trap = Trap(match, then, decision, skip, before)
        self._call(lambda: self._traps.append(trap))
        return trap

    def watch(self, observer: Callable) -> None:
        """Shows every unit to `observer(link, direction, unit)` before anything happens to it."""
        self._call(lambda: self._observers.append(observer))

    def hold(self, direction: str, role: str = "") -> None:
        """Keeps back all bytes of a direction, on links whose role holds the word and on those to come.

        Both directions held is a half-open network: nobody is told.
        """

        def act() -> None:
            if not role:
                self._hold_new[direction] = True
            for link in self._links:
                if role in link.role:
                    link.ways[direction].held = True

        self._call(act)

    def release(self, direction: str) -> None:
        """Lets go what was kept back, in order."""

        async def act() -> None:
            self._hold_new[direction] = False
            for link in self._links:
                way = link.ways[direction]
                way.held = False
                kept, way.kept = way.kept, []
                for data in kept:
                    await way.queue.put((data, None, self._loop.time()))

        asyncio.run_coroutine_threadsafe(act(), self._loop).result(10)

    def mute(self, direction: str) -> None:
        """One-way silence: bytes of that direction are read and thrown away, and nobody is told."""

        def act() -> None:
            for link in self._links:
                link.ways[direction].muted = True

        self._call(act)

    def reset_links(self, role: str = "") -> int:
        """Ends links by RST; how many there were."""

        def act() -> int:
            chosen = [link for link in self._links if role in link.role]
            for link in chosen:
                link.reset()
            return len(chosen)

        return self._call(act)

    def heal(self) -> None:
        """Forgets traps, holds and profile, and resets every link, so that nothing withheld ever arrives."""

        def act() -> None:
            self._traps.clear()
            self._hold_new = {"up": False, "down": False}
            self.profile = Profile()
            self.refusing = False
            self.heartbeat = None
            for link in list(self._links):
                link.reset()

        self._call(act)

    def bytes_passed(self, direction: str) -> int:
        """Bytes forwarded on the links that are open now."""
        return self._call(lambda: sum(link.ways[direction].passed for link in self._links))

    def withheld(self, direction: str) -> int:
        return self._call(lambda: sum(link.ways[direction].withheld for link in self._links))

    def quiet_for(self) -> float:
        """Seconds since anything passed."""
        return self._call(lambda: self._loop.time() - max((link.last_moved for link in self._links), default=0))

    def live_links(self) -> set[int]:
        """The numbers of the links that are open."""
        return self._call(lambda: {link.number for link in self._links})

    def link_count(self, role: str = "") -> int:
        return self._call(lambda: sum(1 for link in self._links if role in link.role))

    def client_ports(self, role: str = "") -> list[int]:
        """The ports of the clients' own ends."""

        def ports() -> list[int]:
            writers = (link.ways["down"].writer for link in self._links if role in link.role and "down" in link.ways)
            return [writer.get_extra_info("peername")[1] for writer in writers]

        return self._call(ports)

    def close(self) -> None:
        self.heal()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    # -- On the proxy's thread

    def _call(self, function: Callable[[], T]) -> T:
        async def run() -> T:
            return function()

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result(10)

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)

        async def listen() -> None:
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
            self.port = self._server.sockets[0].getsockname()[1]
            ready.set()

        self._loop.run_until_complete(listen())
        self._loop.run_forever()
        self._server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refusing:
            reset_socket(writer)
            return
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            reset_socket(writer)
            return
        self._count += 1
        link = Link(self._count, self._cutter())
        link.ways = {"up": Way(server_writer), "down": Way(writer)}
        for direction, way in link.ways.items():
            way.held = self._hold_new[direction]
            way.writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._links.add(link)
        reading = [self._read(link, "up", reader), self._read(link, "down", server_reader)]
        writing = [self._write(link, way) for way in link.ways.values()]
        try:
            await asyncio.gather(*reading, *writing)
        except asyncio.CancelledError:
            return  # the proxy closes; streams.py would complain of a cancelled task
        self._links.discard(link)

    async def _read(self, link: Link, direction: str, reader: asyncio.StreamReader) -> None:
        way = link.ways[direction]
        try:
            while data := await reader.read(1 << 16):
                for unit in link.cutter.cut(direction, data):
                    await self._decide(link, direction, unit)
                while way.held and sum(map(len, way.kept)) > Way.KEPT_LIMIT and not way.writer.is_closing():
                    await asyncio.sleep(0.05)
        except OSError:
            pass  # an end as good as any
        # What was let through before the end still arrives; what is kept back never does.
        await way.queue.put((b"", None, 0))

    async def _decide(self, link: Link, direction: str, unit: wires.Unit) -> None:
        way = link.ways[direction]
        if self.heartbeat is not None and unit.kind == "connection.tune":
            unit = wires.with_heartbeat(unit, self.heartbeat)
        for observer in self._observers:
            observer(link, direction, unit)
        trap = next((trap for trap in self._traps if trap.catches(link, direction, unit)), None)
        decision = trap.decision if trap else PASS
        if trap and trap.before:
            trap.act()
        if decision == HOLD:
            way.held = True
        if way.muted or decision == DROP:
            way.withheld += len(unit.data)
        elif way.held:
            way.withheld += len(unit.data)
            way.kept.append(unit.data)
        elif decision == CUT:
            link.reset()
        else:
            await way.queue.put((unit.data, trap if trap and not trap.before else None, self._loop.time()))
            return
        if trap and not trap.before:
            trap.act()

    async def _write(self, link: Link, way: Way) -> None:
        is_broken = False
        while True:
            data, trap, arrived = await way.queue.get()
            if not data:
                break
            if is_broken:
                continue
            try:
                await self._pass(link, way, data, arrived)
            except OSError:
                is_broken = True
            if trap:
                trap.act()
        way.writer.close()

    async def _pass(self, link: Link, way: Way, data: bytes, arrived: float) -> None:
        profile, size = self.profile, self.profile.piece or len(data)
        for at in range(0, len(data), size):
            piece = data[at : at + size]
            due = arrived + profile.latency + self._random.random() * profile.jitter
            if profile.bandwidth:
                way.free_at = max(way.free_at, arrived) + len(piece) / profile.bandwidth
                due = max(due, way.free_at)
            pause = due - self._loop.time()
            if pause > 0:
                await asyncio.sleep(pause)
            way.writer.write(piece)
            await way.writer.drain()
            way.passed += len(piece)
            link.last_moved = self._loop.time()
            if profile.limit and link.total > profile.limit:
                link.reset()
