"""The fuse of prune: a push service that is not to be believed about tokens, and who may not blow it."""

import json
import time
import uuid
from datetime import UTC, datetime, timedelta

from common.registry import device
from pymongo.database import Database

from faults.cases import case
from faults.cases.trust import waybill, words
from faults.process import Process, eventually
from faults.product import BUNDLE, RULES
from faults.run import Run

ON = {"prune": {"fuse": {"count": 20, "percent": 20}}}
OUTAGE = "6"
OK, NO_INPUT = 0, 66
INVALID = frozenset({"token_invalid"})


@case("fuse", later=True, long=True)
def wrong_environment(run: Run) -> None:
    """a whole lane is in the wrong environment: nobody becomes a suspect, status and check say why, discard forgets it"""
    run.open(more=ON)
    run.start_prune()
    run.start_dispatcher()
    # Without dead tokens: what is discarded below would be theirs, too.
    run.issue(4, 50, dead=0)
    run.await_final()
    run.note_memory()
    tokens = phones(run, 200, "bad0")
    issue(run, tokens)
    run.await_final()
    fuse = blown(run)
    assert "wrong environment" in fuse["cause"]["words"], fuse
    assert fuse["cause"]["reason"] == "BadDeviceToken", fuse
    eventually("all are held", lambda: held(run) == 200, 30)
    assert run.devices.count_documents({"suspected_at": {"$exists": True}}) == 0, "a good token is a suspect"
    for command in ("status", "check"):
        said = words(waybill(run, run.direct, command))
        assert "wrong environment" in said, said
    shown = waybill(run, run.direct, "prune", "status", "--json")
    assert shown.returncode == OK and json.loads(shown.stdout)["held"] == 200, shown.stdout.decode()
    told = explained(run, tokens[0])
    assert "held by the fuse of the lane parcels" in told and "wrong environment" in told, told
    assert "waybill prune discard parcels" in told and "ublish no more" not in told, told
    done = waybill(run, run.direct, "logs", "--story", "--limit", "1", "--token", "-", input=tokens[0].encode())
    story = words(done)
    assert "held by the fuse of the lane parcels" in story and "wrong environment" in story, story
    # All prune processes end, and another one goes on with what they leave.
    assert run.prune is not None
    run.prune.kill()
    run.prune.wait()
    done = waybill(run, run.direct, "prune", "discard", "parcels", "--note", "sandbox app")
    assert done.returncode == OK, done.stderr.decode()
    assert waybill(run, run.direct, "prune", "discard", "parcels").returncode == NO_INPUT, "it was discarded twice"
    run.start_prune()
    eventually("it is followed", lambda: held(run) == 0, 30)
    assert run.devices.count_documents({"suspected_at": {"$exists": True}}) == 0, "what was discarded was carried out"
    (fuse,) = database(run).fuses.find()
    told = explained(run, tokens[0])
    assert "discarded with what the fuse" in told and "sandbox app" in told and "ublish no more" not in told, told
    decided = fuse["decided"]
    assert decided["note"] == "sandbox app" and "@" in decided["by"], decided
    # Until then what is said of tokens is discarded, too; the frame goes on with dead ones.
    over = time.time() // 60 + 1
    eventually("the minute of the decision is over", lambda: time.time() // 60 >= over, 70)


@case("fuse", repeat=5, later=True)
def outage_calls_live_tokens_dead(run: Run) -> None:
    """60 % of a lane are called dead, prunes are killed meanwhile: none stays disabled until release, then exactly these"""
    outage = {"token_prefix": OUTAGE, "status": 410, "reason": "Unregistered", "timestamp": int(time.time() * 1000)}
    run.open(rules={"rules": [*RULES["rules"], outage]}, more=ON)
    run.start()
    others = [extra_prune(run, number) for number in range(2)]
    good = phones(run, 300, "aa")
    live = phones(run, 600, OUTAGE)
    strangers = [run.producer.token(OUTAGE) for _ in range(30)]  # nobody has registered them
    mixed = good + live + strangers
    run.random.shuffle(mixed)
    for start in range(0, len(mixed), 300):
        issue(run, mixed[start : start + 300])
        others[start // 300 % 2].kill()
        others[start // 300 % 2].wait()
        others[start // 300 % 2] = extra_prune(run, 10 + start)
    run.await_final()
    blown(run)
    eventually("all are held", lambda: held(run) >= 620, 60)
    eventually("none is disabled", lambda: disabled(run, live) == 0, 30)
    unknown = {"token": {"$in": strangers}}
    eventually("the registry knows no stranger", lambda: run.devices.count_documents(unknown) == 0, 30)
    assert disabled(run, good) == 0
    assert run.prune is not None
    for process in (*others, run.prune):
        process.kill()
        process.wait()
    done = waybill(run, run.direct, "prune", "release", "parcels")
    assert done.returncode == OK, done.stderr.decode()
    eventually("status says that what was released waits", lambda: waits(run), 30)
    said = words(waybill(run, run.direct, "check"))
    assert "wait to be carried out" in said, said
    run.start_prune()
    others = [extra_prune(run, number) for number in (90, 91)]
    eventually("exactly the right ones are disabled", lambda: disabled(run, live) == len(live), 60)
    eventually("of the strangers, too", lambda: disabled(run, strangers) == len(strangers), 30)
    # They are marked after they were carried out.
    eventually("nothing is held any more", lambda: held(run) == 0, 30)
    assert disabled(run, good) == 0
    assert not waits(run), "status says that something waits, and nothing does"
    for process in others:
        process.end()


@case("fuse", later=True)
def flood_of_forged_events(run: Run) -> None:
    """thousands of events that nobody has sent: no fuse blows, no good token is disabled, and the store does not fill"""
    run.open(more=ON)
    run.start()
    tokens = phones(run, 300, "aa")
    ids = issue(run, tokens)
    run.await_final()
    now = int(time.time() * 1000)
    event = {
        "reason": "Unregistered",
        "status_code": 410,
        "invalid_since": now,
        "observed_at": now,
        "batch_id": "forged",
        "lane": "parcels",
        "class": "dead",
        "topic": BUNDLE,
        "environment": "production",
    }
    connection = run.services.connect_broker()
    channel = connection.channel()
    for number in range(3000):
        apns_id = ids[number % len(ids)] if number % 2 else str(uuid.uuid4())
        forged = event | {"device_token": tokens[number % len(tokens)], "apns_id": apns_id}
        channel.basic_publish("", f"{run.prefix}.invalid-tokens", json.dumps(forged).encode())
    connection.close()
    # What comes behind them in the queue is carried out: then they were dealt with.
    last = phones(run, 1, "dead")
    run.producer.issue_to([(token, INVALID) for token in last])
    eventually("a true event is carried out", lambda: disabled(run, last) == 1, 60)
    assert disabled(run, tokens) == 0, "a forged event has disabled a device"
    assert database(run).fuses.count_documents({}) == 0, "a forged event has blown a fuse"
    dead = run.deliveries.count_documents({"status_code": 410})
    kept = database(run).token_events.count_documents({})
    assert kept <= dead, f"forged events are kept: {kept}, and {dead} tokens are dead"


@case("fuse", later=True)
def trickle_goes_on(run: Run) -> None:
    """five dead tokens in a hundred are disabled at once, and three of four of a small lane"""
    run.open(more=ON, lanes=("small",))
    run.start()
    run.issue(20, 100, dead=0.05)
    run.await_final()
    run.await_prune()
    small = phones(run, 3, "dead") + phones(run, 1, "aa")
    accepted = frozenset({"accepted"})
    run.producer.issue_to([(token, INVALID if token.startswith("dead") else accepted) for token in small], lane="small")
    run.await_final()
    eventually("the small lane's are disabled", lambda: disabled(run, small) == 3, 30)
    run.await_prune()
    assert database(run).fuses.count_documents({}) == 0, "a trickle has blown a fuse"
    assert held(run) == 0


# -- What the cases share


def explained(run: Run, token: str) -> str:
    """What explain says of a device, in one line."""
    done = waybill(run, run.direct, "explain", "-", input=token.encode())
    assert done.returncode == OK, done.stderr.decode()
    return words(done)


def database(run: Run) -> Database:
    return run.devices.database


def phones(run: Run, count: int, prefix: str) -> list[str]:
    """Tokens of devices that were registered yesterday."""
    tokens = [run.producer.token(prefix) for _ in range(count)]
    yesterday = datetime.now(UTC) - timedelta(days=1) if prefix != "dead" else datetime(2023, 1, 1, tzinfo=UTC)
    run.devices.insert_many([device(BUNDLE, token, yesterday) for token in tokens])
    return tokens


def issue(run: Run, tokens: list[str]) -> list[str]:
    """Pushes to them; what the simulator says of each is its prefix's."""
    ids: list[str] = []
    for start in range(0, len(tokens), 50):
        part = tokens[start : start + 50]
        right = [INVALID if token.startswith(("bad0", OUTAGE)) else frozenset({"accepted"}) for token in part]
        ids += run.producer.issue_to(list(zip(part, right, strict=True)))
    return ids


def blown(run: Run) -> dict:
    fuses = database(run).fuses
    eventually("the fuse blows", lambda: fuses.count_documents({"state": "blown"}) == 1, 60)
    (fuse,) = fuses.find({"state": "blown"})
    return fuse


def waits(run: Run) -> bool:
    """Whether status says that events of the lane were released and nobody carries them out."""
    said = waybill(run, run.direct, "status", "--json")
    findings = [one for one in json.loads(said.stdout)["findings"] if one["kind"] == "no_prune" and "released" in one["text"]]
    return [one.get("lane") for one in findings] == ["parcels"] and said.returncode != OK


def held(run: Run) -> int:
    return database(run).token_events.count_documents({"state": "held"})


def disabled(run: Run, tokens: list[str]) -> int:
    return run.devices.count_documents({"enabled": False, "token": {"$in": tokens}})


def extra_prune(run: Run, number: int) -> Process:
    command = [run.programs.waybill, "prune", "--config", str(run.direct)]
    return Process("waybill prune", command, run.folder / f"prune-{number}.log")
