"""Holds the statistics against the log: every final record counted, and none twice, whatever was killed."""

from collections import Counter

from pymongo.collection import Collection
from pymongo.database import Database

from faults.oracle.ledger import FINAL

KEYS = ("outcome", "client", "lane", "reason")


def in_doubt(statistics: Collection) -> list[str]:
    """The documents, by id, whose counts may lack something, when no dispatcher runs: none may be open then."""
    found = list(statistics.find({"unresolved": True}, {"replaces": 1}))
    settled = {one for document in found for one in document.get("replaces", [])}
    return sorted(document["_id"] for document in found if "replaces" not in document and document["_id"] not in settled)


def counted(statistics: Collection) -> Counter:
    """What the statistics say, as their readers take them."""
    hidden = {one for head in statistics.find({"replaces": {"$exists": True}}) for one in head["replaces"]}
    total: Counter = Counter()
    for document in statistics.find({"cells": {"$exists": True}, "state": {"$ne": "replaced"}}):
        if document["_id"] not in hidden:
            for cell in document["cells"]:
                total[tuple(cell.get(key) for key in KEYS)] += cell["count"]
    return total


def recorded(deliveries: Collection) -> Counter:
    """What the log says."""
    group = {"_id": {key: f"${key}" for key in KEYS}, "count": {"$sum": 1}}
    rows = deliveries.aggregate([{"$match": {"outcome": {"$in": sorted(FINAL)}}}, {"$group": group}])
    return Counter({tuple(row["_id"].get(key) for key in KEYS): row["count"] for row in rows})


def compare(database: Database) -> list[str]:
    """Findings: where the two differ."""
    return differences(counted(database["statistics"]), recorded(database["deliveries"]))


def differences(said: Counter, known: Counter) -> list[str]:
    different = sorted((key for key in said | known if said[key] != known[key]), key=str)
    return [f"statistics: {said[key]} of {key}, the log has {known[key]}" for key in different[:5]]
