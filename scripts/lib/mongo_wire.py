"""The few bytes of MongoDB's wire protocol that the scripts need, so that they need neither a driver nor a shell."""

import socket
import struct
from datetime import datetime

OP_MSG = 2013


def encode(document: dict) -> bytes:
    """BSON of a document of strings, 32-bit integers, dates, lists and documents."""
    body = b""
    for name, value in document.items():
        key = name.encode() + b"\x00"
        if isinstance(value, str):
            text = value.encode() + b"\x00"
            body += b"\x02" + key + struct.pack("<i", len(text)) + text
        elif isinstance(value, int):
            body += b"\x10" + key + struct.pack("<i", value)
        elif isinstance(value, datetime):
            body += b"\x09" + key + struct.pack("<q", int(value.timestamp() * 1000))
        elif isinstance(value, list):
            body += b"\x04" + key + encode({str(index): item for index, item in enumerate(value)})
        else:
            body += b"\x03" + key + encode(value)
    return struct.pack("<i", len(body) + 5) + body + b"\x00"


def decode(document: bytes) -> dict:
    """The numbers, booleans and strings of a BSON document and of those inside it; the rest is stepped over."""
    fixed = {0x01: 8, 0x07: 12, 0x08: 1, 0x09: 8, 0x0A: 0, 0x10: 4, 0x11: 8, 0x12: 8, 0x13: 16}
    fields, at = {}, 4
    while document[at] != 0:
        kind, end = document[at], document.index(b"\x00", at + 1)
        name, at = document[at + 1 : end].decode(), end + 1
        if kind in fixed:
            size = fixed[kind]
        else:
            size = struct.unpack_from("<i", document, at)[0] + {0x02: 4, 0x05: 5}.get(kind, 0)
        value, at = document[at : at + size], at + size
        if kind == 0x01:
            fields[name] = struct.unpack("<d", value)[0]
        elif kind == 0x02:
            fields[name] = value[4:-1].decode()
        elif kind == 0x03:
            fields[name] = decode(value)
        elif kind == 0x08:
            fields[name] = value == b"\x01"
        elif kind in (0x10, 0x12):
            fields[name] = int.from_bytes(value, "little", signed=True)
    return fields


def receive(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise OSError("the server closed the connection")
        data += part
    return data


def run(port: int, command: dict, database: str = "admin") -> dict:
    """Sends one command and returns the top of the answer."""
    section = struct.pack("<i", 0) + b"\x00" + encode(command | {"$db": database})
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(struct.pack("<iiii", 16 + len(section), 1, 0, OP_MSG) + section)
        length = struct.unpack("<i", receive(connection, 4))[0]
        return decode(receive(connection, length - 4)[12 + 5 :])
