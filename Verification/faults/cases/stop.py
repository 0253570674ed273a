"""A dispatcher that is stopped in order, or stands still for longer than the broker waits for it."""

import json
import signal
import time
from pathlib import Path

from faults.cases import case
from faults.path import CONSUME
from faults.process import Process, eventually
from faults.run import Run

RELOADED, REFUSED = '"service.reloaded"', '"service.reloadRefused"'


@case("stop", repeat=20)
def stop_in_mid_batch(run: Run) -> None:
    """SIGTERM in mid batch: what was sent is recorded, nothing is repeated"""
    run.open(simulator_options=("--latency", "20ms"))
    dispatcher = run.start()
    before = run.recorded()
    run.issue(30, 100)
    eventually("some are recorded", lambda: run.recorded() > before + run.random.randrange(1, 500), 20, 0.005)
    status = dispatcher.end(25)
    assert status == 0, f"SIGTERM ended the dispatcher with {status}"
    run.fault()
    run.start_dispatcher()


@case("stop", repeat=5, later=True)
def reloaded_under_load(run: Run) -> None:
    """SIGHUP under load: another lane, other settings, a mistake, a missing key, two in a row: everything is accounted for"""
    run.open(simulator_options=("--latency", "20ms"))
    dispatcher = run.start()
    config = run.path.config
    settings = json.loads(config.read_text())
    load = run.load(rate=400)

    def reload(text: str, word: str) -> None:
        before = dispatcher.words.count(word)
        config.write_text(text)
        dispatcher.signal(signal.SIGHUP)
        eventually(word, lambda: dispatcher.words.count(word) > before, 60, 0.05)

    try:
        settings["lanes"].append({**settings["lanes"][0], "name": "added"})
        settings["retention"]["clients"] = {"acme": "1d"}
        reload(json.dumps(settings), RELOADED)
        run.issue(2, 50, dead=0, lane="added")  # the prune worker is not told of the lane
        refused = [json.dumps(settings).replace("30d", "30 days"), json.dumps(settings).replace(".p8", ".gone"), "lanes: ["]
        for text in refused:
            reload(text, REFUSED)
        config.write_text(json.dumps(settings))
        before = dispatcher.words.count(RELOADED)
        for _ in range(2):
            dispatcher.signal(signal.SIGHUP)
        eventually("it works with what is right again", lambda: dispatcher.words.count(RELOADED) > before, 60, 0.05)
    finally:
        load.stop()
    assert dispatcher.runs, f"it has ended: {dispatcher.words[-500:]}"
    run.fault()


@case("stop", repeat=5, later=True)
def stopped_for_longer_than_a_request_may_take(run: Run) -> None:
    """SIGSTOP while answers are on their way, for longer than the request timeout, then CONT: they are found and count"""
    run.open(simulator_options=("--latency", "500ms"), more={"dispatch": {"request_timeout": "4s"}})
    dispatcher = run.start()
    before = run.apns.bytes_passed("up")
    run.issue(4, 50, dead=0, allowed=frozenset({"accepted"}), defaults={"on_unknown": "record"})
    eventually("all of it is sent", lambda: run.apns.bytes_passed("up") > before and run.apns.quiet_for() > 0.1, 20, 0.01)
    dispatcher.signal(signal.SIGSTOP)
    time.sleep(6)
    dispatcher.signal(signal.SIGCONT)
    run.healed()


@case("stop", repeat=3)
def stopped_for_longer_than_the_heartbeat(run: Run) -> None:
    """SIGSTOP until the broker has given up, another dispatcher takes over, then CONT"""
    run.open(simulator_options=("--latency", "20ms"))
    if run.quick:
        run.broker.heartbeat = 1  # the broker closes after two silent intervals
    frozen = run.start()
    before = run.recorded()
    run.issue(30, 100)
    eventually("some are recorded", lambda: run.recorded() > before, 20, 0.005)
    began = int(time.time() * 1000)
    frozen.signal(signal.SIGSTOP)
    run.start_dispatcher(run.new_path())
    allowance = run.path.unacknowledged()  # it may send the rest of what it had taken when it wakes
    eventually("the broker gives the frozen one up", lambda: run.broker.link_count(CONSUME) == 0, 90)
    run.fault(began, allowance=allowance)
    time.sleep(run.random.uniform(0, 1))
    frozen.signal(signal.SIGCONT)


@case("stop", repeat=3, long=True, later=True)
def stopped_until_it_is_recounted(run: Run) -> None:
    """SIGSTOP until another dispatcher has recounted the minutes that it had open, then CONT: it goes on counting in them"""
    run.open(simulator_options=("--latency", "20ms"))
    run.broker.heartbeat = 1
    frozen = run.start()
    before = run.recorded()
    run.issue(30, 100)
    eventually("some are recorded", lambda: run.recorded() > before, 20, 0.005)
    began = int(time.time() * 1000)
    frozen.signal(signal.SIGSTOP)
    run.start_dispatcher(run.new_path())
    allowance = run.path.unacknowledged()
    eventually("the broker gives the frozen one up", lambda: run.broker.link_count(CONSUME) == 0, 90)
    run.fault(began, allowance=allowance)
    run.await_words("dispatch.statisticsRecounted", 60)
    frozen.signal(signal.SIGCONT)
    run.issue(10, 100)


def stop_with_everything_read(run: Run, process: Process) -> None:
    """Stops a dispatcher at a moment when it has read what the broker has sent: of more than that nothing can be known."""

    def has_stopped() -> bool:
        process.signal(signal.SIGSTOP)
        if all(unread_bytes(port) == 0 for port in run.broker.client_ports(CONSUME)):
            return True
        process.signal(signal.SIGCONT)
        return False

    eventually("it has read everything", has_stopped, 20, 0.005)


def unread_bytes(port: int) -> int:
    """What waits in the kernel for the owner of a local IPv4 socket (proc(5), /proc/net/tcp)."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].rpartition(":")[2], 16) == port:
            return int(fields[4].rpartition(":")[2], 16)
    return 0


def await_recorded(run: Run, wanted: int) -> None:
    eventually("some are recorded", lambda: run.recorded() > wanted, 20, 0.005)


@case("stop", repeat=3, later=True)
def stopped_alone_for_longer_than_the_heartbeat(run: Run) -> None:
    """the same with nobody to take over: most of what had only been handed out comes back to it without a mark"""
    size, in_flight = 20, 400
    run.open(simulator_options=("--latency", "100ms"), more={"broker": {"max_in_flight": in_flight}})
    run.broker.heartbeat = 1
    frozen = run.start()
    # A reset in place of an orderly end takes what the system had received and nobody had read: not every time, though.
    for _ in range(3):
        marked_before = run.deliveries.count_documents({"repeat": True})
        wanted = run.recorded() + in_flight
        run.issue(150, size)
        await_recorded(run, wanted)
        began = int(time.time() * 1000)
        stop_with_everything_read(run, frozen)
        handed_out = run.path.unacknowledged()
        eventually("the broker gives it up", lambda: run.broker.link_count(CONSUME) == 0, 90)
        run.fault(began)
        frozen.signal(signal.SIGCONT)
        run.healed()
        run.await_final()
        marked = run.deliveries.count_documents({"repeat": True}) - marked_before
        run.notes.append(f"{marked} of {handed_out} that were handed out are marked")
        if marked <= handed_out // 3:
            break
    # What it was about to take when the connection ended may be marked as well; never all that was in its hands.
    assert marked <= handed_out // 3, f"{marked} of {handed_out} that were handed out are marked; none was pushed twice"
