"""What devices say of their notifications: from the push over the phone to the story, and what nobody can make of it."""

import json
import random
import subprocess
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections import Counter
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pika
from common.phones import Arrival, Habits, Phones, Post, arrival, follow, receipt
from common.places import ROOT
from common.receipts import capability, settings
from common.receiver import Received
from proxy.link import Link, Match, writes, written
from proxy.wires import Unit

from faults.cases import case
from faults.cases.posted import finish, has_sprung, schedule
from faults.cases.trust import waybill, words, write_config
from faults.cases.webhooks import CLIENT, Endpoints, about
from faults.process import Process, eventually
from faults.run import Run
from faults.servers.ports import free_ports

EVENTS = {"received": 1, "displayed": 2, "opened": 3, "acknowledged": 4, "dismissed": 5}


class Devices:
    """`waybill serve` that takes receipts, and what is stored of them."""

    def __init__(self, run: Run, fcm: tuple = ()) -> None:
        self.folder = run.servers_folder
        self.folder.mkdir(parents=True, exist_ok=True)
        run.open(more={"receipts": settings(self.folder), "lanes": [{"receipt": True}]}, fcm=fcm)
        run.start()
        self.run = run
        (self.port,) = free_ports(1)
        self.config = write_config(run, "serve", receipts=settings(self.folder), serve={"listen": f"127.0.0.1:{self.port}"})
        self.stored = run.deliveries.database.delivery_receipts
        self.server = self.start()

    def start(self) -> Process:
        command = [self.run.programs.waybill, "serve", "--config", str(self.config)]
        server = Process("waybill serve", command, self.run.folder / "serve.log")
        self.run.at_close(server.kill)
        eventually("it listens", lambda: self.status({}) == 400, 30)
        return server

    def status(self, body: Any) -> int:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/receipts", data=json.dumps(body).encode(), method="POST"
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def said(self) -> dict[str, set[str]]:
        """What is stored, by notification; each document's key must be its content."""
        found: dict[str, set[str]] = {}
        for document in self.stored.find():
            id, event = document["notification"], document["event"]
            assert document["_id"] == id.bytes + bytes([EVENTS[event]]), document
            assert not {"ip", "address", "device_token", "cap"} & document.keys(), document
            found.setdefault(str(id), set()).add(event)
        return found

    def arrived(self) -> list[Arrival]:
        """What came to phones and asks for receipts, when the simulator has written down all of it."""
        asking = {"outcome": "accepted", "message": {"$regex": "^Parcel"}}  # built of a text; a payload is not touched
        wanted = {str(record["_id"]) for record in self.run.deliveries.find(asking)}
        eventually("its pushes are written down", lambda: wanted <= {one.id for one in self._read()}, 30)
        found = self._read()
        assert {one.id for one in found} == wanted, "something else carries a capability"
        return found

    def _read(self) -> list[Arrival]:
        lines = [line for record in self.run.simulator.records for line in record.read_text().splitlines(True)]
        lines = [line for line in lines if line.endswith("\n")]
        return [one for line in lines if (one := arrival(json.loads(line)))]


@case("receipts")
def phones_answer(run: Run) -> None:
    """pushes with capabilities; phones answer while serve is killed; nothing that was taken is missing; stories tell it"""
    devices = Devices(run)
    over = threading.Event()
    phones = Phones("127.0.0.1", devices.port, Habits(opens=0.5, acknowledges=0.3, offline=0.3), seed=run.seed)
    reading = threading.Thread(target=lambda: phones.arrive(follow(run.simulator.records, over.is_set)), daemon=True)
    reading.start()
    run.issue(10 if run.quick else 40, 50)
    eventually("some have answered", lambda: len(phones.said) > 50, 60)
    devices.server.kill()
    devices.start()
    run.await_final()
    devices.arrived()
    over.set()
    reading.join()
    phones.finish()
    assert not phones.lost, (phones.statuses, phones.lost[:3])
    said = devices.said()
    missing = {id for id, events in phones.said.items() if not events <= said.get(id, set())}
    assert not missing, f"taken and not stored: {sorted(missing)[:5]}"
    # What was stored and not answered before the kill was said again: nothing is more than was said.
    assert said == phones.said, "stored, and never said"
    log = {str(record["_id"]): record for record in run.deliveries.find()}
    assert said.keys() <= log.keys(), "of a notification that is not in the log"
    # Neither the log nor any message holds a capability.
    assert not [id for id, record in log.items() if "wb_rcpt" in record.get("message", "")]
    is_told(run, devices, said, log)
    run.notes.append(f"{sum(map(len, said.values()))} receipts of {len(said)} notifications, {dict(phones.statuses)}")


@case("receipts", long=True, later=True)
def phones_as_a_program(run: Run) -> None:
    """scripts/phones.sh plays the phones of a lane to each provider: what it says it has said is what is stored"""
    devices = Devices(run, fcm=("android",))
    records = [run.simulators[lane].records[0] for lane in ("parcels", "android")]
    command = [str(ROOT / "scripts/phones.sh"), "--serve", f"http://127.0.0.1:{devices.port}", "--idle", "4"]
    command += [word for record in records for word in ("--record", str(record))]
    command += ["--opens", "0.5", "--acknowledges", "0.5", "--seed", str(run.seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        run.at_close(program.kill)
        for _ in range(4):
            run.issue(1, 50, form="envelope")
            run.issue(1, 50, lane="android", form="envelope", defaults={"receipt": True, "delivery_type": "critical"})
        run.await_final()
        words, complaints = program.communicate(timeout=90)
    assert program.returncode == 0, complaints
    counts = json.loads(words)
    asking = {"outcome": "accepted", "message": {"$regex": "^Parcel"}}
    for kind, lane in {"ios": "parcels", "android": "android"}.items():
        wanted = run.deliveries.count_documents({**asking, "lane": lane})
        assert counts["arrived"][kind] == wanted, (counts, lane, wanted)
    stored = Counter(event for events in devices.said().values() for event in events)
    assert counts["said"] == dict(stored) and stored["acknowledged"] > 20, (counts, stored)
    assert counts["given_up"] == 0 and set(counts["answers"]) == {"204"}, counts
    away = [
        str(ROOT / "scripts/phones.sh"),
        "--serve",
        "http://127.0.0.1:1",
        "--idle",
        "0",
        "--record",
        str(run.folder / "none"),
    ]
    mistaken = subprocess.run(away, capture_output=True, text=True, timeout=60)
    assert mistaken.returncode == 1 and "none: there is no such record" in mistaken.stderr, mistaken


def is_told(run: Run, devices: Devices, said: dict[str, set[str]], log: dict[str, dict]) -> None:
    """Story, log and batch tell what is stored."""
    id = next(id for id, events in said.items() if "acknowledged" in events)
    for command in (["explain", "--json", id], ["logs", "--story", "--apns-id", id]):
        done = waybill(run, devices.config, *command)
        assert done.returncode == 0, done.stderr.decode()
        for event in said[id]:
            assert event in done.stdout.decode(), (command, event, done.stdout.decode())
    batch = log[id]["batch_id"]
    ids = [each for each, record in log.items() if record["batch_id"] == batch]
    done = waybill(run, devices.config, "explain", "--json", "--as", "batch", batch)
    counted = json.loads(done.stdout)["receipts"]
    wanted = {event: sum(event in said.get(each, set()) for each in ids) for event in EVENTS}
    assert counted == {"arrived": sum(each in said for each in ids)} | wanted, (counted, wanted)


@case("receipts", later=True)
def forged_receipts_change_nothing(run: Run) -> None:
    """forged, swapped, late, replayed and flooded receipts: nothing is stored, nobody is kept out, no outcome moves"""
    devices = Devices(run)
    run.issue(4, 50)
    run.await_final()
    arrived = devices.arrived()
    first, second = arrived[0], arrived[1]
    before = {str(record["_id"]): record for record in run.deliveries.find()}
    # Its last letter has two bits alone.
    changed = first.capability[:-2] + ("B" if first.capability[-2] == "A" else "A") + first.capability[-1]
    unborn = str(uuid.UUID(int=run.random.getrandbits(128), version=4))
    forged = {
        "of another": receipt(Arrival("ios", second.id, first.capability, True), "acknowledged"),
        "with another secret": {"id": first.id, "cap": capability(first.id, secret="x" * 40), "event": "acknowledged"},
        "with a key that is gone": {"id": first.id, "cap": capability(first.id, "k0", "0" * 40), "event": "acknowledged"},
        "changed": {"id": first.id, "cap": changed, "event": "acknowledged"},
        "of nothing": {"id": unborn, "cap": first.capability, "event": "opened"},
    }
    for what, body in forged.items():
        assert devices.status(body) == 403, what
    assert devices.status({"id": first.id, "cap": capability(first.id, lifetime=-5), "event": "opened"}) == 410
    assert devices.said() == {}
    # The key before the current one is live, and made by another program.
    assert devices.status({"id": second.id, "cap": capability(second.id, "k1"), "event": "opened"}) == 204
    flood(devices, first, run.random)
    assert devices.status(receipt(arrived[2], "received")) == 204, "a flood of others keeps a phone out"
    said = devices.said()
    assert said == {first.id: {"opened"}, second.id: {"opened"}, arrived[2].id: {"received"}}, said
    # Whatever time is said again, the first word stands.
    document = devices.stored.find_one({"notification": uuid.UUID(first.id)})
    assert document["device_time"].year < 2030, document
    assert {str(record["_id"]): record for record in run.deliveries.find()} == before, "a receipt has changed a record"


def flood(devices: Devices, one: Arrival, chance: random.Random) -> None:
    """Thousands of guesses from one place, and one good receipt again and again with other times."""
    post = Post("127.0.0.1", devices.port)
    assert post(receipt(one, "opened"))[0] == 204
    answers = [post(receipt(one, "opened", at=4_000_000_000_000))[0] for _ in range(100)]
    assert set(answers) == {204, 429}, set(answers)
    statuses = set()
    for number in range(400):
        guess = {"id": one.id, "cap": one.capability[:-22] + f"{chance.getrandbits(128):022x}"[:22], "event": "acknowledged"}
        body = [guess] * 50 if number % 10 == 0 else guess
        statuses.add(post(body)[0])
    assert statuses == {403, 429}, statuses


@case("receipts", quick=False)
def keys_are_rotated_under_load(run: Run) -> None:
    """a new key for dispatchers and serve, then the old one goes: what the old one made is taken as long as it is live"""
    devices = Devices(run)
    run.issue(2, 50)
    run.await_final()
    old = devices.arrived()[0]
    settings(devices.folder, {"k3": "3" * 40, "k2": "2" * 40})
    assert devices.server.end() == 0
    devices.server = devices.start()
    assert devices.status(receipt(old, "received")) == 204
    settings(devices.folder, {"k3": "3" * 40})
    assert devices.server.end() == 0
    devices.server = devices.start()
    assert devices.status(receipt(old, "opened")) == 403
    assert devices.said()[old.id] == {"received"}


@case("receipts", later=True)
def webhooks_tell_receipts(run: Run) -> None:
    """endpoints hear what devices of their client have said, signed and under one id each, though hooks is killed"""
    devices = Devices(run)
    endpoints = Endpoints(run)
    endpoints.config.write_text(
        json.dumps(json.loads(endpoints.config.read_text()) | {"receipts": settings(run.servers_folder)})
    )
    events = ("notification.received", "notification.acknowledged")
    listening = endpoints.add("/ok/all", *(word for event in events for word in ("--event", event)))
    endpoints.add("/ok/deaf", "--event", "notification.accepted")
    run.issue(1, 40, client=CLIENT)
    run.issue(1, 20)
    run.await_final()
    own = {str(record["_id"]) for record in run.deliveries.find({"client": CLIENT})}
    arrived = devices.arrived()
    hooks = endpoints.start()
    for number, one in enumerate(arrived):
        if number == len(arrived) // 2:
            hooks.kill()
        assert devices.status(receipt(one, "received")) == 204
        assert devices.status(receipt(one, "acknowledged")) == 204
        assert devices.status(receipt(one, "opened")) == 204
    heir = endpoints.start("heir")
    wanted = {one.id for one in arrived if one.id in own}
    assert wanted and len(wanted) < len(arrived), "both have some"
    endpoints.until("all is told", lambda: all(about(told(endpoints), event) >= wanted for event in events))
    for event in events:
        assert about(told(endpoints), event) == wanted, "what is another's was told"
    # Told again after the kill it has the id that it had.
    assert len({request.id for request in told(endpoints)}) == len(events) * len(wanted)
    assert all(request.is_signed_by(endpoints.secrets[listening]) for request in told(endpoints))
    assert {request.event["type"] for request in told(endpoints)} == set(events)
    assert {request.event["type"] for request in endpoints.receiver.of("/ok/deaf")} <= {"notification.accepted"}
    assert heir.end() == 0
    endpoints.says_nothing()


def told(endpoints: Endpoints) -> list[Received]:
    return endpoints.receiver.of("/ok/all")


@case("receipts", repeat=5, later=True)
def repeats_killed_at_each_step(run: Run) -> None:
    """kill -9 of schedule before and after the claim, the publication and its note: each repeat has one record and one push"""
    folder = run.servers_folder
    folder.mkdir(parents=True, exist_ok=True)
    more = {"receipts": settings(folder)}
    run.open(more=more)
    run.start_dispatcher()
    families = run.deliveries.database.unacknowledged
    tokens = []
    for number, (server, match) in enumerate(steps()):
        way = run.new_path(more=more)
        tokens.append(run.producer.token())
        alarm(run, f"alarm-{number}", tokens[-1])
        if number == 0:
            said = json.loads(waybill(run, way.config, "status", "--json").stdout)["findings"]
            assert "no_schedule" in {finding["kind"] for finding in said}, f"nobody misses schedule: {said}"
            checked = words(waybill(run, way.config, "check"))
            assert "no waybill schedule runs" in checked, f"check does not: {checked}"
        victim = schedule(run, way.config, f"victim-{number}")
        trap = getattr(way, server).trap(match, victim.kill)
        # Nobody waits for half a minute: one second from one push to the next.
        families.update_many({"number": 0, "interval": 30}, {"$set": {"interval": 1, "due": datetime.now(UTC)}})
        eventually(f"step {number} is reached", partial(has_sprung, trap), 30)
        victim.wait()
        way.heal()
    config = write_config(run, "heirs", **more)
    heirs = [schedule(run, config, f"heir-{number}") for number in range(2)]
    eventually("all have ended", lambda: families.count_documents({"end": "limit"}) == len(tokens), 60)
    for number in range(len(tokens)):
        found = list(run.deliveries.find({"batch_id": f"alarm-{number}"}))
        first = next(record["_id"] for record in found if "family" not in record)
        repeats = [record["family"] for record in found if "family" in record]
        assert repeats == [{"first": first, "number": 1, "of": 1}], f"step {number}: {found}"
        assert {record["outcome"] for record in found} == {"accepted"}, f"step {number}: {found}"
    families.delete_many({})
    finish(run, heirs, tokens, 2 * len(tokens))


def steps() -> tuple[tuple[str, Match], ...]:
    """Where schedule is killed: at the claim and its answer, at the publication and its confirm, and at its note."""
    published: set[int] = set()

    def is_published(link: Link, direction: str, unit: Unit) -> bool:
        """No question to nobody, by which it learns how the broker does."""
        return direction == "up" and unit.kind == "basic.publish" and b".retry" in unit.data

    def is_confirmed(link: Link, direction: str, unit: Unit) -> bool:
        if is_published(link, direction, unit):
            published.add(id(link))
        return direction == "down" and unit.kind == "basic.ack" and id(link) in published

    return (
        ("store", writes("findAndModify", "unacknowledged")),
        ("store", written("findAndModify", "unacknowledged")),
        ("broker", is_published),
        ("broker", is_confirmed),
        ("store", writes("update", "unacknowledged")),
    )


def alarm(run: Run, name: str, token: str) -> None:
    """A critical notification that is to be sent again once, and is accepted."""
    again = {"repeat_until_acknowledged": {"interval": 30, "limit": 1}}
    item = {"device_token": token, "message": "fire", "delivery_type": "critical", "receipt": True} | again
    body = json.dumps({"batch_id": name, "notifications": [item]}).encode()
    connection = run.services.connect_broker()
    properties = pika.BasicProperties(delivery_mode=2, timestamp=int(time.time()))
    connection.channel().basic_publish("", f"{run.prefix}.dispatch", body, properties)
    connection.close()
    accepted = {"batch_id": name, "outcome": "accepted"}
    eventually("it is accepted", lambda: run.deliveries.count_documents(accepted) == 1, 30)
