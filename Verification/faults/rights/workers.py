"""Trials of the workers that read queues and tell others."""

import json
import time
import uuid
from datetime import UTC, datetime
from typing import Any

from common.receiver import Receiver

from faults.process import eventually
from faults.rights.trial import COMPLAINTS, Trial

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
EVENT = {
    "reason": "Unregistered",
    "status_code": 410,
    "invalid_since": 1795000000123,
    "apns_id": "6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60",
    "batch_id": "trial",
    "lane": "parcels-production",
    "topic": "com.example.parcels",
    "environment": "production",
    "class": "dead",
}


def dispatch(trial: Trial) -> bool:
    """A new batch with a dead token, one that is tried again and one that is to be acknowledged; the same message; nonsense."""
    batch = json.loads(trial.batch("aa", "dead", "5030"))
    items = [{"device_token": token, "message": "hello"} for token in batch["device_tokens"]]
    alarm = {"delivery_type": "critical", "receipt": True, "repeat_until_acknowledged": {"interval": 3600, "limit": 1}}
    items.append({"device_token": trial.run.producer.token("aa"), "message": "fire"} | alarm)
    message = json.dumps({"batch_id": batch["batch_id"], "notifications": items}).encode()
    final = {"batch_id": batch["batch_id"], "outcome": {"$ne": "deferred"}}
    try:
        works = trial.serves("dispatch", "dispatch", message, lambda: trial.database.deliveries.count_documents(final) == 4)
        return works and notes_rejection(trial)
    finally:
        trial.database.unacknowledged.delete_many({})


def notes_rejection(trial: Trial) -> bool:
    """A service's message for a lane that is missing: its notification fails."""
    name = str(uuid.uuid4())
    notifications = trial.database.notifications
    notifications.insert_one({"_id": name, "service": "trial", "client": "acme", "state": "sent"})
    token = trial.run.producer.token("aa")
    body = {"batch_id": name, "client": "acme", "lane": "missing", "device_tokens": [token], "message": "hello"}
    trial.publish("dispatch", json.dumps(body).encode())
    rejected = {"_id": name, "rejection": "unknown_lane"}
    try:
        return trial.works_until("dispatch", lambda: notifications.count_documents(rejected) == 1)
    finally:
        notifications.delete_many({"_id": name})


def prune(trial: Trial) -> bool:
    """An event of a device that nobody knows, until its fuse blows; then the same, and a body nobody can read."""
    token = trial.run.producer.token("dead")
    event: dict[str, Any] = EVENT | {
        "device_token": token,
        "observed_at": int(time.time() * 1000),
        "apns_id": str(uuid.uuid4()),
    }
    now = datetime.now(UTC)
    trial.record(uuid.UUID(event["apns_id"]), token, now, event["topic"])
    disabled = {"token": token, "enabled": False}
    minute = now.replace(second=0, microsecond=0)
    cell = {"at": minute, "outcome": "token_invalid", "lane": "parcels", "topic": event["topic"], "reason": "Unregistered"}
    storm = {"_id": "trial-storm", "minute": minute, "basis": "date", "state": "closed", "unsummed": True}
    database = trial.database

    def is_held() -> bool:
        if database.devices.count_documents(disabled) == 1 and not database.statistics.count_documents({"_id": storm["_id"]}):
            database.statistics.insert_one(storm | {"cells": [cell | {"count": 1000}]})
        return database.token_events.count_documents({"state": "held"}) == 1

    try:
        return trial.serves("prune", "invalid-tokens", json.dumps(event).encode(), is_held)
    finally:
        database.statistics.delete_many({"_id": storm["_id"]})
        for name in ("fuses", "token_events"):
            database[name].delete_many({})
        # What was taken back is a phone like any other, and audiences would reach it.
        database.devices.delete_many({"token": token})


def hooks(trial: Trial) -> bool:
    """A mail that waits goes, an endpoint is told of a record and of a receipt, and the lease of who did it is written."""
    mails, now = trial.database.outbox_mail, datetime.now(UTC)
    trial.number += 1
    mail = {"_id": f"trial-{trial.number}", "to": "a@example.com", "subject": "s", "text": "t", "html": "h"}
    mails.insert_one(mail | {"state": "waiting", "created_at": now, "due": now, "attempts": 0})
    receiver = Receiver(None, 0)
    trial.database.webhook_secrets.insert_one({"_id": "we_1", "secrets": [{"key": SECRET}]})
    endpoint = {"client": "acme", "url": f"http://127.0.0.1:{receiver.port}/ok", "active": True}
    trial.database.webhook_endpoints.insert_one({"_id": "we_1", "created_at": now, "active_since": now} | endpoint)
    service = trial.installation.service("hooks")
    before = len(service.words)
    told = uuid.uuid4()
    trial.record(told, trial.run.producer.token("dead"), now, "com.example.app", client="acme")
    trial.receipt(told)

    def complains() -> bool:
        trial.words = service.words[before:]
        return not service.runs or any(word in trial.words.lower() for word in COMPLAINTS)

    try:
        sent = {"_id": mail["_id"], "state": "sent"}
        eventually("it has gone, or hooks complains", lambda: complains() or mails.count_documents(sent), 30)
        eventually("it is told, or hooks complains", lambda: complains() or len(receiver.of("/ok")) >= 3, 30)
        noted = {"last_success": {"$exists": True}}
        eventually("it is noted", lambda: complains() or trial.database.webhook_endpoints.count_documents(noted), 30)
        lease = {"role": "hooks", "ended": {"$exists": False}}
        eventually("its lease is renewed", lambda: complains() or trial.database.processes.count_documents(lease), 10)
        return not complains() and service.end() == 0
    except TimeoutError:
        return False
    finally:
        service.kill()
        receiver.stop()
        mails.delete_many({})
        for name in ("endpoints", "secrets", "deliveries", "progress"):
            trial.database[f"webhook_{name}"].delete_many({})
        trial.database.delivery_receipts.delete_many({})
        trial.database.processes.delete_many({})


def webhooks(trial: Trial) -> bool:
    """An endpoint is made, gets another secret, what the log has of its client, that again, and goes."""
    trial.record(uuid.uuid4(), trial.run.producer.token("dead"), datetime.now(UTC), "com.example.app", client="acme")
    if not trial.succeeds("webhooks", "add", "http://127.0.0.1:9999/", "--client", "acme", "--json"):
        return False
    endpoint = json.loads(trial.words.splitlines()[0])["id"]
    since = ("--since", "1h")
    return (
        trial.succeeds("webhooks", "rotate", endpoint)
        and trial.succeeds("webhooks", "replay", endpoint, *since, "--from-log")
        and trial.succeeds("webhooks", "replay", endpoint, *since)
        and trial.succeeds("webhooks", "show", endpoint)
        and trial.succeeds("webhooks", "remove", endpoint)
    )
