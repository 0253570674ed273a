"""One connection through a proxy: its two ways, the traps that lie in them, and what every unit suffers."""

import asyncio
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass

from proxy import wires
from proxy.wires import Cutter, Plain

# What tells a unit from others: (link, direction, unit).
Match = Callable[["Link", str, wires.Unit], bool]

PASS, HOLD, CUT, DROP = "pass", "hold", "cut", "drop"


@dataclass
class Profile:
    """What every unit suffers on its way; all of it off by default.

    latency, jitter: seconds, one way. bandwidth: bytes a second for each link and direction. piece: bytes at a time.
    limit: bytes after which a link is reset, in both directions together.
    """

    latency: float = 0
    jitter: float = 0
    bandwidth: float = 0
    piece: int = 0
    limit: int = 0


def is_method(kind: str, role: str, way: str) -> Match:
    """Matches an AMQP method of one of the dispatcher's connections."""
    return lambda link, direction, unit: direction == way and unit.kind == kind and role in link.role


def writes(command: str, collection: str, what: bytes = b"") -> Match:
    """Matches a command to MongoDB that writes something to a collection."""

    def match(link: "Link", direction: str, unit: wires.Unit) -> bool:
        return direction == "up" and unit.kind == command and unit.fields["collection"] == collection and what in unit.data

    return match


def written(command: str, collection: str, what: bytes = b"") -> Match:
    """Matches the answer to that command."""
    is_asked, asked = writes(command, collection, what), set()

    def match(link: "Link", direction: str, unit: wires.Unit) -> bool:
        if is_asked(link, direction, unit):
            asked.add(id(link))
        return direction == "down" and id(link) in asked and unit.kind == f"reply:{command}"

    return match


class Trap:
    """Waits for a unit, acts on it once, and decides what becomes of it.

    `match(link, direction, unit)` says whether this is the one, after `skip` others. `then()` runs on the proxy's
    thread, before the unit moves on (`before=True`) or when it has been handed to the system. So a process killed in
    it is killed exactly there. `decision` is what becomes of this unit, and with HOLD of all that follows it.
    """

    def __init__(
        self,
        match: Callable,
        then: Callable[[], object] | None = None,
        decision: str = HOLD,
        skip: int = 0,
        before: bool = True,
    ) -> None:
        self.match, self.then, self.decision, self.before = match, then, decision, before
        self._skip = skip
        self._fired = threading.Event()

    @property
    def fired(self) -> bool:
        return self._fired.is_set()

    def wait(self, seconds: float) -> bool:
        return self._fired.wait(seconds)

    def catches(self, link: "Link", direction: str, unit: wires.Unit) -> bool:
        if self.fired or not self.match(link, direction, unit):
            return False
        self._skip -= 1
        return self._skip < 0

    def act(self) -> None:
        if self.then:
            self.then()
        self._fired.set()


class Way:
    """One direction of a link: what is kept back, and what is on its way to be written."""

    KEPT_LIMIT = 4 << 20  # beyond this a held direction is read no more, as a peer that has stopped reading

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        self.passed = 0
        self.withheld = 0
        self.held = False
        self.muted = False
        self.kept: list[bytes] = []
        self.queue: asyncio.Queue = asyncio.Queue(maxsize=1024)
        self.free_at = 0.0  # when the bandwidth allows the next piece


class Link:
    """One client connection and its way to the server. Touched on the proxy's thread only."""

    def __init__(self, number: int, cutter: Plain | Cutter) -> None:
        self.number = number
        self.cutter = cutter
        self.ways: dict[str, Way] = {}
        self.last_moved = 0.0

    @property
    def role(self) -> str:
        """The name that an AMQP client gave its connection, else empty."""
        return self.cutter.role

    @property
    def total(self) -> int:
        return sum(way.passed for way in self.ways.values())

    def reset(self) -> None:
        """Ends both sides by RST: what was on its way is lost."""
        for way in self.ways.values():
            reset_socket(way.writer)


def reset_socket(writer: asyncio.StreamWriter) -> None:
    raw = writer.get_extra_info("socket")
    if raw is not None and raw.fileno() >= 0:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
