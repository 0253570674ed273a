"""Cuts made-up streams, in pieces of every size: the crash points are only as exact as the names of what passes."""

import struct

from proxy.wires import AMQP, TLS, Cutter, Mongo, Plain, Unit, with_heartbeat


def method(group: int, number: int, arguments: bytes) -> bytes:
    body = struct.pack(">HH", group, number) + arguments
    return struct.pack(">BHI", 1, 1, len(body)) + body + b"\xce"


def message(request: int, answered: int, document: bytes) -> bytes:
    section = struct.pack("<i", 0) + b"\x00" + document
    return struct.pack("<iiii", 16 + len(section), request, answered, 2013) + section


def document(name: bytes, text: bytes) -> bytes:
    body = b"\x02" + name + b"\x00" + struct.pack("<i", len(text) + 1) + text + b"\x00"
    return struct.pack("<i", len(body) + 5) + body + b"\x00"


NAME = b"waybill dispatch (consume)"
START_OK = method(10, 11, b"\0\0\0\0\x0fconnection_nameS" + struct.pack(">I", len(NAME)) + NAME)
DELIVER = method(60, 60, b"\x09waybill-1" + struct.pack(">QB", 7, 1) + b"\x00\x02aa")
PUBLISH = method(60, 40, b"\0\0\x00\x08waybill.\x01")
ACK = method(60, 80, struct.pack(">QB", 300, 1))
TUNE = method(10, 30, struct.pack(">HIH", 2047, 131072, 60))
HEARTBEAT = struct.pack(">BHI", 8, 0, 0) + b"\xce"


def kinds(cutter: Plain | Cutter, direction: str, stream: bytes, size: int) -> list:
    units: list[Unit] = []
    for at in range(0, len(stream), size):
        units += cutter.cut(direction, stream[at : at + size])
    return [(unit.kind, unit.fields) for unit in units]


def wire_test() -> list[str]:
    """What was cut wrongly; empty when all is right."""
    wrong = []

    def expect(what: str, seen: object, wanted: object) -> None:
        if seen != wanted:
            wrong.append(f"{what}: {seen}, should be {wanted}")

    for size in (1, 3, 8, 1000):
        broker = AMQP()
        stream = b"AMQP\x00\x00\x09\x01" + START_OK + PUBLISH + HEARTBEAT + ACK
        wanted: list[tuple[str, dict]] = [
            ("greeting", {}),
            ("connection.start-ok", {}),
            ("basic.publish", {"queue": "waybill."}),
        ]
        wanted += [("heartbeat", {}), ("basic.ack", {"tag": 300, "multiple": True})]
        expect("AMQP up", kinds(broker, "up", stream, size), wanted)
        expect("AMQP role", broker.role, NAME.decode())
        wanted = [("basic.deliver", {"tag": 7, "redelivered": True})]
        expect("AMQP down", kinds(broker, "down", DELIVER, size), wanted)
        store = Mongo()
        stream = message(5, 0, document(b"insert", b"deliveries")) + message(6, 0, document(b"find", b"devices"))
        wanted = [("insert", {"collection": "deliveries"}), ("find", {"collection": "devices"})]
        expect("MongoDB up", kinds(store, "up", stream, size), wanted)
        stream = message(1, 6, document(b"x", b"")) + message(2, 5, document(b"x", b""))
        expect("MongoDB down", kinds(store, "down", stream, size), [("reply:find", {}), ("reply:insert", {})])
        stream = b"\x16\x03\x03\x00\x02ab\x17\x03\x03\x00\x01c"
        expect("TLS", kinds(TLS(), "up", stream, size), [("handshake", {}), ("application", {})])
    tune = next(AMQP().cut("down", TUNE))
    expect("heartbeat", with_heartbeat(tune, 2).data, method(10, 30, struct.pack(">HIH", 2047, 131072, 2)))
    return wrong
