"""Endpoints that are told what became of notifications: honest, slow, hostile ones, and who is killed while it tells them."""

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from common.certificates import Authority
from common.receiver import Received, Receiver

from faults.app import App
from faults.cases import case
from faults.cases.health import Admin
from faults.cases.notifire import entered, left, opened, served
from faults.cases.posted import schedule
from faults.cases.trust import waybill, write_config
from faults.process import Process, eventually
from faults.rights.ask import ask
from faults.run import Run
from faults.servers.ports import free_ports

CLIENT = "acme"
# A name whose address the case changes.
REBOUND = "rebound.example.com"
TYPES = {"accepted": "notification.accepted", "token_invalid": "notification.rejected", "rejected": "notification.rejected"}


class Endpoints:
    """A receiver, a configuration that may reach it, and the endpoints that were made."""

    def __init__(self, run: Run) -> None:
        if not run.running():
            run.open()
            run.start()
        self.run = run
        authority = Authority(run.folder / "authority")
        port, self.admin = free_ports(2)
        names = f"DNS:localhost,DNS:{REBOUND},IP:127.0.0.1"
        self.certificate = authority.issue("receiver", names)
        self.receiver = Receiver(self.certificate, port)
        run.at_close(self.receiver.stop)
        networks = dict.fromkeys(("allow_networks", "allow_networks_of_services"), ["127.0.0.1/32"])
        settings = {**networks, "ca_file": str(authority.certificate)}
        admin = {"listen": {"hooks": f"127.0.0.1:{self.admin}"}}
        self.config = write_config(run, "webhooks", webhooks=settings, log={"level": "debug"}, admin=admin)
        self.database = run.deliveries.database
        self.secrets: dict[str, str] = {}
        self.logs: list[Path] = []

    def add(self, path: str, *more: str, host: str = "localhost", client: str = CLIENT) -> str:
        """Makes an endpoint and returns its id; its secret is kept."""
        url = f"https://{host}:{self.receiver.port}{path}"
        made = json.loads(self.say("add", url, "--client", client, "--json", *more))
        self.secrets[made["id"]] = made["secret"]
        return made["id"]

    def say(self, *words: str, status: int = 0) -> str:
        done = waybill(self.run, self.config, "webhooks", *words)
        assert done.returncode == status, (words, done.returncode, done.stderr.decode())
        return done.stdout.decode() + (done.stderr.decode() if status else "")

    def start(self, name: str = "hooks", *before: str) -> Process:
        """`before`: the program that starts it, with its arguments."""
        log = self.run.folder / f"{name}.log"
        self.logs.append(log)
        process = Process("waybill hooks", [*before, self.run.programs.waybill, "hooks", "--config", str(self.config)], log)
        self.run.at_close(process.kill)
        return process

    def attempts(self, result: str) -> int:
        """How many attempts have ended so, by the metrics of the process that listens."""
        return Admin(self.admin).total("waybill_webhooks_total", result=result)

    def state(self, id: str) -> dict:
        return self.database.webhook_endpoints.find_one({"_id": id})

    def until(self, what: str, condition: Callable[[], object], within: float = 60) -> None:
        try:
            eventually(what, condition, within, 0.05)
        except TimeoutError as error:
            raise AssertionError(f"{error}: {self.logs[-1].read_text()[-1500:]}") from error

    def outcomes(self) -> dict[str, dict]:
        """What the log says of the client's notifications, by id."""
        return {str(record["_id"]): record for record in self.database.deliveries.find({"client": CLIENT})}

    def says_nothing(self) -> None:
        """No log has a secret, a token or a URL."""
        tokens = [record["device_token"] for record in self.database.deliveries.find({"client": CLIENT}, {"device_token": 1})]
        for log in self.logs:
            words = log.read_text()
            for secret in [*self.secrets.values(), *tokens[:50], f":{self.receiver.port}/"]:
                assert secret not in words, f"{log.name} says {secret}"


def about(requests: list[Received], type: str) -> set[str]:
    """The notifications that events of a type tell of."""
    return {request.event["data"]["notification"] for request in requests if request.event["type"] == type}


@case("webhooks", long=True)
def webhooks_tell_how_it_ended(run: Run) -> None:
    """what ended how, signed and numbered; two secrets in a rotation; again by replay; nothing of others"""
    endpoints = Endpoints(run)
    receiver = endpoints.receiver
    everything = endpoints.add("/ok/all")
    dead_only = endpoints.add("/ok/dead", "--event", "device.invalid")
    # What happens before anybody sends is told, too.
    run.issue(2, 50, client=CLIENT)
    run.issue(1, 50)
    run.await_final()
    hooks = endpoints.start()
    run.issue(2, 50, client=CLIENT)
    run.await_final()
    log = endpoints.outcomes()
    assert len(log) == 200, len(log)
    dead = {id for id, record in log.items() if record["outcome"] == "token_invalid"}
    count = len(log) + len(dead)
    endpoints.until("all is told", lambda: len({request.id for request in receiver.of("/ok/all")}) == count)
    endpoints.until("so is the other", lambda: len(receiver.of("/ok/dead")) >= len(dead))

    requests = receiver.of("/ok/all")
    assert len(requests) == count, "each once"
    for request in requests:
        assert request.is_signed_by(endpoints.secrets[everything]), request
        assert not request.is_signed_by(endpoints.secrets[dead_only])
        assert request.headers["content-type"] == "application/json" and "." not in request.id, request.headers
    for type in set(TYPES.values()):
        wanted = {id for id, record in log.items() if TYPES[record["outcome"]] == type}
        assert about(requests, type) == wanted, type
    assert about(requests, "device.invalid") == dead
    assert sorted(request.event["data"]["sequence"] for request in requests) == list(range(1, count + 1))
    for request in receiver.of("/ok/dead"):
        data = request.event["data"]
        token = log[data["notification"]]["device_token"]
        assert request.event["type"] == "device.invalid" and data["reason"] == "Unregistered", data
        assert data["token_sha256"] == hashlib.sha256(token.encode()).hexdigest() and token.encode() not in request.body

    # Two secrets are live for a while.
    old, new = endpoints.secrets[everything], endpoints.say("rotate", everything).strip()
    assert new.startswith("whsec_") and new != old

    def new_signs() -> bool:
        endpoints.say("test", everything)
        return receiver.of("/ok/all")[-1].is_signed_by(new)

    endpoints.until("the new secret signs", new_signs)
    assert receiver.of("/ok/all")[-1].is_signed_by(old), "so does the old one"
    endpoints.secrets[everything] = new
    endpoints.secrets["old"] = old

    # Again, under the same ids and with the same bytes.
    before = {request.id: request.body for request in requests}
    endpoints.say("replay", dead_only, "--since", "1h")
    endpoints.until("told again", lambda: len(receiver.of("/ok/dead")) >= 2 * len(dead))
    for request in receiver.of("/ok/dead"):
        assert before[request.id] == request.body, request.id
    # What was before an endpoint comes from the log.
    late = endpoints.add("/ok/late")
    endpoints.say("replay", late, "--since", "1h", "--from-log")
    endpoints.until("told from the log", lambda: {request.id for request in receiver.of("/ok/late")} == set(before))

    assert hooks.end() == 0, hooks.words[-500:]
    endpoints.says_nothing()


@case("webhooks", long=True, later=True)
def webhooks_to_hostile_endpoints(run: Run) -> None:
    """slow, endless, redirecting, gone, broken and private endpoints hold up nobody; none gets where it should not"""
    endpoints = Endpoints(run)
    receiver = endpoints.receiver
    inside = Receiver(None, receiver.port, "127.0.0.2")
    run.at_close(inside.stop)
    names = ("ok", "slow", "endless", "redirect", "gone", "busy", "broken")
    ids = {name: endpoints.add(f"/{name}") for name in names}
    ids["inside"] = endpoints.add("/inside", host="127.0.0.2")
    for url in ("http://example.com/", "https://127.1/", "https://user@example.com/", "https://example.com:22/"):
        endpoints.say("add", url, "--client", CLIENT, status=64)
    # Five days ago.
    endpoints.database.webhook_endpoints.update_one(
        {"_id": ids["broken"]}, {"$set": {"failing_since": datetime.now(UTC) - timedelta(days=5, minutes=1)}}
    )
    hooks = endpoints.start()
    run.issue(2, 50, client=CLIENT, dead=0)
    run.await_final()
    endpoints.until("the honest one is told all, whatever the others do", lambda: len(receiver.of("/ok")) == 100)
    assert not receiver.silence.is_set() and receiver.most["/slow"] <= 4, receiver.most
    endpoints.until("the endless answer counts", lambda: len({request.id for request in receiver.of("/endless")}) == 100)
    endpoints.until("too much is told later", lambda: len({request.id for request in receiver.of("/busy")}) >= 4)
    endpoints.until("gone is disabled", lambda: not endpoints.state(ids["gone"])["active"])
    endpoints.until("five days are enough", lambda: not endpoints.state(ids["broken"])["active"])
    endpoints.until("the redirect has failed", lambda: endpoints.state(ids["redirect"]).get("failing_since"))
    endpoints.until("the private one has failed", lambda: endpoints.state(ids["inside"]).get("failing_since"))
    assert "410" in endpoints.state(ids["gone"])["reason"] and "five days" in endpoints.state(ids["broken"])["reason"]
    assert len(receiver.of("/gone")) <= 8, "and told little more"
    assert not receiver.of("/elsewhere"), "no redirect is followed"
    assert inside.connections == 0, "nobody has come in"
    refused = endpoints.database.webhook_deliveries.find_one({"endpoint": ids["inside"], "attempts": {"$gt": 0}})
    assert "address" in refused["log"][0]["error"], refused
    assert endpoints.attempts("refused_address") >= 1
    waiting = endpoints.database.webhook_deliveries.find_one({"endpoint": ids["busy"], "attempts": {"$gt": 0}})
    assert waiting["log"][0]["status"] == 429, waiting
    endless = endpoints.database.webhook_deliveries.find_one({"endpoint": ids["endless"]})
    assert endless["state"] == "delivered" and receiver.bytes_said < 100 * (8 << 20), receiver.bytes_said

    status = waybill(run, endpoints.config, "status").stdout.decode()
    assert "endpoints" in status and ids["gone"] in status, status
    # Again, when somebody says so.
    told = len(receiver.of("/gone"))
    endpoints.say("enable", ids["gone"])
    endpoints.until("told again", lambda: len(receiver.of("/gone")) > told)
    endpoints.say("remove", ids["slow"])
    receiver.silence.set()
    assert hooks.end() == 0, hooks.words[-500:]
    endpoints.says_nothing()


@case("webhooks", long=True, later=True)
def webhooks_to_a_name_that_changes(run: Run) -> None:
    """a name that leads elsewhere from one event to the next reaches what is permitted, and nothing else; that is counted"""
    endpoints = Endpoints(run)
    receiver = endpoints.receiver
    inside = Receiver(endpoints.certificate, receiver.port, "127.0.0.2")
    run.at_close(inside.stop)
    hosts = run.folder / "hosts"
    hosts.write_text(f"127.0.0.1 localhost {REBOUND}\n")
    id = endpoints.add("/ok", host=REBOUND)
    # A file of names of its own, which this case changes.
    mine = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    script = 'mount --bind "$0" /etc/hosts && exec "$@"'
    hooks = endpoints.start("hooks", *mine, "bash", "-c", script, str(hosts))
    endpoints.say("test", id)
    endpoints.until("it is told where it was", lambda: len(receiver.of("/ok")) == 1)
    assert endpoints.attempts("refused_address") == 0
    hosts.write_text(f"127.0.0.2 {REBOUND}\n127.0.0.1 localhost\n")
    # Nobody keeps a connection to where it was; libcurl keeps what it has resolved for a minute.
    receiver.stop()

    def is_refused() -> bool:
        # Whether it was taken is said by its status, and it is not, for one cause and then for another.
        waybill(run, endpoints.config, "webhooks", "test", id)
        time.sleep(1)
        return endpoints.attempts("refused_address") >= 1

    endpoints.until("it is refused", is_refused, 150)
    assert inside.connections == 0, "nobody has come in"
    refused = endpoints.database.webhook_deliveries.find_one({"endpoint": id, "log.error": {"$regex": "address"}})
    assert refused and refused["state"] == "waiting", refused
    assert hooks.end() == 0, hooks.words[-500:]
    endpoints.says_nothing()


@case("webhooks", repeat=5, long=True, later=True)
def hooks_killed_while_they_tell(run: Run) -> None:
    """kill -9 at random moments, with another one beside: every event arrives, under one id and one number"""
    endpoints = Endpoints(run)
    receiver = endpoints.receiver
    endpoints.add("/ok")
    running = [endpoints.start("hooks-0"), endpoints.start("hooks-1")]
    for number in range(6 if run.quick else 20):
        run.issue(2, 50, client=CLIENT)
        if number == 2:
            # What is read of the log is more from here on.
            endpoints.add("/ok/other", client="other")
            time.sleep(3)
        if number >= 2:
            run.issue(1, 50, client="other", dead=0)
        time.sleep(run.random.uniform(0.05, 1.5))
        # Who works now is not known: one of the two, or each at something.
        victim = running.pop(run.random.randrange(2))
        victim.kill()
        victim.wait()
        running.append(endpoints.start(f"hooks-{number + 2}"))
    run.await_final()
    log = endpoints.outcomes()
    dead = sum(record["outcome"] == "token_invalid" for record in log.values())
    count = len(log) + dead

    def told(path: str) -> dict[str, set[bytes]]:
        events: dict[str, set[bytes]] = {}
        for request in receiver.of(path):
            events.setdefault(request.id, set()).add(request.body)
        return events

    endpoints.until("all is told", lambda: len(told("/ok")) == count, 120)
    others = {str(record["_id"]) for record in endpoints.database.deliveries.find({"client": "other"}, {"_id": 1})}
    endpoints.until("so are the others", lambda: about(receiver.of("/ok/other"), "notification.accepted") == others, 120)
    events = told("/ok")
    assert all(len(bodies) == 1 for bodies in events.values()), "one id, one body"
    numbers = Counter(json.loads(body)["data"]["sequence"] for (body,) in events.values())
    assert sorted(numbers) == list(range(1, count + 1)) and set(numbers.values()) == {1}, numbers
    for process in running:
        assert process.end() == 0, process.words[-500:]
    endpoints.says_nothing()


@case("webhooks", long=True)
def serve_killed_before_it_tells(run: Run) -> None:
    """kill -9 between what is stored and its event: whoever takes over tells who was not told and who acknowledged, once"""
    server, app = opened(run)
    run.start_dispatcher()
    endpoints = Endpoints(run)
    receiver = endpoints.receiver
    anna, berta = Owner(run, app, "anna"), Owner(run, app, "berta")
    made = anna.ask("POST", anna.webhooks, 201, {"url": f"https://localhost:{receiver.port}/ok/anna"})
    endpoints.secrets[made["webhook"]["id"]] = made["secret"]
    link = anna.ask("POST", f"/v1/services/{anna.service}/invitations", 201, {"role": "member"})["link"]
    berta.ask("PUT", f"/v1/invitations/{link.rpartition('=')[2]}", 200)
    berta.ask("PUT", f"/v1/services/{anna.service}/membership", 200, {"levels": ["error"]})
    key = anna.ask("POST", f"/v1/services/{anna.service}/keys", 201, {"name": "nightly", "scopes": ["notify"]})["secret"]
    deliveries = endpoints.database.webhook_deliveries
    eventually("the rest is put in", lambda: deliveries.count_documents({"type": "member.joined"}) == 1, 30)

    # From here on nothing can be put in for endpoints, and everything else can be stored.
    collection = {"collMod": "webhook_deliveries"}
    endpoints.database.command(collection | {"validator": {"never": {"$exists": True}}})
    said = []
    for number in range(5):
        status, text = ask(app.port, "/v1/notifications", key, "POST", {"level": "info", "body": f"number {number}"})
        assert status == 202, (status, text)
        said.append(json.loads(text)["id"])
        anna.ask("PUT", f"/v1/notifications/{said[-1]}/acknowledged", 200)
    # The thesis' queue and the store have their own ways to the same.
    posted = {"_id": "gates", "service": anna.service, "level": "info", "body": "Open"}
    endpoints.database.notifications.insert_one(posted)
    worker = schedule(run, run.folder / "notifire.json", "news")
    run.at_close(worker.kill)
    eventually("it is taken", lambda: "state" in endpoints.database.notifications.find_one({"_id": "gates"}), 60)
    server.kill()
    server.wait()
    untold = {"untold": True}
    assert endpoints.database.notifications.count_documents(untold) == len(said) + 1
    assert endpoints.database.receipts.count_documents(untold) == len(said)
    assert deliveries.count_documents({"type": {"$regex": "notification"}}) == 0
    endpoints.database.command(collection | {"validator": {}})

    server = served(run, app.port)
    hooks = endpoints.start()
    wanted = {("notification.suppressed", id) for id in [*said, "gates"]} | {("notification.acknowledged", id) for id in said}

    def told() -> list[tuple[str, str]]:
        events = [request.event for request in receiver.of("/ok/anna")]
        return [(event["type"], event["data"]["notification"]) for event in events if event["type"].startswith("notification")]

    endpoints.until("all is told", lambda: set(told()) == wanted)
    assert len(told()) == len(wanted), "each once"
    assert endpoints.database.notifications.count_documents(untold) == 0
    for process in (hooks, worker, server):
        assert process.end() == 0, process.words[-500:]
    endpoints.says_nothing()
    left(run)


class Owner:
    """Somebody who owns a service, and asks our own API."""

    def __init__(self, run: Run, app: App, name: str) -> None:
        # Signing up goes by the thesis' API, whose tokens are not good for ours.
        entered(run, app, name)
        self.port = app.port
        self.access = self.ask("POST", "/v1/account/sessions", 201, {"username": name, "password": "12345"})["access_token"]
        self.service = self.ask("POST", "/v1/services", 201, {"name": name})["id"]
        self.webhooks = f"/v1/services/{self.service}/webhooks"

    def ask(self, method: str, path: str, wanted: int, body: dict | None = None) -> dict:
        status, text = ask(self.port, path, getattr(self, "access", ""), method, body)
        assert status == wanted, (method, path, status, text)
        return json.loads(text) if text else {}


@case("webhooks", long=True, later=True)
def webhooks_of_a_service(run: Run) -> None:
    """a service's people have its events posted by the API: its own alone, signed; a mail when it is disabled; gone with it"""
    server, app = opened(run)
    run.start_dispatcher()
    endpoints = Endpoints(run)
    receiver = endpoints.receiver
    anna, berta = Owner(run, app, "anna"), Owner(run, app, "berta")
    hooks = endpoints.start()

    def add(owner: Owner, path: str, *events: str) -> str:
        body = {"url": f"https://localhost:{receiver.port}{path}"} | ({"events": list(events)} if events else {})
        made = owner.ask("POST", owner.webhooks, 201, body)
        endpoints.secrets[made["webhook"]["id"]] = made["secret"]
        return made["webhook"]["id"]

    everything, gone = add(anna, "/ok/anna"), add(anna, "/gone", "member.joined")
    others = add(berta, "/ok/berta")
    for url in ("http://example.com/", "https://127.1/", "https://user@example.com/"):
        anna.ask("POST", anna.webhooks, 400, {"url": url})
    berta.ask("GET", f"{anna.webhooks}/{everything}", 404)
    berta.ask("POST", f"{berta.webhooks}/{everything}/test", 404)

    # What a service says, to one phone that takes it and to a person who wants to hear of errors alone.
    anna.ask("PUT", "/v1/account/devices/5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E10", 204, {"token": 32 * "1a"})
    key = anna.ask("POST", f"/v1/services/{anna.service}/keys", 201, {"name": "nightly", "scopes": ["notify"]})["secret"]
    anna.ask("PUT", f"/v1/services/{anna.service}/membership", 200, {"levels": ["error"]})
    said = {}
    for level in ("error", "info"):
        status, text = ask(app.port, "/v1/notifications", key, "POST", {"level": level, "body": "webhook"})
        assert status == 202, (status, text)
        said[level] = json.loads(text)["id"]
    wanted = {("notification.accepted", said["error"]), ("notification.suppressed", said["info"])}

    def told(path: str) -> set[tuple[str, str]]:
        events = [request.event for request in receiver.of(path)]
        return {(event["type"], event["data"].get("notification", "")) for event in events}

    endpoints.until("it is told", lambda: told("/ok/anna") == wanted)
    for request in receiver.of("/ok/anna"):
        assert request.is_signed_by(endpoints.secrets[everything]), request
        assert request.event["data"]["service"] == anna.service and "client" not in request.event["data"], request.body
    assert not receiver.of("/ok/berta"), "nobody hears of others"

    # Two secrets for a while; again by replay; what somebody has switched off is told nothing.
    new = anna.ask("POST", f"{anna.webhooks}/{everything}/rotate", 201, {"overlap": "1h"})["secret"]

    def new_signs() -> bool:
        anna.ask("POST", f"{anna.webhooks}/{everything}/test", 202)
        return receiver.of("/ok/anna")[-1].is_signed_by(new)

    endpoints.until("the new secret signs", new_signs)
    assert receiver.of("/ok/anna")[-1].is_signed_by(endpoints.secrets[everything]), "so does the old one"
    endpoints.secrets["new"] = new
    # What still waits is not told twice by a replay.
    waiting = {"endpoint": everything, "state": {"$ne": "delivered"}}
    endpoints.until("nothing waits", lambda: endpoints.database.webhook_deliveries.count_documents(waiting) == 0)
    before = len(receiver.of("/ok/anna"))
    again = anna.ask("POST", f"{anna.webhooks}/{everything}/replay", 200, {"since": "2026-01-01T00:00:00Z"})["events"]
    endpoints.until("told again", lambda: len(receiver.of("/ok/anna")) >= before + again > before)
    berta.ask("POST", f"{berta.webhooks}/{others}/disable", 200)
    berta.ask("POST", f"{berta.webhooks}/{others}/test", 409)

    # Who comes is told; an endpoint that has gone is disabled, and its people hear of it by mail and at the others.
    link = anna.ask("POST", f"/v1/services/{anna.service}/invitations", 201, {"role": "manager"})["link"]
    berta.ask("PUT", f"/v1/invitations/{link.rpartition('=')[2]}", 200)
    endpoints.until("it is disabled", lambda: not endpoints.state(gone)["active"])
    mails = endpoints.database["outbox_mail"]
    disabled = {"subject": "A webhook of a service was disabled"}
    endpoints.until("there are mails", lambda: mails.count_documents(disabled) == 2)
    assert {mail["to"] for mail in mails.find(disabled)} == {"anna@example.com", "berta@example.com"}
    endpoints.until("the others hear of it", lambda: {("member.joined", ""), ("webhook.disabled", "")} <= told("/ok/anna"))
    shown = anna.ask("GET", f"{anna.webhooks}/{gone}", 200)
    assert shown["webhook"]["state"] == "disabled" and "410" in shown["webhook"]["reason"], shown
    assert shown["events"][0]["log"][0]["status"] == 410, shown

    # It ends with its service, and its secret is erased.
    anna.ask("DELETE", f"/v1/services/{anna.service}", 204)
    assert endpoints.database["webhook_endpoints"].count_documents({"service": anna.service, "active": True}) == 0
    kept = json.dumps(list(endpoints.database["webhook_secrets"].find()), default=str)
    assert new not in kept and endpoints.secrets[everything] not in kept
    assert hooks.end() == 0, hooks.words[-500:]
    assert server.end() == 0
    for secret in endpoints.secrets.values():
        assert secret not in (run.folder / "serve.log").read_text()
    endpoints.says_nothing()
    left(run)
