"""GOAWAY in every form."""

import asyncio

from strict.behaviour import Behaviour
from strict.connection import Connection
from strict.ledger import Attempt
from strict.registry import After, nothing_lost, scenario
from strict.run import Run

GRACEFUL = (1 << 31) - 1


class Middle(Behaviour):
    """Every so many requests a GOAWAY that leaves out the upper half of what is open."""

    every = 50
    streams = 60
    delay = 0.02

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.server.later(self.delay, self.answer, connection, attempt)
        if len(connection.attempts) >= self.every and not connection.log.goaways:
            self.end(connection)

    def answer(self, connection: Connection, attempt: Attempt) -> None:
        if not attempt.excluded:
            connection.answer(attempt, 200)
        if connection.log.goaways and not connection.open:
            connection.hang_up()

    def middle(self, connection: Connection) -> int:
        open_streams = sorted(connection.open)
        return open_streams[len(open_streams) // 2] if open_streams else connection.highest

    def end(self, connection: Connection) -> None:
        connection.goaway(self.middle(connection))


@scenario
async def goaway_middle(run: Run) -> After:
    """GOAWAY with a last stream in the middle of what is open, every 50 requests."""
    await run.start(2400, Middle())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run)


class Twice(Middle):
    def end(self, connection: Connection) -> None:
        connection.goaway(connection.highest)
        connection.server.later(0.01, lambda: connection.goaway(self.middle(connection)))


@scenario
async def goaway_twice(run: Run) -> After:
    """Two GOAWAYs, the second with a lower last stream."""
    await run.start(1500, Twice())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run)


class Graceful(Middle):
    def end(self, connection: Connection) -> None:
        connection.goaway(GRACEFUL)

        def really() -> None:
            # Whatever came in between is taken, or left out, as RFC 9113 §6.8 has it.
            connection.goaway(self.middle(connection) if connection.server.random.random() < 0.5 else connection.highest)
            if not connection.open:
                connection.hang_up()

        connection.server.later(0.03, really)


@scenario
async def goaway_graceful(run: Run) -> After:
    """First GOAWAY with 2^31-1, then the real one."""
    await run.start(1500, Graceful())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run)


class Reasoned(Middle):
    def end(self, connection: Connection) -> None:
        connection.goaway(self.middle(connection), 0, reason="BadDeviceToken")
        connection.server.later(0.005, connection.cut)


@scenario
async def goaway_reason_cut(run: Run) -> After:
    """GOAWAY with its JSON reason, and the connection is cut at once."""
    await run.start(1200, Reasoned())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, unknown=True)


class Zero(Middle):
    def __init__(self) -> None:
        self.ends = 0

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.server.later(self.delay, self.answer, connection, attempt)
        if len(connection.attempts) >= self.every and not connection.log.goaways and self.ends < 8:
            self.ends += 1
            self.end(connection)

    def end(self, connection: Connection) -> None:
        for attempt in list(connection.open.values()):
            attempt.excluded = attempt.excluded or attempt.begun
        connection.goaway(0)
        connection.server.later(0.05, connection.hang_up)


@scenario
async def goaway_zero(run: Run) -> After:
    """GOAWAY whose last stream is 0: nothing that is open was looked at."""
    await run.start(900, Zero())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run)


class Unanswered(Middle):
    delay = 0.2

    def end(self, connection: Connection) -> None:
        connection.goaway(self.middle(connection))
        connection.server.later(0.1, connection.cut)


@scenario
async def goaway_unanswered(run: Run) -> After:
    """GOAWAY, and a cut before what it covers is answered."""
    await run.start(900, Unanswered())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, unknown=True)


class Stuck(Middle):
    """Answers nothing after the GOAWAY and keeps the connection."""

    def __init__(self) -> None:
        self.stuck: list[Connection] = []

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        if not connection.log.goaways:
            connection.server.later(self.delay, self.answer, connection, attempt)
        if len(connection.attempts) >= self.every and len(self.stuck) < 3 and connection not in self.stuck:
            self.stuck.append(connection)
            self.end(connection)

    def answer(self, connection: Connection, attempt: Attempt) -> None:
        if not connection.log.goaways:
            connection.answer(attempt, 200)


@scenario
async def goaway_stuck(run: Run) -> After:
    """GOAWAY, no more answers, and the connection stays: three of them, then all is well."""
    behaviour = Stuck()
    await run.start(900, behaviour, deadlines={"request": 1500, "close": 1000})
    run.send()
    await run.finish(60)
    await run.gone(behaviour.stuck, 4, "after a GOAWAY")
    await run.fresh()
    return nothing_lost(run, unknown=True)


class Strange(Middle):
    """GOAWAYs with long, empty and broken debug data and every error code."""

    def end(self, connection: Connection) -> None:
        random = connection.server.random
        debug = random.choice([b"", b"\xff\xfe", b"{", b'{"reason":"' + b"x" * 15000 + b'"}', b'{"reason":17}', b"[" * 16000])
        connection.goaway(self.middle(connection), random.randrange(20), debug=debug)


@scenario
async def goaway_strange(run: Run) -> After:
    """GOAWAYs with every error code and odd debug data."""
    await run.start(1500, Strange())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run)


@scenario
async def goaway_idle(run: Run) -> After:
    """GOAWAY on idle connections, then the next notifications."""
    await run.start(600)
    run.send(300)
    await run.finish(20)
    for connection in list(run.server.open):
        connection.goaway(connection.highest, reason="IdleTimeout")
        connection.hang_up()
    await asyncio.sleep(0.2)
    run.send()
    await run.finish(20)
    await run.fresh()
    return nothing_lost(run, repeats=0)
