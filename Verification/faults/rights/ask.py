"""Requests to the HTTP API."""

import json
import time
import urllib.error
import urllib.request
from typing import Any

TOO_MANY = 429


def ask(
    port: int, path: str, key: str, method: str = "GET", body: dict[str, Any] | None = None, more: dict[str, str] | None = None
) -> tuple[int, str]:
    """Asks the HTTP API, as soon as it listens."""
    headers = {"Authorization": f"Bearer {key}"} | ({"Content-Type": "application/json"} if body else {}) | (more or {})
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=data, headers=headers, method=method)
    try:
        with opened(request) as answer:
            # A stream has no end.
            streams = answer.headers.get_content_type() == "text/event-stream"
            return answer.status, (answer.readline() if streams else answer.read()).decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def opened(request: urllib.request.Request) -> Any:
    """The answer to a request, as soon as somebody listens and lets it pass."""
    deadline = time.monotonic() + 20
    while True:
        try:
            return urllib.request.urlopen(request, timeout=20)
        except urllib.error.HTTPError as error:
            # One person asks here for more than a person does.
            if error.code != TOO_MANY or time.monotonic() > deadline:
                raise
        # A listener tries its address before it keeps it, and whoever comes just then is reset.
        except (urllib.error.URLError, ConnectionResetError):
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


def session(port: int, key: str) -> list[int]:
    """Logs in, asks with the cookie alone, and logs out: the statuses."""
    own = f"http://127.0.0.1:{port}"
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    statuses = []
    for method, body in (("POST", {"key": key}), ("GET", None), ("DELETE", None)):
        headers = {"Origin": own} | ({"Content-Type": "application/json"} if body else {})
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(f"{own}/v1/session", data=data, headers=headers, method=method)
        try:
            with opener.open(request, timeout=20) as answer:
                statuses.append(answer.status)
        except urllib.error.HTTPError as error:
            statuses.append(error.code)
    return statuses
