"""What a store can do to a dispatcher: end, lose its primary, fill up, be slow, be busy. One dispatcher repeats nothing
for it.

The cases say `run.healed` and not `run.fault`: the dispatcher lives on, so the bound of repeats is zero.
"""

import json
import os
import signal
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from proxy.link import PASS, Profile

from faults.cases import case
from faults.oracle.identity import derive_apns_id
from faults.oracle.ledger import Issued
from faults.path import CONSUME
from faults.process import eventually
from faults.producer import SENT
from faults.product import BUNDLE
from faults.run import Run
from faults.servers.loop_disk import LoopDisk
from faults.servers.replica_set import ReplicaSet, WithStore

FAILED = "dispatch.storeFailed"
DELIVERY_LIMIT = 20  # of the dispatch queue


def own_store(run: Run, members: int = 1, **how: Any) -> ReplicaSet:
    """A replica set of the case's own in place of the session's store; before run.open."""
    run.servers_folder.mkdir(parents=True, exist_ok=True)
    store = ReplicaSet(run.servers_folder, members, **how)
    run.at_close(store.stop)
    run.use(WithStore(run.services, store))
    return store


# -- Ends


@case("store", alone=True, later=True)
def restarted_while_the_store_is_away(run: Run) -> None:
    """a dispatcher ends and starts again more often than a message may be delivered, while MongoDB is away"""
    run.open()
    dispatcher = run.start()
    dispatcher.kill()
    run.crashed(dispatcher)
    run.services.control("stop-store")
    run.issue(20, 10, dead=0)
    for _ in range(DELIVERY_LIMIT + 4):
        dispatcher = run.start_dispatcher()
        eventually("it has a connection to consume with", lambda: run.broker.link_count(CONSUME), 20, 0.02)
        time.sleep(0.3)
        dispatcher.kill()
        dispatcher.wait(10)
    run.services.control("start-store")
    run.start_dispatcher()
    run.healed()


@case("store", repeat=2, quick=False, alone=True, fcm="full")
def store_stopped(run: Run) -> None:
    """MongoDB is stopped for three minutes (quick: ten seconds) under load: nothing is acknowledged meanwhile"""
    run.open()
    run.start()
    load = run.load(rate=300, later=0.02)
    time.sleep(0.5 + run.random.uniform(0, 0.5))
    run.services.control("stop-store")
    run.await_words(FAILED, 30)
    acknowledged = run.path.audit.acknowledged
    time.sleep(10 if run.quick else 180)
    after = run.path.audit.acknowledged
    load.stop()
    run.services.control("start-store")
    run.healed()
    assert after == acknowledged, f"{after - acknowledged} messages were acknowledged while the store was down"


@case("store", repeat=20, alone=True, fcm="full")
def store_killed_after_a_write(run: Run) -> None:
    """kill -9 of mongod when it has just acknowledged a write: the records are there when it is back"""

    def kill() -> None:
        os.kill(int((run.services.folder / "store/pid").read_text()), signal.SIGKILL)

    run.open(simulator_options=("--latency", "20ms"))
    run.start()
    skip = run.random.randrange(6)
    trap = run.store.trap(lambda link, way, unit: unit.kind == "reply:insert", kill, decision=PASS, skip=skip)
    run.issue_into(trap, 20, 50)
    run.services.control("kill-store")
    run.services.control("start-store")
    run.healed()


@case("store", repeat=5, quick=False, alone=True, fcm="full")
def store_killed_under_load(run: Run) -> None:
    """kill -9 of mongod at a random moment under load, started again at once"""
    run.open()
    run.start()
    load = run.load(rate=400, later=0.02)
    time.sleep(run.random.uniform(0.5, 1.5))
    run.services.control("kill-store")
    run.services.control("start-store")
    run.healed()
    time.sleep(0.5)
    load.stop()


@case("store", later=True)
def a_record_that_is_always_refused(run: Run) -> None:
    """a validator and a second unique index refuse one record each: the neighbours are recorded, those two put aside"""
    run.open()
    run.start()
    database = run.deliveries.database
    database.command("collMod", "deliveries", validator={"client": {"$ne": "refused"}})
    run.deliveries.create_index("topic", name="operators_own", unique=True, partialFilterExpression={"client": "once"})
    seconds = int(time.time())

    def publish(name: str, client: str, token: str) -> str:
        body = json.dumps({"batch_id": name, "client": client, "message": "x", "device_tokens": [token]}).encode()
        apns_id = derive_apns_id(name, body, 0, seconds * 1000)
        run.ledgers.uncertain[apns_id] = Issued(apns_id, token, SENT, BUNDLE)
        run.producer.publish(body, message_id=name, timestamp=seconds)
        return apns_id

    recorded = publish(f"{run.prefix}-first", "once", run.producer.token())
    eventually("the first is recorded", lambda: run.deliveries.count_documents({"client": "once"}) == 1, 20)
    refused = {publish(f"{run.prefix}-{client}", client, run.producer.token()) for client in ("refused", "once")}
    run.ledgers.ordered_rejects += len(refused)
    run.issue(1, 20, dead=0)
    run.await_final()
    connection = run.services.connect_broker()
    channel = connection.channel()
    queue = f"{run.prefix}.rejected"

    def put_aside() -> int:
        return channel.queue_declare(queue, passive=True).method.message_count

    eventually("the refused ones are put aside", lambda: put_aside() == len(refused), 60)
    details = []
    for _ in refused:
        _, properties, body = channel.basic_get(queue)
        assert properties.headers["x-waybill-reason"] == "record_refused", properties.headers
        details.append(properties.headers["x-waybill-detail"])
        assert len(json.loads(body)["device_tokens"]) == 1
    connection.close()  # they go back
    assert any("121" in str(detail) for detail in details), details
    assert any("operators_own" in str(detail) for detail in details), details
    present = {str(document["_id"]) for document in run.deliveries.find({}, {"_id": 1})}
    assert recorded in present and not refused & present
    assert not run.path.unacknowledged(), "a message is not acknowledged"


# -- A replica set of three


def open_replicated(run: Run, election: int) -> ReplicaSet:
    store = own_store(run, 3, election=election)
    run.open(more={"store": {"url": store.url}})
    run.start()
    return store


@case("store", repeat=2, quick=False)
def primary_steps_down(run: Run) -> None:
    """three members: the primary steps down every ten seconds for five minutes (quick: twice, every three)"""
    store = open_replicated(run, 10_000)
    pause, times = (3, 2) if run.quick else (10, 30)
    load = run.load(rate=200, later=0.02)
    for _ in range(times):
        store.step_down(pause - 1)
        time.sleep(pause)
    load.stop()
    store.await_primary()
    run.healed()


@case("store", repeat=10, quick=False)
def primary_killed(run: Run) -> None:
    """three members: kill -9 of the primary under load, later it comes back"""
    store = open_replicated(run, 2_000)
    load = run.load(rate=300, later=0.02)
    time.sleep(run.random.uniform(0.5, 1.5))
    killed = store.await_primary()
    store.kill(killed)
    store.await_primary()
    run.healed()
    time.sleep(2)
    store.start(killed)
    load.stop()


# -- Room and time


@case("store", repeat=3, quick=False)
def store_disk_full(run: Run) -> None:
    """the store's disk, a small loop image, fills up under load and is freed again (needs root to mount it)"""
    disk = LoopDisk(run.servers_folder.with_suffix(".image"), run.servers_folder, 400)
    run.at_close(disk.unmount)
    store = own_store(run, options=("--wiredTigerEngineConfigString", "log=(file_max=4MB,prealloc=false)"))
    run.open(simulator_options=("--latency", "20ms"))
    run.start()
    disk.fill(leaving=6 << 20)
    load = run.load(rate=3_000, size=100)
    try:
        run.await_words(FAILED, 90)
        time.sleep(1 if run.quick else 60)
    finally:
        load.stop()
    disk.free()
    if not store.runs():  # mongod gives up on its own when it cannot write its journal
        store.start()
    run.healed()


@case("store", long=True, later=True)
def store_slow(run: Run) -> None:
    """every answer of the store comes two seconds late for two minutes (quick: six seconds)"""
    run.open()
    run.start()
    load = run.load(rate=300, later=0.02)
    run.store.profile = Profile(latency=1)  # each way
    time.sleep(6 if run.quick else 120)
    run.store.profile = Profile()
    run.healed()
    load.stop()


# -- Work beside ours


FILLER = "filler"


def insert_due(run: Run, count: int, due: datetime) -> None:
    """Records of somebody else's, which no outcome makes final for the oracle, all to be deleted at one moment."""
    for start in range(0, count, 10_000):
        run.deliveries.insert_many(
            [
                {"batch_id": FILLER, "device_token": f"f{number:063x}", "outcome": FILLER, "date": due, "expires_at": due}
                for number in range(start, min(start + 10_000, count))
            ],
            ordered=False,
        )


@case("store", long=True, later=True)
def index_build_and_expiry(run: Run) -> None:
    """a million records (quick: 20,000) expire at once under load, while another index is built over them"""
    own_store(run, options=("--setParameter", "ttlMonitorSleepSecs=1"))
    run.open()
    run.start()
    admin = run.deliveries.database.client.admin
    admin.command("setParameter", 1, ttlMonitorEnabled=False)
    insert_due(run, 20_000 if run.quick else 1_000_000, datetime.now(UTC) - timedelta(seconds=1))
    load = run.load(rate=400, later=0.02)
    building = threading.Thread(target=lambda: run.deliveries.create_index([("topic", 1), ("date", -1)]))
    building.start()
    admin.command("setParameter", 1, ttlMonitorEnabled=True)
    left = {"batch_id": FILLER}
    eventually("all of them have expired", lambda: run.deliveries.count_documents(left) == 0, 600, 0.5)
    building.join(600)
    run.healed()
    load.stop()
    names = run.deliveries.index_information()
    assert "topic_1_date_-1" in names, f"the index was not built: {sorted(names)}"


@case("store", long=True, later=True)
def large_records_and_bulks(run: Run) -> None:
    """payloads, tokens and names as long as they may be, ten thousand in a message: bulks are split, all is recorded"""
    run.open(more={"limits": {"body_bytes": 16 << 20}, "broker": {"max_in_flight": 20_000}})
    run.start()
    messages, size = (2, 2_500) if run.quick else (4, 10_000)
    for number in range(messages):
        issue_large(run, number, size)
    run.healed()
    run.await_final(120)
    largest = list(
        run.deliveries.aggregate([{"$project": {"size": {"$bsonSize": "$$ROOT"}}}, {"$sort": {"size": -1}}, {"$limit": 1}])
    )[0]["size"]
    assert largest > 4096 + 400 + 2 * 255, f"the largest record has {largest} bytes"


def issue_large(run: Run, number: int, size: int) -> None:
    """One message in the campaign form: a payload of 4,096 bytes for so many tokens of 400 digits."""
    name = f"{run.prefix}-{number}-".ljust(255, "n")
    payload = {"aps": {"alert": ""}}
    payload["aps"]["alert"] = "ü" * ((4096 - len(json.dumps(payload, separators=(",", ":")))) // 2)
    tokens = [f"aa{number:02x}{index:06x}".ljust(400, "0") for index in range(size)]
    seconds = int(time.time())
    body = {"batch_id": name, "client": "c" * 255, "payload": payload, "device_tokens": tokens}
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    ids = [derive_apns_id(name, text, index, seconds * 1000) for index in range(size)]
    items = {one: Issued(one, token, SENT, BUNDLE) for one, token in zip(ids, tokens)}
    run.ledgers.uncertain.update(items)
    run.producer.publish(text, message_id=name, timestamp=seconds)
    run.ledgers.issued.update(items)
