"""The strict FCM and its token endpoint, each with a port of its own."""

from __future__ import annotations

import asyncio
import json
import traceback
from typing import Any

from strict.behaviour import Behaviour
from strict.connection import Connection
from strict.fcm.account import Office
from strict.fcm.connection import FCMBehaviour, FCMConnection
from strict.ledger import Attempt
from strict.server import Server


class FCMServer(Server):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.behaviour = FCMBehaviour()
        self.connection = FCMConnection


class Sale(Behaviour):
    """What the token endpoint does with a form; the plain one sells a token."""

    streams = first_streams = 100
    delay = 0.0
    expires_in: object = ...  # what the answer says; ... for the true number, None for nothing

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.server.later(self.delay, self.sell, connection, attempt)

    def sell(self, connection: Connection, attempt: Attempt) -> None:
        office: Office = connection.server.tokens
        try:
            sold = office.exchange(bytes(attempt.body))
        except (ValueError, KeyError):
            connection.violation(f"a form that cannot be read: {traceback.format_exc()}")
            return
        value: dict[str, object] = {"access_token": sold.text, "token_type": "Bearer"}
        if self.expires_in is not None:
            value["expires_in"] = int(office.life) if self.expires_in is ... else self.expires_in
        tell(connection, attempt, 200, json.dumps(value).encode())


class TokenConnection(Connection):
    """Forms for the token endpoint: one at a time."""

    def __init__(self, server: Server, sock: Any, behaviour: Behaviour) -> None:
        super().__init__(server, sock, behaviour)
        self.proved = True

    def enter(self, attempt: Attempt) -> None:
        values = dict(attempt.headers)
        for name, value in {
            ":method": "POST",
            ":path": "/token",
            ":authority": self.server.authority,
            "content-type": "application/x-www-form-urlencoded",
        }.items():
            if values.get(name) != value:
                self.violation(f"the token endpoint: {name} is {values.get(name)}, not {value}")
        if "authorization" in values:
            self.violation("the token endpoint was shown an authorization")
        if sum(len(connection.open) for connection in self.server.open) > 1:
            self.violation("two exchanges at a time")


def tell(connection: Connection, attempt: Attempt, status: int, body: bytes) -> None:
    """An answer of the token endpoint's."""
    if not connection.alive(attempt):
        return
    fields = [(":status", str(status)), ("content-type", "application/json")]
    connection.h2.send_headers(attempt.stream, fields, end_stream=not body)
    if body:
        connection.send_body(attempt.stream, body)
    connection.finish(attempt, status, None)
    connection.flush()


class TokenServer(Server):
    """The token endpoint."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.behaviour = Sale()
        self.connection = TokenConnection

    async def away(self, seconds: float) -> None:
        """Nobody is there for a while."""
        self.stop_listening()
        self.cut_all()
        await asyncio.sleep(seconds)
        self.listen()
