"""The records of a log as it is in life: skewed, over many days, with the failures that there always are.

Every record follows from its number, so that several processes can make them and a question can name what must be found.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from bson import Binary
from bson.binary import UUID_SUBTYPE

DAY = 86_400_000
MESSAGE = 100  # records
BATCH = 1_000  # messages of the large batches: 100,000 records
HEAVY_RECORDS = 100_000  # of one device
BUCKETS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 8192, 16384)
TEXT = (
    '{"aps":{"alert":{"title":"Parcel %012d","body":"Your parcel has left the depot and will be with you today between two '
    'and four; tap to see where it is or to choose a neighbour."}}}'
)
# Of a thousand: outcome, status and reason of those that fail, and how many.
FAILURES = (
    (20, "token_invalid", 410, "Unregistered"),
    (4, "token_invalid", 400, "BadDeviceToken"),
    (2, "rejected", 400, "TopicDisallowed"),
    (1, "rejected", 413, "PayloadTooLarge"),
    (2, "expired", None, None),
    (1, "unknown", None, None),
)


def spread(number: int) -> int:
    """SplitMix64's finishing step: every number gives another, well-spread one."""
    number = (number + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    number = ((number ^ number >> 30) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    number = ((number ^ number >> 27) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return number ^ number >> 31


def _failure(number: int) -> tuple:
    place = spread(number) % 1000
    for share, *failure in FAILURES:
        if place < share:
            return tuple(failure)
        place -= share
    return ("accepted", 200, None)


@dataclass(frozen=True)
class Shape:
    """count: of the records. until: when the last one was made, in milliseconds since 1970."""

    count: int
    days: int
    until: int

    @property
    def messages(self) -> int:
        return self.count // MESSAGE

    def time(self, message: int) -> int:
        """The message's own time."""
        return self.until - self.days * DAY + message * self.days * DAY // self.messages

    @property
    def launch(self) -> range:
        """The messages of a batch with one name."""
        return range(self.messages // 2, self.messages // 2 + BATCH)

    @property
    def campaign(self) -> range:
        """The messages of a batch in parts, as `waybill send` makes them."""
        return range(self.messages * 3 // 4, self.messages * 3 // 4 + BATCH)

    def batch(self, message: int) -> str:
        if message in self.launch:
            return "launch"
        if message in self.campaign:
            return f"campaign.{message - self.campaign.start + 1}"
        return f"order-{message}"

    def client(self, message: int) -> str:
        """Nine of ten are one client's; one has a thousandth."""
        if message % 1000 == 5:
            return "rare"
        return f"minor{message // 10 % 9}" if message % 10 == 0 else "major"

    def token(self, number: int) -> str:
        every = max(1, self.count // HEAVY_RECORDS)
        return "b0" * 32 if number % every == every // 2 else f"{spread(number ^ 0x5BD1E995) % (1 << 40):064x}"

    def key(self, number: int) -> bytes:
        """The apns-id, with the message's time in front."""
        high = self.time(number // MESSAGE) << 16 | 0x8000 | spread(number // MESSAGE) & 0x0FFF
        return high.to_bytes(8) + (1 << 63 | number).to_bytes(8)

    def record(self, number: int) -> dict:
        """The document, its fields in the order of the schema."""
        message, random = number // MESSAGE, spread(number ^ 0xA5A5)
        outcome, status, reason = _failure(number)
        time = self.time(message)
        date = time + 40 + random % (40 if random & 0x3F000000 else 90_000)
        is_call = message % 100 == 2
        record = {
            "_id": Binary(self.key(number), UUID_SUBTYPE),
            "device_token": self.token(number),
            "outcome": outcome,
            "status_code": status,
            "reason": reason,
            "message": TEXT % number,
            "date": _date(date),
            "expires_at": _date(date + 400 * DAY),
            "batch_id": self.batch(message),
            "position": number % MESSAGE,
            "client": self.client(message),
            "lane": "calls" if is_call else "parcels",
            "topic": "com.example.parcels.voip" if is_call else "com.example.parcels",
            "push_type": "voip" if is_call else "alert",
            "priority": 10,
            "attempts": 1,
            "latency_ms": 4.0 + (random >> 8) % 60 if status else None,
            "queued_ms": date - time,
        }
        return {name: value for name, value in record.items() if value is not None}


def _date(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
