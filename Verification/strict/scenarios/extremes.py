"""What the other scenarios leave out: time, networks that drip, protocol errors, cancelling, and clients left alone."""

import asyncio
import shutil
import ssl
import struct
import subprocess
import time
from pathlib import Path

from strict import wire
from strict.behaviour import Behaviour
from strict.check import Tally
from strict.connection import Connection
from strict.ledger import Attempt
from strict.registry import After, nothing_lost, scenario
from strict.run import Run


@scenario
async def clean_tls12(run: Run) -> After:
    """A server that speaks TLS 1.2 only."""
    await run.start(900)
    context = run.keys.context()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    run.server.context = context
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, repeats=0)


class Wide(Behaviour):
    streams = 1000
    window = 1 << 20

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.server.later(0.05, connection.answer, attempt, 200)


@scenario
async def wide(run: Run) -> After:
    """A thousand streams of large bodies; connections are added one by one, as far as the configuration allows."""
    await run.start(6000, Wide(), connections=4, spacing=150, size=lambda random: 3800)
    run.send(width=2000)
    await run.finish(60)
    times = [log.accepted for log in run.ledger.connections]
    gaps = [later - earlier for earlier, later in zip(times, times[1:])]
    run.require(len(times) <= 4, f"{len(times)} connections, allowed: 4")
    run.require(sum(gaps) >= 0.14 * len(gaps), f"connections came after {gaps}, asked for: 0.15 s")
    await run.fresh()
    return nothing_lost(run, repeats=0)


class Dripping(Connection):
    """Writes a few bytes in each TLS record."""

    def write(self, data: bytes) -> None:
        if not self.tls or self.dead or self.silent:
            return
        random, position = self.server.random, 0
        while position < len(data):
            size = random.choice([1, 2, 5, 9, 10, 40])
            super().write(data[position : position + size])
            position += size


@scenario
async def dripping(run: Run) -> After:
    """Frames arrive in pieces of a few bytes, each in a TLS record of its own."""
    await run.start(900)
    run.server.connection = Dripping
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, repeats=0)


class SlowReader(Behaviour):
    """Reads slowly, with GOAWAYs and cuts while the client's output is stuck half-way."""

    streams = 1000
    window = 1 << 20

    def __init__(self) -> None:
        self.faults = 0

    def secured(self, connection: Connection) -> None:
        connection.slow = 0.004
        connection.start()
        connection.h2.increment_flow_control_window(1 << 24)
        connection.flush()

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.answer(attempt, 200)
        if len(connection.attempts) >= 150 and self.faults < 6 and "fault" not in connection.state:
            connection.state["fault"] = True
            self.faults += 1
            if self.faults % 3 == 0:
                connection.cut()
            elif self.faults % 3 == 1:
                connection.goaway(connection.highest)
                connection.server.later(0.3, connection.hang_up)
            else:
                connection.goaway(connection.highest)
                connection.server.later(0.03, connection.cut)


@scenario
async def slow_reader(run: Run) -> After:
    """The server reads slowly, and ends connections while requests are stuck in the client's socket."""
    deadlines = {"request": 20_000, "pingInterval": 10_000, "pingAnswer": 10_000, "close": 10_000}
    await run.start(2500, SlowReader(), deadlines=deadlines, size=lambda random: 3800)
    run.server.receive_buffer = 8192
    run.send()
    await run.finish(90)
    for connection in run.server.open:
        connection.slow = 0
    await run.fresh()
    return nothing_lost(run, unknown=True)


ERRORS = {
    "settings of 5 bytes": wire.frame(wire.SETTINGS, 0, 0, b"\0\3\0\0\0"),
    "settings on a stream": wire.frame(wire.SETTINGS, 0, 1),
    "acknowledgement with a body": wire.frame(wire.SETTINGS, wire.ACK, 0, b"\0\3\0\0\0\1"),
    "window of 2^31": wire.settings([(4, 1 << 31)]),
    "frames of 1 byte": wire.settings([(5, 1)]),
    "push switched on": wire.settings([(2, 1)]),
    "window overflow": wire.window_update(0, (1 << 31) - 1) * 2,
    "window update of 0": wire.window_update(0, 0),
    "frame too large": wire.frame(wire.DATA, 0, 1, b"x" * 20_000),
    "data on stream 0": wire.frame(wire.DATA, 0, 0, b"x"),
    "headers on stream 2": wire.frame(wire.HEADERS, wire.END_HEADERS, 2, b"\x88"),
    "headers on an idle stream": wire.frame(wire.HEADERS, wire.END_HEADERS, 1_000_001, b"\x88"),
    "reset of an idle stream": wire.reset(1_000_001, 8),
    "goaway on a stream": wire.frame(wire.GOAWAY, 0, 1, b"\0" * 8),
    "goaway of 3 bytes": wire.frame(wire.GOAWAY, 0, 0, b"\0" * 3),
    "ping of 7 bytes": wire.frame(wire.PING, 0, 0, b"\0" * 7),
    "continuation of nothing": wire.frame(wire.CONTINUATION, wire.END_HEADERS, 1, b"\x88"),
    "broken hpack": wire.frame(wire.HEADERS, wire.END_HEADERS, 1, b"\xff\xff\xff\xff\xff\xff\xff"),
    "http/1.1": b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
    "zeros": b"\0" * 400,
}


class Breaking(Behaviour):
    """Breaks the protocol of the connection, another way on each, and goes on as if nothing were."""

    def __init__(self) -> None:
        self.left = list(ERRORS)

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.server.later(0.005, connection.answer, attempt, 200)
        if len(connection.attempts) >= 20 and self.left and "error" not in connection.state:
            name = connection.state["error"] = self.left.pop(0)
            connection.log.spoiled = time.monotonic()
            connection.log.note = name
            connection.flush()
            connection.write(ERRORS[name])


@scenario
async def protocol_errors(run: Run) -> After:
    """Twenty ways to break HTTP/2 at the level of the connection."""
    behaviour = Breaking()
    await run.start(3000, behaviour, deadlines={"request": 3000, "pingInterval": 800, "pingAnswer": 400})
    run.send(width=30)
    await run.finish(60)
    run.require(not behaviour.left, f"not reached: {behaviour.left}")
    await run.fresh()
    return nothing_lost(run, unknown=True)


class Plain(Behaviour):
    """Speaks garbage below TLS."""

    def __init__(self) -> None:
        self.count = 0

    def secured(self, connection: Connection) -> None:
        connection.start()

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.answer(attempt, 200)
        if len(connection.attempts) >= 30 and "broken" not in connection.state and self.count < 6:
            self.count += 1
            connection.state["broken"] = True
            connection.hurt("TLS broken")
            random = connection.server.random
            connection.output += random.choice([b"\x17\x03\x03\x00\x20" + random.randbytes(32), random.randbytes(200)])
            connection.wake.set()


@scenario
async def broken_tls(run: Run) -> After:
    """Records that TLS cannot read, in the middle of traffic."""
    await run.start(1500, Plain())
    run.send(width=30)
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, unknown=True)


@scenario
async def limit_stays_zero(run: Run) -> None:
    """No stream is ever allowed: everything ends as not sent at its deadline, and nothing spins meanwhile."""

    class Closed(Behaviour):
        first_streams = streams = 0

    await run.start(300, Closed(), deadlines={"unreachable": 1500})
    run.send()
    await run.finish(6)
    run.require(
        all(line["fate"] == "notSent" and line["code"] == "unreachable" for line in run.probe.outcomes),
        "an outcome is not 'unreachable'",
    )
    for connection in run.server.open:
        connection.announce(200)
    await run.fresh()


@scenario
async def idle_surplus(run: Run) -> After:
    """Surplus connections are closed by the client in the gaps between bursts."""

    class Calm(Behaviour):
        streams = 10

        def complete(self, connection: Connection, attempt: Attempt) -> None:
            connection.server.later(0.01, connection.answer, attempt, 200)

    await run.start(1800, Calm(), deadlines={"idleSurplus": 150}, spacing=20)
    for _ in range(6):
        order = run.send(300, "single", 60)
        await run.probe.finished(order, 20)
        await asyncio.sleep(0.145)
    run.require(len(run.ledger.connections) > 3, "no surplus connection was closed")
    await run.fresh()
    return nothing_lost(run, repeats=0)


@scenario
async def cancelled(run: Run) -> After:
    """The sending tasks are cancelled in the middle: what left has its answer, the rest is not sent."""

    class Slow(Behaviour):
        streams = 30

        def complete(self, connection: Connection, attempt: Attempt) -> None:
            connection.server.later(0.03, connection.answer, attempt, 200)

    await run.start(3000, Slow())
    run.send(1500, "single", 500)
    run.send(1500, "batch")
    await asyncio.sleep(0.4)
    run.probe.order("cancel")
    await run.finish(15)
    await run.fresh()

    def after(tally: Tally) -> None:
        wrong = {reason for reason in tally.reasons if reason not in ("200", "not sent: cancelled")}
        run.require(not wrong, f"not from cancelling: {wrong}")
        run.require(tally.not_sent > 0, "nothing was taken back")

    return after


@scenario
async def no_token_no_server(run: Run) -> After:
    """The key service is away, and so is the server: everything waits, and nothing spins."""
    await run.start(60, deadlines={"unreachable": 4000}, options=["--key", "none"], reconnect="3000,3000")
    run.send()
    await asyncio.sleep(0.5)
    run.server.stop_listening()
    run.server.cut_all()
    run.probe.measure()
    before = run.probe.usage[0]
    await asyncio.sleep(2.5)
    spent = run.probe.measure()[0] - before
    run.require(spent < 0.5, f"{spent:.1f} s of CPU in 2.5 s of waiting")
    await run.finish(10)
    run.require(not run.ledger.attempts, "something was sent without a token")
    run.server.listen()
    run.probe.order(f"replace KEYBBBBBBB TEAM123456 {run.keys.folder / 'KEYBBBBBBB.p8'}")
    await run.fresh()
    run.replace_within = 10

    def after(tally: Tally) -> None:
        run.require(tally.not_sent == tally.sent - 100, f"{tally.not_sent} not sent")

    return after


class Aged(Behaviour):
    """Refuses tokens by their number, once it is told to."""

    refused: frozenset[str] = frozenset()

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        token = dict(attempt.headers)["authorization"]
        if connection.state.get("stuck") or token in self.refused:
            connection.answer(attempt, 403, "ExpiredProviderToken")
            if "stuck" not in connection.state:
                connection.state["stuck"] = True
                connection.retire("ExpiredProviderToken")
            return
        connection.answer(attempt, 200)


@scenario
async def token_in_time(run: Run) -> After:
    """Hours pass: tokens change on a grid of 24 minutes, never twice in 20, and once after ExpiredProviderToken."""
    folder = run.folder
    folder.mkdir(parents=True, exist_ok=True)
    library, lead = folder / "clock_shift.so", folder / "lead"
    source = Path(__file__).resolve().parent / "clock_shift.c"
    compiler = shutil.which("cc") or shutil.which("clang")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    # Minute 0 is where a slot of the grid begins.
    ahead = 1440 - int(time.time()) % 1440
    lead.write_bytes(struct.pack("<q", ahead))

    async def jump(minutes: int) -> None:
        """Also waits until the client has met all deadlines that the time brings: none is a request's."""
        nonlocal ahead
        ahead += minutes * 60
        with open(lead, "r+b") as file:
            file.write(struct.pack("<q", ahead))
        await asyncio.sleep(1.5)

    behaviour = Aged()
    run.environment = {"LD_PRELOAD": str(library), "STRICT_CLOCK": str(lead)}
    await run.start(
        1600, behaviour, deadlines={"unreachable": 7_200_000, "waiting": 7_200_000, "idleSurplus": 80_000}, spacing=0
    )
    run.server.tokens.clock = lambda: time.time() + ahead
    seen = run.server.tokens.first_seen

    def tokens() -> int:
        return len(seen.get("KEYAAAAAAA", []))

    async def part(minutes: int) -> None:
        await jump(minutes)
        run.send(200, "batch")
        await run.finish(20)

    await part(0)
    await part(22)
    run.require(tokens() == 1, f"{tokens()} tokens within 22 minutes")
    await part(3)
    run.require(tokens() == 2, f"{tokens()} tokens after 25 minutes")
    # Too early for another one: the same is tried twice, one is told at least, and the others wait.
    behaviour.refused = frozenset({seen["KEYAAAAAAA"][1][1]})
    await jump(5)
    run.send(3, "batch")

    def early() -> int:
        return len([line for line in run.probe.outcomes if line.get("reason") == "ExpiredProviderToken"])

    await run.probe.until(lambda: early() > 0, 20, "somebody is told of the expired token")
    await asyncio.sleep(0.5)
    run.require(tokens() == 2, f"{tokens()} tokens: one more within 5 minutes")
    # Now another one is allowed: one, for all connections, and what waits goes out with it.
    await jump(16)
    run.send(197, "batch")
    await run.finish(20)
    run.require(tokens() == 3, f"{tokens()} tokens after the refused one's 20 minutes")
    run.require(early() <= 3, f"{early()} were told of the expired token")
    for minutes in (30, 21, 60, 600):
        await part(minutes)
    run.require(tokens() == 6, f"{tokens()} tokens at the end")
    await run.fresh()

    def after(tally: Tally) -> None:
        run.require(tally.rejected == early(), f"{tally.rejected} rejected")
        run.require(tally.unknown == 0 and tally.not_sent == 0, "something was lost")

    run.replace_within = 5
    return after
