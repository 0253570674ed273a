"""Servers that say nothing, at each stage."""

import asyncio

from strict.behaviour import Behaviour
from strict.connection import Connection
from strict.ledger import Attempt
from strict.registry import After, nothing_lost, scenario
from strict.run import Run


class SilentStreams(Behaviour):
    def complete(self, connection: Connection, attempt: Attempt) -> None:
        if connection.server.random.random() < 0.03:
            return
        connection.answer(attempt, 200)


@scenario
async def silent_streams(run: Run) -> After:
    """Three requests in a hundred are never answered; everything else is."""
    await run.start(1500, SilentStreams(), deadlines={"request": 1200})
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, unknown=True)


class HalfOpen(Behaviour):
    """The first connections fall silent in the middle: no answers, no PING acknowledgements."""

    reads = True

    def __init__(self) -> None:
        self.silent: list[Connection] = []

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.answer(attempt, 200)
        if len(connection.attempts) >= 100 and len(self.silent) < 3 and connection not in self.silent:
            self.silent.append(connection)
            connection.fall_silent(reads=self.reads)


class HalfOpenDeaf(HalfOpen):
    reads = False


async def half(run: Run, behaviour: HalfOpen) -> After:
    """Half-open connections, with traffic."""
    await run.start(2000, behaviour, deadlines={"request": 2500, "pingInterval": 700, "pingAnswer": 400})
    # 700 ms of silence, 400 ms for the answer to the PING, and the way to the next connection.
    run.replace_within = 1.1 + 1.5
    run.send()
    await run.finish(40)
    if behaviour.reads:
        await run.gone(behaviour.silent, 3.5, "half-open")
    await run.fresh()
    return nothing_lost(run, unknown=True)


@scenario
async def half_open(run: Run) -> After:
    """Connections fall silent, and no PING is acknowledged."""
    return await half(run, HalfOpen())


@scenario
async def half_open_deaf(run: Run) -> After:
    """The same, and nothing is read either, so that the client's socket fills up."""
    return await half(run, HalfOpenDeaf())


class Mute(Behaviour):
    """The first connections stay mute at one stage."""

    def __init__(self, stage: str, count: int = 3) -> None:
        self.stage, self.count = stage, count
        self.mute: list[Connection] = []

    def accepted(self, connection: Connection) -> bool:
        if self.stage == "handshake" and len(self.mute) < self.count:
            self.mute.append(connection)
            connection.unusable("mute")
            connection.tls = None
            connection.deaf = True
            connection.run()
            return False
        return True

    def secured(self, connection: Connection) -> None:
        if self.stage == "settings" and len(self.mute) < self.count:
            self.mute.append(connection)
            connection.unusable("mute")
            return
        connection.start()


async def mute(run: Run, stage: str) -> After:
    behaviour = Mute(stage)
    await run.start(600, behaviour, deadlines={"handshake": 500, "settings": 500})
    run.replace_within = 0.5 + 1.5
    run.send()
    await run.finish(30)
    await run.gone(behaviour.mute, 2.0, f"no {stage}")
    await run.fresh()
    return nothing_lost(run, repeats=0)


@scenario
async def silent_handshake(run: Run) -> After:
    """TCP is accepted, TLS never answers."""
    return await mute(run, "handshake")


@scenario
async def silent_settings(run: Run) -> After:
    """TLS is made, SETTINGS never come."""
    return await mute(run, "settings")


class Slow(Behaviour):
    def complete(self, connection: Connection, attempt: Attempt) -> None:
        random = connection.server.random
        delay = 1.5 if random.random() < 0.05 else 0.01
        connection.server.later(delay, connection.answer, attempt, 200)


@scenario
async def slow_answers(run: Run) -> After:
    """One answer in twenty comes after its deadline."""
    await run.start(1500, Slow(), deadlines={"request": 1000})
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, unknown=True)


@scenario
async def idle_half_open(run: Run) -> After:
    """Connections fall silent while they are idle; the client finds out by PING before it sends again."""
    await run.start(600, deadlines={"pingInterval": 600, "pingAnswer": 400})
    run.send(300)
    await run.finish(20)
    silent = list(run.server.open)
    for connection in silent:
        connection.fall_silent()
    await run.gone(silent, 600e-3 * 2 + 400e-3 + 1, "idle and half-open")
    await asyncio.sleep(0.1)
    run.send()
    await run.finish(20)
    await run.fresh()
    run.replace_within = 60  # nothing waited
    return nothing_lost(run, repeats=0)


class SilentOne(Behaviour):
    """One connection goes on reading and acknowledges every PING, but answers nothing more; the others are sound."""

    streams = 100

    def __init__(self) -> None:
        self.silent: Connection | None = None
        self.swallowed = 0

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        if self.silent is None and connection.log.number == 2 and len(connection.attempts) >= 20:
            self.silent = connection
        if connection is self.silent:
            self.swallowed += 1
            return
        connection.server.later(0.05, connection.answer, attempt, 200)


@scenario
async def silent_beside_healthy(run: Run) -> After:
    """One of several connections answers nothing any more: new requests avoid it, and it is given up."""
    behaviour = SilentOne()
    # PINGs and windows are in order for as long as the connection lives: only the answers can tell.
    await run.start(1600, behaviour, deadlines={"request": 3000, "pingInterval": 500, "pingAnswer": 400}, spacing=20)
    run.send(600)
    await run.probe.until(lambda: behaviour.silent is not None, 10, "a second connection has carried 20 requests")
    before = behaviour.swallowed
    for _ in range(50):
        run.send(20, "single", 20)
        await asyncio.sleep(0.1)
    after_burst = behaviour.swallowed - before
    run.require(after_burst <= 300, f"the silent connection was given {after_burst} of 1,000 requests at 200/s")
    await run.finish(30)
    await run.gone([behaviour.silent], 1, "it answered nothing for longer than a request may take")
    await run.fresh()
    return nothing_lost(run, unknown=True)
