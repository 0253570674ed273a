"""The strict FCM of Verification/strict as a server that a lane of the product leads to."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from strict.connection import Connection
from strict.fcm.account import Account, Office
from strict.fcm.answers import REFUSED as BEARER
from strict.fcm.connection import FCMBehaviour, FCMConnection
from strict.fcm.server import FCMServer, TokenServer
from strict.keys import Keys
from strict.ledger import Attempt, Ledger
from strict.wire import REFUSED_STREAM

# What is done with the first request for a token.
Play = Callable[[FCMConnection, Attempt], object]


def token_of(attempt: Attempt) -> str:
    return json.loads(attempt.body)["message"]["token"]


class Plays(FCMBehaviour):
    """Does with the first request for a token what its prefix says, and accepts every other one."""

    delay = 0.1  # so that much is under way when the first answer is there

    def __init__(self) -> None:
        self.plays: dict[str, Play] = {}  # by the prefix of tokens
        self.refuses = False  # every access token, whatever it is
        self.played: set[str] = set()

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.server.later(self.delay, self.play, connection, attempt)

    def play(self, connection: FCMConnection, attempt: Attempt) -> None:
        if self.refuses:
            connection.say(attempt, BEARER)
            return
        token = token_of(attempt)
        first = next((play for prefix, play in self.plays.items() if token.startswith(prefix)), None)
        if first is None or token in self.played:
            connection.accept(attempt)
        else:
            self.played.add(token)
            first(connection, attempt)


class StrictFCM:
    """Runs the server and its token endpoint on a thread; for a run it is one more simulator, with a record of its pushes.

    plays: what becomes of whose first request. violations(): what the client did against the rules.
    """

    provider = "fcm"
    process = None  # nothing that a run would have to end

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.records = [folder / "pushes.ndjson"]
        self.records[0].touch()
        self._keys = Keys(folder / "keys")
        self._ledger, self._endpoint_ledger = Ledger(), Ledger()
        self.office = Office(self._endpoint_ledger.violation)
        self._behaviour = Plays()
        self.plays = self._behaviour.plays
        self._offset = time.time() - time.monotonic()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="strict-fcm", daemon=True).start()
        self._on_loop(self._listen)
        self._account = Account("sender", folder, f"https://127.0.0.1:{self.endpoint.port}/token")
        self._account.file.chmod(0o600)
        self.office.accounts[self._account.email] = self._account
        self.port = self.server.port

    def lane(self) -> dict[str, Any]:
        """The settings of a lane that leads here."""
        return {
            "provider": "fcm",
            "service_account_file": str(self._account.file),
            "endpoint": f"https://127.0.0.1:{self.port}",
            "trust_file": str(self._keys.trust),
            "connections": 2,
        }

    def _listen(self) -> None:
        context = self._keys.context()
        self.endpoint = TokenServer(self._endpoint_ledger, context, self.office, [])
        self.server = FCMServer(self._ledger, context, self.office, [], random=random.Random(7))
        self.server.behaviour = self._behaviour
        self.endpoint.listen()
        self.server.listen()

    def _on_loop(self, function: Callable[[], object]) -> None:
        async def call() -> None:
            function()

        asyncio.run_coroutine_threadsafe(call(), self._loop).result(20)

    def revoke(self) -> None:
        """Every access token that was sold so far is refused from now on."""
        self._on_loop(self.office.revoke)

    def refuse_all(self, refuses: bool) -> None:
        """Whether every access token is refused, whatever it is."""
        self._behaviour.refuses = refuses

    def leave(self, seconds: float) -> None:
        """Nobody is at the token endpoint for a while."""
        asyncio.run_coroutine_threadsafe(self.endpoint.away(seconds), self._loop)

    def requests(self, token: str) -> int:
        """How often a message for a token came whole, whatever became of it."""
        return sum(token_of(one) == token for attempts in list(self._ledger.attempts.values()) for one in list(attempts))

    def violations(self) -> list[str]:
        """What the client did against the rules, and what the server itself stumbled over."""
        ledgers = (self._ledger, self._endpoint_ledger)
        return [text for ledger in ledgers for text in (*ledger.violations, *ledger.errors)]

    def stop(self) -> None:
        """Ends both servers, and completes the record."""
        if not self._loop.is_running():
            return
        self._on_loop(self.server.end)
        self._on_loop(self.endpoint.end)
        self._write()
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _write(self) -> None:
        """Writes down what came, as apns-simulator does: what was certainly not taken is no push."""
        lines: list[dict[str, Any]] = []
        for attempts in self._ledger.attempts.values():
            for attempt in attempts:
                is_refused = attempt.reset is not None and attempt.reset[1] == REFUSED_STREAM
                if attempt.complete is None or attempt.again or attempt.excluded or is_refused:
                    continue
                reason = attempt.reason if isinstance(attempt.reason, str) else None
                lines.append(
                    {
                        "path": "/v1/projects/strict-project/messages:send",
                        "payload": attempt.body.decode(),
                        "time_ms": int((attempt.begun + self._offset) * 1000),
                        "status": attempt.status,
                        "reason": reason,
                        "connection": attempt.connection.number,
                    }
                )
        lines.sort(key=lambda line: line["time_ms"])
        self.records[0].write_text("".join(json.dumps(line) + "\n" for line in lines))
