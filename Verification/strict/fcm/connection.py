"""A connection of the strict FCM: the same frames, other rules for what stands in them."""

from __future__ import annotations

import json
import time
import traceback
from typing import TYPE_CHECKING, Any

from h2.exceptions import H2Error

from strict import wire
from strict.behaviour import Behaviour
from strict.connection import Connection
from strict.fcm.account import PROJECT
from strict.fcm.answers import REFUSED, Answer
from strict.ledger import Attempt

if TYPE_CHECKING:
    import socket

    from strict.fcm.server import FCMServer

TABLE = 4096  # RFC 9113 §6.5.2: the size of the HPACK table where nobody says another
# nghttp2 puts neither :path nor authorization into the table, whatever it is told.
CONSTANT = {":method", ":scheme", ":authority", "content-type"}


class FCMBehaviour(Behaviour):
    streams = first_streams = 100

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        accept(connection, attempt)


def accept(connection: Any, attempt: Attempt) -> None:
    connection.accept(attempt)


class FCMConnection(Connection):
    """Messages for FCM: the body says whose each is."""

    largest_body = 16_384

    def __init__(self, server: FCMServer, sock: socket.socket, behaviour: Behaviour) -> None:
        super().__init__(server, sock, behaviour)
        self.office = server.tokens
        self.proved = True  # FCM asks for no proof before it opens its streams
        self._table: list[tuple[str, str]] = []  # what the client's HPACK table holds, newest first
        self._pings = 0  # of the client's since its last request

    def look(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == wire.PING and not flags & wire.ACK:
            self._pings += 1
            if self._pings > 1:
                self.violation(f"{self._pings} PINGs without a request between them")
        elif kind == wire.HEADERS:
            self._pings = 0
        super().look(kind, flags, stream, payload)

    def enter(self, attempt: Attempt) -> None:
        def wrong(text: str) -> None:
            self.violation(f"stream {attempt.stream}: {text}")

        values = dict(attempt.headers)
        if len(values) != len(attempt.headers):
            wrong(f"a header twice: {[name for name, _ in attempt.headers]}")
        expected = {
            ":method": "POST",
            ":scheme": "https",
            ":path": f"/v1/projects/{PROJECT}/messages:send",
            ":authority": self.server.authority,
            "content-type": "application/json",
        }
        for name, value in expected.items():
            if values.get(name) != value:
                wrong(f"{name} is {values.get(name)}, not {value}")
        for name in values.keys() - expected.keys() - {"authorization", "content-length", "user-agent"}:
            wrong(f"the header {name}, which nobody asked for")
        if "authorization" not in values:
            wrong("no authorization")
        for (name, value), kind in zip(attempt.headers, attempt.kinds):
            if name in CONSTANT and kind in ("plain", "never"):
                wrong(f"{name}, a constant, is {kind} in HPACK")
            elif name in CONSTANT and kind == "incremental" and (name, value) in self._table:
                wrong(f"{name} went into the HPACK table again")
            if kind == "incremental":
                self._table.insert(0, (name, value))
                while sum(len(name) + len(value) + 32 for name, value in self._table) > TABLE:
                    self._table.pop()

    def request_complete(self, attempt: Attempt) -> None:
        try:
            attempt.id = str(json.loads(attempt.body)["message"]["data"]["wb_id"])
        except (ValueError, KeyError, TypeError):
            self.violation(f"stream {attempt.stream}: a message without the id of its line")
        self.ledger.attempts.setdefault(attempt.id, []).append(attempt)
        if self.office.refuses(dict(attempt.headers).get("authorization", "")):
            attempt.complete = time.monotonic()
            if not (attempt.reset or attempt.client_reset or attempt.excluded or self.silent):
                self.say(attempt, REFUSED)
            return
        super().request_complete(attempt)

    def accept(self, attempt: Attempt) -> None:
        """Takes the message, in the way that FCM does: an empty DATA frame ends the stream."""
        name = f"projects/{PROJECT}/messages/0:{time.time_ns()}%31bd1c9631bd1c96"
        self.respond(attempt, 200, json.dumps({"name": name}, indent=2).encode(), ends_apart=True)

    def say(self, attempt: Attempt, answer: Answer) -> None:
        """A refusal."""
        attempt.again = answer.again
        attempt.note = f"{answer.action} {answer.wait or ''}".strip()
        self.respond(attempt, answer.status, answer.body(), answer.word, answer.headers)

    def respond(
        self,
        attempt: Attempt,
        status: int,
        body: bytes,
        word: object = None,
        headers: tuple = (),
        *,
        ends_apart: bool = False,
    ) -> None:
        if not self.alive(attempt):
            return
        fields = [(":status", str(status)), ("content-type", "application/json; charset=UTF-8"), *headers]
        try:
            self.h2.send_headers(attempt.stream, fields, end_stream=not body)
            if ends_apart and self.h2.local_flow_control_window(attempt.stream) >= len(body):
                self.h2.send_data(attempt.stream, body)
                self.flush()
                self.h2.send_data(attempt.stream, b"", end_stream=True)
            elif body:
                self.send_body(attempt.stream, body)
        except H2Error:
            self.ledger.errors.append(traceback.format_exc())
            return
        attempt.answer_begun = time.monotonic()
        self.finish(attempt, status, word)
        self.flush()
