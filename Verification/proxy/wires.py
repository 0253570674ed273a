"""Cuts the byte streams of AMQP 0-9-1, of MongoDB and of TLS into units that a proxy can see pass.

Just enough of each protocol to name what passes; nothing is changed but where a case asks for it.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

AMQP_GREETING = b"AMQP"
METHODS = {
    (10, 10): "connection.start",
    (10, 11): "connection.start-ok",
    (10, 30): "connection.tune",
    (10, 31): "connection.tune-ok",
    (10, 40): "connection.open",
    (10, 50): "connection.close",
    (20, 10): "channel.open",
    (20, 40): "channel.close",
    (60, 10): "basic.qos",
    (60, 20): "basic.consume",
    (60, 30): "basic.cancel",
    (60, 40): "basic.publish",
    (60, 50): "basic.return",
    (60, 60): "basic.deliver",
    (60, 80): "basic.ack",
    (60, 90): "basic.reject",
    (60, 120): "basic.nack",
    (85, 10): "confirm.select",
}
FRAME_KINDS = {2: "header", 3: "body", 8: "heartbeat"}
OP_REPLY, OP_QUERY, OP_MSG = 1, 2004, 2013


@dataclass
class Unit:
    """What one protocol regards as a whole: a frame, a message, a TLS record.

    kind: a method's name ("basic.ack"), a MongoDB command ("insert") or the answer to one ("reply:insert"),
    a kind of TLS record, or "bytes".
    """

    kind: str
    data: bytes
    fields: dict = field(default_factory=dict)


class Plain:
    """No protocol: the bytes as they came."""

    def __init__(self) -> None:
        self.role = ""

    def cut(self, direction: str, data: bytes) -> Iterator[Unit]:
        yield Unit("bytes", data)


class Cutter:
    """Common to the protocols whose units say how long they are."""

    def __init__(self) -> None:
        self.role = ""
        self._rest = {"up": b"", "down": b""}

    def cut(self, direction: str, data: bytes) -> Iterator[Unit]:
        rest = self._rest[direction] + data
        at = 0
        while (size := self.size(direction, rest, at)) is not None and len(rest) - at >= size:
            yield self.name(direction, rest[at : at + size])
            at += size
        self._rest[direction] = rest[at:]

    def size(self, direction: str, data: bytes, at: int) -> int | None:
        """How long the unit at a position is; None while that cannot be known."""
        raise NotImplementedError

    def name(self, direction: str, data: bytes) -> Unit:
        raise NotImplementedError


class AMQP(Cutter):
    """Frames. `role` is the connection's name, once the client has told it."""

    def __init__(self) -> None:
        super().__init__()
        self._greeted = False

    def size(self, direction: str, data: bytes, at: int) -> int | None:
        if direction == "up" and not self._greeted:
            return 8
        if len(data) - at < 7:
            return None
        return struct.unpack_from(">I", data, at + 3)[0] + 8

    def name(self, direction: str, data: bytes) -> Unit:
        if direction == "up" and not self._greeted:
            self._greeted = True
            return Unit("greeting", data)
        if data[0] != 1:
            return Unit(FRAME_KINDS.get(data[0], "frame"), data)
        method = struct.unpack_from(">HH", data, 7)
        kind = METHODS.get(method, f"method.{method[0]}.{method[1]}")
        fields = {}
        if kind == "connection.start-ok":
            self.role = connection_name(data)
        elif kind in ("basic.ack", "basic.nack", "basic.reject"):
            tag, bits = struct.unpack_from(">QB", data, 11)
            fields = {"tag": tag, "multiple": bool(bits & 1)}
        elif kind == "basic.deliver":
            skip = 12 + data[11]
            tag, redelivered = struct.unpack_from(">QB", data, skip)
            fields = {"tag": tag, "redelivered": bool(redelivered)}
        elif kind == "basic.publish":
            exchange = data[13]
            start = 15 + exchange
            fields = {"queue": data[start : start + data[start - 1]].decode()}
        return Unit(kind, data, fields)


def connection_name(data: bytes) -> str:
    """The connection_name among the client properties of a start-ok frame; empty without one."""
    key = b"\x0fconnection_nameS"
    at = data.find(key)
    if at < 0:
        return ""
    at += len(key)
    size = struct.unpack_from(">I", data, at)[0]
    return data[at + 4 : at + 4 + size].decode(errors="replace")


def with_heartbeat(unit: Unit, seconds: int) -> Unit:
    """A connection.tune that proposes another heartbeat: the last two bytes of its arguments."""
    return Unit(unit.kind, unit.data[:-3] + struct.pack(">H", seconds) + unit.data[-1:], unit.fields)


class Mongo(Cutter):
    """Messages. A command is named by its first element, an answer after the command it answers."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: dict[int, str] = {}

    def size(self, direction: str, data: bytes, at: int) -> int | None:
        return struct.unpack_from("<i", data, at)[0] if len(data) - at >= 4 else None

    def name(self, direction: str, data: bytes) -> Unit:
        request, answered, code = struct.unpack_from("<iii", data, 4)
        if direction == "down":
            return Unit("reply:" + self._asked.pop(answered, "?"), data)
        command = "hello" if code == OP_QUERY else "?"
        if code == OP_MSG and data[20] == 0:
            end = data.index(b"\x00", 26)
            command = data[26:end].decode(errors="replace")
        self._asked[request] = command
        return Unit(command, data, {"collection": self._collection(data, command)})

    @staticmethod
    def _collection(data: bytes, command: str) -> str:
        """The value of the first element, where it is a string: the collection a write goes to."""
        at = 26 + len(command) + 1
        if len(data) < at + 4 or data[25] != 2:
            return ""
        size = struct.unpack_from("<i", data, at)[0]
        return data[at + 4 : at + 3 + size].decode(errors="replace")


class TLS(Cutter):
    """Records of TLS; what is in them stays secret, "application" holds HTTP/2 and the end of the handshake."""

    KINDS = {20: "change-cipher", 21: "alert", 22: "handshake", 23: "application"}

    def size(self, direction: str, data: bytes, at: int) -> int | None:
        return struct.unpack_from(">H", data, at + 3)[0] + 5 if len(data) - at >= 5 else None

    def name(self, direction: str, data: bytes) -> Unit:
        return Unit(self.KINDS.get(data[0], "bytes"), data)
