"""Trials of what makes pushes of audiences, campaigns and notifications that wait in the store."""

import json
import uuid
from datetime import UTC, datetime, timedelta

import pika
from bson import Binary

from faults.product import BUNDLE
from faults.rights.trial import Trial


def fanout(trial: Trial) -> bool:
    """An audience of an app and one of a person with a linked phone are handed over."""
    trial.phone()
    name = trial.name("audience")
    messages = [
        {"audience_id": f"{name}-app", "select": {"app": BUNDLE}},
        {"audience_id": f"{name}-person", "select": {"app": BUNDLE, "users": ["ben"]}},
    ]
    connection = trial.run.services.connect_broker()
    channel = connection.channel()
    for message in messages:
        body = json.dumps(message | {"client": "acme", "content": {"message": "hello"}}).encode()
        channel.basic_publish("", f"{trial.installation.prefix}.audience", body, pika.BasicProperties(delivery_mode=2))
    connection.close()
    wanted = {f"{name}-app": ("done", 1), f"{name}-person": ("done", 1)}

    def is_done() -> bool:
        found = trial.database.audiences.find({"name": {"$in": list(wanted)}})
        return {one["name"]: (one["state"], one.get("handed_over")) for one in found} == wanted

    try:
        return trial.works_until("fanout", is_done)
    finally:
        trial.forget_phone()


def audience(trial: Trial) -> bool:
    """One is counted by a linked phone, sent, shown as it stands in the store, and cancelled twice."""
    trial.phone()
    name = trial.name("audience")
    ben = ("--app", BUNDLE, "--user", "ben")
    now = datetime.now(UTC)
    trial.database.audiences.insert_one(
        {"_id": name, "client": "acme", "state": "expanding", "created_at": now, "due": now, "digest": "trial"}
    )
    try:
        return (
            trial.succeeds("audience", "count", *ben)
            and trial.words.strip() == "1"
            and trial.succeeds("audience", "send", "--id", f"{name}-b", "--client", "acme", *ben, "--message", "a")
            and trial.succeeds("audience", "show", name)
            and trial.succeeds("audience", "cancel", name)
            and trial.succeeds("audience", "cancel", name)
        )
    finally:
        trial.forget_phone()


def campaign(trial: Trial) -> bool:
    """One is made, tried with a person, looked at, started, shown when it is under way, and cancelled."""
    trial.phone()
    name = trial.name("campaign")

    def is_begun() -> bool:
        """As `schedule` notes it: how far it has come is asked of its audience then."""
        begun = {"$set": {"state": "scheduled", "audience": name, "digest": "trial"}}
        audience = {"client": "acme", "name": name, "digest": "trial", "state": "expanding", "handed_over": 1}
        now = datetime.now(UTC)
        # What is on its way is ended by an order.
        trial.database.audiences.insert_one({"_id": f"acme/{name}", "created_at": now, "due": now} | audience)
        return trial.database.notifications.update_many({}, begun).matched_count > 0

    try:
        return (
            trial.succeeds("campaign", "create", name, "--app", BUNDLE, "--client", "acme", "--body", "hello")
            and trial.succeeds("campaign", "test", name, "--user", "ben")
            and trial.succeeds("campaign", "preview", name)
            and trial.succeeds("campaign", "start", name, "--at-most", "10")
            and is_begun()
            and trial.succeeds("campaign", "show", name)
            and trial.succeeds("campaign", "pause", name)
            and trial.succeeds("campaign", "cancel", name)
            and trial.succeeds("campaign", "list")
        )
    finally:
        trial.forget_phone()


def schedule(trial: Trial) -> bool:
    """What `serve` has left is handed over, a notification in the store followed to its end, three more are cancelled, one of
    which fan-out has never met, and an alarm is sent again."""
    trial.phone()
    now, later = datetime.now(UTC), datetime.now(UTC) + timedelta(hours=1)
    posted, audiences = trial.database.notifications, trial.database.audiences
    left, sent, waits, begun, said, lost = (trial.name(what) for what in ("left", "sent", "waits", "begun", "said", "lost"))
    claim = {
        "state": "claimed",
        "claimed_by": "trial",
        "claimed_until": now,
        "at": now,
        "erase_at": later,
        "digest": "trial",
    }
    people = {"digest": "trial", "service": "trial", "people": [{"account": "acc_trial"}]}
    posted.insert_one({"_id": left, "client": "acme", "messages": [trial.batch("aa").decode()]} | claim | people)
    posted.insert_one({"_id": sent, "app": BUNDLE, "body": "hello"})
    # Nobody knows whether the broker has it.
    doubt = {"state": "sending", "due": now, "begins": now, "audience": lost, "digest": "trial", "cancel": True}
    posted.insert_one({"_id": lost, "app": BUNDLE, "body": "hello"} | doubt)
    posted.insert_many([{"_id": name, "app": BUNDLE, "body": "bye", "at": later} for name in (waits, begun)])
    trial.people("ben")
    posted.insert_one({"_id": said, "service": trial.a_service("acc_ben"), "body": "hello"})
    first = unacknowledged(trial, now - timedelta(minutes=1))
    others = [trial.installation.service("fanout"), trial.installation.service("dispatch")]
    asked: list[str] = []

    def is_done() -> bool:
        found = {one["_id"]: one for one in posted.find()}
        if not asked and audiences.count_documents({"state": "waiting"}) == 2:
            # Somebody hands it over already: only an order ends it then.
            lease = {"state": "expanding", "lease": {"by": "trial", "until": later}}
            audiences.update_one({"name": found[begun]["audience"]}, {"$set": lease})
            asked.append(begun)
        if asked:
            look = {"$set": {"cancel": True, "due": datetime.now(UTC)}}
            posted.update_many({"_id": {"$in": [waits, begun]}, "state": "scheduled"}, look)
        states = [found[name].get("state") for name in (left, sent, waits, lost)]
        # Nobody of it has a phone, so that nothing is pushed.
        return (
            states == ["sent", "sent", "cancelled", "cancelled"]
            and found[said].get("state") == "failed"
            and trial.database.orders.count_documents({}) > 0
            and trial.database.unacknowledged.count_documents({"_id": first, "number": 1}) > 0
        )

    try:
        return trial.works_until("schedule", is_done)
    finally:
        for process in others:
            process.end()
            process.kill()
        trial.forget_phone()
        trial.nobody()
        for name in ("orders", "receipts", "account_events", "unacknowledged"):
            trial.database[name].delete_many({})


def unacknowledged(trial: Trial, begins: datetime) -> Binary:
    """An alarm that was accepted at that time and is to be sent again by now: its id."""
    id, token = uuid.uuid4(), trial.run.producer.token("aa")
    trial.record(id, token, begins, BUNDLE, outcome="accepted", client="acme")
    family = {"lane": "parcels", "begins": begins, "interval": 30, "limit": 1, "number": 0, "due": datetime.now(UTC)}
    alarm = {"device_token": token, "message": "fire", "delivery_type": "critical", "receipt": True}
    body = {"batch_id": trial.name("alarm"), "client": "acme", "lane": "parcels", "notifications": [alarm]}
    key = Binary(id.bytes, 4)
    trial.database.unacknowledged.insert_one({"_id": key, "body": Binary(json.dumps(body).encode(), 0)} | family)
    return key
