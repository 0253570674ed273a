"""What the headers of every request must keep to: Apple's rules, HTTP/2's, and the plan of what is sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from strict.ledger import Attempt

if TYPE_CHECKING:
    from strict.server import Server

CANONICAL_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PATH = re.compile(r"/3/device/([0-9a-f]{2,400})")
CONNECTION_HEADERS = {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "te"}
NEVER_INDEXED = {":path", "authorization"}
INDEXED_ONCE = {"apns-id", "apns-expiration", "apns-collapse-id"}


class RequestRules:
    """The rules for one connection: its identity and its HPACK table have a memory."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.identity: tuple[str | None, str | None] | None = None  # key id, team
        self._once: set[str] = set()
        self._table: set[tuple[str, str]] = set()  # constants that the table holds

    def check(self, attempt: Attempt, table_size: int, wrong: Callable[[str], None]) -> None:
        """Tells `wrong` whatever a request's headers break. table_size: of the HPACK table that the server allows."""
        names = [name for name, _ in attempt.headers]
        values = dict(attempt.headers)
        if len(set(names)) != len(names):
            wrong(f"a header twice: {names}")
        if any(name != name.lower() for name in names):
            wrong("upper case in a header's name")
        if CONNECTION_HEADERS & set(names):
            wrong("a connection's header")
        if values.get(":method") != "POST" or values.get(":scheme") != "https":
            wrong(f"{values.get(':method')} {values.get(':scheme')}")
        if values.get(":authority") != self._server.authority:
            wrong(f":authority is {values.get(':authority')}")
        path = PATH.fullmatch(values.get(":path", ""))
        if not path or len(path[1]) % 2:
            wrong("the path is no device's")
        if not CANONICAL_ID.fullmatch(attempt.id):
            wrong("the apns-id is not canonical")
        item = self._server.items.get(attempt.id)
        if item is None:
            wrong(f"an apns-id that nobody sent: {attempt.id}")
        else:
            if path and path[1] != item.token:
                wrong("the path is another device's")
            expected = item.headers()
            others = {name: value for name, value in values.items() if not name.startswith(":")}
            others.pop("authorization", None)
            for name in others.keys() - expected.keys() - {"content-length", "content-type", "user-agent"}:
                wrong(f"the header {name}, which nobody asked for")
            for name, value in expected.items():
                if others.get(name) != value:
                    wrong(f"{name} is {others.get(name)}, not {value}")
        self._check_authorization(values, wrong)
        self._check_representations(attempt, table_size < 4096, wrong)

    def _check_authorization(self, values: dict[str, str], wrong: Callable[[str], None]) -> None:
        authorization = values.get("authorization")
        if self._server.certificates:
            if authorization is not None:
                wrong("authorization beside a certificate")
            return
        if authorization is None:
            wrong("no authorization")
            return
        key_id, team, problem = self._server.tokens.check(authorization)
        if problem:
            wrong(f"the provider token: {problem}")
        if self.identity is None:
            self.identity = (key_id, team)
        elif self.identity != (key_id, team):
            wrong("two keys or teams on one connection")

    def _check_representations(self, attempt: Attempt, is_small: bool, wrong: Callable[[str], None]) -> None:
        if len(attempt.kinds) != len(attempt.headers):
            wrong(f"{len(attempt.kinds)} representations of {len(attempt.headers)} headers")
            return
        for (name, value), kind in zip(attempt.headers, attempt.kinds):
            if name in NEVER_INDEXED:
                if kind not in ("plain", "never"):
                    wrong(f"{name} is {kind} in HPACK")
            elif name in INDEXED_ONCE:
                if kind == "incremental":
                    if name in self._once:
                        wrong(f"{name} went into the HPACK table twice")
                    self._once.add(name)
                elif kind == "indexed":
                    wrong(f"{name} is indexed with its value")
            elif name in (":authority", "apns-topic", "apns-push-type", "apns-priority") and not is_small:
                if len(value) > 3000:
                    continue
                if kind in ("plain", "never"):
                    wrong(f"{name}, a constant, is {kind} in HPACK")
                elif kind == "incremental" and (name, value) in self._table and len(value) < 200:
                    # A handful of constants never leaves a table of 4,096 bytes.
                    if not self._server.many_constants:
                        wrong(f"{name} went into the HPACK table again")
                self._table.add((name, value))
