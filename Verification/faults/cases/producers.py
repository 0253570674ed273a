"""A service's request whose server is killed at each of its steps, and what its producer does then."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from proxy import wires
from proxy.link import Link, Match, is_method, writes, written
from proxy.server import Proxy
from proxy.wires import Unit

from faults.app import Answer, App
from faults.cases import case
from faults.cases.api import listens
from faults.cases.notifire import entered, heard, left, text_of
from faults.frontdoor import accounts
from faults.process import Process, eventually
from faults.run import Run
from faults.servers.ports import free_ports

TAKEN = (202, 204)


def is_answer(link: Link, direction: str, unit: Unit) -> bool:
    return direction == "down"


# By name: the proxy that sees the step, and what it sees. In the order of a request.
NAMING: dict[str, tuple[str, Callable[[], Match]]] = {
    "name-withheld": ("store", lambda: writes("insert", "idempotency")),
    "name-unanswered": ("store", lambda: written("insert", "idempotency")),
}
STEPS: dict[str, tuple[str, Callable[[], Match]]] = {
    "withheld": ("store", lambda: writes("insert", "notifications")),
    "stored": ("store", lambda: written("insert", "notifications")),
    "receipts-withheld": ("store", lambda: writes("insert", "receipts")),
    "events-unanswered": ("store", lambda: written("insert", "account_events")),
    "message-withheld": ("broker", lambda: is_method("basic.publish", "serve", "up")),
    "message-unconfirmed": ("broker", lambda: is_method("basic.ack", "serve", "down")),
    "answer-withheld": ("http", lambda: is_answer),
    "note-withheld": ("store", lambda: writes("update", "notifications", b"sent_at")),
}
# What nobody has been told of, and is nowhere.
BEFORE_THE_STORE = {*NAMING, "withheld"}


class Door:
    """`waybill serve` behind proxies, a person with two phones, and what their service says."""

    def __init__(self, run: Run) -> None:
        run.open()
        self.run = run
        (self.port,) = free_ports(1)
        self.path = run.new_path()
        self.http = Proxy("http", self.port, wires.Plain, run.seed)
        run.at_close(self.http.close)
        self.notifications = run.deliveries.database["notifications"]
        self._starts = 0
        first = self.start(run.direct.read_text())
        app = App(self.port)
        access = entered(run, app, "anna")
        self.phones = {run.producer.token() for _ in range(2)}
        for phone in self.phones:
            assert app.device(access, phone, True).status == 204
        self.old_key = app.create(access, "Jobs").json()["apiKey"]
        token = app.send("POST", "/v1/account/sessions", {"username": "anna", "password": "12345"}, None, typed=True)
        bearer = f"Bearer {token.json()['access_token']}"
        service = app.send("POST", "/v1/services", {"name": "Works"}, bearer, typed=True).json()["id"]
        made = app.send("POST", f"/v1/services/{service}/keys", {"name": "jobs"}, bearer, typed=True)
        self.key = made.json()["secret"]
        assert first.end() == 0
        run.start_dispatcher()

    def start(self, configuration: str) -> Process:
        """A server, which takes what services say."""
        self._starts += 1
        config = self.run.folder / f"serve-{self._starts}.json"
        config.touch(mode=0o600)
        serve = {"listen": f"127.0.0.1:{self.port}", **accounts(self.run.folder)}
        config.write_text(json.dumps({**json.loads(configuration), "serve": serve}))
        arguments = [self.run.programs.waybill, "serve", "--config", str(config)]
        server = Process("waybill serve", arguments, self.run.folder / "serve.log")
        self.run.at_close(server.kill)
        eventually("it listens", lambda: listens(self.port), 30)
        return server

    def ask_first(self, port: int, text: str, name: str | None) -> Answer:
        """The API of the thesis, with its key."""
        body = json.dumps({"serviceKey": self.old_key, "level": 1, "body": text})
        return App(port).ask("POST", "/notify", body.encode(), headers={"Idempotency-Key": name} if name else None)

    def ask_second(self, port: int, text: str, name: str | None) -> Answer:
        """Our own."""
        headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": f'"{name}"'} if name else {})
        body = json.dumps({"level": "info", "body": text})
        return App(port).ask("POST", "/v1/notifications", body.encode(), f"Bearer {self.key}", headers)

    def one(self, text: str) -> dict[str, Any]:
        """The only notification with this text."""
        found = list(self.notifications.find({"body": text}))
        assert len(found) == 1, f"{text}: {len(found)} notifications"
        return found[0]

    def is_sent(self, text: str) -> bool:
        return self.notifications.count_documents({"body": text, "state": "sent"}) == 1

    def kill_at(self, step: str, server: str, match: Match, ask: Callable[[int], Answer]) -> None:
        """Starts a server, which is killed at a step of a request."""
        victim = self.start(self.path.config.read_text())
        text = f"before {step}."
        eventually("it takes requests", lambda: self.ask_first(self.port, text, text).status == 204, 30)
        eventually("and has noted it", partial(self.is_sent, text), 30)
        trap = (self.http if server == "http" else getattr(self.path, server)).trap(match, victim.kill)
        producer = threading.Thread(target=self._unheard, args=(ask,), daemon=True)
        producer.start()
        eventually(f"{step} is reached", lambda: trap.fired, 30, 0.01)
        victim.wait()
        self.path.heal()
        self.http.heal()
        producer.join(20)

    def _unheard(self, ask: Callable[[int], Answer]) -> None:
        try:
            ask(self.http.port)
        except OSError:
            pass

    def judge(self, text: str) -> None:
        """One notification, a record for each phone, and a second push only with its mark; it is listed once."""
        one = self.one(text)
        found = list(self.run.deliveries.find({"batch_id": one["_id"]}))
        assert sorted(record["device_token"] for record in found) == sorted(self.phones), f"{text}: {found}"
        assert {(record["outcome"], record["client"]) for record in found} == {("accepted", "notices")}, f"{text}: {found}"
        pushes = Counter(push["device_token"] for push in heard(self.run, text) if text_of(push) == text)
        for record in found:
            times = pushes[record["device_token"]]
            assert times == 1 or times > 1 and record.get("repeat"), f"{text}: {times} pushes, {record}"
        for collection in ("receipts", "account_events"):
            known = self.run.deliveries.database[collection].count_documents({"_id": {"$regex": one["_id"]}})
            assert known == 1, f"{text}: {known} in {collection}"

    def is_final(self, text: str) -> bool:
        final = {"batch_id": self.one(text)["_id"], "outcome": {"$ne": "deferred"}}
        return self.is_sent(text) and self.run.deliveries.count_documents(final) == len(self.phones)

    def close(self, heir: Process, texts: list[str]) -> None:
        """Ends everything, and judges what has come of these."""
        for text in texts:
            eventually(f"{text} is final", partial(self.is_final, text), 60)
        assert heir.end() == 0, heir.words[-500:]
        for dispatcher in self.run.running():
            assert dispatcher.end() == 0, "the dispatcher did not end in order"
        self.run.simulator.stop()  # its record is complete then
        for text in texts:
            self.judge(text)
        twice = self.run.deliveries.count_documents({"repeat": True})
        self.run.notes.append(f"{len(texts)} notifications, {twice} marked as repeats")
        left(self.run)


def killed_and_repeated(run: Run, steps: dict[str, tuple[str, Callable[[], Match]]], ask: Callable) -> None:
    """Each request is made again under its name until it is taken."""
    door = Door(run)
    texts = [f"{step}." for step in steps]
    for text, (step, (server, match)) in zip(texts, steps.items(), strict=True):
        door.kill_at(step, server, match(), partial(ask, door, text=text, name=text))
    heir = door.start(run.direct.read_text())
    for text in texts:
        eventually(f"{text} is taken", lambda: ask(door, door.port, text, text).status in TAKEN, 20, 0.2)
        answer = ask(door, door.port, text, text)
        if answer.status == 202:
            assert answer.json()["id"] == door.one(text)["_id"], answer
            assert answer.headers["idempotency-replayed"] == "true", answer.headers
    door.close(heir, texts)


@case("producers", repeat=3, quick=False)
def request_killed_at_each_step(run: Run) -> None:
    """kill -9 of serve at each step of POST /v1/notifications: its producer asks again under the same name"""
    killed_and_repeated(run, NAMING | STEPS, Door.ask_second)


@case("producers", repeat=3, quick=False)
def notify_killed_at_each_step(run: Run) -> None:
    """kill -9 of serve at each step of POST /notify: its producer asks again under the same name"""
    killed_and_repeated(run, STEPS, Door.ask_first)


@case("producers", repeat=3, quick=False)
def notify_killed_and_not_repeated(run: Run) -> None:
    """the same, and the producer asks once, as the thesis' program does: what was stored is pushed, what was not is nowhere"""
    door = Door(run)
    for step, (server, match) in STEPS.items():
        door.kill_at(step, server, match(), partial(door.ask_first, text=f"{step}.", name=None))
    heir = door.start(run.direct.read_text())
    stored = [f"{step}." for step in STEPS if step not in BEFORE_THE_STORE]
    for text in stored:
        eventually(f"{text} is handed over", partial(door.is_sent, text), 20, 0.2)
    for step in STEPS.keys() & BEFORE_THE_STORE:
        assert door.notifications.count_documents({"body": f"{step}."}) == 0, step
        assert heard(run, f"{step}.") == [], step
    door.close(heir, stored)
