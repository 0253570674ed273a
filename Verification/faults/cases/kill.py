"""kill -9 of the dispatcher, exactly at each step of the order of operations.

The proxies see the bytes of the next step, keep them back, and kill: so the crash lies between two steps, every time.
"""

import time
from collections.abc import Callable

from proxy.link import HOLD, PASS, Link, Match, Trap, is_method
from proxy.wires import Unit

from faults.cases import case
from faults.path import CONSUME, PUBLISH, Path
from faults.process import Process, eventually
from faults.product import FCM_RULES, RULES
from faults.run import Run

LOAD = (10, 50)  # messages, items


def is_write(command: str, way: str = "up") -> Match:
    """Matches a write to the log, or the answer to one."""
    return lambda link, direction, unit: direction == way and unit.kind == command


def after_bytes(count: int, way: str = "up") -> Match:
    """Matches when so many bytes have come by, on all links together."""
    passed = 0

    def match(link: Link, direction: str, unit: Unit) -> bool:
        nonlocal passed
        if direction == way:
            passed += len(unit.data)
        return passed > count

    return match


def crash(run: Run, arm: Callable[[Run, Process], Trap]) -> None:
    """Passes a first load, arms the trap, sends the load into it, and starts a second dispatcher after the crash."""
    run.open()
    dispatcher = run.start()
    trap = arm(run, dispatcher)
    run.issue_into(trap, *LOAD)
    run.crashed(dispatcher)
    run.start_dispatcher()


@case("kill", repeat=20, fcm="full", later=True)
def kill_before_sending(run: Run) -> None:
    """kill -9 when the first byte of a batch is about to leave for APNs"""
    crash(run, lambda run, dispatcher: run.apns.trap(after_bytes(0), dispatcher.kill))


@case("kill", repeat=20, fcm="full", later=True)
def kill_half_sent(run: Run) -> None:
    """kill -9 when part of a batch has left for APNs"""
    count = run.random.randrange(2_000, 40_000)
    crash(run, lambda run, dispatcher: run.apns.trap(after_bytes(count), dispatcher.kill))


@case("kill", repeat=20, fcm="quick")
def kill_answered_unlogged(run: Run) -> None:
    """kill -9 when APNs has answered everything that was sent and nothing of it has reached the log"""
    kill_answered(run)
    run.start_dispatcher()


def withhold_records(run: Run) -> None:
    """Withholds inserts on every connection to the store; the log can still be asked what it has."""

    def match(link: Link, direction: str, unit: Unit) -> bool:
        return direction == "up" and unit.kind == "insert" and not link.ways["up"].held

    for _ in range(16):  # more than a dispatcher has connections
        run.store.trap(match)


def kill_answered(run: Run) -> None:
    """Passes a load to APNs, withholds all records of it, and kills the dispatcher."""
    run.open(more={"retry": {"steps": ["1s"]}})
    dispatcher = run.start()
    withhold_records(run)
    run.issue(*LOAD, later=0.1)  # what is put off twice must keep its mark to the end
    eventually("an insert is withheld", lambda: run.store.withheld("up"), 20)
    eventually("APNs has answered", lambda: run.apns.quiet_for() > 0.15, 20, 0.01)
    dispatcher.kill()
    run.crashed(dispatcher)


@case("kill", repeat=5, later=True)
def kill_and_the_lane_is_refused(run: Run) -> None:
    """the same, and the next dispatcher cannot send: what it puts off keeps the mark that nobody has recorded"""
    kill_answered(run)
    run.simulator.restart({"rules": [{"token_prefix": "", "reason": "InvalidProviderToken"}]})
    refused = run.start_dispatcher()
    eventually("the lane is parked", lambda: "dispatch.laneParked" in refused.words, 20)
    eventually("its messages wait", lambda: run.delayed() > 0, 20)
    run.simulator.restart()
    refused.end(25)
    run.start_dispatcher()
    run.healed()


@case("kill", repeat=20, quick=False, fcm="full")
def kill_insert_withheld(run: Run) -> None:
    """kill -9 when an insert is about to reach the log"""
    skip = run.random.randrange(2)
    crash(run, lambda run, dispatcher: run.store.trap(is_write("insert"), dispatcher.kill, skip=skip))


@case("kill", repeat=20, fcm="full")
def kill_insert_unanswered(run: Run) -> None:
    """kill -9 when the log has taken an insert and its answer is on the way"""
    skip = run.random.randrange(2)
    crash(run, lambda run, dispatcher: run.store.trap(is_write("reply:insert", "down"), dispatcher.kill, skip=skip))


@case("kill", repeat=10, fcm="full", later=True)
def kill_with_own_ids(run: Run) -> None:
    """kill -9 when the log has taken an insert of notifications with ids of their producer's, which tell no time"""
    run.open()
    dispatcher = run.start()
    trap = run.store.trap(is_write("reply:insert", "down"), dispatcher.kill, skip=run.random.randrange(4))
    run.issue(*LOAD, given=True, later=0.05)
    run.issue_into(trap, 4, 50)
    run.crashed(dispatcher)
    run.start_dispatcher()


@case("kill", repeat=20, fcm="quick", later=True)
def kill_logged_unpublished(run: Run) -> None:
    """kill -9 when the record of a dead token is durable and its event is about to leave"""
    skip = run.random.randrange(3)
    match = is_method("basic.publish", PUBLISH, "up")
    crash(run, lambda run, dispatcher: run.broker.trap(match, dispatcher.kill, skip=skip))


@case("kill", repeat=20, quick=False, fcm="full")
def kill_published_unconfirmed(run: Run) -> None:
    """kill -9 when the broker has taken an event and its confirm is on the way"""
    match = is_method("basic.ack", PUBLISH, "down")
    crash(run, lambda run, dispatcher: run.broker.trap(match, dispatcher.kill))


@case("kill", repeat=20, fcm="full", later=True)
def kill_confirmed_unacked(run: Run) -> None:
    """kill -9 when events are confirmed and no message has been acknowledged"""

    def arm(run: Run, dispatcher: Process) -> Trap:
        run.broker.trap(is_method("basic.ack", CONSUME, "up"))  # withheld, and all that follows
        match = is_method("basic.ack", PUBLISH, "down")
        skip = run.random.randrange(3)
        return run.broker.trap(match, dispatcher.kill, decision=PASS, before=False, skip=skip)

    crash(run, arm)


@case("kill", repeat=20, quick=False, fcm="full")
def kill_ack_withheld(run: Run) -> None:
    """kill -9 when an acknowledgement has left the dispatcher and not reached the broker"""
    skip = run.random.randrange(3)
    match = is_method("basic.ack", CONSUME, "up")
    crash(run, lambda run, dispatcher: run.broker.trap(match, dispatcher.kill, decision=HOLD, skip=skip))


@case("kill", repeat=20, fcm="full", later=True)
def kill_ack_forwarded(run: Run) -> None:
    """kill -9 when an acknowledgement has just been handed to the broker's socket"""
    skip = run.random.randrange(3)
    match = is_method("basic.ack", CONSUME, "up")
    crash(run, lambda run, dispatcher: run.broker.trap(match, dispatcher.kill, decision=PASS, before=False, skip=skip))


def at_random(run: Run) -> dict:
    """503 for some pushes, and answers that keep a message open while the first retries of it are on their way."""
    if run.provider == "fcm":
        # Five of them in a row would hold the lane.
        every, refused, usual = "registration_prefix", {"fcm": "UNAVAILABLE", "retry_after": 1, "probability": 0.1}, FCM_RULES
    else:
        every, refused, usual = "token_prefix", {"reason": "ServiceUnavailable", "probability": 0.3}, RULES
    return {"rules": [*usual["rules"], {every: "", "times": 3, **refused}, {every: "", "jitter_ms": 1_000}]}


@case("kill", long=True, fcm="full")
def kill_with_503s(run: Run) -> None:
    """kill -9 at random moments under load, with 503s at random, of one dispatcher, then of either of two"""
    run.open(more={"retry": {"steps": ["1s", "2s"], "max_attempts": 30}})
    several = [(run.start(), run.path)]
    rules = at_random(run)
    run.simulator.restart(rules)
    loads = [run.load(rate=150, size=50, given=given) for given in (False, True)]
    kill_several(run, several, 4 if run.quick else 300)
    # The record of its own simulator tells which pushes are the second one's.
    path = run.new_path(simulator=run.add_simulator("second", rules))
    several.append((run.start_dispatcher(path), path))
    kill_several(run, several, 3 if run.quick else 300)
    for load in loads:
        load.stop()


def kill_several(run: Run, several: list[tuple[Process, Path]], seconds: float) -> None:
    """Kills one of the dispatchers, and starts another one in its place, for some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(run.random.uniform(0.5, 1.5 if run.quick else 4))
        victim = run.random.randrange(len(several))
        dispatcher, path = several[victim]
        dispatcher.kill()
        # Another one that lives on may push the copies that it has looked up before.
        allowance = sum(other.unacknowledged() for _, other in several if other is not path)
        run.crashed(dispatcher, path, window=60, allowance=allowance)
        several[victim] = (run.start_dispatcher(path), path)
