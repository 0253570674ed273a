"""Lanes to both providers in one dispatcher: what troubles one, and what kills the dispatcher."""

import itertools
import json
import time

from faults.cases import case
from faults.lane import LaneLoad, share
from faults.oracle.ledger import FINAL
from faults.process import eventually
from faults.producer import Producer, Target
from faults.product import FCM_RULES
from faults.run import Run

ANDROID = "android"


def campaign(run: Run, messages: int, size: int = 50, **how: object) -> None:
    """Publishes to both lanes in turn: what one producer's mixed campaign comes to."""
    for _ in range(messages):
        run.issue(1, size, lane="parcels", **how)
        run.issue(1, size, lane=ANDROID, **how)


def finals(run: Run, lane: str) -> int:
    return run.deliveries.count_documents({"lane": lane, "outcome": {"$in": sorted(FINAL)}})


def refuse_one(run: Run, lane: str, other: str, rules: dict) -> None:
    """Has a lane refused until it is parked, holds that the other one goes on, and lets it be taken again."""
    run.simulators[lane].restart(rules)
    before = finals(run, other), finals(run, lane)
    parked = run.says("dispatch.laneParked")
    campaign(run, 2, dead=0)
    eventually(f"{other} goes on", lambda: finals(run, other) >= before[0] + 100, 20)
    eventually(f"{lane} is parked", lambda: run.says("dispatch.laneParked") > parked, 20)
    assert finals(run, lane) == before[1], f"{lane} is refused, and something of it has ended"
    run.simulators[lane].restart()
    run.await_final(120)


@case("fcm", repeat=10, long=True)
def mixed_campaign_killed(run: Run) -> None:
    """a campaign to phones of both kinds, the dispatcher killed again and again in its middle"""
    run.open(fcm=(ANDROID,))
    dispatcher = run.start()
    for _ in range(3 if run.quick else 20):
        campaign(run, 4, later=0.05)
        time.sleep(run.random.uniform(0.05, 0.4))
        dispatcher.kill()
        run.crashed(dispatcher)
        dispatcher = run.start_dispatcher()
    campaign(run, 2)


@case("fcm", repeat=5, alone=True, later=True)
def mixed_campaign_and_the_broker_killed(run: Run) -> None:
    """a campaign to phones of both kinds, and the broker killed in its middle, started again at once"""
    run.open(fcm=(ANDROID,))
    run.start()
    campaign(run, 4, later=0.05)
    run.producer.close()  # its connection would not live through this
    run.services.control("kill-broker")
    run.services.control("start-broker")
    run.fault(allowance=run.deliveries.count_documents({"outcome": "deferred"}))
    run.healed()
    campaign(run, 4)
    run.recover_but_for_delayed()
    # Of a retry whose confirm was lost there are two, and one may come when everything has its record.
    eventually("the last copies have come round", lambda: run.delayed() == 0, 400, 0.2)


@case("fcm", repeat=5, alone=True, later=True)
def mixed_campaign_and_the_store_killed(run: Run) -> None:
    """a campaign to phones of both kinds, and MongoDB killed in its middle, started again at once"""
    run.open(fcm=(ANDROID,))
    run.start()
    campaign(run, 4, later=0.05)
    run.services.control("kill-store")
    run.services.control("start-store")
    run.healed()
    campaign(run, 4)


@case("fcm", repeat=3, long=True, later=True)
def each_provider_in_trouble_in_turn(run: Run) -> None:
    """APNs refuses its lane's key while FCM sends on, and then FCM its project while APNs does: nothing ends by it"""
    run.open(fcm=(ANDROID,), more={"retry": {"steps": ["1s", "3s"], "max_attempts": 100}})
    run.start()
    troubles = {
        "parcels": {"token_prefix": "", "reason": "InvalidProviderToken"},
        ANDROID: {"registration_prefix": "", "fcm": "PERMISSION_DENIED"},
    }
    for lane, rule in troubles.items():
        refuse_one(run, lane, ANDROID if lane == "parcels" else "parcels", {"rules": [rule]})
    run.healed()


@case("fcm", later=True)
def a_404_that_is_no_dead_token(run: Run) -> None:
    """FCM's bare 404 and its HTML page, as for a wrong project: the lane is parked, and no device is disabled"""
    run.open(fcm=(ANDROID,), more={"retry": {"steps": ["1s"], "max_attempts": 100}})
    run.start()
    for refusal in ("NOT_FOUND", "HTML_404"):
        run.simulators[ANDROID].restart({"rules": [{"registration_prefix": "", "fcm": refusal}]})
        run.issue(2, 50, lane=ANDROID, dead=0)
        eventually("its messages wait", lambda: run.delayed() > 0, 20)
        assert run.devices.count_documents({"provider": "fcm", "enabled": False, "token": {"$not": {"$regex": "^dead"}}}) == 0
        run.simulators[ANDROID].restart()
        run.await_final(120)
    run.healed()


UNKNOWN_CODE = {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": "SOMETHING_NEW"}
# Answers about one phone, by the prefix of its token: the first push, and the outcome.
OF_ONE_PHONE: dict[str, tuple[dict, str]] = {
    "wait": ({"fcm": "UNAVAILABLE", "retry_after": 2, "times": 1}, "accepted"),
    "403-": ({"status": 403, "body": json.dumps({"error": {"code": 403, "details": [UNKNOWN_CODE]}})}, "rejected"),
    "404-": ({"status": 404, "body": json.dumps({"error": {"code": 404, "details": [UNKNOWN_CODE]}})}, "rejected"),
}


@case("fcm", repeat=3, long=True)
def an_answer_about_one_phone(run: Run) -> None:
    """503 with Retry-After, and codes that nobody knows, for 1 phone in 40: the others of their lane do not wait"""
    run.open(fcm=(ANDROID,))
    run.start()
    rules = [{"registration_prefix": prefix, **answer} for prefix, (answer, _) in OF_ONE_PHONE.items()]
    run.simulators[ANDROID].restart({"rules": rules + FCM_RULES["rules"]})
    turn = itertools.cycle([*OF_ONE_PHONE, *[""] * (40 * len(OF_ONE_PHONE) - len(OF_ONE_PHONE))])

    def make(producer: Producer, count: int) -> list[Target]:
        ends = {prefix: end for prefix, (_, end) in OF_ONE_PHONE.items()}
        prefixes = list(itertools.islice(turn, count))
        return [(producer.token(prefix or "aa"), frozenset({ends.get(prefix, "accepted")})) for prefix in prefixes]

    load = LaneLoad(run, ANDROID, rate=40, make=make, size=4)
    time.sleep(10 if run.quick else 60)
    load.stop()
    load.await_final(20)
    middle, last = (share(load.latencies(), part) for part in (0.5, 1))
    run.notes.append(f"confirm to outcome: p50 {middle * 1000:.0f} ms, the slowest {last:.1f} s")
    assert middle < 1, f"half of them waited for {middle:.1f} s"
    assert run.says("dispatch.laneParked") == 0, "the lane was parked for answers about single phones"
