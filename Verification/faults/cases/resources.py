"""Too few descriptors, too little memory, one core; and an hour of load with a fault a minute.

A dispatcher that has too little of something must go on with what it has. It may be slow, it may not end: the frame asks
every dispatcher for an exit with 0 after SIGTERM.
"""

import time
from typing import Any

from faults import limits
from faults.cases import case
from faults.peak import Peak
from faults.process import eventually
from faults.run import Run
from faults.soak import Soak

MEMORY = 256 << 20
RESERVED = 32  # descriptors that a dispatcher keeps for everything but APNs
# 12 MiB in flight, four times as much in the backlog, and as much again that the allocator may keep of what was freed.
LARGE_BODIES = 128 << 20
LONG = {"title": "A parcel is on its way to you. " * 100}  # about 3 KB, in every notification


@case("resources", long=True, later=True)
def few_descriptors(run: Run) -> None:
    """64 file descriptors, while a lane would like more connections than that; the broker and the store are lost, too"""
    # Six hundred a second over four streams each: more connections than there are descriptors for.
    count, latency = (40, "100ms") if run.quick else (64, "300ms")
    run.open(simulator_options=("--latency", latency, "--streams", "4"), more={"lanes": [{"connections": 64}]})
    dispatcher = run.start(through=limits.descriptors(count))
    assert run.says("dispatch.connectionsLimited") == 1, "it does not say that it wants more than there are"
    load = run.load(rate=600, dead=0)
    allowed = count - RESERVED
    eventually("the lane has all the connections that it may have", lambda: run.apns.link_count() >= allowed, 60, 0.1)
    run.store.reset_links()
    run.broker.reset_links()
    run.fault(window=60)
    time.sleep(3 if run.quick else 60)
    load.stop()
    run.healed()
    run.recover()
    assert "Too many open files" not in dispatcher.words, "the lane has left nothing for the broker and the store"


@case("resources", quick=False)
def little_memory(run: Run) -> None:
    """256 MB of memory, with long notifications, slow answers and a store that stands still for a while"""
    memory = limits.MemoryLimit(MEMORY, run.prefix)
    run.at_close(memory.close)
    run.open(simulator_options=("--latency", "300ms"), more={"broker": {"max_in_flight": 20_000}})
    dispatcher = run.start(through=memory.through)
    messages = 150 if run.quick else 400
    run.issue(messages, 200, dead=0, defaults=LONG)
    run.await_final(300)
    run.note_memory()  # what allocators keep of a full load is no growth
    peak = Peak(dispatcher)
    run.issue(messages, 200, dead=0, defaults=LONG)
    run.store.hold("up")
    time.sleep(3 if run.quick else 20)
    run.store.heal()
    run.fault(window=60)
    run.recover()
    run.notes.append(f"resident at the most {peak.stop()[1] >> 20} MiB of {MEMORY >> 20}")


@case("resources", repeat=3, long=True, later=True)
def larger_messages_than_before(run: Run) -> None:
    """the broker may hand out two thousand small messages, and bodies of a mebibyte come: a few are held at a time"""
    run.open()
    dispatcher = run.start()
    run.issue(600, 1, dead=0)
    run.await_final()
    peak = Peak(dispatcher)
    run.store.hold("up")  # so that nothing leaves while they come
    run.issue(180 if run.quick else 400, 1, dead=0, filler=1_000_000)
    run.await_words("dispatch.backlogGivenBack", 60)
    time.sleep(1 if run.quick else 20)
    run.store.heal()
    run.fault(window=60)
    run.recover()
    before, most = peak.stop()
    run.notes.append(f"resident {before >> 20} MiB before, {most >> 20} MiB at the most")
    assert most < before + LARGE_BODIES, "it has taken more bodies than it has room for"
    run.note_memory()  # what allocators keep of such bodies is no growth; more of them must not add to it
    run.issue(50, 1, dead=0, filler=1_000_000)


@case("resources", later=True)
def one_core(run: Run) -> None:
    """one core: a load, and every connection lost in the middle of it"""
    run.open()
    run.start(through=limits.one_core())
    under_load(run)


@case("resources", later=True)
def too_little_of_everything(run: Run) -> None:
    """64 file descriptors, 256 MB of memory and one core together"""
    memory = limits.MemoryLimit(MEMORY, run.prefix)
    run.at_close(memory.close)
    run.open(more={"broker": {"max_in_flight": 20_000}})
    run.start(through=(*limits.descriptors(64), *limits.one_core(), *memory.through))
    under_load(run, defaults=LONG)


def under_load(run: Run, **how: Any) -> None:
    """A load in whose middle every connection is reset."""
    load = run.load(rate=1000, **how)
    time.sleep(2 if run.quick else 30)
    for proxy in (run.broker, run.store, run.apns):
        proxy.reset_links()
    run.fault(window=60)
    time.sleep(2 if run.quick else 30)
    load.stop()
    run.healed()


@case("resources", quick=False, alone=True)
def soak(run: Run) -> None:
    """an hour at 70 % of the measured rate with a random fault a minute: nothing lost, memory and latency flat"""
    run.open(more={"retry": {"steps": ["1s", "3s"], "max_attempts": 100}, "broker": {"max_in_flight": 20_000}})
    soak = Soak(run, run.start(), run.rate)
    try:
        soak.live(1 if run.quick else run.minutes, length=20 if run.quick else 60)
    finally:
        if soak.minutes:
            soak.judge()
