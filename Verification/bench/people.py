"""People with an account, a phone and a service each, made by the API of the thesis."""

import http.client
import json
import re
import secrets
from typing import Any

from common.frontdoor import BASE

from bench.records import Records

LINK = re.compile(rf"{re.escape(BASE)}/account/confirm/(\S+)")
PASSWORD = "12345"


def enter(port: int, records: Records, count: int) -> list[str]:
    """Has so many people sign up, with a phone and a service each; returns the services' keys."""
    return [_enter(port, records, f"person{number}") for number in range(count)]


def _enter(port: int, records: Records, name: str) -> str:
    address = f"{name}@example.com"
    _ask(port, "POST", "/account/register", {"username": name, "email": address, "password": PASSWORD})
    (mail,) = records.mails.find({"to": address})
    link = LINK.search(mail["text"])
    if not link:
        raise RuntimeError(f"the mail for {name} has no link")
    access = _ask(port, "PUT", "/account/confirm", {"token": link[1]})["payload"]["accessToken"]
    _ask(port, "POST", "/account/device", {"deviceToken": secrets.token_hex(32), "enabled": True}, access)
    levels = {"info": True, "warning": True, "error": True}
    return _ask(port, "POST", "/service", {"name": name, "image": "", "levels": levels}, access)["apiKey"]


def _ask(port: int, method: str, path: str, members: dict[str, Any], access: str = "") -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, json.dumps(members), {"Authorization": access} if access else {})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status not in (200, 204):
            raise RuntimeError(f"{method} {path}: {answer.status}: {text[:300]!r}")
        return json.loads(text) if text else {}
    finally:
        connection.close()
