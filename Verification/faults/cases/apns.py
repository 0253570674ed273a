"""APNs in trouble on one lane, and another lane that must not notice."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from faults import limits
from faults.cases import case
from faults.lane import LaneLoad, Make
from faults.neighbour import CALM, Neighbour
from faults.oracle.ledger import FINAL
from faults.oracle.verdict import MEMORY_SLACK
from faults.peak import Peak
from faults.process import Process, eventually
from faults.producer import Producer, Target
from faults.product import KEY, Programs, Simulator, make_credentials
from faults.rehearsals import ACCEPTED, INVALID, PUT_OFF, TROUBLES, UNANSWERED, Trouble
from faults.run import Run

TROUBLED = "parcels"
# Short steps and many of them: a trouble of minutes is ridden out, and its end is noticed within seconds.
STEPS = {"steps": ["1s", "3s"], "max_attempts": 100}
SETTINGS = {"retry": STEPS, "dispatch": {"request_timeout": "6s"}}
PARKED_PAUSE = 30  # how long a lane is parked at first, seconds


def items_of(trouble: Trouble, random: Random) -> Make:
    """Makes the tokens of a message for a lane in trouble; see LaneLoad."""

    def make(producer: Producer, count: int) -> list[Target]:
        if trouble.tokens:
            return [(f"aa{random.randrange(trouble.tokens):062x}", ACCEPTED | trouble.prefixes["aa"]) for _ in range(count)]
        chosen = random.choices(list(trouble.prefixes.items()), k=count - 1)
        dead = INVALID | {"unknown"} & chosen[0][1]
        return [(producer.token("dead"), dead)] + [(producer.token(prefix), allowed) for prefix, allowed in chosen]

    return make


def live_through(run: Run, troubles: dict[str, Trouble], seconds: float, rate: float, steps: dict = STEPS) -> None:
    """Puts lanes (by name) into trouble for some seconds, watches another lane, and ends the trouble.

    What a dispatcher could not deliver by then it must deliver after that.
    """
    run.open(more={**SETTINGS, "retry": steps}, lanes=(*(name for name in troubles if name != TROUBLED), CALM))
    run.start()
    neighbour = Neighbour(run)
    for name, trouble in troubles.items():
        run.simulators[name].restart(trouble.rules())
    loads = [LaneLoad(run, name, rate, items_of(trouble, run.random)) for name, trouble in troubles.items()]
    time.sleep(seconds)
    for load in loads:
        load.stop()
    neighbour.check()
    for load in loads:
        load.await_refused(30)
    for name in troubles:
        run.simulators[name].restart()
    if any(trouble.parks for trouble in troubles.values()):
        await_opening(run)
    run.healed()


def await_opening(run: Run) -> None:
    """Waits until a parked lane has opened by itself; each pause is twice as long as the one before."""
    log = run.folder / "dispatch.log"
    eventually("the lane opens by itself", lambda: "dispatch.laneOpened" in log.read_text(), 5 * PARKED_PAUSE)


@case("apns", quick=False)
def every_lane_in_trouble_but_one(run: Run) -> None:
    """all rehearsals at once, each on a lane of its own in one dispatcher, and one lane that must not notice"""
    # So many at once are too much for a small machine: what comes later than a request may take is unknown, rightly.
    several = {trouble.name: trouble.or_unknown() for trouble in TROUBLES if not trouble.parks}
    # Many lanes that wait a minute long and come round every three seconds are a load that nobody would set up.
    steps = STEPS if run.quick else {**STEPS, "steps": ["3s", "10s"]}
    live_through(run, several, seconds=6 if run.quick else 60, rate=40, steps=steps)


def hold_back(
    run: Run,
    begin: Callable[[], object],
    end: Callable[[], object],
    seconds: float,
    messages: int = 60,
    size: int = 50,
    budget: int = 500,
    **how: Any,
) -> None:
    """Begins a trouble of one lane, issues more to it than a dispatcher may hold, watches another lane, and ends it.

    messages: of that many notifications each; four times as many in the long form. budget: `max_in_flight`. how: for the
    producer, when the messages are not the usual ones.
    """
    # What is put off comes round with the last step, all of it: that alone is work for the broker.
    retry = {} if run.quick else {"retry": {"steps": ["5s", "15s"], "max_attempts": 100}}
    run.open(more={**SETTINGS, **retry, "broker": {"max_in_flight": budget}}, lanes=(CALM,))
    run.start()
    begin()
    neighbour = Neighbour(run)
    run.issue(messages if run.quick else 4 * messages, size, dead=0, allowed=UNANSWERED, **how)
    time.sleep(seconds if run.quick else 40)
    neighbour.check()
    if how:
        run.note_memory()  # what allocators keep of such messages is no growth
    end()
    run.healed()


@case("apns", repeat=3, long=True, later=True)
def a_lane_stands_still_with_a_backlog(run: Run) -> None:
    """APNs takes one lane's requests and never answers, with more waiting than a dispatcher may hold"""
    hold_back(run, lambda: mute(run), lambda: run.apns.heal(), seconds=4)


def mute(run: Run) -> None:
    run.apns.hold("up")
    run.apns.hold("down")


@case("apns", repeat=3, quick=False, long=True)
def a_lane_stands_still_with_small_messages(run: Run) -> None:
    """the same with one notification to a message: the broker hands out no more of them long before there are many"""
    hold_back(run, lambda: mute(run), lambda: run.apns.heal(), seconds=4, messages=2_500, size=1, budget=20_000)


@case("apns", repeat=3, long=True, later=True)
def a_lane_stands_still_with_large_messages(run: Run) -> None:
    """the same with payloads of three kilobytes: their bytes are too much long before there are many"""
    title = {"title": "x" * 2_900}
    how: dict[str, Any] = {"form": "array", "defaults": title}
    hold_back(run, lambda: mute(run), lambda: run.apns.heal(), seconds=4, messages=150, budget=20_000, **how)


CRAWL = {"rules": [{"token_prefix": "", "delay_ms": 100}], "streams": {"initial": 1, "regular": 1}}


@case("apns", repeat=3, long=True, later=True)
def a_lane_crawls_with_a_backlog(run: Run) -> None:
    """APNs answers one lane's requests one after the other, with more waiting than a dispatcher may hold"""
    hold_back(run, lambda: run.simulator.restart(CRAWL), lambda: run.simulator.restart(), seconds=6)


@case("apns", repeat=3, long=True)
def a_refused_key_and_the_way_back(run: Run) -> None:
    """a wrong provider key: 403 parks the lane alone, the messages wait; the right key and a restart deliver them"""
    run.folder.parent.mkdir(exist_ok=True)
    key = run.folder.parent / f"{run.prefix}.p8"
    right = Path(run.programs.credentials) / f"AuthKey_{KEY}.p8"
    wrong = Path(Programs(Path(run.programs.waybill).parent, run.folder.parent / "other-credentials").credentials)
    shutil.copy2(right, key)
    try:
        run.open(more={**SETTINGS, "lanes": [{"key_file": str(key)}]}, lanes=(CALM,))
        dispatcher = run.start()
        stop(dispatcher)
        shutil.copy2(wrong / f"AuthKey_{KEY}.p8", key)
        dispatcher = run.start_dispatcher()
        load = LaneLoad(run, TROUBLED, rate=200)
        neighbour = Neighbour(run)
        eventually("the lane is parked", lambda: "dispatch.laneParked" in dispatcher.words, 20)
        time.sleep(3 if run.quick else 60)
        load.stop()
        neighbour.check()
        assert run.delayed() > 0, "the parked lane's messages do not wait in the delay queues"
        shutil.copy2(right, key)
        stop(dispatcher)
        run.start_dispatcher()
        run.healed()
        run.recover()
    finally:
        key.unlink(missing_ok=True)


@case("apns", quick=False)
def a_refused_key_and_messages_that_expire(run: Run) -> None:
    """403 parks the lane while many messages expire in waiting; APNs takes the key again: what is left goes at once"""
    run.open(more=SETTINGS)
    run.start()
    run.simulator.restart({"rules": [{"token_prefix": "", "reason": "InvalidProviderToken"}]})
    soon = {"expiration": int(time.time()) + 10}
    for _ in range(20):
        run.issue(1, 20, dead=0, allowed=frozenset({"expired"}), defaults=soon)
    run.await_words("dispatch.laneParked")
    time.sleep(12)
    run.simulator.restart()
    time.sleep(25)  # the first pause is half a minute: one of them might have gone first, to find out
    run.issue(10, 20, dead=0)
    run.healed()
    run.await_words("dispatch.laneOpened", 30)


def stop(dispatcher: Process) -> None:
    status = dispatcher.end(25)
    assert status == 0, f"SIGTERM ended the dispatcher with {status}"


@case("apns", long=True, later=True)
def outage_ridden_out(run: Run) -> None:
    """a quarter of an hour without APNs: silent, gone, then 503 to everything; nothing is sent after its expiration"""
    seconds = 12 if run.quick else 900
    # All that has gathered comes round with the last step: what it asks for grows to rate · seconds / step.
    steps, rate = (["1s", "3s"], 200) if run.quick else (["5s", "15s"], 80)
    run.open(more={**SETTINGS, "retry": {"steps": steps, "max_attempts": 100}}, lanes=(CALM,))
    dispatcher = run.start()
    memory = Peak(dispatcher)
    neighbour = Neighbour(run)
    short = LaneLoad(
        run,
        TROUBLED,
        rate / 5,
        expiring_items,
        lambda: {"expiration": int(time.time()) + run.random.randrange(2, seconds // 2)},
    )
    run.apns.hold("up")
    run.apns.hold("down")
    load_for(run, seconds / 3, rate, UNANSWERED)
    run.simulator.stop()
    run.apns.heal()
    load_for(run, seconds / 3, rate, ACCEPTED)
    run.simulator.start({"rules": [{"token_prefix": "", "reason": "ServiceUnavailable", "delay_ms": 20, "jitter_ms": 80}]})
    load_for(run, seconds / 3, rate, ACCEPTED)
    short.stop()
    neighbour.check()
    before, most = memory.stop()
    run.notes.append(f"memory at rest {before >> 20} MiB, at the most {most >> 20} MiB during the outage")
    assert most < before * 1.1 + MEMORY_SLACK, f"memory went from {before >> 20} to {most >> 20} MiB during the outage"
    run.simulator.restart()
    run.healed()
    run.recover()
    expired = run.deliveries.count_documents({"outcome": "expired"})
    run.notes.append(f"{expired} expired in time, of {len(short.confirmed)} that could not wait")
    assert expired > 0, "nothing has expired"


# Few attempts, used up long before the end if a pass that sends nothing counted; the client's patience is short, too.
UNSENT = {"retry": {"steps": ["1s", "3s"], "max_attempts": 3}, "dispatch": {"request_timeout": "6s", "unreachable": "3s"}}
AWAY = ("closed", "untrusted", "refused")  # lanes whose trouble ends by itself
NOWHERE = {"name": "nowhere", "endpoint": "https://nowhere.invalid:443"}
FINAL_OUTCOMES = {"$in": sorted(FINAL)}


@case("apns", long=True, later=True)
def what_was_not_sent_uses_no_attempt(run: Run) -> None:
    """a closed port, another authority's certificate, a refused provider token, a name that nobody knows: all is delivered"""
    run.open(more={**UNSENT, "lanes": [{}, NOWHERE]}, lanes=(*AWAY, CALM), keys={"refused": "ABC123DEFH"})
    dispatcher = run.start()
    run.simulators["closed"].stop()
    run.simulators["untrusted"].stop()
    other = Programs(Path(run.programs.waybill).parent, run.folder / "other-credentials")
    stranger = Simulator(other, run.folder / "other-credentials", port=run.simulators["untrusted"].port)
    run.at_close(stranger.stop)
    run.simulators["refused"].restart({"rules": [{"token_prefix": "", "reason": "ExpiredProviderToken"}]})
    neighbour = Neighbour(run)
    lanes = (*AWAY, "nowhere")
    ids = {lane: run.issue(4, 10, dead=0, lane=lane) for lane in lanes}
    for lane in lanes:
        eventually(f"the lane {lane} is parked", lambda: parked(run, lane), 30)
    time.sleep(25 if run.quick else 600)
    neighbour.check()
    for lane in lanes:
        ended = run.deliveries.count_documents({"lane": lane, "outcome": FINAL_OUTCOMES})
        assert not ended, f"{ended} of the lane {lane} have an end"
    sent = run.deliveries.count_documents({"lane": {"$in": ["closed", "untrusted", "nowhere"]}, "attempts": {"$gt": 0}})
    assert not sent, f"{sent} have an attempt, and nothing was sent"
    stranger.stop()
    run.simulators["closed"].start()
    run.simulators["untrusted"].start()
    run.simulators["refused"].restart()
    stop(dispatcher)
    settings = json.loads(run.path.config.read_text())
    for lane in settings["lanes"]:
        if lane["name"] == "nowhere":
            lane["endpoint"] = f"https://localhost:{run.simulators[CALM].port}"
    run.path.config.write_text(json.dumps(settings, indent=1))
    run.start_dispatcher()
    run.healed()
    run.recover()
    for lane in ("closed", "untrusted", "nowhere"):
        once = run.deliveries.count_documents({"lane": lane, "outcome": "accepted", "attempts": 1})
        assert once == len(ids[lane]), f"{once} of {len(ids[lane])} of the lane {lane} were accepted in their only attempt"


def parked(run: Run, lane: str) -> bool:
    """Whether the dispatcher has said that a lane is parked, at the level of a warning."""
    words = (run.folder / "dispatch.log").read_text(errors="replace").splitlines()
    return any("dispatch.laneParked" in line and lane in line for line in words)


@case("apns", long=True, quick=False)
def refused_twice_and_then_a_closed_port(run: Run) -> None:
    """503, 503, a closed port for longer than three passes, 503: three attempts, and rejected with APNs' last answer"""
    # The closed port is open again before the lane's first pause of 15 s is over, and after three passes of 4 s.
    run.open(more={**UNSENT, "retry": {"steps": ["1s", "4s" if run.quick else "8s"], "max_attempts": 3}})
    run.start()
    unavailable = {"rules": [{"token_prefix": "", "reason": "ServiceUnavailable"}]}
    run.simulator.restart(unavailable)
    ids = run.issue(3, 10, dead=0, allowed=frozenset({"rejected"}))
    late = run.issue(1, 10, dead=0, allowed=frozenset({"expired"}), defaults={"max_age": 15 if run.quick else 20})
    twice = {"lane": TROUBLED, "outcome": "deferred", "attempts": 2}
    eventually("two answers", lambda: run.deliveries.count_documents(twice) == len(ids) + len(late), 20)
    run.simulator.stop()
    run.await_words("dispatch.laneParked", 30)
    time.sleep(13 if run.quick else 300)
    run.simulator.start(unavailable)
    await_opening(run)
    run.healed()
    run.recover()
    run.simulator.restart()
    three = {"outcome": "rejected", "status_code": 503, "reason": "ServiceUnavailable", "attempts": 3, "history": {"$size": 3}}
    found = run.deliveries.count_documents(three)
    assert found == len(ids), f"{found} of {len(ids)} are rejected with 503 after three attempts"
    old = run.deliveries.count_documents({"outcome": "expired", "reason": "max_age", "attempts": 2, "history": {"$size": 2}})
    assert old == len(late), f"{old} of {len(late)} were too late after two attempts"


@case("apns", quick=False)
def outage_longer_than_all_steps(run: Run) -> None:
    """default settings (short steps in the quick form), no APNs for longer than all steps: nothing ends, all arrives"""
    steps, outage = (
        (["1s", "3s", "9s"], 30)
        if run.quick
        else (["5s", "10s", "30s", "2m", "15m", "1h"], 5 + 10 + 30 + 120 + 900 + 3600 + 600)
    )
    run.open(
        more={
            "retry": {"steps": steps, "max_attempts": 8},
            "dispatch": {"grace": "25s", "request_timeout": "30s"},
        }
    )
    run.start()
    run.simulator.stop()
    ids = run.issue(20, 50, dead=0)
    run.await_words("dispatch.laneParked", 90)
    time.sleep(outage)
    assert run.final_count() == len(run.ledgers.issued) - len(ids), "something has an end, and nothing was sent"
    run.simulator.start()
    run.await_words("dispatch.laneOpened", 1_000)
    run.await_final(1_000)
    run.healed()
    run.recover()
    once = run.deliveries.count_documents({"outcome": "accepted", "attempts": 1})
    assert once >= len(ids), f"{once} were accepted in their only attempt"


def load_for(run: Run, seconds: float, rate: float, allowed: frozenset) -> None:
    load = LaneLoad(run, TROUBLED, rate, lambda producer, count: [(producer.token(), allowed) for _ in range(count)])
    time.sleep(seconds)
    load.stop()


def expiring_items(producer: Producer, count: int) -> list[Target]:
    """Items that may have any end but a push that comes too late."""
    return [(producer.token(), UNANSWERED | PUT_OFF | {"expired"}) for _ in range(count)]


@case("apns", quick=False)
def clock_an_hour_behind(run: Run) -> None:
    """a dispatcher whose clock is an hour behind: APNs calls its tokens expired; everything waits for the right clock"""
    wrong_clock(run, -3700)
    refused = run.deliveries.count_documents({"history.reason": "ExpiredProviderToken"})
    run.notes.append(f"{refused} met ExpiredProviderToken and waited")
    assert refused > 0, "APNs has refused no provider token"


@case("apns", quick=False)
def clock_an_hour_ahead(run: Run) -> None:
    """a dispatcher whose clock is an hour ahead"""
    wrong_clock(run, 3700)


def wrong_clock(run: Run, seconds: int) -> None:
    """A load under a wrong clock, then the right clock and a restart."""
    yesterday = run.folder.parent / "credentials-of-yesterday"
    # Certificates that began only now would be refused by a clock that is behind.
    make_credentials(yesterday, run.programs.simulator, limits.clock(-86_400))
    run.programs = Programs(Path(run.programs.waybill).parent, yesterday)
    run.open(more=SETTINGS)
    stop(run.start())
    dispatcher = run.start_dispatcher(through=limits.clock(seconds))
    run.at_close(lambda: limits.forget_clock(dispatcher.pid))
    load = run.load(rate=200)
    time.sleep(6 if run.quick else 60)
    load.stop()
    stop(dispatcher)
    run.start_dispatcher()
    run.healed()
    run.recover()


def rehearse(trouble: Trouble) -> None:
    def function(run: Run) -> None:
        live_through(run, {TROUBLED: trouble}, seconds=4 if run.quick else 30, rate=trouble.rate)

    function.__name__ = "apns_" + trouble.name.replace("-", "_")
    function.__doc__ = f"the rehearsal {trouble.name} on one lane, and one lane that must not notice"
    case("apns", quick=False)(function)


for one in TROUBLES:
    rehearse(one)
