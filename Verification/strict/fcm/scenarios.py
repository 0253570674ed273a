"""What the strict FCM plays to the client."""

import asyncio
from collections.abc import Callable

from strict import wire
from strict.check import Tally
from strict.connection import Connection
from strict.fcm.answers import REFUSED, TABLE
from strict.fcm.connection import FCMBehaviour, FCMConnection
from strict.fcm.run import FCMRun, fcm_scenario
from strict.fcm.server import Sale, tell
from strict.ledger import Attempt
from strict.registry import After, nothing_lost
from strict.scenarios.goaways import GRACEFUL


@fcm_scenario
async def fcm_clean(run: FCMRun) -> After:
    """FCM: 3,000 messages to a server that does everything right."""
    await run.start(3000)
    run.send()
    await run.finish(60)
    await run.fresh()
    run.require(len(run.office.exchanges) == 1, f"{len(run.office.exchanges)} access tokens were bought")
    return nothing_lost(run, repeats=0)


class Slow(FCMBehaviour):
    delay = 0.02

    def complete(self, connection: FCMConnection, attempt: Attempt) -> None:  # type: ignore[override]
        connection.server.later(self.delay, connection.accept, attempt)


class Moving(Slow):
    """The stream limit moves, and a PING follows the end of every stream."""

    steps = (10, 0, 100, 3, 100)

    def complete(self, connection: FCMConnection, attempt: Attempt) -> None:  # type: ignore[override]
        connection.server.later(self.delay, self.answer, connection, attempt)

    def answer(self, connection: FCMConnection, attempt: Attempt) -> None:
        connection.accept(attempt)
        connection.ping()
        answered = connection.state["answered"] = connection.state.get("answered", 0) + 1
        if answered % 60 == 0:
            step = answered // 60 - 1
            streams = self.steps[step % len(self.steps)]
            connection.announce(streams)
            if streams == 0:
                connection.server.later(0.1, connection.announce, 100)


@fcm_scenario
async def fcm_moving_limits(run: FCMRun) -> After:
    """FCM: SETTINGS allow 100, 10, no and 100 streams while messages run, and PINGs come after each."""
    await run.start(2000, Moving())
    run.send()
    await run.finish(60)
    for connection in run.server.open:
        connection.announce(100)
    await run.fresh()
    return nothing_lost(run, repeats=0)


class Aging(Slow):
    """GOAWAY max_age after so many requests: announced, then said, and hung up when all is answered."""

    every = 80

    def complete(self, connection: FCMConnection, attempt: Attempt) -> None:  # type: ignore[override]
        connection.server.later(self.delay, self.answer, connection, attempt)
        if len(connection.attempts) >= self.every and not connection.log.goaways:
            connection.goaway(GRACEFUL, debug=b"max_age")
            connection.server.later(0.03, self.say, connection)

    def say(self, connection: FCMConnection) -> None:
        connection.goaway(connection.highest, debug=b"max_age")
        if not connection.open:
            connection.hang_up()

    def answer(self, connection: FCMConnection, attempt: Attempt) -> None:
        connection.accept(attempt)
        if len(connection.log.goaways) > 1 and not connection.open:
            connection.hang_up()


@fcm_scenario
async def fcm_max_age(run: FCMRun) -> After:
    """FCM: connections are as old as they may become: GOAWAY max_age every 80 messages, and nothing is lost."""
    await run.start(1500, Aging())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, repeats=0)


class Middle(Slow):
    """GOAWAY that leaves out the upper half of what is open."""

    def complete(self, connection: FCMConnection, attempt: Attempt) -> None:  # type: ignore[override]
        connection.server.later(self.delay, self.answer, connection, attempt)
        if len(connection.attempts) >= 50 and not connection.log.goaways:
            streams = sorted(connection.open)
            connection.goaway(streams[len(streams) // 2], debug=b"session_timed_out")

    def answer(self, connection: FCMConnection, attempt: Attempt) -> None:
        connection.accept(attempt)
        if connection.log.goaways and not connection.open:
            connection.hang_up()


@fcm_scenario
async def fcm_goaway_middle(run: FCMRun) -> After:
    """FCM: GOAWAY with a last stream in the middle; what it leaves out is sent again at once, and once."""
    await run.start(1500, Middle())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run)


class Refusing(FCMBehaviour):
    """RST_STREAM for some, with a code."""

    def __init__(self, code: int, share: float) -> None:
        self.code, self.share = code, share

    def complete(self, connection: FCMConnection, attempt: Attempt) -> None:  # type: ignore[override]
        if connection.server.random.random() < self.share:
            connection.refuse(attempt, self.code)
        else:
            connection.accept(attempt)


@fcm_scenario
async def fcm_refused_streams(run: FCMRun) -> After:
    """FCM: REFUSED_STREAM for one in ten: sent again, and all arrive."""
    await run.start(1500, Refusing(wire.REFUSED_STREAM, 0.1))
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run)


@fcm_scenario
async def fcm_reset_streams(run: FCMRun) -> After:
    """FCM: INTERNAL_ERROR for one in fifty: unknown, and repeated with leave alone."""
    await run.start(1500, Refusing(wire.INTERNAL_ERROR, 0.02))
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, unknown=True)


class Cutting(Slow):
    """The connection is cut, with what is under way."""

    def complete(self, connection: FCMConnection, attempt: Attempt) -> None:  # type: ignore[override]
        super().complete(connection, attempt)
        if len(connection.attempts) == 150:
            connection.server.later(0.005, connection.cut)


@fcm_scenario
async def fcm_cut(run: FCMRun) -> After:
    """FCM: connections are cut after 150 messages each; what was under way is unknown, unless it may be repeated."""
    await run.start(1500, Cutting())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, unknown=True)


class Slower(Slow):
    delay = 0.15


@fcm_scenario
async def fcm_token_ends(run: FCMRun) -> After:
    """FCM: every access token is refused from one moment on, hundreds in flight: one new one, each sent again once."""
    await run.start(2500, Slower())
    run.send()
    await asyncio.sleep(0.4)
    run.office.revoke()
    await run.finish(60)
    await run.fresh()
    run.require(len(run.office.exchanges) == 2, f"{len(run.office.exchanges)} access tokens were bought")
    run.require(len(run.ledger.connections) <= 3, f"{len(run.ledger.connections)} connections: the token was at fault")
    return nothing_lost(run)


class NeverGood(FCMBehaviour):
    def complete(self, connection: FCMConnection, attempt: Attempt) -> None:  # type: ignore[override]
        connection.say(attempt, REFUSED)


@fcm_scenario
async def fcm_token_never_good(run: FCMRun) -> After:
    """FCM: 401 whatever the token: no loop of exchanges, everything is told or held, and all heals by itself."""
    await run.start(300, NeverGood())
    run.send()
    await run.finish(90)
    run.require(len(run.office.exchanges) <= 6, f"{len(run.office.exchanges)} access tokens were bought in vain")
    told = [line for line in run.probe.outcomes if line.get("status") == 401 and line["action"] == "fix"]
    run.require(told, "nobody was told of the refusal")
    # The next exchange may be some seconds away: the fresh ones wait for it.
    await run.fresh(60)
    return nothing_lost(run, rejected=True)


class Rows(FCMBehaviour):
    """Every row of the table, for half of the messages."""

    def complete(self, connection: FCMConnection, attempt: Attempt) -> None:  # type: ignore[override]
        random = connection.server.random
        if random.random() < 0.5:
            connection.accept(attempt)
        else:
            connection.say(attempt, random.choice(TABLE))


def check_actions(run: FCMRun) -> None:
    """What the client makes of each refusal is what the table says."""
    for outcome in run.probe.outcomes:
        attempts = run.ledger.attempts.get(outcome["id"], [])
        if outcome["fate"] != "answered" or not attempts or not attempts[-1].note:
            continue
        action, _, wait = attempts[-1].note.partition(" ")
        if outcome["action"] != action:
            run.find(f"{outcome['id']}: {outcome['status']} {outcome.get('reason')} is {outcome['action']}, not {action}")
        if outcome.get("wait") != (int(wait) if wait else None):
            run.find(f"{outcome['id']}: {outcome['status']} waits {outcome.get('wait')}, not {wait or 'at all'}")


@fcm_scenario
async def fcm_answers(run: FCMRun) -> After:
    """FCM: every answer that is documented or was seen, in every order of its details, and what it means."""
    await run.start(2500, Rows())
    run.send()
    await run.finish(60)
    await run.fresh()
    check_actions(run)
    return nothing_lost(run, rejected=True, repeats=0)


ODD = [
    b"", b"null", b"[]", b"{", b"no json", b"\xff\xfe", b'{"error":7}', b'{"error":{"details":"x"}}',
    b'{"error":{"details":["UNREGISTERED",7,null,[]]}}', b'{"error":{"message":"UNREGISTERED"}}',
    b'{"error":{"details":[{"@type":7,"errorCode":"UNREGISTERED"}]}}', b"[" * 20_000,
    b'{"error":{"x":"' + b"x" * 1_000_000 + b'"}}',
]  # fmt: skip


class Odd(FCMBehaviour):
    def complete(self, connection: FCMConnection, attempt: Attempt) -> None:  # type: ignore[override]
        random = connection.server.random
        kind = random.random()
        if kind < 0.6:
            return connection.accept(attempt)
        status = 200 if kind < 0.7 else random.choice([400, 403, 404, 413, 429, 500, 503, 599])
        return connection.respond(attempt, status, random.choice(ODD if kind < 0.999 else ODD[-1:]), ...)


@fcm_scenario
async def fcm_odd_bodies(run: FCMRun) -> After:
    """FCM: bodies that are empty, no JSON, a megabyte, or odd; a good status counts, and no token is called dead."""
    await run.start(1000, Odd())
    run.send()
    await run.finish(90)
    await run.fresh()
    dead = [line["id"] for line in run.probe.outcomes if line.get("action") in ("remove", "check")]
    run.require(not dead, f"called dead or suspect: {dead[:3]}")
    return nothing_lost(run, rejected=True, repeats=0)


class Quota(FCMBehaviour):
    """Says once that it is too much for the whole project."""

    def __init__(self) -> None:
        self.said: float | None = None
        self.early = 0

    def complete(self, connection: FCMConnection, attempt: Attempt) -> None:  # type: ignore[override]
        now = asyncio.get_running_loop().time()
        if self.said is None and len(connection.attempts) > 40:
            self.said = now
            answer = next(answer for answer in TABLE if answer.wait == 3600)
            connection.respond(attempt, 429, answer.body(), "QUOTA_EXCEEDED", (("retry-after", "2"),))
            return
        # What was under way comes at once.
        if self.said is not None and 0.5 < now - self.said < 1.9:
            self.early += 1
        connection.accept(attempt)


@fcm_scenario
async def fcm_quota(run: FCMRun) -> After:
    """FCM: 429 of the project with retry-after 2: nothing goes for so long, then all of it."""
    behaviour = Quota()
    await run.start(600, behaviour, options=["--rate", "2000", "--ramp", "1000"])
    run.send()
    await run.finish(60)
    await run.fresh()
    run.require(behaviour.said is not None, "nobody was told of the quota")
    run.require(behaviour.early == 0, f"{behaviour.early} messages came while nothing was to come")
    return nothing_lost(run, rejected=True, repeats=0)


class Silent(Slow):
    """Nine seconds for some, never for others."""

    def complete(self, connection: FCMConnection, attempt: Attempt) -> None:  # type: ignore[override]
        kind = connection.server.random.random()
        if kind < 0.03:
            connection.server.later(9, connection.accept, attempt)
        elif kind < 0.06:
            attempt.note = ""
            connection.state.setdefault("silent", []).append(attempt)
        else:
            super().complete(connection, attempt)


@fcm_scenario
async def fcm_late_answers(run: FCMRun) -> After:
    """FCM: answers after nine seconds are waited for; what is never answered is unknown after eleven."""
    await run.start(400, Silent(), leave=0)
    run.send()
    await run.finish(90)

    def after(tally: Tally) -> None:
        late = [
            attempt
            for attempts in run.ledger.attempts.values()
            for attempt in attempts
            if attempt.answered and attempt.answered - attempt.begun > 8
        ]
        run.require(late, "no answer came late")
        lost = {attempt.id for attempt in late} - {line["id"] for line in run.probe.outcomes if line.get("status") == 200}
        run.require(not lost, f"{len(lost)} late answers were not waited for")
        run.require(tally.unknown > 0, "what was never answered is not unknown")

    await run.fresh()
    return after


class Endpoint(Sale):
    """Answers of the token endpoint's that sell nothing, one after the other; then it sells."""

    def __init__(self, *answers: Callable[[Connection, Attempt], None]) -> None:
        self.answers = list(answers)

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        if self.answers:
            self.answers.pop(0)(connection, attempt)
        else:
            super().complete(connection, attempt)


def endpoint_answer(status: int, body: bytes) -> Callable[[Connection, Attempt], None]:
    return lambda connection, attempt: tell(connection, attempt, status, body)


@fcm_scenario
async def fcm_token_endpoint_faults(run: FCMRun) -> After:
    """FCM: the token endpoint answers 500, HTML, no token and 429 first: asked again with pauses, and nothing is lost."""
    await run.start(300)
    run.endpoint.behaviour = Endpoint(
        endpoint_answer(500, b"{}"),
        endpoint_answer(502, b"<!DOCTYPE html>"),
        endpoint_answer(200, b'{"token_type":"Bearer","expires_in":3599}'),
        endpoint_answer(429, b""),
    )
    run.send()
    await run.finish(90)
    await run.fresh()
    return nothing_lost(run, repeats=0)


@fcm_scenario
async def fcm_token_life(run: FCMRun) -> After:
    """FCM: tokens that hold for four seconds, said as a string: renewed in time, and none is used past its end."""
    await run.start(900, life=4)
    sale = Sale()
    sale.expires_in = "4"
    run.endpoint.behaviour = sale
    for _ in range(9):
        run.send(100, "batch")
        await asyncio.sleep(1)
    await run.finish(30)
    await run.fresh()
    run.require(3 <= len(run.office.exchanges) <= 9, f"{len(run.office.exchanges)} access tokens in ten seconds")
    return nothing_lost(run, repeats=0)


@fcm_scenario
async def fcm_token_endpoint_away(run: FCMRun) -> After:
    """FCM: the token endpoint is away past the end of the token: sends on, holds, and goes on by itself."""
    await run.start(600, life=6)
    run.send(100, "batch")
    await asyncio.sleep(1)
    away = asyncio.create_task(run.endpoint.away(10))
    for _ in range(5):
        run.send(100, "batch")
        await asyncio.sleep(2)
    await away
    await run.finish(60)
    await run.fresh(30)
    return nothing_lost(run)


@fcm_scenario
async def fcm_credentials_replaced(run: FCMRun) -> After:
    """FCM: another service account in the middle: new connections carry its token, and nothing is lost."""
    await run.start(2000, Slow())
    other = run.account("other")
    run.send(1000)
    await asyncio.sleep(0.3)
    old = set(run.server.open)
    run.probe.order(f"replace {other.file}")
    run.send()
    await run.finish(60)
    await run.fresh()
    await run.gone(old, 4, "old credentials")
    sellers = {sold.account.email for sold in run.office.sold.values()}
    run.require(other.email in sellers, "the new account bought nothing")
    return nothing_lost(run, repeats=0)


@fcm_scenario
async def fcm_quiet(run: FCMRun) -> After:
    """FCM: two quiet seconds between messages: no PING, and the connection is still good."""
    await run.start(300)
    for _ in range(3):
        run.send(100, "batch")
        await asyncio.sleep(2)
    await run.finish(20)
    await run.fresh()
    run.require(len(run.ledger.connections) <= 3, f"{len(run.ledger.connections)} connections for a quiet day")
    return nothing_lost(run, repeats=0)
