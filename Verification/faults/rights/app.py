"""What a person's app asks of the thesis' API: an account, phones, a service, and what that says."""

import json
import uuid
from datetime import UTC, datetime
from typing import Any

from faults.app import App
from faults.cases.notifire import LINK
from faults.process import eventually
from faults.product import BUNDLE

PHONES = [32 * "1a", 32 * "2b"]


def sign_up(port: int, database: Any) -> str:
    """Signs up, confirms, logs in and renews as a person's app does: what has not worked, or nothing."""
    app = App(port)
    for answer in (app.register("trial", "trial@example.com", "12345"), app.resend("trial")):
        if answer.status != 200 or answer.code is not None:
            return f"{answer}"
    mail = database["outbox_mail"].find_one()
    link = LINK.search(mail["text"]) if mail else None
    confirmed = app.confirm(link[1]) if link else None
    if not confirmed or confirmed.status != 200 or confirmed.code is not None:
        return f"{confirmed}"
    # The oldest of so many ends with the next one.
    (account,) = database["accounts"].find()
    dates = {"password_changed_at": account["password_changed_at"], "created_at": account["created_at"]}
    database["logins"].insert_many(
        {"_id": f"log_{number}", "account": account["_id"], "digest": f"{number}", **dates} for number in range(51)
    )
    entered = app.log_in("trial", "12345")
    if entered.status != 200 or entered.code is not None:
        return f"{entered}"
    renewed = app.access(entered.payload["refreshToken"])
    return "" if renewed.status == 200 else f"{renewed}"


def tell_people(port: int, database: Any) -> str:
    """Has phones and a service as a person's app does, and says something: what has not worked, or nothing."""
    app = App(port)
    access = app.log_in("trial", "12345").payload["accessToken"]
    # One is known already, by another way of registering.
    known = {"provider": "apns", "app": BUNDLE, "environment": "production", "token": PHONES[0], "kind": "token"}
    database["devices"].insert_one({**known, "enabled": True, "registered_at": datetime(2020, 1, 1, tzinfo=UTC)})
    for token, enabled in ((PHONES[0], True), (PHONES[1], True), (PHONES[1], False)):
        answer = app.device(access, token, enabled)
        if answer.status != 204:
            return f"{answer}"
    made = app.create(access, "trial")
    if made.status != 200:
        return f"{made}"
    for answer in (
        app.send("PUT", "/service", made.json(), access),
        app.new_key(access, made.json(), "12345"),
        app.services(access),
    ):
        if answer.status != 200:
            return f"{answer}"
    (service,) = app.services(access).json()
    words = {"serviceKey": service["apiKey"], "level": 3, "body": "trial"}
    body, name = json.dumps(words).encode(), {"Idempotency-Key": f"{uuid.uuid4()}"}
    # Its connection to the broker may be younger than its listener.
    eventually("it is handed over", lambda: app.ask("POST", "/notify", body, headers=name).status == 204, 10)
    eventually("that is noted", lambda: database["notifications"].count_documents({"state": "sent"}) == 1, 10)
    again = app.ask("POST", "/notify", body, headers=name)
    deleted = app.send("DELETE", "/service", service, access)
    return "" if (again.status, deleted.status) == (204, 204) else f"{again} {deleted}"
