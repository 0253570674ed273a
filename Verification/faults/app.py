"""An app that speaks the API of the thesis as its texts and its author's own app have it.

Written from those, and not from the product: the token goes without "Bearer", no body says that it is JSON, slashes in a
body are escaped, values of a query are encoded twice.
"""

import http.client
import json
import urllib.parse
from dataclasses import dataclass
from typing import Any

# What URLSession says of a body by itself.
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> int | None:
        """The number of a user's error, which travels in 200; None for a success."""
        assert self.status == 200, self
        answer = self.json()
        if answer["success"]:
            return None
        assert isinstance(answer["error"]["message"], str) and answer["error"]["message"], answer
        return answer["error"]["code"]

    @property
    def payload(self) -> dict[str, str]:
        assert self.status == 200 and self.json()["success"] is True, self
        return self.json()["payload"]


class App:
    def __init__(self, port: int) -> None:
        self.port = port

    def ask(
        self, method: str, path: str, body: bytes | None = None, token: str | None = None, headers: dict | None = None
    ) -> Answer:
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        fields = dict(headers or {})
        if token is not None:
            fields["Authorization"] = token
        try:
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def send(self, method: str, path: str, members: dict[str, Any], token: str | None = None, *, typed: bool = False) -> Answer:
        """typed: says that the body is JSON, as our own API wants it."""
        text = json.dumps(members).replace("/", "\\/")
        return self.ask(method, path, text.encode(), token, {"Content-Type": "application/json" if typed else FORM})

    def check(self, **values: str) -> Answer:
        query = "&".join(f"{name}={encoded_twice(value)}" for name, value in values.items())
        return self.ask("GET", f"/account/check?{query}")

    def register(self, username: str, email: str, password: str) -> Answer:
        return self.send("POST", "/account/register", {"username": username, "email": email, "password": password})

    def log_in(self, username: str, password: str) -> Answer:
        return self.send("POST", "/account/login", {"username": username, "password": password})

    def resend(self, email: str) -> Answer:
        return self.send("POST", "/account/resend", {"email": email})

    def confirm(self, token: str) -> Answer:
        return self.send("PUT", "/account/confirm", {"token": token})

    def access(self, refresh: str) -> Answer:
        return self.send("POST", "/account/access", {"refreshToken": refresh})

    def device(self, access: str, token: str, enabled: bool) -> Answer:
        return self.send("POST", "/account/device", {"deviceToken": token, "enabled": enabled}, access)

    def create(self, access: str, name: str, info: bool = True, warning: bool = True, error: bool = True) -> Answer:
        return self.send("POST", "/service", {"name": name, "image": "", "levels": levels(info, warning, error)}, access)

    def services(self, access: str) -> Answer:
        return self.ask("GET", "/services", token=access)

    def new_key(self, access: str, service: dict, password: str) -> Answer:
        """As the author's own app asks: with the whole service."""
        return self.send("POST", "/service/key", {"service": service, "password": password}, access)

    def notify(self, key: str, level: int, body: str, **more: Any) -> Answer:
        return self.send("POST", "/notify", {"serviceKey": key, "level": level, "body": body, **more})


def levels(info: bool, warning: bool, error: bool) -> dict[str, bool]:
    return {"info": info, "warning": warning, "error": error}


def encoded_twice(value: str) -> str:
    # It leaves a plus sign alone.
    return urllib.parse.quote(urllib.parse.quote(value, safe="+@"), safe="+@")
