"""Frames without end."""

from collections.abc import Callable

from strict import wire
from strict.behaviour import Behaviour
from strict.check import Tally
from strict.connection import Connection
from strict.ledger import Attempt
from strict.registry import After, scenario
from strict.run import Run


def settings_frames(connection: Connection, attempt: Attempt) -> bytes:
    for _ in range(200):
        connection.limits.append(None)
    return wire.settings([(0x99, 1)]) * 200


def pings(connection: Connection, attempt: Attempt) -> bytes:
    return wire.frame(wire.PING, 0, 0, b"flooding") * 200


def ping_acknowledgements(connection: Connection, attempt: Attempt) -> bytes:
    return wire.frame(wire.PING, wire.ACK, 0, b"flooding") * 200


def resets(connection: Connection, attempt: Attempt) -> bytes:
    return b"".join(wire.reset(stream, 8) for stream in sorted(connection.attempts)[:200])


def window_updates(connection: Connection, attempt: Attempt) -> bytes:
    return connection.window_crumbs(200)


def priorities(connection: Connection, attempt: Attempt) -> bytes:
    return wire.frame(wire.PRIORITY, 0, attempt.stream, b"\0\0\0\0\x10") * 200


def unknown_frames(connection: Connection, attempt: Attempt) -> bytes:
    return wire.frame(0xEE, 0, 0, b"z" * 16_000) * 10


def empty_data(connection: Connection, attempt: Attempt) -> bytes:
    start = b""
    if not attempt.answer_begun:
        attempt.answer_begun, attempt.status, attempt.reason = attempt.complete, 400, ...
        start = wire.frame(wire.HEADERS, wire.END_HEADERS, attempt.stream, connection.block_of([(":status", "400")]))
    return start + wire.frame(wire.DATA, 0, attempt.stream) * 200


def interim_answers(connection: Connection, attempt: Attempt) -> bytes:
    return wire.frame(wire.HEADERS, wire.END_HEADERS, attempt.stream, b"\x08\x03100") * 200


def continuations(connection: Connection, attempt: Attempt) -> bytes:
    start = b""
    if not connection.state.get("begun"):
        connection.state["begun"] = True
        start = wire.frame(wire.HEADERS, 0, attempt.stream, connection.block_of([(":status", "200")]))
    return start + wire.frame(wire.CONTINUATION, 0, attempt.stream, b"\x00\x01x\x01y" * 100) * 50


def empty_continuations(connection: Connection, attempt: Attempt) -> bytes:
    start = b""
    if not connection.state.get("begun"):
        connection.state["begun"] = True
        start = wire.frame(wire.HEADERS, 0, attempt.stream, connection.block_of([(":status", "200")]))
    return start + wire.frame(wire.CONTINUATION, 0, attempt.stream) * 200


def goaways(connection: Connection, attempt: Attempt) -> bytes:
    if not connection.log.goaways:
        connection.goaway(connection.highest)
    return wire.goaway(connection.highest, 0, b'{"reason":"Shutdown"}') * 200


def pushes(connection: Connection, attempt: Attempt) -> bytes:
    return wire.frame(wire.PUSH_PROMISE, wire.END_HEADERS, attempt.stream, b"\0\0\0\x02" + b"\x82\x87\x84")


FLOODS = [settings_frames, pings, ping_acknowledgements, resets, window_updates, priorities, unknown_frames, empty_data,
          interim_answers, continuations, empty_continuations, goaways, pushes]  # fmt: skip


class Flood(Behaviour):
    """Each connection floods with another kind, for most of a second, holding one request open meanwhile."""

    def __init__(self) -> None:
        self.left = list(FLOODS)

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        if len(connection.attempts) >= 30 and self.left and "flood" not in connection.state:
            kind = self.left.pop(0)
            connection.state["flood"] = kind.__name__
            connection.ledger.count(kind.__name__, 0)
            connection.hurt(f"flood of {kind.__name__}")
            connection.log.unusable = None
            self.pour(connection, attempt, kind, 60)
            return
        connection.server.later(0.01, connection.answer, attempt, 200)

    def pour(self, connection: Connection, attempt: Attempt, kind: Callable[[Connection, Attempt], bytes], rounds: int) -> None:
        if connection.dead:
            return
        if not rounds:
            connection.hang_up()
            return
        frames = kind(connection, attempt)
        connection.ledger.count(kind.__name__, len(frames))
        connection.flush()
        connection.write(frames)
        connection.server.later(0.01, self.pour, connection, attempt, kind, rounds - 1)


@scenario
async def frame_floods(run: Run) -> After:
    """SETTINGS, PING, RST_STREAM, CONTINUATION, WINDOW_UPDATE, 1xx, GOAWAY and other frames without end."""
    await run.start(6000, Flood(), deadlines={"request": 2500})
    run.send(width=40)
    await run.finish(90)
    await run.fresh()

    def after(tally: Tally) -> None:
        run.require(tally.not_sent == 0, f"{tally.not_sent} ended as not sent")
        run.require(run.probe.usage[1] < 120, f"the floods made the probe {run.probe.usage[1]} MiB large")

    return after
