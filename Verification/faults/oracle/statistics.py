"""Holds the statistics against the log: every final record counted, and none twice, whatever was killed.

The log is held against the minutes, and hours and days against those.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime

from pymongo.collection import Collection
from pymongo.database import Database

from faults.oracle.ledger import FINAL

KEYS = ("outcome", "client", "lane", "topic", "push_type", "reason")
# Where each class of latency ends, in whole milliseconds, excluded; the last class has no end (docs/operations/statistics.md).
BOUNDS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 8192, 16384)


def in_doubt(statistics: Collection) -> list[str]:
    """The documents, by id, whose counts may lack something, when no dispatcher runs: none may be open then."""
    found = list(statistics.find({"unresolved": True}, {"replaces": 1}))
    settled = {one for document in found for one in document.get("replaces", [])}
    return sorted(document["_id"] for document in found if "replaces" not in document and document["_id"] not in settled)


def minutes(statistics: Collection) -> list[dict]:
    """The documents of minutes that count, as their readers take them."""
    hidden = {one for head in statistics.find({"replaces": {"$exists": True}}) for one in head["replaces"]}
    found = statistics.find({"minute": {"$exists": True}, "state": {"$ne": "replaced"}})
    return [document for document in found if document["_id"] not in hidden]


def counted(documents: list[dict]) -> Counter:
    """What minutes say."""
    return add_up((tuple(cell.get(key) for key in KEYS), cell) for cell in cells(documents))


def cells(documents: list[dict]) -> Iterator[dict]:
    return (cell for document in documents for cell in document.get("cells", ()))


def add_up(named: Iterable[tuple[tuple, dict]]) -> Counter:
    """By name, how many cells have; and by name and class of latency, how many of those."""
    total: Counter = Counter()
    for name, cell in named:
        total[name] += cell["count"]
        for bucket, count in cell.get("latency", {}).items():
            total[(*name, f"class {bucket}")] += count
    return total


def beginning(level: str, when: datetime) -> datetime:
    hour = when.replace(minute=0)
    return hour.replace(hour=0) if level == "day" else hour


def believed(statistics: Collection, documents: list[dict]) -> dict[str, dict[datetime, dict]]:
    """The sums that readers believe, by level and beginning: hours that have all of their minutes, days of such hours."""
    lacking = {beginning("hour", document["minute"]) for document in documents if document.get("unsummed")}
    hours = {one["start"]: one for one in statistics.find({"level": "hour"})}
    lacking_days = {beginning("day", start) for start in lacking}
    lacking_days |= {beginning("day", start) for start, hour in hours.items() if not hour["summed"]}
    days = {one["start"]: one for one in statistics.find({"level": "day"})}
    return {
        "hour": {start: hour for start, hour in hours.items() if start not in lacking},
        "day": {start: day for start, day in days.items() if start not in lacking_days},
    }


def by_time(level: str, documents: list[dict]) -> Counter:
    return add_up(((beginning(level, cell["at"]), *(cell.get(key) for key in KEYS)), cell) for cell in cells(documents))


def compare_sums(statistics: Collection) -> list[str]:
    """Findings: where an hour or a day says something else than its minutes, or is of minutes that are not there."""
    documents = minutes(statistics)
    findings = []
    for level, sums in believed(statistics, documents).items():
        for start, total in sums.items():
            parts = [document for document in documents if beginning(level, document["minute"]) == start]
            said, known = by_time(level, [total]), by_time(level, parts)
            findings += [f"{level} {start:%d %H:%M}: {text}" for text in differences(said, known, "its minutes have")]
    return findings


def recorded(deliveries: Collection) -> Counter:
    """What the log says, in the form of `add_up`; the server counts the bounds that a latency has reached."""
    reached = {"$size": {"$filter": {"input": list(BOUNDS), "cond": {"$lte": ["$$this", "$latency_ms"]}}}}
    bucket = {"$cond": [{"$isNumber": "$latency_ms"}, reached, None]}
    # The reason of a superseded record names one notification, and is not counted.
    reason = {"$cond": [{"$eq": ["$outcome", "superseded"]}, None, "$reason"]}
    group = {"_id": {**{key: f"${key}" for key in KEYS}, "reason": reason, "bucket": bucket}, "count": {"$sum": 1}}
    total: Counter = Counter()
    for row in deliveries.aggregate([{"$match": {"outcome": {"$in": sorted(FINAL)}}}, {"$group": group}]):
        name = tuple(row["_id"].get(key) for key in KEYS)
        total[name] += row["count"]
        if row["_id"]["bucket"] is not None:
            total[(*name, f"class {row['_id']['bucket']}")] += row["count"]
    return total


def compare(database: Database) -> list[str]:
    """Findings: where the two differ, or sums from what they are made of."""
    statistics = database["statistics"]
    return differences(counted(minutes(statistics)), recorded(database["deliveries"])) + compare_sums(statistics)


def differences(said: Counter, known: Counter, truth: str = "the log has") -> list[str]:
    different = sorted((key for key in said | known if said[key] != known[key]), key=str)
    return [f"statistics: {said[key]} of {key}, {truth} {known[key]}" for key in different[:5]]
