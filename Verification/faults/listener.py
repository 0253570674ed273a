"""Whoever listens to an account's events over a WebSocket, frame by frame as RFC 6455 has it, and whoever means harm."""

import socket
import ssl
import struct
from dataclasses import dataclass

HANDSHAKE = (
    "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
KEY = b"\x37\xfa\x21\x3d"


def frame(opcode: int, data: bytes = b"", last: bool = True, reserved: int = 0, masked: bool = True) -> bytes:
    """A client's frame."""
    head = bytes([(0x80 if last else 0) | reserved << 4 | opcode])
    bit = 0x80 if masked else 0
    if len(data) < 126:
        head += bytes([bit | len(data)])
    elif len(data) < 1 << 16:
        head += bytes([bit | 126]) + struct.pack(">H", len(data))
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", len(data))
    return head + (KEY + bytes(byte ^ KEY[place % 4] for place, byte in enumerate(data)) if masked else data)


def close(code: int, reason: bytes = b"") -> bytes:
    return frame(CLOSE, struct.pack(">H", code) + reason)


class Listener:
    """One raw connection that has made the opening handshake."""

    def __init__(self, port: int, context: ssl.SSLContext | None, receives: int | None = None) -> None:
        plain = socket.socket()
        if receives is not None:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        plain.settimeout(60)
        plain.connect(("127.0.0.1", port))
        self.socket = context.wrap_socket(plain, server_hostname="localhost") if context else plain
        self._bytes = b""

    def upgrade(self) -> "Listener":
        self.socket.sendall(HANDSHAKE.encode())
        while b"\r\n\r\n" not in self._bytes:
            self._more()
        head, self._bytes = self._bytes.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101 "), head
        assert b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in head, head
        return self

    def send(self, *frames: bytes) -> None:
        """What the server does not want to read any more is not sent."""
        try:
            for one in frames:
                self.socket.sendall(one)
        except OSError:
            pass

    def identify(self, token: str) -> None:
        self.send(frame(TEXT, b'{"op":"identify","token":"%s"}' % token.encode()))
        opcode, data = self.next()
        assert opcode == TEXT and b'"ready"' in data, data

    def next(self) -> tuple[int, bytes]:
        """The server's next frame: its opcode and data. ConnectionError where none comes."""
        head = self._take(2)
        assert not head[1] & 0x80, "a server's frame has a mask"
        length = head[1]
        if length == 126:
            (length,) = struct.unpack(">H", self._take(2))
        return head[0] & 0x0F, self._take(length)

    def code(self) -> int:
        """The code that the server closes with; what comes before it is passed over."""
        while True:
            opcode, data = self.next()
            if opcode == CLOSE:
                return struct.unpack(">H", data[:2])[0]

    def end(self) -> None:
        self.socket.close()

    def _take(self, count: int) -> bytes:
        while len(self._bytes) < count:
            self._more()
        taken, self._bytes = self._bytes[:count], self._bytes[count:]
        return taken

    def _more(self) -> None:
        more = self.socket.recv(1 << 16)
        if not more:
            raise ConnectionError("the server has closed the connection")
        self._bytes += more


@dataclass(frozen=True)
class Hostile:
    name: str
    frames: list[bytes]
    code: int


LONG = bytes(40_000)
HOSTILE = [
    Hostile("no mask", [frame(TEXT, b"{}", masked=False)], 1002),
    Hostile("a reserved bit", [frame(TEXT, b"{}", reserved=4)], 1002),
    Hostile("a reserved opcode", [frame(3)], 1002),
    Hostile("a ping of 126 bytes", [frame(PING, bytes(126))], 1002),
    Hostile("a ping in parts", [frame(PING, last=False)], 1002),
    Hostile("nothing to go on with", [frame(0, b"{}")], 1002),
    Hostile("bytes", [frame(BINARY, b"{}")], 1003),
    Hostile("a text that is none", [frame(TEXT, b"\xff")], 1007),
    Hostile("a frame of 65,537 bytes", [frame(TEXT, bytes(65_537))], 1009),
    Hostile("a frame of 8 EiB", [bytes([0x81, 0xFF]) + struct.pack(">Q", 1 << 62) + KEY], 1009),
    Hostile("a message of 80,000 bytes", [frame(TEXT, LONG, last=False), frame(0, LONG)], 1009),
    Hostile("parts without end", [frame(TEXT, last=False)] + [frame(0, last=False)] * 200, 4429),
    Hostile("pings without end", [frame(PING, b"x")] * 200, 4429),
    Hostile("no JSON", [frame(TEXT, b"hello")], 4400),
    Hostile("no token of ours", [frame(TEXT, b'{"op":"identify","token":"x.y.z"}')], 4401),
]
