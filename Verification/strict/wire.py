"""HTTP/2 frames and HPACK representations, as far as h2 hides them (RFC 9113 §4.1, §6; RFC 7541 §6)."""

from collections.abc import Iterable, Iterator

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
ACK = END_STREAM = 0x1
END_HEADERS, PADDED, PRIORITIZED = 0x4, 0x8, 0x20
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED = range(6)
FRAME_SIZE_ERROR, REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, CONNECT_ERROR, ENHANCE_YOUR_CALM = range(6, 12)
INADEQUATE_SECURITY, HTTP_1_1_REQUIRED = 12, 13

Headers = list[tuple[str, str]]
Frame = tuple[int | None, int, int, bytes, bytes]  # kind, flags, stream, payload, all of its bytes


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def goaway(last: int, code: int, debug: bytes = b"") -> bytes:
    return frame(GOAWAY, 0, 0, last.to_bytes(4, "big") + code.to_bytes(4, "big") + debug)


def reset(stream: int, code: int) -> bytes:
    return frame(RST_STREAM, 0, stream, code.to_bytes(4, "big"))


def window_update(stream: int, increment: int) -> bytes:
    return frame(WINDOW_UPDATE, 0, stream, increment.to_bytes(4, "big"))


def settings(values: Iterable[tuple[int, int]]) -> bytes:
    return frame(SETTINGS, 0, 0, b"".join(k.to_bytes(2, "big") + v.to_bytes(4, "big") for k, v in values))


class FrameSplitter:
    """Cuts what a client sends into its preface and whole frames."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.preface = False

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yields (kind, flags, stream, payload, all of its bytes); the preface has the kind None."""
        self.buffer += data
        if not self.preface:
            if len(self.buffer) < len(PREFACE):
                return
            self.preface = True
            raw = bytes(self.buffer[: len(PREFACE)])
            del self.buffer[: len(PREFACE)]
            yield None, 0, 0, b"", raw
        while len(self.buffer) >= 9:
            size = 9 + int.from_bytes(self.buffer[:3], "big")
            if len(self.buffer) < size:
                return
            raw = bytes(self.buffer[:size])
            del self.buffer[:size]
            yield raw[3], raw[4], int.from_bytes(raw[5:9], "big") & 0x7FFFFFFF, raw[9:], raw


def fragment(flags: int, payload: bytes) -> bytes:
    """The piece of a header block in a HEADERS frame, without padding and priority."""
    start, end = 0, len(payload)
    if flags & PADDED:
        start, end = 1, end - payload[0]
    if flags & PRIORITIZED:
        start += 5
    return payload[start:end]


def _integer(block: bytes, position: int, bits: int) -> tuple[int, int]:
    mask = (1 << bits) - 1
    value = block[position] & mask
    position += 1
    if value < mask:
        return value, position
    shift = 0
    while True:
        byte = block[position]
        position += 1
        value += (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


def representations(block: bytes) -> list[str]:
    """How each header of a block is written: indexed, incremental, plain or never; size updates are left out."""
    kinds, position = [], 0
    while position < len(block):
        byte = block[position]
        if byte & 0x80:
            _, position = _integer(block, position, 7)
            kinds.append("indexed")
            continue
        if byte & 0xE0 == 0x20:
            _, position = _integer(block, position, 5)
            continue
        kind, bits = ("incremental", 6) if byte & 0x40 else ("never", 4) if byte & 0x10 else ("plain", 4)
        index, position = _integer(block, position, bits)
        for _ in range(1 if index else 2):
            length, position = _integer(block, position, 7)
            position += length
        kinds.append(kind)
    return kinds
