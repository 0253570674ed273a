"""What the page shows: an hour of pushes as a log has them, and records whose every text is hostile."""

import random
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import bson
from bson.binary import Binary
from bson.raw_bson import RawBSONDocument
from pymongo import MongoClient

from page.hostile import SURROGATE, TEXTS

MINUTE = 60_000
TOPIC = "com.example.parcels"
BATCH = "spring-sale"
CLIENTS = ["acme", "contoso", "globex"]
LANES = ["parcels", "alerts"]
End = tuple[str, str | None, int | None, int, tuple[str, str] | None]
# outcome, reason, status; how many of a thousand; client and lane where it goes wrong
ENDS: tuple[End, ...] = (
    ("accepted", None, 200, 948, None),
    ("rejected", "TooManyRequests", 429, 6, None),
    ("rejected", "PayloadTooLarge", 413, 9, ("contoso", "parcels")),
    ("rejected", "TopicDisallowed", 400, 5, ("acme", "alerts")),
    ("token_invalid", "Unregistered", 410, 22, None),
    ("expired", "expiration", None, 4, ("globex", "parcels")),
    ("unknown", "no answer", None, 2, None),
    ("invalid", "device_token", None, 4, ("acme", "parcels")),
)


@dataclass(frozen=True)
class Facts:
    """What a test asks for."""

    story: str  # an apns-id that was refused
    token: str
    batch: str
    hostile: dict[str, str]  # the kind of text: the apns-id of its record


def identity(generator: random.Random, milliseconds: int) -> uuid.UUID:
    """As the dispatcher makes them: the message's time, then a hash."""
    octets = bytearray(milliseconds.to_bytes(6, "big") + generator.randbytes(10))
    octets[6] = 0x80 | octets[6] & 0x0F
    octets[8] = 0x80 | octets[8] & 0x3F
    return uuid.UUID(bytes=bytes(octets))


def date(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def write(url: str, database: str, minutes: int = 55, a_minute: int = 60) -> Facts:
    """Fills the log. The same texts and tokens each time; only the times are those before now."""
    generator = random.Random(2026)
    now = int(time.time() * 1000) // MINUTE * MINUTE
    records: list[dict[str, Any]] = []
    story = token = ""
    for minute in range(minutes, 0, -1):
        busy = 1.6 if 22 <= minute <= 34 else 1 + 0.25 * (minute % 7) / 7
        for _ in range(int(a_minute * busy)):
            began = now - minute * MINUTE + generator.randrange(MINUTE - 4000)
            # In ten minutes of it an app's tokens die by the hundred, as after a release.
            weights = [end[3] * (9 if end[1] == "Unregistered" and 24 <= minute <= 30 else 1) for end in ENDS]
            record = push(generator, began, generator.choices(ENDS, weights)[0])
            records.append(record)
            if record.get("reason") == "TopicDisallowed":
                story, token = str(uuid.UUID(bytes=bytes(record["_id"]))), record["device_token"]
    marked = {
        kind: marked_record(generator, now - 3 * MINUTE + place * 100, text) for place, (kind, text) in enumerate(TEXTS.items())
    }
    client: MongoClient = MongoClient(url)
    with client:
        deliveries = client[database].deliveries
        for record in [*records, *marked.values()]:
            record["day"] = int(record["date"].timestamp() // 86400)
        deliveries.insert_many(records + list(marked.values()))
        broken = with_half_a_pair(marked_record(generator, now - 2 * MINUTE, "PLACE"))
        deliveries.insert_one(broken)
        client[database].devices.insert_one(
            {
                "device_token": token,
                "topic": TOPIC,
                "environment": "production",
                "client": "acme",
                "registered_at": date(now - 90 * 24 * 60 * MINUTE),
            }
        )
    hostile = {kind: str(uuid.UUID(bytes=bytes(record["_id"]))) for kind, record in marked.items()}
    return Facts(story, token, BATCH, hostile)


def push(generator: random.Random, began: int, end: End) -> dict[str, Any]:
    outcome, reason, status, _, place = end
    usual = (generator.choices(CLIENTS, [6, 3, 1])[0], generator.choices(LANES, [4, 1])[0])
    client, lane = place or usual
    queued, latency = generator.randrange(4, 60), round(generator.lognormvariate(3.6, 0.4), 2)
    number = generator.randrange(4)
    record: dict[str, Any] = {
        "_id": Binary(identity(generator, began).bytes, 4),
        "device_token": f"{generator.getrandbits(256):064x}",
        "outcome": outcome,
        "message": "Your parcel arrives between 14:00 and 15:00",
        "date": date(began + queued + int(latency)),
        "expires_at": date(began + 30 * 24 * 60 * MINUTE),
        "batch_id": BATCH + (f".{number}" if number else ""),
        "client": client,
        "lane": lane,
        "topic": TOPIC if lane == "parcels" else "com.example.alerts",
        "push_type": "alert",
        "priority": 10,
        "attempts": 0 if status is None and outcome != "unknown" else 1,
        "queued_ms": queued,
    }
    if reason:
        record["reason"] = reason
    if status:
        record |= {"status_code": status, "latency_ms": latency}
    if reason == "TooManyRequests":
        waits = (0, 5_000, 35_000)
        record |= {"attempts": len(waits), "date": date(began + queued + waits[-1])}
        record["history"] = [{"date": date(began + queued + wait), "status_code": status, "reason": reason} for wait in waits]
    if outcome == "invalid":
        record["position"] = number
    if outcome == "token_invalid":
        record["invalid_since"] = date(began - 24 * 60 * MINUTE)
    return record


def marked_record(generator: random.Random, began: int, text: str) -> dict[str, Any]:
    """A record that was refused, with one text wherever a text can be."""
    return {
        "_id": Binary(identity(generator, began).bytes, 4),
        "device_token": text,
        "outcome": "rejected",
        "status_code": 400,
        "reason": text,
        "message": text,
        "date": date(began + 50),
        "batch_id": text,
        "client": text,
        "lane": text,
        "topic": text,
        "push_type": text,
        "priority": 10,
        "collapse_id": text,
        "attempts": 2,
        "latency_ms": 12.5,
        "queued_ms": 7,
        "history": [{"date": date(began), "status_code": 500, "reason": text}, {"date": date(began + 50), "reason": text}],
    }


def with_half_a_pair(record: dict[str, Any]) -> RawBSONDocument:
    """The record with bytes that are no UTF-8 in place of its text; the lengths stay."""
    placeholder = "P" * len(SURROGATE)
    texts = {name: placeholder if value == "PLACE" else value for name, value in record.items()}
    texts["history"] = [record["history"][0] | {"reason": placeholder}]
    return RawBSONDocument(bson.encode(texts).replace(placeholder.encode(), SURROGATE))
