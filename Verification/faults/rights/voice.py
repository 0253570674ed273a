"""What a person asks of our own API: a service that speaks, somebody who hears it, another address."""

import json
import re
import struct
import urllib.error
import urllib.request
import uuid
import zlib
from datetime import UTC, datetime
from typing import Any

from faults.frontdoor import BASE
from faults.rights.ask import ask, opened

LINK = re.compile(rf"{re.escape(BASE)}/account/new-address/(\S+)")


def log_in(port: int) -> tuple[str, str]:
    """An access token, and what has not worked."""
    status, text = ask(port, "/v1/account/sessions", "", "POST", {"username": "trial", "password": "12345"})
    return ("", f"log-in: {status}: {text}") if status != 201 else (json.loads(text)["access_token"], "")


def speak(port: int) -> str:
    """Has a service and invites somebody, says something, and hears and reads it: what has not worked, or nothing."""
    access, words = log_in(port)
    if words:
        return words
    status, text = ask(port, "/v1/services", access, "POST", {"name": "voice"})
    if status != 201:
        return f"service: {status}: {text}"
    service = f"/v1/services/{json.loads(text)['id']}"
    status, text = ask(port, f"{service}/invitations", access, "POST", {"role": "member"})
    if status != 201:
        return f"invitation: {status}: {text}"
    invitation = json.loads(text)["id"]
    for method, path, wanted in (("GET", "", 200), ("DELETE", f"/{invitation}", 204)):
        status, text = ask(port, f"{service}/invitations{path}", access, method)
        if status != wanted:
            return f"{method} of invitations: {status}: {text}"
    words = image(port, service, access) or webhook(port, f"{service}/webhooks", access)
    if words:
        return words
    status, text = ask(port, f"{service}/keys", access, "POST", {"name": "voice", "scopes": ["notify"]})
    if status != 201:
        return f"key: {status}: {text}"
    return hear(port, access, json.loads(text)["secret"])


def image(port: int, service: str, access: str) -> str:
    """Gives the service an image, looks at it and takes it away: what has not worked, or nothing."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    file = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    for method, data in (("PUT", file), ("PUT", file), ("GET", None), ("DELETE", None)):
        url, headers = f"http://127.0.0.1:{port}{service}/image", {"Authorization": f"Bearer {access}"}
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            opened(request).close()
        except urllib.error.HTTPError as error:
            return f"{method} of an image: {error.code}: {error.read().decode()}"
    return ""


def webhook(port: int, path: str, access: str) -> str:
    """Has a webhook made, tried, switched and removed: what has not worked, or nothing."""
    status, text = ask(port, path, access, "POST", {"url": "https://example.com/trial"})
    if status != 201:
        return f"webhook: {status}: {text}"
    one = f"{path}/{json.loads(text)['webhook']['id']}"
    for method, more, body, wanted in (
        ("POST", "/test", None, 202),
        ("POST", "/replay", {"since": "2026-01-01T00:00:00Z"}, 200),
        ("POST", "/rotate", None, 201),
        ("POST", "/disable", None, 200),
        ("POST", "/enable", None, 200),
        ("GET", "", None, 200),
        ("DELETE", "", None, 204),
    ):
        status, text = ask(port, one + more, access, method, body)
        if status != wanted:
            return f"{method} of a webhook{more}: {status}: {text}"
    return ""


def hear(port: int, access: str, key: str) -> str:
    """Listens while the service speaks, twice under one name; reads it, and asks for what was missed."""
    words, name = {"level": "info", "body": "trial"}, {"Idempotency-Key": f"{uuid.uuid4()}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/events", headers={"Authorization": f"Bearer {access}"})
    try:
        with opened(request) as stream:
            for _ in range(2):
                status, text = ask(port, "/v1/notifications", key, "POST", words, name)
                if status != 202:
                    return f"notification: {status}: {text}"
            event = next(line[3:].strip().decode() for line in stream if line.startswith(b"id:"))
    except (urllib.error.HTTPError, StopIteration) as error:
        return f"events: {error}"
    notification = f"/v1/notifications/{json.loads(text)['id']}"
    for method, path, more in (
        ("PUT", f"{notification}/read", {}),
        ("GET", "/v1/notifications", {}),
        ("GET", "/v1/events", {"Last-Event-ID": event}),
    ):
        status, text = ask(port, path, access, method, more=more)
        if status != 200:
            return f"{method} {path}: {status}: {text}"
    return ""


def move(port: int, database: Any) -> str:
    """Asks for an address that somebody else has by the time it is confirmed: what has not worked, or nothing.

    The mail that tells the address before it of the change waits by then, and is taken back.
    """
    access, words = log_in(port)
    if words:
        return words
    address = "new@example.com"
    status, text = ask(port, "/v1/account/email", access, "PUT", {"email": address, "password": "12345"})
    if status != 202:
        return f"address: {status}: {text}"
    mail = database["outbox_mail"].find_one({"to": address})
    link = LINK.search(mail["text"]) if mail else None
    if not link:
        return f"there is no mail with a link for {address}"
    other = {"_id": "acc_other", "username": "other", "username_key": "other", "password": "$", "failures": 0}
    now = datetime.now(UTC)
    dates = {"password_changed_at": now, "created_at": now, "confirmed_at": now}
    database["accounts"].insert_one(other | dates | {"email": address, "email_key": address})
    status, text = ask(port, "/v1/account/email/confirmation", "", "PUT", {"token": link[1]})
    if status != 409:
        return f"confirmation of a taken address: {status}: {text}"
    taken_back = database["outbox_mail"].count_documents({"_id": {"$regex": "^address-changed-"}, "state": "failed"})
    return "" if taken_back == 1 else f"{taken_back} mails are taken back"
