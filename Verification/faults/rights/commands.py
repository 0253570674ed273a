"""Trials of the commands that look, and of those that ask once."""

import threading
import uuid
from datetime import UTC, datetime

from faults.cases.trust import waybill
from faults.product import BUNDLE
from faults.rights.trial import Trial


def init(trial: Trial) -> bool:
    """In an empty place, and again where all is there, with a device whose locale is not canonical."""
    trial.installation.delete_queues()
    trial.installation.store.client.drop_database(trial.installation.prefix)
    if not trial.succeeds("init"):
        return False
    devices = trial.database.devices
    devices.insert_one({"_id": "trial", "token": "aa", "locale": "de_AT"})
    try:
        return trial.succeeds("init") and devices.count_documents({"_id": "trial", "locale": "de-AT"}) == 1
    finally:
        devices.delete_many({"_id": "trial"})


def check(trial: Trial) -> bool:
    with trial.endpoint(), trial.fuse("released"), trial.family():
        return trial.succeeds("check") and trial.misses_schedule("check")


def logs(trial: Trial) -> bool:
    """What is there, with what devices have said and what fuses do, and what comes."""
    if not trial.succeeds("logs", "--json"):
        return False
    token = trial.run.producer.token("dead")
    with trial.fuse("blown"):
        trial.record(uuid.uuid4(), token, datetime.now(UTC), "com.example.app")
        if not trial.succeeds("logs", "--story") or "not readable" in trial.words:
            return False
        if "by the fuse of the lane parcels" not in " ".join(trial.words.split()):
            return False
    # Whether many died at once is known, and few did.
    if not trial.succeeds("logs", "--story") or "stop sending to it" not in " ".join(trial.words.split()):
        return False
    writing = threading.Timer(2, trial.record, (uuid.uuid4(), token, datetime.now(UTC), "com.example.app"))
    writing.start()
    follows = trial.succeeds("logs", "--follow", "--limit", "1", "--json")
    writing.join()
    return follows


def explain(trial: Trial) -> bool:
    """A device, by log, registry and fuses; a batch, by processes, orders and the rejected queue; what is in the store."""
    token = trial.run.producer.token("dead")
    with trial.fuse("blown"):
        trial.record(uuid.uuid4(), token, datetime.now(UTC), "com.example.app")
        if not trial.succeeds("explain", "-", input=token.encode()) or "not readable" in trial.words:
            return False
        if "by the fuse of the lane parcels" not in " ".join(trial.words.split()):
            return False
    # Whether many died at once is known, and few did.
    if not trial.succeeds("explain", "-", input=token.encode()) or "is in doubt" in trial.words:
        return False
    # An empty queue is not read.
    trial.reject()
    # Nothing is recorded of it, which is told by 66.
    trial.succeeds("explain", "--as", "batch", "nothing")
    if "nothing is recorded" not in trial.words or "not readable" in trial.words:
        return False
    if "not looked into" in trial.words:
        return False
    name = trial.name("posted")
    # How far it has come is asked of its audience.
    under_way = {"state": "scheduled", "audience": name}
    trial.database.notifications.insert_one({"_id": name, "app": BUNDLE, "body": "hello"} | under_way)
    draft = trial.name("draft")
    made = waybill(
        trial.run,
        trial.installation.configs["campaign"],
        *("campaign", "create", draft, "--app", BUNDLE, "--client", "acme", "--body", "hello"),
    )
    assert made.returncode == 0, made.stderr.decode()
    try:
        audience = trial.name("audience")
        now = datetime.now(UTC)
        written = {"client": "acme", "state": "expanding", "created_at": now, "due": now, "digest": "trial"}
        trial.database.audiences.insert_one({"_id": audience} | written)
        for posted, words in (
            (name, "notification in the store"),
            (draft, "a campaign, and a draft"),
            (audience, "an audience of acme"),
        ):
            if not trial.succeeds("explain", "--as", "batch", posted) or words not in trial.words:
                return False
            if "not readable" in trial.words:
                return False
        return True
    finally:
        for collection in ("audiences", "campaigns", "notifications"):
            trial.database[collection].delete_many({})


def export(trial: Trial) -> bool:
    return trial.succeeds("export", "--output", str(trial.run.folder / f"export-{uuid.uuid4()}.ndjson"))


def stats(trial: Trial) -> bool:
    """Counts, what devices have said of what was counted, and minutes that are marked for a recount."""
    told = uuid.uuid4()
    trial.record(told, trial.run.producer.token("dead"), datetime.now(UTC), "com.example.app", by_date=True)
    return (
        trial.succeeds("stats", "--json")
        and trial.succeeds("stats", "--receipts", "--json")
        and trial.succeeds("stats", "--recount", "--since", "2m")
    )


def devices(trial: Trial) -> bool:
    """One is registered, disabled and listed."""
    token = trial.run.producer.token("aa")
    where = ("--app", "com.example.app", "--environment", "production", "--token", "-")
    return (
        trial.succeeds("devices", "register", *where, input=token.encode())
        and trial.succeeds("devices", "disable", "--token", "-", input=token.encode())
        and trial.succeeds("devices", "--json")
    )


def status(trial: Trial) -> bool:
    """Whatever it says of the rest: broker and store answer it."""
    with trial.endpoint(), trial.fuse("released"), trial.family():
        done = trial.succeeds("status")
    if "at most" in " ".join(trial.words.split()):
        return False
    if not done and any(words in trial.words for words in ("does not answer", "refuses this user")):
        return False
    return trial.misses_schedule("status")


def rejected(trial: Trial) -> bool:
    """A list, and a message that is sent again."""
    trial.reject()
    return trial.succeeds("rejected", "--json") and trial.succeeds("rejected", "replay", "--all", "--json")


def send(trial: Trial) -> bool:
    return trial.succeeds("send", "-", "--format", "json", input=trial.batch("aa"))
