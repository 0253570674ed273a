"""What operators order while something breaks: a cancelled batch ends in the log before its delays are over, each notification
once, and what was pushed all the same says so.
"""

import os
import signal
import subprocess
import time

from proxy.link import PASS, Link, Match
from proxy.wires import Unit

from faults.cases import case
from faults.process import eventually
from faults.product import FCM_RULES, RULES
from faults.run import Run

CANCELLED = frozenset({"cancelled"})
DELAY = {"retry": {"steps": ["30s"]}}  # longer than any of it takes: what ends has ended in the delay queue


def rules(run: Run, *own: dict) -> dict:
    """The simulator's usual rules, behind some for the tokens that a case is about."""
    first, usual = ("token_prefix", RULES) if run.provider == "apns" else ("registration_prefix", FCM_RULES)
    return {"rules": [{first: "a1", **rule} for rule in own] + usual["rules"]}


def unavailable(run: Run, **how: object) -> dict:
    """What a provider that does not take a message for the moment says."""
    words = {"status": 503, "reason": "ServiceUnavailable"} if run.provider == "apns" else {"fcm": "UNAVAILABLE"}
    return {**words, **how}


def waits(run: Run) -> dict:
    return rules(run, unavailable(run))


def cancel(run: Run, is_heard: bool = True) -> None:
    """Cancels every batch that has something put off; the store may be gone before the command has its answer."""
    for batch in run.deliveries.distinct("batch_id", {"outcome": "deferred"}):
        command = [run.programs.waybill, "cancel", batch, "--config", str(run.path.config)]
        subprocess.run(command, check=is_heard, capture_output=True, timeout=60)


def put_off(run: Run, messages: int, size: int, beside: int = 0) -> None:
    """Issues what APNs does not take for the moment, and waits until it is in the delay queues, and what else there is."""
    run.issue(messages, size, prefix="a1", dead=0, allowed=CANCELLED)
    eventually("all is put off", lambda: count(run, "deferred") == messages * size + beside, 30)
    eventually("and acknowledged", run.is_acknowledged, 30)


def count(run: Run, outcome: str) -> int:
    return run.deliveries.count_documents({"outcome": outcome})


def await_cancelled(run: Run, wanted: int) -> None:
    eventually("all is cancelled", lambda: count(run, "cancelled") == wanted, 60)
    assert run.delayed() > 0, "the delays were over before"
    eventually("the messages have come and gone", lambda: run.delayed() == 0 and run.is_acknowledged(), 90, 0.2)


def is_ending(link: Link, direction: str, unit: Unit) -> bool:
    """Matches the command that puts final records in the place of deferred ones; leases and statistics name outcomes, too."""
    return direction == "up" and unit.kind == "update" and b"deliveries" in unit.data and b"cancelled" in unit.data


def is_ended() -> Match:
    """Matches the answer to that command."""
    asked: set[int] = set()

    def match(link: Link, direction: str, unit: Unit) -> bool:
        if is_ending(link, direction, unit):
            asked.add(id(link))
        return direction == "down" and id(link) in asked and unit.kind == "reply:update"

    return match


@case("orders", quick=False, long=True, fcm="full")
def cancelled_while_all_waits(run: Run) -> None:
    """two dispatchers; everything is put off, and cancelled: it ends at once, whoever else ends it, and is not sent"""
    run.open(rules=waits(run), more=DELAY)
    run.start_several(2)
    run.issue(1, 100, prefix="a1", dead=0, allowed=CANCELLED, given=True)
    put_off(run, 4, 400, beside=100)
    cancel(run)
    await_cancelled(run, 1700)


@case("orders", repeat=10, long=True, fcm="full", later=True)
def cancelled_and_killed(run: Run) -> None:
    """kill -9 of the only dispatcher when it is about to end what was cancelled, or when that is done and not answered"""
    run.open(rules=waits(run), more=DELAY)
    dispatcher = run.start()
    put_off(run, 2, 700)
    is_done = run.random.randrange(2) == 1
    match = is_ended() if is_done else is_ending
    trap = run.store.trap(match, dispatcher.kill, skip=run.random.randrange(3))
    cancel(run)
    assert trap.wait(30), "the crash point was never reached"
    run.crashed(dispatcher)
    run.start_dispatcher()
    await_cancelled(run, 2 * 700)


@case("orders", repeat=5, alone=True, long=True, later=True, fcm="full")
def cancelled_and_the_store_killed(run: Run) -> None:
    """kill -9 of mongod when it has just taken final records of what was cancelled"""

    def kill() -> None:
        os.kill(int((run.services.folder / "store/pid").read_text()), signal.SIGKILL)

    run.open(rules=waits(run), more=DELAY)
    run.start()
    put_off(run, 1, 1400)  # one batch, one order
    trap = run.store.trap(is_ended(), kill, decision=PASS, skip=run.random.randrange(2))
    cancel(run, is_heard=False)
    assert trap.wait(30), "the crash point was never reached"
    run.services.control("kill-store")
    run.services.control("start-store")
    run.healed()
    await_cancelled(run, 1400)


@case("orders", fcm="quick")
def cancelled_while_it_is_pushed(run: Run) -> None:
    """a batch is cancelled while a second attempt is under way: the log says cancelled, and then what became of the push"""
    run.open(rules=rules(run, unavailable(run, times=1), {"delay_ms": 8000}))
    run.start()
    # Each may come back as a message of its own, and the broker hands out 16 of these at once: what is not handed out when the
    # order comes is never pushed.
    size = 12
    run.issue(1, size, prefix="a1", dead=0)
    eventually("all is put off", lambda: count(run, "deferred") == size, 30)
    eventually("the second attempt is under way", lambda: run.delayed() == 0 and run.path.unacknowledged() > 0, 30)
    cancel(run)
    eventually("it is cancelled", lambda: count(run, "cancelled") == size, 30, 0.02)
    eventually("it is accepted", lambda: count(run, "cancelled") == 0 and count(run, "deferred") == 0, 30)
    assert run.deliveries.count_documents({"repeat": True}) == 0, "nothing was pushed twice"


def order(run: Run, word: str, lane: str) -> None:
    command = [run.programs.waybill, "lanes", word, lane, "--config", str(run.direct)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


@case("orders", repeat=5, fcm="full", later=True)
def a_paused_lane_and_a_kill(run: Run) -> None:
    """a lane is paused, the dispatcher killed and another one started: nothing is pushed until the lane is resumed"""
    run.open()
    dispatcher = run.start()
    load = run.load(rate=400, dead=0)
    order(run, "pause", "parcels")
    eventually("its messages wait", lambda: run.delayed() > 0, 20)
    dispatcher.kill()
    run.crashed(dispatcher)
    run.start_dispatcher()
    load.stop()
    eventually("all of it waits", lambda: run.path.unacknowledged() == 0 and run.delayed() > 0, 30)
    before = run.final_count()
    time.sleep(2.5)  # longer than the first delay
    assert run.final_count() == before, "something was pushed over a paused lane"
    assert before < len(run.ledgers.issued), "everything was pushed before the lane was paused"
    order(run, "resume", "parcels")
    run.healed()
    run.await_final()
