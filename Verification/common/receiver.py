"""Somebody's web server that a case plays: what it takes, refuses, is slow about, or says without end."""

import base64
import hashlib
import hmac
import json
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass
class Received:
    """One request, as it came."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float = field(default_factory=time.time)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def event(self) -> dict[str, Any]:
        return json.loads(self.body)

    def is_signed_by(self, secret: str) -> bool:
        """By Standard Webhooks 1.0.0, written from its text alone."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signed = b".".join([self.id.encode(), self.headers["webhook-timestamp"].encode(), self.body])
        wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        is_fresh = abs(int(self.headers["webhook-timestamp"]) - self.at) < 300
        return is_fresh and any(hmac.compare_digest(wanted, given) for given in self.headers["webhook-signature"].split(" "))


class Receiver:
    """Listens on loopback. What it does is said by the first word of the path:

    ok: 204. slow: nothing for as long as `silence` is not set, then 204. gone: 410. redirect: to /elsewhere. endless: 200 and
    a body without an end. busy: 429 with Retry-After 1, the first time for each event. broken: 500.
    """

    def __init__(self, certificate: tuple[Path, Path] | None, port: int, address: str = "127.0.0.1") -> None:
        self.requests: list[Received] = []
        self.silence = threading.Event()
        self.running: dict[str, int] = {}
        self.most: dict[str, int] = {}
        self.bytes_said = 0
        self.connections = 0
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def do_POST(self) -> None:  # noqa: N802
                receiver.take(self)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def get_request(self) -> Any:
                receiver.connections += 1
                taken = super().get_request()
                receiver._sockets.append(taken[0])
                return taken

            def handle_error(self, *_: Any) -> None:
                """Clients break off, which is what the cases want."""

        self._server = Server((address, port), Handler)
        self.port = self._server.server_address[1]
        if certificate:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(*map(str, certificate))
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        """Ends with every connection that somebody has kept."""
        self.silence.set()
        self._server.shutdown()
        self._server.server_close()
        for taken in self._sockets:
            with suppress(OSError):
                taken.shutdown(socket.SHUT_RDWR)

    def of(self, path: str) -> list[Received]:
        with self._lock:
            return [request for request in self.requests if request.path == path]

    def take(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        path = handler.path
        request = Received(path, {name.lower(): value for name, value in handler.headers.items()}, body)
        with self._lock:
            is_first = not any(known.path == path and known.id == request.id for known in self.requests)
            self.requests.append(request)
            self.running[path] = self.running.get(path, 0) + 1
            self.most[path] = max(self.most.get(path, 0), self.running[path])
        try:
            self._answer(handler, path.split("/")[1], is_first)
        finally:
            with self._lock:
                self.running[path] -= 1

    def _answer(self, handler: BaseHTTPRequestHandler, word: str, is_first: bool) -> None:
        status, headers = 204, {}
        if word == "slow":
            self.silence.wait(60)
        elif word == "gone":
            status = 410
        elif word == "redirect":
            status, headers = 302, {"Location": f"https://127.0.0.1:{self.port}/elsewhere"}
        elif word == "busy" and is_first:
            status, headers = 429, {"Retry-After": "1"}
        elif word == "broken":
            status = 500
        elif word == "endless":
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            for _ in range(100_000):
                handler.wfile.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
                self.bytes_said += 4096
            return
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        if status != 204:
            handler.send_header("Content-Length", "0")
        handler.end_headers()
