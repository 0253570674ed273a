"""A server that speaks TLS and nothing else: whether a client trusts it, and what it would learn."""

import socket
import ssl
import threading
import warnings
from pathlib import Path


class Impostor:
    """Listens on `port` of loopback. `trusted`: handshakes that a client completed; `heard`: what it then said."""

    def __init__(self, certificate: Path, key: Path, is_old: bool = False) -> None:
        self.trusted, self.tried, self.heard = 0, 0, b""
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, key)
        self._context.set_alpn_protocols(["h2"])
        if is_old:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._context.minimum_version = ssl.TLSVersion.TLSv1
                self._context.maximum_version = ssl.TLSVersion.TLSv1_1
            self._context.set_ciphers("ALL:@SECLEVEL=0")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.tried += 1
            threading.Thread(target=self._greet, args=(connection,), daemon=True).start()

    def _greet(self, connection: socket.socket) -> None:
        connection.settimeout(5)
        try:
            with self._context.wrap_socket(connection, server_side=True) as client:
                # In TLS 1.3 the handshake is complete when the client's own end of it has come.
                self.heard += client.recv(4096)
                self.trusted += 1
        except (OSError, ssl.SSLError):
            pass

    def close(self) -> None:
        self._listener.close()
