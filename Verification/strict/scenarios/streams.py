"""Stream limits, and clean runs."""

import asyncio

from h2.settings import SettingCodes

from strict.behaviour import Behaviour
from strict.connection import Connection
from strict.ledger import Attempt
from strict.registry import After, nothing_lost, scenario
from strict.run import Run
from strict.server import Server


@scenario
async def clean(run: Run) -> After:
    """5,000 notifications to a server that does everything right."""
    await run.start(5000)
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, repeats=0)


@scenario
async def clean_certificate(run: Run) -> After:
    """A client certificate in place of provider tokens."""
    await run.start(900, certificates=True)
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, repeats=0)


class OneStream(Behaviour):
    streams = 1


@scenario
async def one_stream(run: Run) -> After:
    """The limit stays at one stream forever."""
    await run.start(600, OneStream())
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, repeats=0)


class HiddenOne(Behaviour):
    first_streams = 1000
    streams = 1000

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        # Slow enough for a client that opens a second stream to be seen.
        delay = 0.15 if not connection.proved else 0
        connection.server.later(delay, connection.answer, attempt, 200)


@scenario
async def hidden_one(run: Run) -> After:
    """SETTINGS say 1,000 from the start, while one stream is allowed until the first good answer."""
    await run.start(900, HiddenOne())
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, repeats=0)


class Moving(Behaviour):
    """Announces another limit after every so many requests."""

    def __init__(self, server: Server) -> None:
        self.steps = [(1, 1000), (100, 1), (110, 50), (260, 3), (280, 1000), (600, 20), (800, 200)]
        self.seen = 0

    streams = 1000

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        self.seen += 1
        while self.steps and self.seen >= self.steps[0][0]:
            connection.announce(self.steps.pop(0)[1])
        connection.server.later(0.01, connection.answer, attempt, 200)


@scenario
async def moving_limit(run: Run) -> After:
    """The stream limit goes 1, 1,000, 1, 50, 3, 1,000, 20, with requests in flight."""
    await run.start(3000, Moving)
    run.send()
    await run.finish(40)
    await run.fresh()
    return nothing_lost(run, repeats=0)


class Halting(Behaviour):
    halted = False

    def secured(self, connection: Connection) -> None:
        self.first_streams = 0 if self.halted else 1
        connection.start()


@scenario
async def limit_zero(run: Run) -> After:
    """No stream at all is allowed for two seconds, on old and new connections."""
    behaviour = Halting()
    await run.start(2400, behaviour)
    run.send(600)
    await run.finish(20)
    behaviour.halted = True
    behaviour.streams = 0
    for connection in run.server.open:
        connection.announce(0)
    run.send()
    await asyncio.sleep(2)
    behaviour.halted = False
    behaviour.streams = 200
    for connection in run.server.open:
        connection.announce(200)
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, repeats=0)


class SmallTable(Behaviour):
    """Shrinks and grows the HPACK table."""

    def __init__(self, server: Server) -> None:
        self.settings = {SettingCodes.HEADER_TABLE_SIZE: server.random.choice([0, 64, 300])}


@scenario
async def small_header_table(run: Run) -> After:
    """The server's HPACK table has 0, 64 or 300 bytes."""
    await run.start(900, SmallTable)
    run.server.many_constants = True
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, repeats=0)


class Leaving(Behaviour):
    """Ends a connection in order as soon as nothing is open on it."""

    goaway = True

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.answer(attempt, 200)
        if len(connection.attempts) >= 40 and not connection.open and not connection.deaf:
            if self.goaway:
                connection.goaway(connection.highest)
            connection.hang_up()


class LeavingSilently(Leaving):
    goaway = False


@scenario
async def leaving(run: Run) -> After:
    """The server ends connections in order, GOAWAY and all, whenever nothing is open on them."""
    await run.start(1500, Leaving())
    run.send(width=8)
    await run.finish(40)
    await run.fresh()
    return nothing_lost(run)


@scenario
async def leaving_silently(run: Run) -> After:
    """The same without GOAWAY: what was on its way just then is ambiguous."""
    await run.start(1500, LeavingSilently())
    run.send(width=8)
    await run.finish(40)
    await run.fresh()
    return nothing_lost(run, unknown=True)
