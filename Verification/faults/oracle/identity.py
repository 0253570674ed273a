"""The apns-id of a notification, derived anew from the words of schemas/dispatch-message.schema.json."""

import hashlib
import uuid

POSITION_BITS = 20


def digest_text(batch_id: str, body: bytes) -> str:
    """A message's digest as a delayed retry carries it."""
    return hashlib.sha256(batch_id.encode() + b"\x00" + body).hexdigest()[:32]


def derive_apns_id(batch_id: str, body: bytes, index: int, milliseconds: int | None) -> str:
    """The id of the notification at a position of a message; `milliseconds` is the message's own time, if it has one."""
    digest = hashlib.sha256(batch_id.encode() + b"\x00" + body).digest()
    number = int.from_bytes(digest[:16], "big") >> POSITION_BITS << POSITION_BITS | index
    octets = bytearray(number.to_bytes(16, "big"))
    if milliseconds is not None:
        octets[:6] = milliseconds.to_bytes(6, "big")
    octets[6] = 0x80 | octets[6] & 0x0F
    octets[8] = 0x80 | octets[8] & 0x3F
    return str(uuid.UUID(bytes=bytes(octets)))
