"""Streams of an account's events: over WebSockets by somebody else's client, by hostile ones, and by those that never read."""

import json
import re
import signal
import socket
import ssl
import urllib.request
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from common.certificates import Authority
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from faults.cases import case
from faults.cases.health import Admin
from faults.frontdoor import BASE, accounts
from faults.listener import HOSTILE, PING, PONG, Listener, close, frame
from faults.process import Process, eventually
from faults.rights.ask import ask
from faults.run import Run
from faults.servers.ports import free_ports

LINK = re.compile(rf"{re.escape(BASE)}/account/confirm/(\S+)")
PASSWORD = "correct horse battery"
# How often somebody listens who reads nothing, and how long the events are that come then.
ROUNDS, PADDING = 12, 8192


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except OSError:
        return False
    return True


class Server:
    """waybill serve with accounts, and one account. `more`: other settings of `serve`, such as a certificate."""

    def __init__(self, run: Run, more: dict[str, Any] | None = None) -> None:
        self._run = run
        self.port, admin = free_ports(2)
        self.admin = Admin(admin)
        config = run.folder / "socket.json"
        config.touch(mode=0o600)
        settings = json.loads(run.direct.read_text())
        settings["serve"] = {"listen": f"127.0.0.1:{self.port}", **accounts(run.folder), **(more or {})}
        settings["admin"] = {"listen": {"serve": f"127.0.0.1:{admin}"}}
        config.write_text(json.dumps(settings))
        arguments = [run.programs.waybill, "serve", "--config", str(config)]
        self.process = Process("waybill serve", arguments, run.folder / "serve.log")
        run.at_close(self.process.kill)
        eventually("it listens", lambda: listens(self.port), 30)
        self.database = run.deliveries.database

    def tell(self, account: str, count: int = 1, padding: int = 0) -> None:
        """Writes events of the account, as the roles that send do."""
        now = datetime.now(UTC)
        data = json.dumps({"service": "x" * padding})
        event = {"account": account, "type": "service", "data": data, "at": now, "expires_at": now + timedelta(days=1)}
        self.database["account_events"].insert_many([{"_id": f"{uuid.uuid4()}", **event} for _ in range(count)])

    def total(self, name: str, **labels: str) -> int:
        return self.admin.total(f"waybill_api_{name}", **labels)


class Plain:
    """Our own API, by TLS or without; at another port where a proxy is in front."""

    def __init__(self, server: Server, context: ssl.SSLContext | None, port: int | None = None) -> None:
        self._server, self._context = server, context
        self._port = port or server.port

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None, token: str = "") -> dict[str, Any]:
        request = urllib.request.Request(
            f"{'https' if self._context else 'http'}://localhost:{self._port}{path}",
            data=json.dumps(body).encode() if body else None,
            headers={"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {}),
            method=method,
        )
        with urllib.request.urlopen(request, timeout=20, context=self._context) as answer:
            text = answer.read()
        return json.loads(text) if text else {}

    def sign_up(self, name: str) -> None:
        address = f"{name}@example.com"
        self.ask("POST", "/v1/account", {"username": name, "email": address, "password": PASSWORD})
        mail = self._server.database["outbox_mail"].find_one({"to": address})
        (token,) = set(LINK.findall(mail["text"]))
        self.ask("PUT", "/v1/account/confirmation", {"token": token})

    def log_in(self, name: str) -> dict[str, Any]:
        return self.ask("POST", "/v1/account/sessions", {"username": name, "password": PASSWORD})


def said(connection: ClientConnection) -> dict[str, Any]:
    return json.loads(connection.recv(timeout=60))


def close_code(connection: ClientConnection) -> int:
    """The code that the server closes with, at last."""
    try:
        while True:
            connection.recv(timeout=120)
    except ConnectionClosed as end:
        assert end.rcvd is not None, end
        return end.rcvd.code


@case("sockets", long=True, later=True)
def events_over_a_websocket(run: Run) -> None:
    """somebody else's WebSocket client, by TLS: events, what was missed, a session and a server that end; hostile frames"""
    run.open()
    run.start()
    authority = Authority(run.folder / "socket-authority")
    certificate, key = authority.issue("server")
    key.chmod(0o600)
    server = Server(run, {"certificate_file": str(certificate), "private_key_file": str(key)})
    context = ssl.create_default_context(cafile=str(authority.certificate))
    api = Plain(server, context)
    api.sign_up("ada.l")
    session = api.log_in("ada.l")
    token, account, url = session["access_token"], session["account"], f"wss://localhost:{server.port}/v1/socket"

    try:
        connect(url, ssl=context, origin=Origin("https://evil.example"), proxy=None).close()
        raise AssertionError("a page of another site is let in")
    except InvalidStatus as refusal:
        assert refusal.response.status_code == 403, refusal

    with connect(url, ssl=context, origin=Origin(f"https://localhost:{server.port}"), proxy=None) as one:
        one.send(json.dumps({"op": "identify", "token": token}))
        assert said(one) == {"event": "ready", "data": {"account": account, "session": session["session"]}}
        one.send(json.dumps({"op": "heartbeat"}))
        assert said(one) == {"event": "heartbeat"}
        assert one.ping(b"anybody").wait(20)
        server.tell(account)
        event = said(one)
        assert (event["event"], event["data"]) == ("service", {"service": ""}), event
        place = event["id"]
    server.tell(account, 3)
    with connect(url, ssl=context, proxy=None) as again:
        # In parts, and with a comment of the client's own tools in between.
        again.send(iter(['{"op": "identify",', f'"token": "{token}", ', f'"last_event_id": "{place}"', "}"]))
        assert said(again)["event"] == "ready"
        assert [said(again)["event"] for _ in range(3)] == ["service"] * 3
        server.tell(account)
        assert said(again)["event"] == "service"

    before = server.process.descriptors()
    for hostile in HOSTILE:
        listener = Listener(server.port, context).upgrade()
        listener.send(*hostile.frames)
        assert (code := listener.code()) == hostile.code, f"{hostile.name}: {code}"
        listener.send(close(code))
        listener.end()
        # The same of somebody who is known.
        if hostile.code in (4400, 4401):
            continue
        listener = Listener(server.port, context).upgrade()
        listener.identify(token)
        listener.send(*hostile.frames)
        assert (code := listener.code()) == hostile.code, f"{hostile.name}, known: {code}"
        listener.end()
    # In the middle of a frame, and of a handshake.
    for part in (frame(1, b"{}" * 100)[:50], frame(1, b"{", last=False), b""):
        listener = Listener(server.port, context).upgrade()
        listener.send(part)
        listener.end()
    Listener(server.port, context).end()
    eventually("no connection is left", lambda: server.process.descriptors() <= before + 1, 30)
    assert server.total("websockets_ended_total", reason="1002") == 12
    assert server.total("event_listeners") == 0 and server.total("streams") == 0

    # One answers no ping, though it says other things; one never says who it is; one's session ends; one stays.
    silent, stranger = Listener(server.port, context).upgrade(), Listener(server.port, context).upgrade()
    silent.identify(token)
    assert stranger.code() == 4408
    with connect(url, ssl=context, proxy=None) as ended, connect(url, ssl=context, proxy=None) as stays:
        other = api.log_in("ada.l")
        for connection, who in ((ended, other), (stays, session)):
            connection.send(json.dumps({"op": "identify", "token": who["access_token"]}))
            assert said(connection)["event"] == "ready"
        assert server.total("event_listeners", transport="websocket") == 3
        api.ask("DELETE", "/v1/account/sessions/current", token=other["access_token"])
        assert close_code(ended) == 4410
        if not run.quick:
            while silent.next()[0] != PING:
                pass
            silent.send(frame(PONG, b"another"), frame(1, b'{"op":"heartbeat"}'))
            assert silent.code() == 4408
        server.tell(account)
        assert said(stays)["event"] == "service"
        server.process.signal(signal.SIGTERM)
        assert close_code(stays) == 1001
    silent.end()
    assert server.process.wait(20) == 0
    assert '"api.failed"' not in server.process.words, server.process.words[-1000:]


@case("sockets", long=True, later=True)
def events_that_nobody_reads(run: Run) -> None:
    """listeners that never read lose their connection and cost no memory; others miss nothing; the fifth is refused"""
    run.open()
    run.start()
    server = Server(run)
    api = Plain(server, None)
    for name in ("ada.l", "eve.s"):
        api.sign_up(name)
    session, other = api.log_in("ada.l"), api.log_in("eve.s")
    token = session["access_token"]

    def deaf() -> list[Listener]:
        """Two that never read: of server-sent events and of a WebSocket."""
        stream, listener = (Listener(server.port, None, receives=4096) for _ in range(2))
        stream.send(f"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        listener.upgrade().identify(token)
        return [stream, listener]

    listeners = deaf()
    with connect(f"ws://localhost:{server.port}/v1/socket", max_queue=None, proxy=None) as reader:
        reader.send(json.dumps({"op": "identify", "token": other["access_token"]}))
        assert said(reader)["event"] == "ready"
        eventually("all listen", lambda: server.total("event_listeners") == 3)
        memory = []
        for _ in range(ROUNDS):
            # More than the system holds for a connection, and what the server does.
            for _ in range(10):
                server.tell(session["account"], 200, PADDING)
            server.tell(other["account"])
            assert said(reader)["event"] == "service"
            eventually("who reads nothing is sent away", lambda: server.total("event_listeners") == 1, 60)
            eventually("places are free", lambda: server.total("streams") == 1, 60)
            for listener in listeners:
                listener.end()
            memory.append(server.process.memory())
            listeners = deaf()
            eventually("others listen", lambda: server.total("event_listeners") == 3)
        for listener in listeners:
            listener.end()
        assert server.total("event_dropped_listeners_total") == 2 * ROUNDS
        assert server.total("websockets_ended_total", reason="1013") == ROUNDS
        # What the first rounds took stays with the process, and is enough for the others: each gives up twice 500 events.
        grown = (memory[-1] - memory[ROUNDS // 2 - 1]) >> 20
        assert grown < ROUNDS // 2 * 2 * 500 * PADDING >> 20, f"{[one >> 20 for one in memory]} MiB"

        # Of both kinds together an account has four.
        eventually("the last two have gone", lambda: server.total("streams") == 1, 60)
        for _ in range(4):
            listener = Listener(server.port, None).upgrade()
            listener.identify(token)
            listeners.append(listener)
        assert ask(server.port, "/v1/events", token)[0] == 429
        fifth = Listener(server.port, None).upgrade()
        fifth.send(frame(1, b'{"op":"identify","token":"%s"}' % token.encode()))
        assert fifth.code() == 4429
        server.tell(other["account"])
        assert said(reader)["event"] == "service"
    assert server.process.end() == 0
    run.notes.append(f"{grown} MiB more in the last {ROUNDS // 2} rounds")
