"""Plants errors into a finished run: the account at the end must find each, or it proves nothing."""

from collections.abc import Callable
from typing import Any

from bench import pipeline
from bench.pipeline import Plan
from bench.records import Records
from bench.rig import Rig

STRANGER = {"_id": "nobody asked for this", "outcome": "accepted"}


def run(rig: Rig, count: int) -> dict:
    """One run of the whole pipeline, and four lies about it. Raises when one of them is believed."""
    found = []

    def judge(rig: Rig, records: Records, *account: Any) -> None:
        for name, lie, take_back in lies(rig, records):
            pipeline.verify(rig, records, *account)
            lie()
            if is_believed(rig, records, *account):
                raise RuntimeError(f"the account does not find {name}")
            found.append(name)
            take_back()

    pipeline.run(rig, Plan(count), judge=judge)
    return {"found": len(found)}


def is_believed(*account: Any) -> bool:
    try:
        pipeline.verify(*account)
    except RuntimeError:
        return False
    return True


def lies(rig: Rig, records: Records) -> list[tuple[str, Callable, Callable]]:
    """What each is called, how it is planted, and how it is taken back; the last one stays."""

    def change(old: str, new: str) -> None:
        records.deliveries.update_one({"outcome": old}, {"$set": {"outcome": new}})

    def insert() -> None:
        records.deliveries.insert_one(dict(STRANGER))

    def delete(query: dict) -> None:
        records.deliveries.delete_one(query)

    def leave() -> None:
        pipeline.fill(rig, Plan(100), rig.next_seed())

    return [
        ("another outcome", lambda: change("accepted", "unknown"), lambda: change("unknown", "accepted")),
        ("a record too many", insert, lambda: delete({"_id": STRANGER["_id"]})),
        ("a record lost", lambda: delete({"outcome": "accepted"}), insert),
        ("a message left", leave, lambda: None),
    ]
