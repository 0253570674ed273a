"""The trial of `waybill serve`: everything that it is asked for."""

import uuid
from datetime import UTC, datetime
from typing import Any

from common.receipts import capability

from faults.cases.trust import drain
from faults.process import eventually
from faults.product import BUNDLE
from faults.rights.app import PHONES, sign_up, tell_people
from faults.rights.ask import ask, session
from faults.rights.installation import a_key
from faults.rights.trial import COMPLAINTS, Trial
from faults.rights.voice import move, speak
from faults.servers.ports import free_ports

PEOPLE = (
    *(
        "services",
        "service_images",
        "memberships",
        "service_keys",
        "notifications",
        "device_links",
        "invitations",
        "receipts",
        "idempotency",
    ),
    *("account_events", "campaigns", "audiences", "webhook_endpoints", "webhook_secrets", "webhook_deliveries"),
)


def serve(trial: Trial) -> bool:
    """The state and a record are asked for with a key, and the key's use is noted."""
    (port,) = free_ports(1)
    key = a_key(trial.installation)
    service = trial.installation.service("serve", "--set", f"serve.listen=127.0.0.1:{port}")
    before = len(service.words)
    noted = {"last_used_at": {"$type": "date"}}
    try:
        with trial.endpoint(), trial.fuse("blown"):
            answers = [ask(port, path, key) for path in ("/v1/status", f"/v1/deliveries?token={32 * 'ab'}", "/v1/stats")]
        trial.words = f"{answers}"
        if [status for status, _ in answers] != [200, 200, 200] or '"grade":"down","text":"the store' in answers[0][1]:
            return False
        with trial.fuse("blown"):
            status, trial.words = ask(port, "/v1/fuses/parcels/release", key, "POST")
            if status != 202:
                return False
        status, trial.words = ask(port, "/v1/tail", key)
        if status != 200:
            return False
        trial.reject()
        status, trial.words = ask(port, "/v1/rejected/replay", key, "POST", {"reason": "unknown"})
        if status != 200 or '"replayed":0' in trial.words:
            return False
        told = uuid.uuid4()
        trial.record(told, 32 * "ab", datetime.now(UTC), BUNDLE, client="acme")
        said = {"id": f"{told}", "cap": capability(f"{told}"), "event": "opened"}
        status, trial.words = ask(port, "/v1/receipts", key, "POST", said)
        if status != 204:
            return False
        status, trial.words = ask(port, "/v1/explain", key, "POST", {"token": 32 * "ab"})
        if status != 200 or "not readable" in trial.words or '"opened"' not in trial.words:
            return False
        visit = session(port, key)
        trial.words = f"{visit}"
        if visit != [200, 200, 204]:
            return False
        for path in ("/v1/lanes/parcels/pause", "/v1/lanes/parcels/resume", "/v1/batches/trial/cancel"):
            status, trial.words = ask(port, path, key, "POST")
            if status != 202:
                return False
        trial.words = person(port, trial.database) or campaign(port, key, trial.database)
        if trial.words:
            return False
        eventually("its use is noted", lambda: trial.database["keys"].count_documents(noted) > 0, 10)
        lease = {"role": "serve", "ended": {"$exists": False}}
        eventually("its lease is renewed", lambda: trial.database.processes.count_documents(lease) > 0, 10)
        return service.end() == 0 and not any(word in service.words[before:].lower() for word in COMPLAINTS)
    except TimeoutError:
        return False
    finally:
        service.kill()
        for name in ("delivery_receipts", "keys", "secrets", "accounts", "logins", "outbox_mail", *PEOPLE):
            trial.database[name].delete_many({})
        trial.database["devices"].delete_many({"token": {"$in": PHONES}})
        drain(trial.run, f"{trial.installation.prefix}.dispatch")
        trial.database.processes.delete_many({})


def person(port: int, database: Any) -> str:
    """Everything that somebody with an account does: what has not worked, or nothing."""
    return sign_up(port, database) or tell_people(port, database) or speak(port) or move(port, database)


def campaign(port: int, key: str, database: Any) -> str:
    """Makes one, asks how far a notification is that is under way, and ends it: what has not worked, or nothing."""
    one = {"name": "trial", "client": "notices", "body": "trial", "select": {"app": BUNDLE}}
    # How far it has come is asked of its audience.
    under_way = {"_id": "trial-under-way", "app": BUNDLE, "body": "hello", "state": "scheduled", "audience": "trial-under-way"}
    database.notifications.insert_one(under_way)
    for method, path, body, wanted in (
        ("POST", "/v1/campaigns", one, 201),
        ("GET", "/v1/batches/trial-under-way", None, 200),
        ("POST", "/v1/campaigns/trial/cancel", None, 202),
    ):
        status, text = ask(port, path, key, method, body)
        if status != wanted or "not readable" in text:
            return f"campaign: {status}: {text}"
        if method == "POST" and path == "/v1/campaigns":
            begin(database)
    return ""


def begin(database: Any) -> None:
    """The campaign is under way, with one audience that is expanded."""
    now = datetime.now(UTC)
    made = database.campaigns.find_one({"name": "trial"})
    started = {"state": "started", "started_at": now, "numbers_after": 1000, "parts": [{"zones": [], "devices": 1}]}
    database.campaigns.update_one({"_id": made["_id"]}, {"$set": started})
    part = {"app": BUNDLE, "body": "trial", "client": "notices", "x-campaign": made["mark"]}
    known = {"audience": "trial.1001", "digest": "trial", "state": "sending", "begins": now, "due": now}
    database.notifications.insert_one({"_id": "trial.1001"} | part | known)
    audience = {"client": "notices", "name": "trial.1001", "digest": "trial", "state": "expanding"}
    database.audiences.insert_one({"_id": "notices/trial.1001", "created_at": now, "due": now} | audience)
