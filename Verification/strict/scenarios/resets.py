"""RST_STREAM of every code at every stage."""

import asyncio

from strict import wire
from strict.behaviour import Behaviour
from strict.connection import Connection
from strict.ledger import Attempt
from strict.registry import After, nothing_lost, scenario
from strict.run import Run

CODES = [code for code in range(14) if code != wire.REFUSED_STREAM]


class Refusing(Behaviour):
    share = 0.1

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        if connection.server.random.random() < self.share:
            connection.refuse(attempt, 7)
        else:
            connection.answer(attempt, 200)


@scenario
async def refused_streams(run: Run) -> After:
    """REFUSED_STREAM for one request in ten."""
    await run.start(3000, Refusing())
    run.send()
    await run.finish(40)
    await run.fresh()
    return nothing_lost(run)


class RefusingAtOnce(Refusing):
    share = 0.3

    def begun(self, connection: Connection, attempt: Attempt) -> None:
        if connection.server.random.random() < self.share:
            connection.refuse(attempt, 7)

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.answer(attempt, 200)


@scenario
async def refused_early(run: Run) -> After:
    """REFUSED_STREAM as soon as the headers are there, for one request in three."""
    await run.start(2000, RefusingAtOnce())
    run.send()
    await run.finish(40)
    await run.fresh()
    return nothing_lost(run)


class ResettingRequests(Behaviour):
    """Resets while the request is still coming: at its headers, or in the middle of its body."""

    window = 500

    def begun(self, connection: Connection, attempt: Attempt) -> None:
        if connection.server.random.random() < 0.05:
            connection.refuse(attempt, connection.server.random.choice(CODES))

    def data(self, connection: Connection, attempt: Attempt, size: int) -> None:
        if connection.server.random.random() < 0.05 and not attempt.reset:
            connection.refuse(attempt, connection.server.random.choice(CODES))
        connection.release(attempt.stream, size)


@scenario
async def reset_requests(run: Run) -> After:
    """Every other code while the request is still coming: at its headers and in the middle of its body."""
    await run.start(2000, ResettingRequests())
    run.send()
    await run.finish(40)
    await run.fresh()
    return nothing_lost(run, unknown=True)


class ResettingAnswers(Behaviour):
    """Resets in place of an answer, behind its headers, and in the middle of its body."""

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        random = connection.server.random
        stage = random.random()
        code = random.choice(CODES)
        if stage < 0.04:
            return connection.refuse(attempt, code)
        if stage < 0.12 and connection.alive(attempt):
            status = random.choice([200, 400, 410])
            fields = [(":status", str(status)), ("apns-id", attempt.id)]
            connection.h2.send_headers(attempt.stream, fields)
            if stage < 0.08:
                connection.h2.send_data(attempt.stream, b'{"reason":"BadDe')
            attempt.answer_begun = attempt.complete
            attempt.status, attempt.reason = status, ...
            if status != 403:
                connection.proved = True
            connection.flush()
            return connection.refuse(attempt, code)
        connection.answer(attempt, 200)


@scenario
async def reset_answers(run: Run) -> After:
    """Every other code before the answer's headers, behind them, and in the middle of its body."""
    await run.start(3000, ResettingAnswers())
    run.send()
    await run.finish(40)
    await run.fresh()
    return nothing_lost(run, unknown=True, rejected=True)


class ResetBehindAnswer(Behaviour):
    """A complete answer, and RST_STREAM NO_ERROR behind it; for some before the request has ended."""

    window = 800

    def begun(self, connection: Connection, attempt: Attempt) -> None:
        if connection.server.random.random() < 0.1:
            connection.answer(attempt, 413, "PayloadTooLarge")
            self.reset(connection, attempt)

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.answer(attempt, 200)
        self.reset(connection, attempt)

    def reset(self, connection: Connection, attempt: Attempt) -> None:
        if connection.dead or connection.silent:
            return
        stream = connection.h2.streams.get(attempt.stream)
        if stream is not None and not stream.closed:
            connection.h2.reset_stream(attempt.stream, 0)
            connection.flush()
        else:
            connection.write(wire.reset(attempt.stream, 0))
        connection.gone(attempt.stream)


@scenario
async def reset_behind_answer(run: Run) -> After:
    """RST_STREAM NO_ERROR behind a complete answer (RFC 9113 §8.1)."""
    await run.start(2000, ResetBehindAnswer())
    run.send()
    await run.finish(40)
    await run.fresh()
    return nothing_lost(run, rejected=True, repeats=0)


class ResettingBodiless(Behaviour):
    """No body can leave, and every stream is reset at its headers."""

    window = 0

    def __init__(self) -> None:
        self.begins = 0

    def begun(self, connection: Connection, attempt: Attempt) -> None:
        self.begins += 1
        connection.refuse(attempt, 2)


@scenario
async def reset_before_body(run: Run) -> After:
    """INTERNAL_ERROR before any body could leave: certainly not sent, and no reason to storm the server."""
    behaviour = ResettingBodiless()
    await run.start(20, behaviour, deadlines={"unreachable": 3000, "request": 2000})
    run.send()
    await asyncio.sleep(2)
    begins = behaviour.begins
    run.ledger.count("requests", begins)
    run.require(begins < 1000, f"{begins} attempts to send 20 notifications within 2 seconds")
    run.server.behaviour = Behaviour()
    run.server.cut_all()
    await run.finish(20)
    await run.fresh()
    return nothing_lost(run)
