"""Passes TCP connections on with a delay each way and without a bound on what is under way.

    delay_proxy.py PORT_FILE TARGET_PORT MILLISECONDS

Listens on a free loopback port, which it writes into PORT_FILE; runs until it is ended.
"""

import asyncio
import socket
import sys
from collections import deque
from pathlib import Path


class Direction(asyncio.Protocol):
    """Holds what comes in on one side for the delay, then writes it to the other."""

    def __init__(self, delay: float):
        self.delay = delay
        self.held: deque[tuple[float, bytes]] = deque()
        self.timer: asyncio.TimerHandle | None = None
        self.target: asyncio.Transport | None = None
        self.loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        self.hold(data)

    def connection_lost(self, error: Exception | None) -> None:
        self.hold(b"")  # the end travels as long as the bytes before it

    def hold(self, data: bytes) -> None:
        self.held.append((self.loop.time() + self.delay, data))
        if not self.timer:
            self.timer = self.loop.call_at(self.held[0][0], self.release)

    def release(self) -> None:
        now, due = self.loop.time() + 0.0002, []
        while self.held and self.held[0][0] <= now:
            due.append(self.held.popleft()[1])
        if self.target:
            self.target.write(b"".join(due))
            if due and not due[-1]:
                self.target.close()
        self.timer = self.loop.call_at(self.held[0][0], self.release) if self.held else None


class Client(Direction):
    """The side that connects; opens the other one."""

    def __init__(self, delay: float, port: int):
        super().__init__(delay)
        self.port = port

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.opening = self.loop.create_task(self.open(transport))

    async def open(self, transport: asyncio.BaseTransport) -> None:
        server = Direction(self.delay)
        server.target = transport
        self.target, _ = await self.loop.create_connection(lambda: server, "127.0.0.1", self.port)


async def main(port_file: Path, target: int, delay: float) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: Client(delay, target), "127.0.0.1", 0)
    port_file.write_text(f"{server.sockets[0].getsockname()[1]}\n")
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 1000))
