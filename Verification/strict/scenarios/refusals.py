"""Answers that refuse: about the token, the connection, the device, the server."""

import asyncio

from strict.behaviour import Behaviour
from strict.check import Tally
from strict.connection import Connection
from strict.ledger import Attempt
from strict.registry import After, nothing_lost, scenario
from strict.run import Run


class Refusal(Behaviour):
    """Some requests are answered with a refusal; those that blame the connection make it useless."""

    share = 0.02
    status, reason = 400, "BadDeviceToken"
    leaves = False  # the client has to leave the connection
    sticks = False  # once refused, everything on the connection is
    most = 1 << 30
    delay = 0.0

    def __init__(self) -> None:
        self.refused: list[Attempt] = []

    def wants(self, connection: Connection, attempt: Attempt) -> bool:
        return len(self.refused) < self.most and connection.server.random.random() < self.share

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.server.later(self.delay, self.decide, connection, attempt)

    def decide(self, connection: Connection, attempt: Attempt) -> None:
        stuck = self.sticks and connection.state.get("stuck")
        if not stuck and not self.wants(connection, attempt):
            connection.answer(attempt, 200)
            return
        if not connection.alive(attempt):
            return
        self.refused.append(attempt)
        connection.answer(attempt, self.status, self.reason)
        if self.leaves and not connection.state.get("stuck"):
            connection.state["stuck"] = True
            connection.retire(self.reason)


class ExpiredOnce(Refusal):
    status, reason, leaves, sticks, most, delay = 403, "ExpiredProviderToken", True, True, 1, 0.01


@scenario
async def expired_token_once(run: Run) -> After:
    """ExpiredProviderToken once, and that connection stays stuck: the same token on a new one, and nobody notices."""
    behaviour = ExpiredOnce()
    await run.start(1500, behaviour)
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run)


class ExpiredAlways(Refusal):
    status, reason, leaves, sticks, share, delay = 403, "ExpiredProviderToken", True, True, 1.0, 0.0


@scenario
async def expired_token_always(run: Run) -> After:
    """ExpiredProviderToken to everything: the token is tried twice, then nothing goes out, and no storm of connections."""
    behaviour = ExpiredAlways()
    await run.start(60, behaviour, reconnect="20,100", deadlines={"unreachable": 6000})
    run.send()
    await run.finish(60)
    run.require(len(run.ledger.connections) <= 12, f"{len(run.ledger.connections)} connections for 60 notifications")
    # One stream for each of three connections, until the first good answer.
    run.require(len(behaviour.refused) <= 6, f"a refused token was sent {len(behaviour.refused)} times")

    def after(tally: Tally) -> None:
        run.require(tally.unknown == 0, f"{tally.unknown} are unknown, and nothing was ambiguous")
        run.require(tally.rejected > 0, "nobody was told of the refusal")
        run.require(tally.rejected + tally.not_sent == 60, "something was accepted")

    return after


class TooManyUpdates(Refusal):
    status, reason, leaves, most, delay = 429, "TooManyProviderTokenUpdates", True, 5, 0.01


@scenario
async def too_many_token_updates(run: Run) -> After:
    """TooManyProviderTokenUpdates, five times: what met it is sent again after a pause, once."""
    await run.start(1500, TooManyUpdates())
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, repeats=5)


class InvalidToken(Refusal):
    status, reason, share = 403, "InvalidProviderToken", 1.0


@scenario
async def invalid_provider_token(run: Run) -> After:
    """InvalidProviderToken to everything: each is told, nothing is sent twice, no new token is made."""
    await run.start(300, InvalidToken())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, rejected=True, repeats=0)


class Throttled(Refusal):
    status, reason, share = 429, "TooManyRequests", 0.2


@scenario
async def throttled_tokens(run: Run) -> After:
    """429 TooManyRequests for one device token in five."""
    await run.start(2000, Throttled())
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, rejected=True, repeats=0)


class ShuttingDown(Refusal):
    status, reason, leaves, sticks, share, delay = 503, "Shutdown", True, True, 0.01, 0.01


@scenario
async def shutdown_answers(run: Run) -> After:
    """503 Shutdown, and everything else on that connection is answered so too."""
    await run.start(1500, ShuttingDown())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, rejected=True)


class Idle(Refusal):
    status, reason, leaves, share, delay = 400, "IdleTimeout", True, 0.01, 0.01


@scenario
async def idle_timeout(run: Run) -> After:
    """400 IdleTimeout for one in a hundred."""
    await run.start(1500, Idle())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, rejected=True)


class Unrelated(Refusal):
    status, reason, leaves, share, delay = 403, "UnrelatedKeyIdInToken", True, 0.01, 0.01


@scenario
async def unrelated_key(run: Run) -> After:
    """403 UnrelatedKeyIdInToken: the connection is to be left."""
    await run.start(1500, Unrelated())
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, rejected=True)


REASONS = [
    (400, "BadDeviceToken"), (400, "BadTopic"), (400, "DeviceTokenNotForTopic"), (400, "TopicDisallowed"),
    (400, "SomethingNew"), (400, "PayloadEmpty"), (403, "Forbidden"), (403, "BadEnvironmentKeyInToken"),
    (404, "BadPath"), (405, "MethodNotAllowed"), (410, "Unregistered"), (410, "ExpiredToken"),
    (413, "PayloadTooLarge"), (429, "TooManyRequests"), (500, "InternalServerError"), (503, "ServiceUnavailable"),
    (502, "Bad gateway, says \"somebody\" \u2603 \\ / \b"), (418, "Teapot"), (599, "X"),
]  # fmt: skip


class Mixed(Behaviour):
    def complete(self, connection: Connection, attempt: Attempt) -> None:
        random = connection.server.random
        if random.random() < 0.5:
            return connection.answer(attempt, 200)
        status, reason = random.choice(REASONS)
        timestamp = random.choice([None, 0, 1_700_000_000_123]) if status == 410 else None
        return connection.answer(attempt, status, reason, timestamp=timestamp)


@scenario
async def mixed_refusals(run: Run) -> After:
    """Every reason there is, and some that are not known, for half of the requests."""
    await run.start(2500, Mixed())
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, rejected=True, repeats=0)


class Faulty(Behaviour):
    def complete(self, connection: Connection, attempt: Attempt) -> None:
        random = connection.server.random
        if random.random() < 0.3:
            reason = random.choice([(500, "InternalServerError"), (503, "ServiceUnavailable")])
            return connection.answer(attempt, *reason)
        return connection.answer(attempt, 200)


@scenario
async def server_faults(run: Run) -> After:
    """500 and 503 for three in ten: told, and not repeated."""
    await run.start(2000, Faulty())
    run.send()
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run, rejected=True, repeats=0)


class FallingBack(Behaviour):
    """Lowers the limit to one after each rejection, and raises it some answers later."""

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        random = connection.server.random
        if random.random() < 0.02:
            connection.answer(attempt, 400, "BadDeviceToken")
            connection.announce(1)
            connection.state["again"] = 10
            return
        connection.answer(attempt, 200)
        left = connection.state.get("again", 0)
        if left:
            connection.state["again"] = left - 1
            if left == 1:
                connection.announce(200)


@scenario
async def limit_after_rejection(run: Run) -> After:
    """The limit falls to one after each rejection, and rises ten answers later."""
    await run.start(2500, FallingBack())
    run.send()
    await run.finish(40)
    for connection in run.server.open:
        connection.announce(200)
    await run.fresh()
    return nothing_lost(run, rejected=True, repeats=0)


@scenario
async def credentials_replaced(run: Run) -> After:
    """Other credentials in the middle: new connections carry the new key, and nothing is lost."""
    behaviour = Behaviour()
    await run.start(3000, behaviour)
    run.send(1500)
    await asyncio.sleep(0.15)
    old = set(run.server.open)
    run.replaced = asyncio.get_running_loop().time()
    run.probe.order(f"replace KEYBBBBBBB TEAM123456 {run.keys.folder / 'KEYBBBBBBB.p8'}")
    run.send()
    await run.finish(30)
    await run.fresh()
    keys = {connection.rules.identity[0] for connection in run.server.open if connection.rules.identity}
    run.require(keys == {"KEYBBBBBBB"}, f"the open connections have {keys}")
    await run.gone(old, 4, "old credentials")
    return nothing_lost(run, repeats=0)


class OldKeyRefused(Behaviour):
    """From a moment on the old key is refused; those answers come after the credentials were replaced."""

    refuses = False

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        connection.server.later(0.05, self.decide, connection, attempt)

    def decide(self, connection: Connection, attempt: Attempt) -> None:
        if self.refuses and connection.rules.identity[0] == "KEYAAAAAAA":
            connection.answer(attempt, 403, "InvalidProviderToken")
        else:
            connection.answer(attempt, 200)


@scenario
async def revoked_key(run: Run) -> After:
    """A key is revoked and replaced at the same moment: what the old one was refused for goes out with the new one."""
    behaviour = OldKeyRefused()
    await run.start(3000, behaviour)
    run.send()
    await asyncio.sleep(0.4)
    run.replaced = asyncio.get_running_loop().time()
    run.probe.order(f"replace KEYBBBBBBB TEAM123456 {run.keys.folder / 'KEYBBBBBBB.p8'}")
    await asyncio.sleep(0.03)
    behaviour.refuses = True
    await run.finish(30)
    await run.fresh()
    return nothing_lost(run)
