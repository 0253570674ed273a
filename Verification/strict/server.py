"""A strict server: listens, and keeps to the rules for every connection it accepts."""

from __future__ import annotations

import asyncio
import socket
import ssl
import traceback
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from strict.behaviour import Behaviour
from strict.connection import Connection
from strict.ledger import Ledger


class Server:
    """Listens, and gives each connection the behaviour of the moment."""

    def __init__(
        self,
        ledger: Ledger,
        context: ssl.SSLContext,
        tokens: Any,
        items: Sequence[Any],
        *,
        certificates: bool = False,
        host: str = "127.0.0.1",
        random: Random | None = None,
    ) -> None:
        self.ledger, self.context, self.tokens = ledger, context, tokens
        self.items = {item.id: item for item in items}
        self.certificates = certificates
        self.host, self.random = host, random
        self.behaviour: Behaviour | Callable[[Server], Behaviour] = Behaviour()
        self.open: set[Connection] = set()
        self.many_constants = False
        self.listener: socket.socket | None = None
        self.port = 0
        self.connection: type[Connection] = Connection
        self.receive_buffer: int | None = None

    @property
    def authority(self) -> str:
        return f"{self.host}:{self.port}"

    def listen(self) -> None:
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", self.port))
        sock.listen(64)
        sock.setblocking(False)
        self.port = sock.getsockname()[1]
        self.listener = sock
        self.accepting = asyncio.get_running_loop().create_task(self.accept(sock))

    def stop_listening(self) -> None:
        if self.listener is not None:
            self.accepting.cancel()
            asyncio.get_running_loop().remove_reader(self.listener)
            self.listener.close()
            self.listener = None

    async def accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                sock, _ = await loop.sock_accept(listener)
            except (OSError, asyncio.CancelledError):
                return
            sock.setblocking(False)
            if self.receive_buffer:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            behaviour = self.behaviour(self) if callable(self.behaviour) else self.behaviour
            connection = self.connection(self, sock, behaviour)
            self.open.add(connection)
            try:
                if behaviour.accepted(connection):
                    connection.run()
            except Exception:
                self.ledger.errors.append(traceback.format_exc())

    def later(self, delay: float, call: Callable[..., object], *arguments: object) -> None:
        def run() -> None:
            try:
                call(*arguments)
            except Exception:
                self.ledger.errors.append(traceback.format_exc())

        asyncio.get_running_loop().call_later(delay, run)

    def cut_all(self) -> None:
        for connection in list(self.open):
            connection.cut()

    def end(self) -> None:
        self.stop_listening()
        for connection in list(self.open):
            connection.close_socket()
