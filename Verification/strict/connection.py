"""A connection of the strict server: TLS by Python, frames and HPACK by h2, checked as the bytes come in."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    PingAckReceived,
    RequestReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import H2Error
from h2.settings import SettingCodes, Settings
from h2.stream import StreamClosedBy, StreamState

from strict import wire
from strict.behaviour import Behaviour
from strict.ledger import Attempt, ConnectionLog
from strict.rules import RequestRules
from strict.wire import Headers

if TYPE_CHECKING:
    from strict.server import Server

UNLIMITED = 1 << 30
KEEP = object()


class Connection:
    """One client's connection: TLS, frames, and what the server does on it."""

    largest_body = 5120

    def __init__(self, server: Server, sock: socket.socket, behaviour: Behaviour) -> None:
        self.server, self.sock, self.behaviour = server, sock, behaviour
        self.ledger = server.ledger
        self.log = ConnectionLog(len(self.ledger.connections) + 1, time.monotonic())
        self.ledger.connections.append(self.log)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = server.context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        self.output = bytearray()
        self.wake = asyncio.Event()
        self.h2: H2Connection | None = None
        self.splitter = wire.FrameSplitter()
        self.block: tuple[int, bytearray] | None = None  # a header block in pieces, and its stream
        self.blocks: dict[int, list[str]] = {}  # stream -> kinds of its headers
        self.open: dict[int, Attempt] = {}  # stream -> attempt: open as a strict server counts
        self.attempts: dict[int, Attempt] = {}
        self.limits: list[int | None] = [UNLIMITED]  # acknowledged, then those on their way
        self.acknowledged = False
        self.proved = False
        self.rules = RequestRules(server)
        self.pings: dict[bytes, Callable[[], None]] = {}
        self.barrier = False  # the client is known to have read a GOAWAY, or an answer that ends the connection
        self.silent = False
        self.deaf = False
        self.dead = False
        self.farewell = False  # the client has said GOAWAY
        self.slow = 0.0  # seconds before each read
        self.blocked: dict[int, bytes] = {}  # stream -> bytes still to send
        self.highest = 0
        self.data_until_closed: Callable[[], None] | None = None
        self.tasks: list[asyncio.Task] = []
        self.peer = sock.getpeername()[1]
        self.state: dict[str, Any] = {}  # a scenario's own

    # Bytes

    def run(self) -> None:
        loop = asyncio.get_running_loop()
        self.tasks = [loop.create_task(self.reader()), loop.create_task(self.writer())]

    async def reader(self) -> None:
        loop = asyncio.get_running_loop()
        how = "end"
        try:
            secured = False
            while True:
                if self.slow:
                    await asyncio.sleep(self.slow)
                data = await loop.sock_recv(self.sock, 4096 if self.slow else 65_536)
                if not data:
                    break
                if self.deaf:
                    continue
                self.incoming.write(data)
                if not secured and self.tls is not None:
                    try:
                        self.tls.do_handshake()
                    except ssl.SSLWantReadError:
                        self.flush_tls()
                        continue
                    secured = True
                    self.flush_tls()
                    self.log.secured = time.monotonic()
                    if self.tls.selected_alpn_protocol() != "h2":
                        self.violation("no ALPN h2")
                    self.behaviour.secured(self)
                while not self.dead and not self.deaf:
                    try:
                        plain = self.tls.read(65_536)
                    except ssl.SSLWantReadError:
                        break
                    if not plain:
                        how = "close_notify"
                        break
                    self.received(plain)
                if self.dead or how == "close_notify":
                    break
        except ssl.SSLError as error:
            how = f"tls: {error.reason}"
        except OSError as error:
            how = f"{error.strerror}"
        except asyncio.CancelledError:
            return
        except Exception:
            self.ledger.errors.append(traceback.format_exc())
        if not self.dead:
            self.log.ended = (time.monotonic(), how)
            self.close_socket()

    async def writer(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while not self.dead:
                await self.wake.wait()
                self.wake.clear()
                while self.output:
                    data = bytes(self.output)
                    self.output.clear()
                    await loop.sock_sendall(self.sock, data)
                if self.data_until_closed is not None:
                    self.data_until_closed()
        except (OSError, asyncio.CancelledError):
            pass

    def flush_tls(self) -> None:
        data = self.outgoing.read()
        if data and not self.dead and not self.silent:
            self.output += data
            self.wake.set()

    def write(self, data: bytes) -> None:
        if self.dead or self.silent or not data:
            return
        try:
            self.tls.write(data)
        except ssl.SSLError:
            return
        self.flush_tls()

    def flush(self) -> None:
        if self.h2 is not None:
            data = self.h2.data_to_send()
            if data:
                self.write(data)

    # Ends

    def close_socket(self) -> None:
        if self.dead:
            return
        self.dead = True
        self.server.open.discard(self)
        self.wake.set()
        loop = asyncio.get_running_loop()
        loop.remove_reader(self.sock)
        loop.remove_writer(self.sock)
        for task in self.tasks:
            if task is not asyncio.current_task():
                task.cancel()
        self.sock.close()
        try:
            self.behaviour.closed(self)
        except Exception:
            self.ledger.errors.append(traceback.format_exc())

    def hurt(self, how: str) -> None:
        if self.log.hurt is None:
            self.log.hurt = (time.monotonic(), how)
        self.unusable(how)

    def unusable(self, how: str) -> None:
        if self.log.unusable is None:
            self.log.unusable = (time.monotonic(), how)

    def cut(self) -> None:
        """A TCP RST: what was written last may never arrive."""
        if self.dead:
            return
        self.hurt("cut")
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_socket()

    def hang_up(self) -> None:
        """Everything written arrives, then the connection ends, with TLS's closing alert."""
        if self.dead:
            return
        self.flush()
        self.hurt("hung up")
        try:
            self.tls.unwrap()
        except ssl.SSLError:
            pass
        self.flush_tls()

        def end() -> None:
            if not self.dead and not self.output:
                self.data_until_closed = None
                try:
                    self.sock.shutdown(socket.SHUT_WR)
                except OSError:
                    pass

        self.data_until_closed = end
        self.deaf = True
        self.wake.set()

    def fall_silent(self, reads: bool = True) -> None:
        """Half-open: nothing leaves any more, and with `reads=False` nothing is read either."""
        self.hurt("silent")
        self.silent = True
        if not reads:
            asyncio.get_running_loop().remove_reader(self.sock)
            self.tasks[0].cancel()

    # HTTP/2

    def start(self) -> None:
        behaviour = self.behaviour
        self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        values = {
            SettingCodes.MAX_CONCURRENT_STREAMS: UNLIMITED,
            SettingCodes.INITIAL_WINDOW_SIZE: behaviour.window,
            SettingCodes.MAX_HEADER_LIST_SIZE: 8000,
        }
        values.update(behaviour.settings)
        # What is announced of streams is counted here: h2 would end the connection at the first violation.
        self.h2.local_settings = Settings(client=False, initial_values=dict(values))
        self.h2.initiate_connection()
        self.h2.data_to_send()
        announced: dict[SettingCodes, int] = {
            key: value for key, value in values.items() if key != SettingCodes.MAX_CONCURRENT_STREAMS
        }
        announced.pop(SettingCodes.ENABLE_CONNECT_PROTOCOL, None)
        first = behaviour.first_streams if not self.server.certificates else behaviour.streams
        self.announce(first, announced)

    def announce(self, streams: int | None = None, more: Mapping[SettingCodes, int] | None = None) -> None:
        """SETTINGS; a limit counts once it is acknowledged, a higher one from now on."""
        values = [(int(key), value) for key, value in (more or {}).items()]
        if streams is not None:
            values.append((int(SettingCodes.MAX_CONCURRENT_STREAMS), streams))
        self.limits.append(streams)
        self.log.settings.append((time.monotonic(), streams))
        self.write(wire.settings(values))

    @property
    def limit(self) -> int:
        """The most streams that may be open now."""
        limit = max(limit for limit in self.limits if limit is not None) if self.acknowledged else 0
        needs_proof = not self.proved and not self.server.certificates
        return min(limit, 1) if needs_proof else limit

    def received(self, plain: bytes) -> None:
        for kind, flags, stream, payload, raw in self.splitter.feed(plain):
            if self.h2 is None:
                # Before our SETTINGS a client may send its preface and SETTINGS, and nothing that needs ours.
                if kind == wire.HEADERS:
                    self.violation("a request before the server's SETTINGS")
                continue
            self.look(kind, flags, stream, payload)
            try:
                events = self.h2.receive_data(raw)
            except H2Error as error:
                self.violation(f"h2: {type(error).__name__}: {error}")
                self.flush()
                self.cut()
                return
            for event in events:
                self.handle(event)
                if self.dead:
                    return
        self.flush()

    def look(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        """What h2 does not tell."""
        if kind == wire.HEADERS:
            self.block = (stream, bytearray(wire.fragment(flags, payload)))
        elif kind == wire.CONTINUATION and self.block:
            self.block[1] += payload
        elif kind == wire.RST_STREAM:
            attempt = self.attempts.get(stream)
            if attempt is not None and attempt.client_reset is None:
                attempt.client_reset = (time.monotonic(), int.from_bytes(payload, "big"))
        elif kind == wire.GOAWAY:
            code = int.from_bytes(payload[4:8], "big")
            self.log.client_goaway = (time.monotonic(), code, payload[8:].decode("latin-1"))
        elif kind == wire.PUSH_PROMISE:
            self.violation("a PUSH_PROMISE from a client")
        elif kind == wire.SETTINGS and not flags & wire.ACK:
            values = {payload[i + 1]: int.from_bytes(payload[i + 2 : i + 6], "big") for i in range(0, len(payload), 6)}
            if not self.log.attempts and values.get(2, 1) != 0:
                self.violation("SETTINGS do not switch push off")
        elif kind == wire.SETTINGS:
            self.settings_acknowledged()
        if kind in (wire.HEADERS, wire.CONTINUATION) and flags & wire.END_HEADERS and self.block:
            self.blocks[self.block[0]] = wire.representations(bytes(self.block[1]))
            self.block = None

    def settings_acknowledged(self) -> None:
        if len(self.limits) < 2:
            return self.violation("a SETTINGS acknowledgement for nothing")
        self.acknowledged = True
        earlier = self.limits.pop(0)
        if self.limits[0] is None:
            self.limits[0] = earlier
        if len(self.limits) == 1 and self.limits[0] is None:
            self.limits[0] = UNLIMITED

    def handle(self, event: Event) -> None:
        if isinstance(event, RequestReceived):
            self.request_begun(event)
        elif isinstance(event, DataReceived):
            attempt = self.attempts[event.stream_id]
            attempt.body += event.data
            if len(attempt.body) > self.largest_body:
                self.violation(f"{attempt.text()}: a body over {self.largest_body:,} bytes")
            self.behaviour.data(self, attempt, event.flow_controlled_length)
        elif isinstance(event, StreamEnded):
            self.request_complete(self.attempts[event.stream_id])
        elif isinstance(event, StreamReset):
            if event.remote_reset:
                attempt = self.attempts[event.stream_id]
                attempt.client_reset = (time.monotonic(), int(event.error_code))
                self.blocked.pop(event.stream_id, None)
                self.gone(event.stream_id)
        elif isinstance(event, WindowUpdated):
            self.send_blocked()
        elif isinstance(event, PingAckReceived):
            done = self.pings.pop(event.ping_data, None)
            if done is not None:
                done()
        elif isinstance(event, ConnectionTerminated):
            # h2 takes no answers any more; the client waits for none.
            self.farewell = True

    def violation(self, text: str) -> None:
        self.ledger.violation(f"connection {self.log.number}: {text}")

    # Requests

    def request_begun(self, event: RequestReceived) -> None:
        attempt = Attempt(self.log, event.stream_id, time.monotonic(), headers=event.headers)
        attempt.kinds = self.blocks.pop(event.stream_id, [])
        self.attempts[event.stream_id] = attempt
        self.log.attempts.append(attempt)
        self.highest = max(self.highest, event.stream_id)
        self.open[event.stream_id] = attempt
        if len(self.open) > self.limit:
            limits = self.limits if self.acknowledged else "none acknowledged"
            self.violation(f"stream {event.stream_id}: {len(self.open)} streams open, limit {self.limit} ({limits})")
        if self.barrier:
            self.violation(f"stream {event.stream_id}: a request on a connection that the client knew it had to leave")
        self.enter(attempt)
        if self.log.goaways and event.stream_id > self.log.goaways[-1][1]:
            attempt.excluded = self.log.goaways[-1][0]
        if not self.silent:
            self.behaviour.begun(self, attempt)

    def enter(self, attempt: Attempt) -> None:
        """Whose request it is, and whether its headers keep to the rules."""
        attempt.id = dict(attempt.headers).get("apns-id", "")
        table_size = self.h2.local_settings.header_table_size
        self.rules.check(attempt, table_size, lambda text: self.violation(f"stream {attempt.stream}: {text}"))
        self.ledger.attempts.setdefault(attempt.id, []).append(attempt)

    def request_complete(self, attempt: Attempt) -> None:
        attempt.complete = time.monotonic()
        if attempt.reset or attempt.client_reset:
            return None
        item = self.server.items.get(attempt.id)
        problem = item.wrong_body(bytes(attempt.body)) if item else None
        if problem:
            self.violation(f"stream {attempt.stream}: {problem}")
        if attempt.answered:
            return self.gone(attempt.stream)
        if attempt.excluded or self.silent:
            return None
        try:
            self.behaviour.complete(self, attempt)
        except H2Error:
            self.ledger.errors.append(traceback.format_exc())

    def window_crumbs(self, count: int) -> bytes:
        """WINDOW_UPDATEs of one byte for the connection; h2 has to know, or it takes the client's use of them for theft."""
        self.h2._inbound_flow_control_window_manager.window_opened(count)
        return wire.window_update(0, 1) * count

    def gone(self, stream: int) -> None:
        self.open.pop(stream, None)

    def release(self, stream: int, size: int) -> None:
        """Opens the windows again for bytes that were taken."""
        if not size or self.dead or self.farewell:
            return
        try:
            self.h2.acknowledge_received_data(size, stream)
        except H2Error:
            pass
        self.flush()

    # Answers

    def alive(self, attempt: Attempt) -> bool:
        """Whether the stream can still be answered."""
        if self.dead or self.silent or self.deaf or self.farewell:
            return False
        return not (attempt.reset or attempt.client_reset or attempt.answered or attempt.excluded)

    def finish(self, attempt: Attempt, status: int, reason: object, timestamp: int | None = None) -> None:
        attempt.answered = time.monotonic()
        attempt.status, attempt.reason, attempt.timestamp = status, reason, timestamp
        if status != 403:
            first = not self.proved
            self.proved = True
            if first and not self.server.certificates and self.behaviour.streams != self.behaviour.first_streams:
                self.announce(self.behaviour.streams)
        if attempt.complete:
            self.gone(attempt.stream)

    def answer(
        self,
        attempt: Attempt,
        status: int,
        reason: str | None = None,
        *,
        timestamp: int | None = None,
        body: bytes | None = None,
        headers: Sequence[tuple[str, str]] = (),
        reported: object = KEEP,
    ) -> None:
        """A whole answer, in order; `reported` is what the client must make of an odd body."""
        if not self.alive(attempt):
            return
        if body is None and reason is not None:
            value: dict[str, object] = {"reason": reason}
            if timestamp is not None:
                value["timestamp"] = timestamp
            body = json.dumps(value).encode()
        fields = [(":status", str(status)), ("apns-id", attempt.id), *headers]
        try:
            self.h2.send_headers(attempt.stream, fields, end_stream=not body)
            if body:
                self.send_body(attempt.stream, body)
        except H2Error:
            self.ledger.errors.append(traceback.format_exc())
            return
        attempt.answer_begun = time.monotonic()
        self.finish(attempt, status, reason if reported is KEEP else reported, timestamp)
        self.flush()

    def send_body(self, stream: int, body: bytes) -> None:
        self.blocked[stream] = body
        self.send_blocked()

    def send_blocked(self) -> None:
        for stream in list(self.blocked):
            try:
                while (body := self.blocked.get(stream)) is not None:
                    room = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
                    if room <= 0 and body:
                        break
                    piece, rest = body[:room], body[room:]
                    self.h2.send_data(stream, piece, end_stream=not rest)
                    if rest:
                        self.blocked[stream] = rest
                    else:
                        del self.blocked[stream]
            except H2Error:
                self.blocked.pop(stream, None)
        self.flush()

    def raw_answer(self, attempt: Attempt, frames: list[bytes], status: int, reported: object) -> None:
        """An answer in frames of the scenario's own, which end the stream."""
        if not self.alive(attempt):
            return
        self.flush()
        machine = self.h2.streams[attempt.stream].state_machine
        self.write(b"".join(frames))
        machine.state = StreamState.CLOSED if attempt.complete else StreamState.HALF_CLOSED_LOCAL
        machine.headers_sent = True
        machine.stream_closed_by = StreamClosedBy.SEND_END_STREAM
        attempt.answer_begun = time.monotonic()
        self.finish(attempt, status, reported)

    def block_of(self, fields: Headers) -> bytes:
        """A header block, in step with h2's own HPACK table."""
        return self.h2.encoder.encode(fields)

    def refuse(self, attempt: Attempt, code: int) -> None:
        """RST_STREAM."""
        if self.dead or self.silent or self.farewell or attempt.reset or attempt.client_reset:
            return
        stream = self.h2.streams.get(attempt.stream)
        if stream is None or stream.closed:
            self.write(wire.reset(attempt.stream, code))
        else:
            self.h2.reset_stream(attempt.stream, ErrorCodes(code))
        if not attempt.answered:
            attempt.reset = (time.monotonic(), code)
        self.gone(attempt.stream)
        self.flush()

    def goaway(self, last: int, code: int = 0, reason: str | None = None, debug: bytes | None = None) -> None:
        if self.dead or self.silent:
            return
        self.flush()
        if debug is None:
            debug = json.dumps({"reason": reason}).encode() if reason else b""
        now = time.monotonic()
        self.log.goaways.append((now, last, code, debug))
        for stream, attempt in self.attempts.items():
            # What was answered in a way that nobody can read is left out as well: the last word counts.
            is_settled = attempt.answered or (attempt.reset and attempt.reset[1] >= 0)
            if stream > last and not is_settled and not attempt.excluded:
                attempt.excluded = now
                self.gone(stream)
        self.write(wire.goaway(last, code, debug))
        self.unusable("GOAWAY")
        self.ping(self.raise_barrier)

    def raise_barrier(self) -> None:
        self.barrier = True

    def retire(self, how: str) -> None:
        """The client has to leave the connection for what was just answered on it."""
        self.unusable(how)
        self.ping(self.raise_barrier)

    def malformed(self, attempt: Attempt, frames: list[bytes], status: int | None = None) -> None:
        """What no client can take for a whole answer: the status may be believed, if there is one."""
        if not self.alive(attempt):
            return
        self.flush()
        self.write(b"".join(frames))
        machine = self.h2.streams[attempt.stream].state_machine
        machine.state = StreamState.CLOSED
        machine.stream_closed_by = StreamClosedBy.SEND_RST_STREAM
        attempt.answer_begun = time.monotonic()
        self.log.spoiled = self.log.spoiled or attempt.answer_begun
        attempt.status, attempt.reason = status, ...
        # A client may believe the status before it finds out about the rest.
        self.proved = self.proved or (status is not None and status != 403)
        attempt.reset = (attempt.answer_begun, -1)
        self.gone(attempt.stream)

    def ping(self, done: Callable[[], None] | None = None) -> None:
        if self.dead or self.silent or self.farewell or self.h2 is None:
            return
        data = struct.pack(">Q", 0x5354524943540000 + len(self.log.events))
        self.log.events.append("ping")
        if done is not None:
            self.pings[data] = done
        self.h2.ping(data)
        self.flush()
