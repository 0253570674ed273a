"""Servers that break, networks that cut, everything at once, and a client that is closed in the middle."""

import asyncio
from random import Random

from strict import wire
from strict.behaviour import Behaviour
from strict.check import Tally
from strict.connection import Connection
from strict.ledger import Attempt
from strict.registry import After, nothing_lost, scenario
from strict.run import Run
from strict.scenarios import goaways, poison, refusals
from strict.server import Server


class Cutting(Behaviour):
    share = 0.01

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        if connection.server.random.random() < self.share:
            return connection.cut()
        return connection.server.later(0.01, connection.answer, attempt, 200)


@scenario
async def random_cuts(run: Run) -> After:
    """TCP RST at random moments."""
    await run.start(2000, Cutting())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, unknown=True)


class CuttingEarly(Behaviour):
    """Cuts at the TCP connect, in the handshake, behind the SETTINGS."""

    def __init__(self) -> None:
        self.count = 0

    def accepted(self, connection: Connection) -> bool:
        self.count += 1
        if self.count % 4 == 1:
            connection.run()
            connection.cut()
            return False
        if self.count % 4 == 2:
            connection.run()
            connection.server.later(0.001, connection.cut)
            return False
        return True

    def secured(self, connection: Connection) -> None:
        if self.count % 4 == 3:
            return connection.cut()
        connection.start()
        if self.count < 13:
            connection.cut()
        return None


@scenario
async def cuts_while_connecting(run: Run) -> After:
    """Connections are cut at every stage before the first request."""
    await run.start(600, CuttingEarly(), reconnect="20,150")
    run.send()
    await run.finish(60)
    await run.fresh()
    run.replace_within = 3
    return nothing_lost(run, unknown=True)


@scenario
async def flapping(run: Run) -> After:
    """The server is away for two seconds and back for one, three times."""
    behaviour = refusals.Refusal()
    await run.start(8000, behaviour)
    behaviour.share = 0
    behaviour.delay = 0.03
    run.replace_within = 2 + 1.5
    run.send(width=100)
    for _ in range(3):
        await asyncio.sleep(0.4)
        run.server.stop_listening()
        run.server.cut_all()
        await asyncio.sleep(2)
        run.server.listen()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, unknown=True)


async def refused_certificate(run: Run, certificate: str) -> None:
    await run.start(150, certificate=certificate, deadlines={"unreachable": 1500})
    run.send()
    await run.finish(15)
    run.require(not run.ledger.attempts, "something was sent to a server that could not prove its name")
    run.require(
        all(line["fate"] == "notSent" and line["code"] == "unreachable" for line in run.probe.outcomes),
        "an outcome is not 'unreachable'",
    )
    connections = len(run.ledger.connections)
    run.require(connections < 40, f"{connections} connections in 1.5 s")
    run.server.context = run.keys.context("server")
    await run.fresh()


@scenario
async def certificate_expired(run: Run) -> None:
    """The server's certificate has expired: nothing may be sent."""
    await refused_certificate(run, "expired")


@scenario
async def certificate_wrong_name(run: Run) -> None:
    """The server's certificate is for another name: nothing may be sent."""
    await refused_certificate(run, "wrong-name")


@scenario
async def no_http2(run: Run) -> None:
    """The server does not speak h2 (ALPN): nothing may be sent."""
    await run.start(60, deadlines={"unreachable": 1500})
    context = run.keys.context("server")
    context.set_alpn_protocols(["http/1.1"])
    run.server.context = context

    class Plain(Behaviour):
        def secured(self, connection: Connection) -> None:
            connection.start()

    run.server.behaviour = Plain()
    run.send()
    await run.finish(15)
    run.ledger.violations[:] = [text for text in run.ledger.violations if "ALPN" not in text]
    run.require(not run.ledger.attempts, "something was sent over a connection without h2")
    run.server.context = run.keys.context("server")
    await run.fresh()


async def closing(run: Run, grace: int, wait: float, way: str | None = None) -> After:
    """Closes while thousands wait."""

    class Slow(Behaviour):
        streams = 50

        def complete(self, connection: Connection, attempt: Attempt) -> None:
            connection.server.later(0.03, connection.answer, attempt, 200)

    await run.start(6000, Slow())
    run.closing = True
    run.send(way=way, width=1000)
    # The middle is counted from the first request: a machine may take its time before that.
    await run.probe.until(lambda: bool(run.ledger.attempts), 15, "something is sent")
    await asyncio.sleep(wait)
    order = run.probe.order(f"close {grace}")
    await run.probe.finished(order, grace / 1000 + 3)
    await run.finish(5)
    late = run.send(50, "single", 50)
    await run.probe.finished(late, 5)
    late_ids = {item.id for item in run.items[run.position - 50 : run.position]}
    run.require(
        all(line.get("code") == "closed" for line in run.probe.outcomes if line["id"] in late_ids),
        "a closed client did not say that it is closed",
    )
    run.require(not any(i in run.ledger.attempts for i in late_ids), "a closed client has sent something")

    def after(tally: Tally) -> None:
        total = tally.accepted + tally.rejected + tally.unknown + tally.not_sent
        run.require(total == tally.sent, f"{total} fates for {tally.sent} notifications")

    return after


@scenario
async def closed_at_once(run: Run) -> After:
    """The client is closed in the middle, without a grace: the fates add up."""
    return await closing(run, 0, 0.4)


@scenario
async def closed_with_grace(run: Run) -> After:
    """The client is closed in the middle, with half a second: the fates add up."""
    return await closing(run, 500, 0.3)


@scenario
async def closed_with_time(run: Run) -> After:
    """The client is closed in the middle, with time enough: everything is still sent."""
    after = await closing(run, 20_000, 0.5, "batch")

    def check(tally: Tally) -> None:
        after(tally)
        run.require(tally.accepted == tally.sent - 50, f"{tally.accepted} accepted, though there was time for all")

    return check


class Proxy:
    """A CONNECT proxy that cuts tunnels."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tunnels: list[tuple[asyncio.StreamWriter, asyncio.StreamWriter, int]] = []
        self.refusals = [502, None, 403, None]

    async def start(self) -> None:
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.split(b" ")[:2] != [b"CONNECT", self.run.server.authority.encode()]:
                self.run.find(f"the proxy was asked {head!r}")
            refusal = self.refusals.pop(0) if self.refusals else None
            if refusal:
                writer.write(b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n" % refusal)
                return await writer.drain()
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.run.server.port)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            tunnel = (writer, there_writer, there_writer.get_extra_info("sockname")[1])
            self.tunnels.append(tunnel)
            await asyncio.gather(self.pump(reader, there_writer), self.pump(there_reader, writer))
            self.tunnels.remove(tunnel)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def cut(self) -> None:
        """Cuts one tunnel on both sides."""
        if not self.tunnels:
            return
        here, there, port = self.run.random.choice(self.tunnels)
        for connection in self.run.server.open:
            if connection.peer == port:
                connection.hurt("cut by the proxy")
        here.transport.abort()
        there.transport.abort()


@scenario
async def proxy_cuts(run: Run) -> After:
    """A CONNECT proxy refuses, lets through, and cuts tunnels in the middle."""
    await run.start(3000, Delayed())
    # The probe knows its proxy from the start, so a second one takes this one's place.
    await run.probe.end()
    proxy = Proxy(run)
    await proxy.start()
    run.server.end()
    await run.again(options=["--proxy", f"127.0.0.1:{proxy.port}"])
    run.send(width=60)
    for _ in range(6):
        await asyncio.sleep(0.3)
        proxy.cut()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, unknown=True)


class Delayed(Behaviour):
    streams = 20

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.server.later(0.02, connection.answer, attempt, 200)


class Chaos(Behaviour):
    """Everything of the other scenarios, mixed by the request."""

    def __init__(self, server: Server) -> None:
        random = server.random
        self.window = random.choice([65_535, 65_535, 65_535, 300, 5000])
        self.streams = random.choice([1, 5, 50, 200, 200, 1000])
        self.first_streams = random.choice([1, 1, 1, self.streams])
        self.fate = random.random()
        self.late = random.random() < 0.1

    def accepted(self, connection: Connection) -> bool:
        if self.fate < 0.02:
            connection.tls = None
            connection.deaf = True
            connection.hurt("mute")
        elif self.fate < 0.04:
            connection.run()
            connection.cut()
            return False
        connection.run()
        return False

    def secured(self, connection: Connection) -> None:
        if self.fate < 0.06:
            return connection.unusable("mute")
        if self.fate < 0.07:
            return connection.cut()
        return connection.start()

    def begun(self, connection: Connection, attempt: Attempt) -> None:
        random = connection.server.random
        chance = random.random()
        if chance < 0.002:
            connection.refuse(attempt, 7)
        elif chance < 0.003:
            connection.refuse(attempt, random.randrange(7))
        elif chance < 0.004:
            connection.answer(attempt, 413, "PayloadTooLarge")

    def data(self, connection: Connection, attempt: Attempt, size: int) -> None:
        if self.late:
            connection.server.later(0.01, connection.release, attempt.stream, size)
        else:
            connection.release(attempt.stream, size)

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        random = connection.server.random
        chance = random.random()
        if chance < 0.9:
            return connection.server.later(random.random() * 0.01, connection.answer, attempt, 200)
        if chance < 0.94:
            status, reason = random.choice(refusals.REASONS)
            return connection.answer(attempt, status, reason, timestamp=5 if status == 410 else None)
        if chance < 0.965:
            kind = random.choice(poison.MILD)
            if kind in (poison.long_body, poison.long_reason) and random.random() < 0.8:
                kind = poison.no_body
            return kind(connection, attempt)
        if chance < 0.967:
            return random.choice(poison.Malformed.kinds)(connection, attempt)
        if chance < 0.985:
            return connection.refuse(attempt, 7)
        if chance < 0.988:
            return connection.refuse(attempt, random.randrange(14))
        if chance < 0.990:
            return connection.server.later(random.choice([0.5, 2.0]), connection.answer, attempt, 200)
        if chance < 0.991:
            return None
        connection.server.later(0.01, connection.answer, attempt, 200)
        return self.connection_fault(connection, attempt, random)

    def connection_fault(self, connection: Connection, attempt: Attempt, random: Random) -> None:
        fault = random.choice(
            [
                "cut",
                "hang up",
                "middle",
                "twice",
                "zero",
                "silent",
                "limit",
                "limit",
                "limit",
                "shutdown",
                "expired",
                "idle",
                "ping",
            ]
        )
        connection.ledger.count(fault)
        if fault == "cut":
            connection.cut()
        elif fault == "hang up":
            connection.hang_up()
        elif fault in ("middle", "twice", "zero") and not connection.log.goaways:
            if fault == "twice":
                connection.goaway(goaways.GRACEFUL)
                connection.server.later(0.02, self.leave, connection, random.random() < 0.5)
            else:
                self.leave(connection, fault == "middle")
        elif fault == "silent" and random.random() < 0.15:
            connection.fall_silent()
        elif fault == "limit":
            connection.announce(random.choice([0, 1, 3, 50]))
            connection.server.later(0.1, connection.announce, 200)
        elif fault == "shutdown":
            connection.answer(attempt, 503, "Shutdown")
            connection.retire("Shutdown")
        elif fault == "expired" and connection.ledger.counters[fault] == 1:
            # Once only: a token that two connections refuse parks the lane for 20 minutes, longer than this scenario waits.
            connection.answer(attempt, 403, "ExpiredProviderToken")
            connection.retire("ExpiredProviderToken")
        elif fault == "idle":
            connection.answer(attempt, 400, "IdleTimeout")
            connection.retire("IdleTimeout")
        elif fault == "ping":
            connection.write(wire.frame(wire.PING, 0, 0, b"flooding") * 100)

    def leave(self, connection: Connection, middle: bool) -> None:
        streams = sorted(connection.open)
        last = streams[len(streams) // 2] if streams and middle else connection.highest
        connection.goaway(last)
        connection.server.later(0.1, connection.hang_up if connection.server.random.random() < 0.7 else connection.cut)


@scenario
async def chaos(run: Run) -> After:
    """20,000 notifications through all of it at once."""
    deadlines = {
        "request": 1500,
        "handshake": 500,
        "settings": 500,
        "pingInterval": 700,
        "pingAnswer": 400,
        "close": 1000,
    }
    await run.start(20_000, Chaos, deadlines=deadlines, connections=4, spacing=50, reconnect="20,200")
    run.replace_within = 3.5
    run.server.many_constants = True
    run.send(width=500)
    await run.finish(140)
    for connection in list(run.server.open):
        connection.cut()
    await run.fresh()
    return nothing_lost(run, rejected=True, unknown=True)
