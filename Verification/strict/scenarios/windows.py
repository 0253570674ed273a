"""Flow control."""

from h2.settings import SettingCodes

from strict import wire
from strict.behaviour import Behaviour
from strict.connection import Connection
from strict.ledger import Attempt
from strict.registry import After, nothing_lost, scenario
from strict.run import Run


class LateUpdates(Behaviour):
    """Small stream windows, and every window opens late."""

    window = 300

    def data(self, connection: Connection, attempt: Attempt, size: int) -> None:
        connection.server.later(0.02, connection.release, attempt.stream, size)


@scenario
async def small_windows(run: Run) -> After:
    """Stream windows of 300 bytes, and every WINDOW_UPDATE comes late."""
    await run.start(600, LateUpdates(), size=lambda random: random.choice([100, 1000, 2000]))
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, repeats=0)


class NeverOpened(Behaviour):
    """The first connections never open a window again."""

    def __init__(self) -> None:
        self.shut: list[Connection] = []

    def data(self, connection: Connection, attempt: Attempt, size: int) -> None:
        if connection not in self.shut and len(self.shut) < 3:
            self.shut.append(connection)
        if connection not in self.shut:
            connection.release(attempt.stream, size)


@scenario
async def windows_never_reopened(run: Run) -> After:
    """Three connections never open a window again: bodies stay on this side, and go elsewhere."""
    behaviour = NeverOpened()
    await run.start(900, behaviour, deadlines={"request": 1000}, size=lambda random: 2000)
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run)


class StuckStreams(Behaviour):
    """One stream in twenty never gets its window; the others must not wait for it."""

    window = 400

    def data(self, connection: Connection, attempt: Attempt, size: int) -> None:
        if int(attempt.id[0], 16) == 0 and len(connection.server.ledger.attempts[attempt.id]) == 1:
            # The connection's window is opened, the stream's is not.
            connection.write(wire.window_update(0, size))
            connection.h2._inbound_flow_control_window_manager.window_opened(size)
            return
        connection.release(attempt.stream, size)


@scenario
async def stuck_streams(run: Run) -> After:
    """One stream in sixteen never gets a window; nobody else waits for it."""
    await run.start(1500, StuckStreams(), deadlines={"request": 1500}, size=lambda random: 1500)
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run)


class Shifting(Behaviour):
    """SETTINGS move the initial window up and down, below what is in flight too."""

    def __init__(self) -> None:
        self.seen = 0

    def complete(self, connection: Connection, attempt: Attempt) -> None:
        self.seen += 1
        if self.seen % 40 == 0:
            size = connection.server.random.choice([0, 10, 1000, 20_000, 65_535])
            self.shift(connection, size)
            connection.server.later(0.05, self.shift, connection, 65_535)
        connection.server.later(0.005, connection.answer, attempt, 200)

    def shift(self, connection: Connection, size: int) -> None:
        if connection.dead or connection.farewell or connection.h2 is None:
            return
        connection.h2.update_settings({SettingCodes.INITIAL_WINDOW_SIZE: size})
        connection.limits.append(None)
        connection.flush()


@scenario
async def shifting_windows(run: Run) -> After:
    """SETTINGS move the initial window up and down while bodies are on their way."""
    await run.start(1500, Shifting(), size=lambda random: 1500)
    run.send()
    await run.finish(60)
    await run.fresh()
    return nothing_lost(run, repeats=0)
