"""What services say to people who have phones of both kinds, and who is killed meanwhile."""

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from faults.app import App
from faults.cases import case
from faults.cases.audiences import fanout
from faults.cases.notifire import served
from faults.cases.posted import schedule
from faults.cases.webhooks import Owner
from faults.oracle.ledger import FINAL
from faults.process import Process, eventually
from faults.product import Simulator
from faults.rights.ask import ask
from faults.run import Run
from faults.servers.ports import free_ports

LANE = "android"
# As the key of the lane has it.
PROJECT = "waybill-demo"
TYPES = {"info": "normal", "warning": "normal", "error": "time_sensitive", "critical": "critical"}
SHOWN = ("info", "warning")


@dataclass
class Phones:
    """What a person's phones are known by: an iPhone, and two Android phones."""

    apple: str
    registration: str = "phone-1:APA91bEXAMPLE"
    installation: str = "cXyZ0123456789abcdefgh"
    ids: list[str] = field(default_factory=lambda: [f"5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E1{number}" for number in range(3)])

    @property
    def all(self) -> set[str]:
        return {self.apple, self.registration, self.installation}

    @property
    def bodies(self) -> dict[str, dict[str, str]]:
        """What each registers as, by its id."""
        forms = (
            {"token": self.apple},
            {"provider": "fcm", "token": self.registration},
            {"provider": "fcm", "token": self.installation, "token_kind": "installation"},
        )
        return dict(zip(self.ids, forms, strict=True))


@dataclass(frozen=True)
class Heard:
    """One push that has come to a phone."""

    text: str
    phone: str
    id: str
    content: dict[str, Any]


def pushes(simulator: Simulator) -> list[dict[str, Any]]:
    lines = [line for file in simulator.records for line in file.read_text().splitlines(keepends=True)]
    return [json.loads(line) for line in lines if line.endswith("\n")]


def heard(run: Run, text: str) -> list[Heard]:
    """What has come to phones of both kinds, of what begins so; a silent push has an empty text."""
    found = []
    for push in pushes(run.simulator):
        payload = json.loads(push["payload"])
        words = payload["aps"].get("alert", {}).get("body", "")
        found.append(Heard(words, push["device_token"], push["headers"]["apns-id"], payload))
    for push in pushes(run.simulators[LANE]):
        if push.get("path") == "/token":
            continue
        message = json.loads(push["payload"])["message"]
        data = message["data"]
        words = message.get("notification", data).get("body", "")
        found.append(Heard(words, message.get("token") or message["fid"], data["wb_id"], message))
    return [one for one in found if one.text.startswith(text) and bool(one.text) == bool(text)]


def have_heard(run: Run, text: str, count: int) -> bool:
    return len(heard(run, text)) == count


def opened(run: Run) -> tuple[Process, App, Owner, Phones]:
    """The product with a lane for each kind of phone, and somebody who has both."""
    run.open(fcm=(LANE,))
    (port,) = free_ports(1)
    server = served(run, port, queues={"fcm": {"project": PROJECT, "lane": LANE}})
    app = App(port)
    anna = Owner(run, app, "anna")
    phones = Phones(run.producer.token())
    for id, body in phones.bodies.items():
        anna.ask("PUT", f"/v1/account/devices/{id}", 204, body)
    anna.ask("PUT", f"/v1/services/{anna.service}/membership", 200, {"levels": list(TYPES)})
    return server, app, anna, phones


def left(run: Run) -> None:
    for process in run.running():
        process.end()
    run.forget_records()
    # What was pushed here is nobody's issue.
    for simulator in run.simulators.values():
        simulator.stop()
        simulator.records[-1].write_text("")
        simulator.start()
    run.start()


def key_of(anna: Owner, *scopes: str) -> str:
    body = {"name": "job", "scopes": list(scopes)}
    return anna.ask("POST", f"/v1/services/{anna.service}/keys", 201, body)["secret"]


@case("android", long=True, later=True)
def services_reach_phones_of_both_kinds(run: Run) -> None:
    """what a service says reaches a person's iPhone and Android phones in one batch, and a mute or a read holds on all"""
    server, app, anna, phones = opened(run)
    run.start_dispatcher()
    key = key_of(anna, "notify", "notify:critical", "read")

    def say(level: str, text: str, **more: Any) -> str:
        status, answer = ask(app.port, "/v1/notifications", key, "POST", {"level": level, "body": text, **more})
        assert status == 202, (status, answer)
        return json.loads(answer)["id"]

    def done(id: str) -> dict[str, Any]:
        """What became of a notification, at its end."""
        found: dict[str, Any] = {}

        def ended() -> bool:
            found.update(json.loads(ask(app.port, f"/v1/notifications/{id}?include=deliveries", key)[1]))
            return found["state"] in ("done", "no_device")

        eventually("all of it has ended", ended, 30, 0.1)
        return found

    said = {level: say(level, f"level {level}", data={"n": 7}) for level in TYPES}
    for level, id in said.items():
        state = done(id)
        assert state["outcomes"] == {"accepted": 3}, state
        assert {one["device_token"] for one in state["deliveries"]} == {f"…{phone[-4:]}" for phone in phones.all}, state
        eventually("all phones have heard it", partial(have_heard, run, f"level {level}", 3), 30)
        for push in heard(run, f"level {level}"):
            examine(push, level, id, anna.service, phones)
        explained = run_explain(run, id)
        assert "3 devices" in explained, explained

    # The thesis' API is for Apple's phones alone.
    keys = anna.ask("GET", f"/v1/services/{anna.service}/keys", 200)["keys"]
    assert any(one["id"] == "derived" for one in keys), keys
    login = app.log_in("anna", "12345").payload["accessToken"]
    (service,) = app.services(login).json()
    assert app.notify(service["apiKey"], 3, "by the thesis").status == 204
    eventually("the iPhone has heard it", lambda: heard(run, "by the thesis"), 30)

    # Read on the iPhone: the Android phones take it away, and nobody sees that.
    anna.ask("PUT", f"/v1/notifications/{said['error']}/read", 200, {"device": phones.ids[0]})
    eventually("the others hear of it", lambda: len(heard(run, "")) == 2, 30)
    for push in heard(run, ""):
        assert push.phone != phones.apple and "notification" not in push.content, push
        assert json.loads(push.content["data"]["read"])["notification"] == said["error"], push

    # A document in the store is said to the same people.
    config = run.folder / "notifire.json"
    workers = [fanout(run, config, 0), schedule(run, config, "both")]
    posted = {"_id": "gates", "service": anna.service, "level": "error", "body": "posted"}
    run.deliveries.database.notifications.insert_one(posted)
    eventually("all phones have heard it", lambda: len(heard(run, "posted")) == 3, 60)
    for push in heard(run, "posted"):
        examine(push, "error", "gates", anna.service, phones)
    for worker in workers:
        assert worker.end() == 0, worker.words[-500:]

    # Muted on one is muted on all; so is logged out, of one alone.
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    membership = f"/v1/services/{anna.service}/membership"
    anna.ask("PUT", membership, 200, {"levels": list(TYPES), "muted_until": until})
    state = done(say("error", "muted"))
    assert (state["state"], state["suppressed"]) == ("no_device", 1), state
    anna.ask("PUT", membership, 200, {"levels": list(TYPES)})
    anna.ask("DELETE", f"/v1/account/devices/{phones.ids[1]}", 204)
    assert done(say("error", "without one"))["outcomes"] == {"accepted": 2}
    eventually("the others have heard it", lambda: len(heard(run, "without one")) == 2, 30)
    assert {push.phone for push in heard(run, "without one")} == {phones.apple, phones.installation}
    assert [push.phone for push in heard(run, "by the thesis")] == [phones.apple]
    assert not heard(run, "muted")
    assert server.end() == 0
    words = (run.folder / "serve.log").read_text() + (run.folder / "dispatch.log").read_text()
    assert not [phone for phone in phones.all if phone in words], "a token is in a log"
    left(run)


def run_explain(run: Run, id: str) -> str:
    command = [run.programs.waybill, "explain", id, "--config", str(run.folder / "notifire.json")]
    return subprocess.run(command, capture_output=True, timeout=60).stdout.decode()


def examine(push: Heard, level: str, id: str, service: str, phones: Phones) -> None:
    """Holds that a push has the form of its phone, for its level."""
    if push.phone == phones.apple:
        said, title = push.content["notification"], push.content["aps"]["alert"]["title"]
    else:
        data = push.content["data"]
        said = json.loads(data["notification"])
        assert data["wb_type"] == TYPES[level], push
        assert ("notification" in push.content) == (level in SHOWN), push
        assert push.content["android"]["priority"] == "HIGH", push
        assert ("fid" in push.content) == (push.phone == phones.installation), push
        title = push.content.get("notification", data)["title"]
    assert title == "anna", push
    assert (said["id"], said["level"], said["serviceUUID"]) == (id, level, service), push


@case("android", repeat=3, long=True, later=True)
def services_reach_both_kinds_killed(run: Run) -> None:
    """serve and the dispatcher killed while a service tells phones of both kinds: one notification, a record for each phone"""
    server, app, anna, phones = opened(run)
    dispatcher = run.start_dispatcher()
    key = key_of(anna, "notify")
    rounds, jobs = (3, 30) if run.quick else (10, 100)
    ids: dict[str, str] = {}
    for turn in range(rounds):
        kill = run.random.randrange(jobs)
        for number in range(jobs):
            text = f"job {turn}.{number}"
            if number == kill:
                server.kill()
                server.wait()
                dispatcher.kill()
                run.crashed(dispatcher)
                server = served(run, app.port, queues={"fcm": {"project": PROJECT, "lane": LANE}})
                dispatcher = run.start_dispatcher()
            eventually("it is taken", taken(app, key, text, ids), 60, 0.2)
    wanted = {(text, phone) for text in ids for phone in phones.all}

    def found() -> dict[tuple[str, str], set[str]]:
        told: dict[tuple[str, str], set[str]] = {}
        for push in heard(run, "job"):
            told.setdefault((push.text, push.phone), set()).add(push.id)
        return told

    eventually("all phones have heard everything", lambda: found().keys() >= wanted, 90, 0.2)
    assert found().keys() == wanted, found().keys() ^ wanted
    # What goes twice after a kill has the id that it had.
    twice = {name: names for name, names in found().items() if len(names) != 1}
    assert not twice, twice
    final = {"batch_id": {"$in": list(ids.values())}, "outcome": {"$in": sorted(FINAL)}}
    eventually("all is recorded", lambda: run.deliveries.count_documents(final) == len(wanted), 30)
    repeats = len(heard(run, "job")) - len(wanted)
    run.notes.append(f"{rounds} kills, {len(ids)} notifications, {repeats} pushed twice")
    assert server.end() == 0
    left(run)


def taken(app: App, key: str, text: str, ids: dict[str, str]) -> Callable[[], bool]:
    """Asks for a notification under a name of its own, and notes its id: the same at every answer."""

    def asked() -> bool:
        body = json.dumps({"level": "error", "body": text}).encode()
        headers = {"Idempotency-Key": f'"{text}"', "Content-Type": "application/json"}
        try:
            answer = app.ask("POST", "/v1/notifications", body, f"Bearer {key}", headers)
        except OSError:
            return False
        if answer.status != 202:
            time.sleep(0.1)
            return False
        id = answer.json()["id"]
        assert ids.setdefault(text, id) == id, f"{text} is two notifications"
        return True

    return asked
