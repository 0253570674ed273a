"""What is compared: ways to keep the delivery log, by group; the first variant of a group is what Waybill does."""

from dataclasses import dataclass, field
from typing import Any

Index = dict[str, Any]

TOKEN: Index = {"key": {"day": 1, "device_token": "hashed"}, "name": "day_device_token"}
FORMER_TOKEN: Index = {"key": {"device_token": "hashed", "date": -1}, "name": "device_token_date"}
ORDERED_TOKEN: Index = {"key": {"device_token": 1, "date": -1}, "name": "device_token_date"}
BATCH: Index = {"key": {"batch_id": 1}, "name": "batch_id"}
EXPIRY: Index = {"key": {"expires_at": 1}, "name": "expires_at", "expireAfterSeconds": 0}
FAILURES: Index = {
    "key": {"date": -1, "outcome": 1, "reason": 1},
    "name": "failures",
    "partialFilterExpression": {"outcome": {"$gt": "accepted"}},
}
ALL: list[Index] = [TOKEN, BATCH, EXPIRY, FAILURES]

HOUR, DAY = 3_600_000, 86_400_000
FIELDS = [
    "device_token",
    "status_code",
    "message",
    "expires_at",
    "batch_id",
    "client",
    "lane",
    "topic",
    "push_type",
    "collapse_id",
    "attempts",
    "latency_ms",
    "queued_ms",
]


@dataclass(frozen=True)
class Variant:
    """One way to keep the log: its indexes, the collection's options, and how the records are made and written."""

    name: str
    indexes: list = field(default_factory=lambda: ALL)
    insert: tuple = ()
    collection: dict = field(default_factory=dict)
    parameters: dict = field(default_factory=dict)
    afterwards: dict = field(default_factory=dict)
    url: str = "retryWrites=false"


def stored_as(configuration: str) -> dict:
    return {"storageEngine": {"wiredTiger": {"configString": configuration}}}


def engine(configuration: str) -> dict:
    return {"wiredTigerEngineRuntimeConfig": configuration}


HISTORY = {"minSnapshotHistoryWindowInSeconds": 300}  # the default of mongod
NO_HISTORY = {"minSnapshotHistoryWindowInSeconds": 0}


def key(fields: dict, **options: Any) -> dict:
    return {"key": fields, "name": "_".join(fields)} | options


def instead(index: dict, other: dict) -> list:
    return [other if each is index else each for each in ALL]


EVICT_LATE = (
    "eviction_dirty_target=30,eviction_dirty_trigger=60,eviction_updates_target=15,eviction_updates_trigger=40,"
    "eviction_target=80,eviction_trigger=95"
)
# What mongod starts with.
EVICT_EARLY = (
    "eviction_dirty_target=5,eviction_dirty_trigger=20,eviction_updates_target=0,eviction_updates_trigger=0,"
    "eviction_target=80,eviction_trigger=95"
)


def without(*fields: str) -> Variant:
    kept = [index for index in ALL if not set(index["key"]) & set(fields)]
    return Variant("without " + ", ".join(fields), kept, ("--omit", ",".join(fields)))


GROUPS: dict[str, list[Variant]] = {
    "indexes": [
        Variant("all"),
        Variant("_id alone", []),
        Variant("_id, expires_at", [EXPIRY]),
        Variant("_id, day, device_token", [TOKEN]),
        Variant("_id, batch_id", [BATCH]),
        Variant("_id, failures", [FAILURES]),
        Variant("_id, expires_at, day, device_token", [EXPIRY, TOKEN]),
    ],
    "token": [
        Variant("day, hashed device_token"),
        Variant("hashed device_token, date", instead(TOKEN, FORMER_TOKEN)),
        Variant("hashed device_token alone", instead(TOKEN, key({"device_token": "hashed"}))),
        Variant("device_token, date", instead(TOKEN, ORDERED_TOKEN)),
        Variant("device_token alone", instead(TOKEN, key({"device_token": 1}))),
        Variant("device_token as binary, date", instead(TOKEN, ORDERED_TOKEN), ("--token", "binary")),
        Variant("few tokens (100,000)", insert=("--tokens", "100000")),
    ],
    "batch": [
        Variant("batch_id"),
        Variant("sparse", instead(BATCH, key({"batch_id": 1}, sparse=1))),
        Variant("hashed", instead(BATCH, key({"batch_id": "hashed"}))),
        Variant("batches of 1", insert=("--in-batch", "1")),
        Variant("batches of 1, hashed", instead(BATCH, key({"batch_id": "hashed"})), ("--in-batch", "1")),
    ],
    "expiry": [
        Variant("to the millisecond"),
        Variant("up to the hour", insert=("--expiry-step", str(HOUR))),
        Variant("up to the day", insert=("--expiry-step", str(DAY))),
        Variant("half of the records kept", insert=("--expiring", "500")),
        Variant("all kept", insert=("--expiring", "0")),
    ],
    "storage": [
        Variant("snappy"),
        Variant("no block compression", collection=stored_as("block_compressor=none")),
        Variant("zstd", collection=stored_as("block_compressor=zstd")),
        Variant(
            "no prefix compression",
            [index | stored_as("prefix_compression=false") for index in ALL],
        ),
        Variant("clustered on _id", collection={"clusteredIndex": {"key": {"_id": 1}, "unique": 1}}),
    ],
    "writes": [
        Variant("retryWrites=false"),
        Variant("retryWrites=true", url="retryWrites=true"),
        Variant("no snapshot history", parameters=NO_HISTORY, afterwards=HISTORY),
        Variant("cache 4 GB", parameters=engine("cache_size=4GB"), afterwards=engine("cache_size=1GB")),
        Variant("eviction begins late", parameters=engine(EVICT_LATE), afterwards=engine(EVICT_EARLY)),
        Variant(
            "eviction begins late, no snapshot history",
            parameters=engine(EVICT_LATE) | NO_HISTORY,
            afterwards=engine(EVICT_EARLY) | HISTORY,
        ),
    ],
    "bulks": [
        Variant("1000, 2 writers"),
        *(Variant(f"{bulk}, 2 writers", insert=("--bulk", str(bulk))) for bulk in (100, 500, 2000, 5000)),
        *(Variant(f"1000, {writers} writers", insert=("--writers", str(writers))) for writers in (1, 4)),
    ],
    "ids": [Variant("time in front"), Variant("random", insert=("--ids", "random"))],
    "fields": [Variant("all fields"), *(without(name) for name in FIELDS), without("topic", "push_type", "client", "lane")],
    "message": [
        Variant("200 bytes"),
        without("message"),
        Variant("digest (100 bytes)", insert=("--message", "100")),
        Variant("1,000 bytes", insert=("--message", "1000")),
        Variant("4,000 bytes", insert=("--message", "4000")),
    ],
}
