"""The apns-id of a notification, derived anew from the words of schemas/dispatch-message.schema.json."""

import hashlib
import uuid


def derive_apns_id(batch_id: str, index: int, milliseconds: int) -> str:
    """The id of the notification at a position of a batch that carries its own time."""
    digest = hashlib.sha256(batch_id.encode() + b"\x00" + str(index).encode()).digest()
    octets = bytearray(milliseconds.to_bytes(6, "big") + digest[6:16])
    octets[6] = 0x80 | octets[6] & 0x0F
    octets[8] = 0x80 | octets[8] & 0x3F
    return str(uuid.UUID(bytes=bytes(octets)))
