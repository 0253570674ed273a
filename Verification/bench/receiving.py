"""Posts receipts to one server from many connections that are kept, as phones behind one proxy do."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle

CONNECTIONS = 64
# Each has an address of its own, because the server counts by address.
ADDRESSES = 16


@dataclass
class Said:
    """What came of all requests."""

    seconds: float = 0
    latencies: list[int] = field(default_factory=list)  # nanoseconds, from when a request was due to its answer


def post(port: int, bodies: Sequence[list[dict]], rate: float | None) -> Said:
    """Posts every body; rate: requests a second, in an open loop; None is as fast as they are answered.

    Raises when an answer is none of 204.
    """
    requests = [_request(port, body) for body in bodies]
    return asyncio.run(_post(port, requests, rate))


def _request(port: int, body: list[dict]) -> bytes:
    text = json.dumps(body[0] if len(body) == 1 else body, separators=(",", ":")).encode()
    head = f"POST /v1/receipts HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text


async def _post(port: int, requests: list[bytes], rate: float | None) -> Said:
    said = Said()
    ends = [await _Connection.open(port, f"127.0.0.{2 + number % ADDRESSES}") for number in range(CONNECTIONS)]
    begin = time.monotonic_ns()
    if rate is None:
        shares = [requests[number::CONNECTIONS] for number in range(CONNECTIONS)]
        await asyncio.gather(*(_drain(end, share, said) for end, share in zip(ends, shares)))
    else:
        for number, (request, end) in enumerate(zip(requests, cycle(ends))):
            due = begin + int(number / rate * 1e9)
            if (left := due - time.monotonic_ns()) > 2_000_000:
                await asyncio.sleep(left / 1e9)
            end.send(request, due)
        await asyncio.gather(*(end.settled() for end in ends))
    said.seconds = (time.monotonic_ns() - begin) / 1e9
    for end in ends:
        said.latencies += end.latencies
        end.transport.close()
    return said


async def _drain(end: "_Connection", share: list[bytes], said: Said) -> None:
    for request in share:
        end.send(request, time.monotonic_ns())
        await end.settled()


class _Connection(asyncio.Protocol):
    """Requests wait here until the one before them is answered."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.latencies: list[int] = []
        self._waiting: deque[tuple[bytes, int]] = deque()
        self._due: int | None = None
        self._read = b""
        self._settled: asyncio.Future[None] | None = None

    @classmethod
    async def open(cls, port: int, address: str) -> "_Connection":
        _, connection = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port, local_addr=(address, 0))
        return connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def send(self, request: bytes, due: int) -> None:
        self._waiting.append((request, due))
        self._next()

    async def settled(self) -> None:
        """Until everything is answered."""
        if self._due is None and not self._waiting:
            return
        self._settled = asyncio.get_running_loop().create_future()
        await self._settled

    def _next(self) -> None:
        if self._due is None and self._waiting:
            request, self._due = self._waiting.popleft()
            self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._read += data
        # A 204 has no body.
        if not self._read.endswith(b"\r\n\r\n"):
            return
        if not self._read.startswith(b"HTTP/1.1 204 ") or self._due is None:
            return self._fail(RuntimeError(f"a receipt was answered: {self._read[:300]!r}"))
        self.latencies.append(time.monotonic_ns() - self._due)
        self._read, self._due = b"", None
        self._next()
        if self._due is None and self._settled and not self._settled.done():
            self._settled.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        if self._due is not None:
            self._fail(RuntimeError(f"the server has closed a connection: {error}"))

    def _fail(self, error: Exception) -> None:
        if self._settled is None:
            self._settled = asyncio.get_running_loop().create_future()
        if not self._settled.done():
            self._settled.set_exception(error)
