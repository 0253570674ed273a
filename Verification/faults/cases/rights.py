"""How little each command may be allowed: the table of docs/operations/rights.md suffices, and nothing in it is too much."""

import json
import re
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pika
from bson import Binary
from common.places import ROOT
from pika.exceptions import ChannelClosedByBroker, UnroutableError

from faults.app import App
from faults.cases import case
from faults.cases.notifire import LINK
from faults.cases.trust import drain, forget_pushes, waybill, write_config
from faults.frontdoor import accounts
from faults.process import Process, eventually
from faults.product import BUNDLE
from faults.run import Run
from faults.servers.guarded import GuardedStore
from faults.servers.ports import free_ports
from faults.servers.receiver import Receiver

RIGHTS = ROOT / "docs/operations/rights.md"
NOTHING = "^$"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
COMPLAINTS = ("refused", "not authorized")
EVENT = {
    "reason": "Unregistered",
    "status_code": 410,
    "invalid_since": 1795000000123,
    "apns_id": "6f0c2d4e-8f3b-4c1a-9b7e-2d5f8a1c3e60",
    "batch_id": "trial",
    "lane": "parcels-production",
    "topic": "com.example.parcels",
    "environment": "production",
    "class": "dead",
}


def rights() -> dict[str, dict]:
    """The table of docs/operations/rights.md: what each command's users may do."""
    found = {}
    for row in re.findall(r"^\| `waybill ([\w, ]+)` \|(.*)\|$", RIGHTS.read_text(), re.MULTILINE):
        cells = re.split(r"(?<!\\)\|", row[1])
        configure, write, read, store = (cell.strip().strip("`").replace("\\|", "|") for cell in cells)
        privileges = {}
        for part in filter(None, store.replace("`", "").split(";")):
            collection, _, actions = part.partition(":")
            privileges[collection.strip()] = [action.strip() for action in actions.split(",")]
        # Made of others, against whose rows scripts/check-rights.py holds them.
        for command in (name for name in row[0].split(",") if name.strip() not in ("run", "top")):
            found[command.strip()] = {"broker": (configure, write, read), "store": privileges}
    return found


class Installation:
    """A user for each command, with the rights of the table and no others."""

    def __init__(self, run: Run, store: GuardedStore) -> None:
        self.run, self.store = run, store
        self.prefix = f"{run.prefix}r"
        self.configs: dict[str, Path] = {}
        self._permitted: dict[str, tuple[str, ...]] = {}

    def add(self, table: dict[str, dict]) -> None:
        """A user for each row of the table, in one visit to the broker: its tool takes seconds for each."""
        users = {f"{self.prefix}-{command}": self._patterns(allowed["broker"]) for command, allowed in table.items()}
        names = ("configure", "write", "read")
        definitions = {
            "users": [{"name": user, "password": "right", "tags": []} for user in users],
            "permissions": [
                {"user": user, "vhost": "/", **dict(zip(names, patterns, strict=True))} for user, patterns in users.items()
            ],
        }
        file = self.run.folder / "rights-users.json"
        file.write_text(json.dumps(definitions))
        self.run.services.control("broker-control", "import_definitions", str(file))
        for command, allowed in table.items():
            self._permitted[f"{self.prefix}-{command}"] = allowed["broker"]
            self._add(command, allowed)

    def _add(self, command: str, allowed: dict) -> None:
        user, password = f"{self.prefix}-{command}", "right"
        self.store.add_user(user, password, self.prefix, allowed["store"])
        self.configs[command] = write_config(
            self.run,
            f"rights-{command}",
            **(self._outgoing if command in ("hooks", "webhooks") else {}),
            broker={"url": f"amqp://{user}:{password}@127.0.0.1:{self.run.services.broker_port}/", "queue_prefix": self.prefix},
            store={"url": self.store.url(user, password, self.prefix), "database": self.prefix},
            retention={"clients": {"acme": "1d"}},  # check looks for others in the log
            **({"serve": accounts(self.run.folder)} if command == "serve" else {}),
        )

    @property
    def _outgoing(self) -> dict[str, dict]:
        """Mail to a folder, and webhooks to this machine."""
        return {
            "mail": {"from": "no-reply@example.com", "folder": str(self.run.folder)},
            "webhooks": {"allow_http": True, "allow_networks": ["127.0.0.1/32"]},
        }

    def change(self, command: str, allowed: dict) -> None:
        """Gives a command's user other rights; they hold for what connects from now on."""
        user = f"{self.prefix}-{command}"
        self._permit(user, allowed["broker"])
        self.store.change_role(user, self.prefix, allowed["store"])

    def _permit(self, user: str, patterns: tuple[str, ...]) -> None:
        if self._permitted.get(user) == patterns:
            return  # the broker's tool takes seconds
        self.run.services.control("broker-control", "set_permissions", "-p", "/", user, *self._patterns(patterns))
        self._permitted[user] = patterns

    def _patterns(self, patterns: tuple[str, ...]) -> list[str]:
        return [pattern.replace("waybill", self.prefix) for pattern in patterns]

    def remove(self) -> None:
        for command in self.configs:
            self.run.services.control("broker-control", "delete_user", f"{self.prefix}-{command}")
        self.delete_queues()

    def delete_queues(self) -> None:
        connection = self.run.services.connect_broker()
        channel = connection.channel()
        for queue in ("dispatch", "bulk", "audience", "retry", "rejected", "invalid-tokens", "delay.1s", "delay.3s"):
            channel.queue_delete(f"{self.prefix}.{queue}")
        channel.exchange_delete(f"{self.prefix}.in")
        connection.close()

    def command(self, command: str, *arguments: str, input: bytes = b"") -> str:
        done = waybill(self.run, self.configs[command], command, *arguments, input=input)
        assert done.returncode == 0, f"{command}: {done.returncode}: {(done.stdout + done.stderr).decode()}"
        return done.stdout.decode()

    def service(self, command: str, *options: str) -> Process:
        arguments = [self.run.programs.waybill, command, "--config", str(self.configs[command]), *options]
        return Process(f"waybill {command}", arguments, self.run.folder / f"rights-{command}.log")


def nothing_but_rejected(run: Run, config: Path) -> bool:
    found = json.loads(waybill(run, config, "status", "--json").stdout)["findings"]
    return [finding["text"] for finding in found] == ["the rejected queue holds 2"]


@case("rights", long=True)
def least_rights(run: Run) -> None:
    """users with the rights that the table names, and no others, suffice for every command"""
    run.open()
    store = GuardedStore(run.folder / "guarded")
    installation = Installation(run, store)
    services = []
    try:
        installation.add(rights())
        assert {
            "init",
            "check",
            "dispatch",
            "prune",
            "send",
            "logs",
            "explain",
            "stats",
            "export",
            "devices",
            "rejected",
            "status",
            "keys",
            "serve",
            "hooks",
            "webhooks",
            "fanout",
            "audience",
        } <= installation.configs.keys()
        installation.command("init")
        installation.command("init")
        installation.command("check")
        services = [installation.service("dispatch"), installation.service("prune"), installation.service("fanout")]
        tokens = [run.producer.token(prefix) for prefix in ("aa", "dead", "bad0", "5030")]
        batch = {"device_tokens": tokens, "message": "hello", "batch_id": "rights"}
        installation.command("send", "-", "--format", "json", input=json.dumps(batch).encode())
        deliveries, devices = (store.client[installation.prefix][name] for name in ("deliveries", "devices"))
        final = {"outcome": {"$ne": "deferred"}}
        eventually("final records", lambda: deliveries.count_documents(final) == len(tokens), 30)
        eventually("a dead device", lambda: devices.count_documents({"enabled": False}) == 1, 30)
        # A message that comes again, and bodies that nobody can read.
        publish_directly(run, installation.prefix, json.dumps(batch).encode())
        eventually("the broken event is rejected", lambda: rejected(run, installation.prefix) == 2, 30)
        assert len(installation.command("logs", "--json").splitlines()) >= len(tokens), "logs shows too little"
        installation.command("logs", "--batch", "rights", "--reason", "Unregistered", "--count")
        exported = run.folder / "exported.ndjson"
        installation.command("export", "--output", str(exported))
        assert len(exported.read_text().splitlines()) >= len(tokens), "export shows too little"
        assert "Unregistered" in installation.command("explain", "rights"), "explain shows too little"
        dead = next(token for token in tokens if token.startswith("dead"))
        told = installation.command("explain", "-", input=dead.encode())
        assert "disabled" in told, f"explain does not know of the registry: {told}"
        an_audience(installation, devices, deliveries)
        recorded = deliveries.count_documents(final)
        eventually("stats has counted", lambda: counts(installation.command("stats", "--json")) == recorded, 30)
        assert installation.command("devices", "--json"), "devices shows nothing"
        assert installation.command("keys", "create", "--name", "a", "--role", "reader", "--client", "acme").startswith(
            "wbk_live_"
        )
        (port,) = free_ports(1)
        services.append(installation.service("serve", "--set", f"serve.listen=127.0.0.1:{port}"))
        key = a_key(installation)
        for path in (
            "/v1/status",
            f"/v1/deliveries?token={tokens[0]}",
            "/v1/deliveries?limit=2",
            "/v1/stats",
            "/v1/batches/rights",
            "/v1/lanes",
            "/v1/rejected",
            "/v1/tail",
        ):
            status, text = ask(port, path, key)
            assert status == 200, f"{path}: {status}: {text}"
        status, text = ask(port, "/v1/explain", key, "POST", {"token": dead})
        assert status == 200 and "disabled" in text, f"explain: {status}: {text}"
        status, text = ask(port, "/v1/batches/rights/cancel", key, "POST")
        assert status == 202, f"cancel: {status}: {text}"
        installation.command("lanes", "pause", "parcels")
        installation.command("lanes", "resume", "parcels")
        assert "parcels" in installation.command("lanes", "list", "--json"), "lanes shows nothing"
        installation.command("cancel", "rights")
        assert '"rights"' in installation.command("cancel", "--list"), "cancel lists too little"
        config = installation.configs["status"]
        eventually("status sees the rejected messages, and nothing else", lambda: nothing_but_rejected(run, config), 30)
        assert len(installation.command("rejected", "--json").splitlines()) == 2, "rejected shows too little"
        producers_reach_dispatch_alone(run, installation)
        a_wrong_store_password_ends_each_service(run, installation)
        for service in services:
            assert service.end() == 0, service.words[-500:]
            assert "refused" not in service.words.lower() and "not authorized" not in service.words.lower(), service.words
    except Exception as error:
        words = "".join(service.words[-800:] for service in services)
        raise AssertionError(f"{error}; {words}") from error
    finally:
        for service in services:
            service.kill()
        installation.remove()
        store.stop()
    forget_pushes(run)
    run.start()


def an_audience(installation: Installation, devices: Any, deliveries: Any) -> None:
    """One device of a user gets a push by an audience, which is counted, shown and cancelled."""
    address = {"provider": "apns", "app": BUNDLE, "environment": "production", "token": "ab" * 32}
    devices.insert_one(address | {"kind": "token", "user": "anna", "enabled": True})
    choice = ("--app", BUNDLE, "--user", "anna")
    assert installation.command("audience", "count", *choice) == "1\n", "audience counts wrongly"
    installation.command("audience", "send", "--id", "to-anna", "--client", "acme", *choice, "--message", "hello")
    eventually("anna's push", lambda: deliveries.count_documents({"batch_id": "to-anna", "outcome": "accepted"}) == 1, 30)
    eventually("its end", lambda: '"done"' in installation.command("audience", "show", "to-anna", "--json"), 30)
    installation.command("audience", "cancel", "to-anna")


def counts(rows: str) -> int:
    return sum(json.loads(row)["count"] for row in rows.splitlines())


def producers_reach_dispatch_alone(run: Run, installation: Installation) -> None:
    """With the rights of `send`, nothing but the dispatch queue can be written to, by any way."""
    prefix = installation.prefix
    credentials = pika.PlainCredentials(f"{prefix}-send", "right")
    parameters = pika.ConnectionParameters("127.0.0.1", run.services.broker_port, credentials=credentials)
    for queue in ("invalid-tokens", "retry", "rejected", "delay.1s", "dispatch"):
        for exchange in (f"{prefix}.in", ""):
            connection = pika.BlockingConnection(parameters)
            channel = connection.channel()
            channel.confirm_delivery()
            try:
                channel.basic_publish(exchange, f"{prefix}.{queue}", b"forged", mandatory=True)
                has_arrived = True
            except (UnroutableError, ChannelClosedByBroker):
                has_arrived = False
            wanted = exchange != "" and queue == "dispatch"
            assert has_arrived == wanted, f"a producer reaches {queue} by '{exchange}': {has_arrived}"
            if connection.is_open:
                connection.close()
    eventually("the forged body is rejected", lambda: rejected(run, prefix) == 3, 30)


def a_wrong_store_password_ends_each_service(run: Run, installation: Installation) -> None:
    """A service that the store does not let in ends at its start with 77 and the server's words, as with the broker."""
    for command in ("dispatch", "prune"):
        config = run.folder / f"wrong-store-{command}.yaml"
        text = installation.configs[command].read_text()
        config.touch(mode=0o600)
        config.write_text(
            text.replace(
                f"mongodb://{installation.prefix}-{command}:right@", f"mongodb://{installation.prefix}-{command}:wrong@"
            )
        )
        assert config.read_text() != text, "the password of the store is not where it was expected"
        done = waybill(run, config, command)
        words = (done.stdout + done.stderr).decode()
        assert done.returncode == 77, f"{command} with a wrong store password: {done.returncode}: {words[-500:]}"
        assert "Authentication failed" in words, words[-500:]


def publish_directly(run: Run, prefix: str, batch: bytes) -> None:
    connection = run.services.connect_broker()
    channel = connection.channel()
    channel.basic_publish("", f"{prefix}.dispatch", batch, pika.BasicProperties(delivery_mode=2))
    channel.basic_publish("", f"{prefix}.dispatch", b"nonsense", pika.BasicProperties(delivery_mode=2))
    channel.basic_publish("", f"{prefix}.invalid-tokens", b"nonsense", pika.BasicProperties(delivery_mode=2))
    connection.close()


def rejected(run: Run, prefix: str) -> int:
    connection = run.services.connect_broker()
    count = connection.channel().queue_declare(f"{prefix}.rejected", passive=True).method.message_count
    connection.close()
    time.sleep(0.2)
    return count


# -- Nothing too much


def each_right_less(allowed: dict) -> Iterator[tuple[str, dict]]:
    """Every way to take one right away: its name, and what is left."""
    for place, name in enumerate(("configure", "write", "read")):
        if allowed["broker"][place] != NOTHING:
            patterns = tuple(NOTHING if n == place else pattern for n, pattern in enumerate(allowed["broker"]))
            yield f"{name} {allowed['broker'][place]}", {**allowed, "broker": patterns}
    for collection, actions in allowed["store"].items():
        for action in actions:
            left = {**allowed["store"], collection: [other for other in actions if other != action]}
            yield f"{action} on {collection}", {**allowed, "store": left}


class Trials:
    """For each command something that needs every right it has. True when it has worked."""

    def __init__(self, run: Run, installation: Installation) -> None:
        self.run, self.installation = run, installation
        self.database = installation.store.client[installation.prefix]
        self.number = 0
        self.words = ""

    def works(self, command: str) -> bool:
        return getattr(self, command)()

    def init(self) -> bool:
        """In an empty place, and again where all is there."""
        self.installation.delete_queues()
        self.installation.store.client.drop_database(self.installation.prefix)
        return self.succeeds("init") and self.succeeds("init")

    def check(self) -> bool:
        with self.endpoint():
            return self.succeeds("check")

    def send(self) -> bool:
        return self.succeeds("send", "-", "--format", "json", input=self.batch("aa"))

    def logs(self) -> bool:
        """What is there, and what comes."""
        if not self.succeeds("logs", "--json"):
            return False
        token = self.run.producer.token("dead")
        writing = threading.Timer(2, self.record, (uuid.uuid4(), token, datetime.now(UTC), "com.example.app"))
        writing.start()
        follows = self.succeeds("logs", "--follow", "--limit", "1", "--json")
        writing.join()
        return follows

    def explain(self) -> bool:
        """A device, by the log and by the registry; a batch, by what processes and orders say; what is posted in the store."""
        token = self.run.producer.token("dead")
        self.record(uuid.uuid4(), token, datetime.now(UTC), "com.example.app")
        if not self.succeeds("explain", "-", input=token.encode()) or "not readable" in self.words:
            return False
        # Nothing is recorded of it, which is told by 66.
        self.succeeds("explain", "--as", "batch", "nothing")
        if "nothing is recorded" not in self.words or "not readable" in self.words:
            return False
        name = self.name("posted")
        self.database.notifications.insert_one({"_id": name, "app": BUNDLE, "body": "hello"})
        draft = self.name("draft")
        made = waybill(
            self.run,
            self.installation.configs["campaign"],
            *("campaign", "create", draft, "--app", BUNDLE, "--client", "acme", "--body", "hello"),
        )
        assert made.returncode == 0, made.stderr.decode()
        try:
            for posted, words in ((name, "notification in the store"), (draft, "a campaign, and a draft")):
                if not self.succeeds("explain", "--as", "batch", posted) or words not in self.words:
                    return False
                if "not readable" in self.words:
                    return False
            return True
        finally:
            for collection in ("campaigns", "notifications"):
                self.database[collection].delete_many({})

    def export(self) -> bool:
        return self.succeeds("export", "--output", str(self.run.folder / f"export-{uuid.uuid4()}.ndjson"))

    def stats(self) -> bool:
        """Counts, and minutes that are marked for a recount."""
        return self.succeeds("stats", "--json") and self.succeeds("stats", "--recount", "--since", "2m")

    def devices(self) -> bool:
        """One is registered, disabled and listed."""
        token = self.run.producer.token("aa")
        where = ("--app", "com.example.app", "--environment", "production", "--token", "-")
        return (
            self.succeeds("devices", "register", *where, input=token.encode())
            and self.succeeds("devices", "disable", "--token", "-", input=token.encode())
            and self.succeeds("devices", "--json")
        )

    def keys(self) -> bool:
        """A key is made, rotated and ended."""
        if not self.succeeds("keys", "create", "--name", "trial", "--role", "reader", "--all-clients", "--json"):
            return False
        key = json.loads(self.words.splitlines()[0])["id"]
        return self.succeeds("keys", "rotate", key) and self.succeeds("keys", "revoke", key) and self.succeeds("keys")

    def lanes(self) -> bool:
        """A lane is paused and opened, twice, and shown."""
        orders = [("pause", "parcels"), ("resume", "parcels")] * 2
        return all(self.succeeds("lanes", *order) for order in orders) and self.succeeds("lanes", "list")

    def cancel(self) -> bool:
        """A batch that the log does not know is cancelled, and once more, and what is cancelled is listed."""
        batch = f"trial-{uuid.uuid4()}"
        for _ in range(2):
            if not self.succeeds("cancel", batch) or "no record of it yet" not in self.words:
                return False
        return self.succeeds("cancel", "--list") and batch in self.words

    def accounts(self) -> bool:
        """Somebody's account is found, suspended and let in again, and what it owns is given away."""
        self.people("trial", "other")
        try:
            self.a_service("acc_trial")
            return (
                self.succeeds("accounts")
                and self.succeeds("accounts", "show", "trial")
                and self.succeeds("accounts", "suspend", "acc_trial")
                and self.succeeds("accounts", "resume", "acc_trial")
                and self.succeeds("accounts", "transfer", "trial", "--to", "other")
            )
        finally:
            self.nobody()

    def services(self) -> bool:
        """A service of somebody who has gone is found, suspended, let speak again and given to somebody else."""
        self.people("trial")
        try:
            name = self.a_service("acc_gone")
            return (
                self.succeeds("services")
                and self.succeeds("services", "show", name)
                and self.succeeds("services", "suspend", name)
                and self.succeeds("services", "resume", name)
                and self.succeeds("services", "transfer", name, "--to", "trial")
            )
        finally:
            self.nobody()

    def people(self, *names: str) -> None:
        now = datetime.now(UTC)
        for name in names:
            account = {"_id": f"acc_{name}", "username": name, "username_key": name, "password": "$", "failures": 0}
            email = {"email": f"{name}@example.com", "email_key": f"{name}@example.com"}
            self.database["accounts"].insert_one(account | email | {"password_changed_at": now, "created_at": now})

    def a_service(self, owner: str) -> str:
        name, now = f"{uuid.uuid4()}", datetime.now(UTC)
        dates = {"key_created_at": now, "created_at": now, "updated_at": now}
        self.database["services"].insert_one({"_id": name, "name": "trial", **dates})
        membership = {"role": "owner", "levels": 7, "joined_at": now}
        self.database["memberships"].insert_one({"service": name, "account": owner, **membership})
        return name

    def nobody(self) -> None:
        for name in ("accounts", "services", "memberships"):
            self.database[name].delete_many({})

    def serve(self) -> bool:
        """The state and a record are asked for with a key, and the key's use is noted."""
        (port,) = free_ports(1)
        key = a_key(self.installation)
        service = self.installation.service("serve", "--set", f"serve.listen=127.0.0.1:{port}")
        before = len(service.words)
        noted = {"last_used_at": {"$type": "date"}}
        try:
            with self.endpoint():
                answers = [ask(port, path, key) for path in ("/v1/status", f"/v1/deliveries?token={32 * 'ab'}", "/v1/stats")]
            self.words = f"{answers}"
            if [status for status, _ in answers] != [200, 200, 200] or '"grade":"down","text":"the store' in answers[0][1]:
                return False
            status, self.words = ask(port, "/v1/tail", key)
            if status != 200:
                return False
            self.reject()
            status, self.words = ask(port, "/v1/rejected/replay", key, "POST", {"reason": "unknown"})
            if status != 200 or '"replayed":0' in self.words:
                return False
            status, self.words = ask(port, "/v1/explain", key, "POST", {"token": 32 * "ab"})
            if status != 200 or "not readable" in self.words:
                return False
            visit = session(port, key)
            self.words = f"{visit}"
            if visit != [200, 200, 204]:
                return False
            for path in ("/v1/lanes/parcels/pause", "/v1/lanes/parcels/resume", "/v1/batches/trial/cancel"):
                status, self.words = ask(port, path, key, "POST")
                if status != 202:
                    return False
            self.words = sign_up(port, self.database) or tell_people(port, self.database) or speak(port) or campaign(port, key)
            if self.words:
                return False
            eventually("its use is noted", lambda: self.database["keys"].count_documents(noted) > 0, 10)
            lease = {"role": "serve", "ended": {"$exists": False}}
            eventually("its lease is renewed", lambda: self.database.processes.count_documents(lease) > 0, 10)
            return service.end() == 0 and not any(word in service.words[before:].lower() for word in COMPLAINTS)
        except TimeoutError:
            return False
        finally:
            service.kill()
            for name in ("keys", "secrets", "accounts", "logins", "outbox_mail", *PEOPLE):
                self.database[name].delete_many({})
            self.database["devices"].delete_many({"token": {"$in": PHONES}})
            drain(self.run, f"{self.installation.prefix}.dispatch")
            self.database.processes.delete_many({})

    def status(self) -> bool:
        """Whatever it says of the rest: broker and store answer it."""
        with self.endpoint():
            done = self.succeeds("status")
        return done or not any(words in self.words for words in ("does not answer", "refuses this user"))

    @contextmanager
    def endpoint(self) -> Iterator[None]:
        """Where there is one that is told, it is asked whether something is late for it."""
        now = datetime.now(UTC)
        endpoint = {"client": "acme", "url": "http://127.0.0.1:9/", "active": True, "created_at": now, "active_since": now}
        self.database.webhook_endpoints.insert_one({"_id": "we_waits"} | endpoint)
        try:
            yield
        finally:
            self.database.webhook_endpoints.delete_many({"_id": "we_waits"})

    def rejected(self) -> bool:
        """A list, and a message that is sent again."""
        self.reject()
        return self.succeeds("rejected", "--json") and self.succeeds("rejected", "replay", "--all", "--json")

    def reject(self) -> None:
        """Puts a message into the rejected queue."""
        connection = self.run.services.connect_broker()
        channel = connection.channel()
        channel.basic_publish("", f"{self.installation.prefix}.rejected", b"nonsense", pika.BasicProperties(delivery_mode=2))
        connection.close()

    def dispatch(self) -> bool:
        """A new batch with a dead token and one that is tried again; then the same message, and a body nobody can read."""
        batch = self.batch("aa", "dead", "5030")
        final = {"batch_id": json.loads(batch)["batch_id"], "outcome": {"$ne": "deferred"}}
        return self.serves("dispatch", "dispatch", batch, lambda: self.database.deliveries.count_documents(final) == 3)

    def prune(self) -> bool:
        """An event that the log bears out, of a device that nobody knows; then the same, and a body nobody can read."""
        token = self.run.producer.token("dead")
        event: dict[str, Any] = EVENT | {
            "device_token": token,
            "observed_at": int(time.time() * 1000),
            "apns_id": str(uuid.uuid4()),
        }
        now = datetime.now(UTC)
        self.record(uuid.UUID(event["apns_id"]), token, now, event["topic"])
        disabled = {"token": token, "enabled": False}
        return self.serves(
            "prune",
            "invalid-tokens",
            json.dumps(event).encode(),
            lambda: self.database.devices.count_documents(disabled) == 1,
        )

    def fanout(self) -> bool:
        """An audience of an app and one of a person with a linked phone are handed over."""
        self.phone()
        name = self.name("audience")
        messages = [
            {"audience_id": f"{name}-app", "select": {"app": BUNDLE}},
            {"audience_id": f"{name}-person", "select": {"app": BUNDLE, "users": ["ben"]}},
        ]
        connection = self.run.services.connect_broker()
        channel = connection.channel()
        for message in messages:
            body = json.dumps(message | {"client": "acme", "content": {"message": "hello"}}).encode()
            channel.basic_publish("", f"{self.installation.prefix}.audience", body, pika.BasicProperties(delivery_mode=2))
        connection.close()
        wanted = {f"{name}-app": ("done", 1), f"{name}-person": ("done", 1)}

        def is_done() -> bool:
            found = self.database.audiences.find({"_id": {"$in": list(wanted)}})
            return {one["_id"]: (one["state"], one.get("handed_over")) for one in found} == wanted

        try:
            return self.works_until("fanout", is_done)
        finally:
            self.forget_phone()

    def audience(self) -> bool:
        """One is counted by a linked phone, sent, shown as it stands in the store, and cancelled twice."""
        self.phone()
        name = self.name("audience")
        ben = ("--app", BUNDLE, "--user", "ben")
        now = datetime.now(UTC)
        self.database.audiences.insert_one(
            {"_id": name, "client": "acme", "state": "expanding", "created_at": now, "due": now, "digest": "trial"}
        )
        try:
            return (
                self.succeeds("audience", "count", *ben)
                and self.words.strip() == "1"
                and self.succeeds("audience", "send", "--id", f"{name}-b", "--client", "acme", *ben, "--message", "a")
                and self.succeeds("audience", "show", name)
                and self.succeeds("audience", "cancel", name)
                and self.succeeds("audience", "cancel", name)
            )
        finally:
            self.forget_phone()

    def campaign(self) -> bool:
        """One is made, tried with a person, looked at, started, shown and cancelled."""
        self.phone()
        name = self.name("campaign")
        try:
            return (
                self.succeeds("campaign", "create", name, "--app", BUNDLE, "--client", "acme", "--body", "hello")
                and self.succeeds("campaign", "test", name, "--user", "ben")
                and self.succeeds("campaign", "preview", name)
                and self.succeeds("campaign", "start", name, "--at-most", "10")
                and self.succeeds("campaign", "show", name)
                and self.succeeds("campaign", "cancel", name)
                and self.succeeds("campaign", "list")
            )
        finally:
            self.forget_phone()

    def schedule(self) -> bool:
        """What `serve` has left is handed over, a notification in the store followed to its end; two more are cancelled."""
        self.phone()
        now, later = datetime.now(UTC), datetime.now(UTC) + timedelta(hours=1)
        posted, audiences = self.database.notifications, self.database.audiences
        left, sent, waits, begun = (self.name(what) for what in ("left", "sent", "waits", "begun"))
        claim = {
            "state": "claimed",
            "claimed_by": "trial",
            "claimed_until": now,
            "at": now,
            "erase_at": later,
            "digest": "trial",
        }
        people = {"digest": "trial", "service": "trial", "people": [{"account": "acc_trial"}]}
        posted.insert_one({"_id": left, "client": "acme", "messages": [self.batch("aa").decode()]} | claim | people)
        posted.insert_one({"_id": sent, "app": BUNDLE, "body": "hello"})
        posted.insert_many([{"_id": name, "app": BUNDLE, "body": "bye", "at": later} for name in (waits, begun)])
        others = [self.installation.service("fanout"), self.installation.service("dispatch")]
        asked: list[str] = []

        def is_done() -> bool:
            found = {one["_id"]: one for one in posted.find()}
            if not asked and audiences.count_documents({"state": "waiting"}) == 2:
                # Somebody hands it over already: only an order ends it then.
                lease = {"state": "expanding", "lease": {"by": "trial", "until": later}}
                audiences.update_one({"_id": found[begun]["audience"]}, {"$set": lease})
                asked.append(begun)
            if asked:
                look = {"$set": {"cancel": True, "due": datetime.now(UTC)}}
                posted.update_many({"_id": {"$in": [waits, begun]}, "state": "scheduled"}, look)
            states = [found[name].get("state") for name in (left, sent, waits)]
            return states == ["sent", "sent", "cancelled"] and self.database.orders.count_documents({}) > 0

        try:
            return self.works_until("schedule", is_done)
        finally:
            for process in others:
                process.end()
                process.kill()
            self.forget_phone()
            for name in ("orders", "receipts", "account_events"):
                self.database[name].delete_many({})

    def name(self, what: str) -> str:
        self.number += 1
        return f"trial-{what}-{self.number}"

    def phone(self) -> None:
        """A phone that is linked to somebody."""
        token = self.run.producer.token("aa")
        phone = {"provider": "apns", "app": BUNDLE, "environment": "production", "token": token, "kind": "token"}
        now = datetime.now(UTC)
        self.database.devices.insert_one(phone | {"device": "phone-1", "enabled": True, "registered_at": now})
        self.database.device_links.insert_one(
            {"app": BUNDLE, "device": "phone-1", "user": "ben", "enabled": True, "since": now}
        )

    def forget_phone(self) -> None:
        self.database.devices.delete_many({"device": "phone-1"})
        for name in ("device_links", "audiences", "notifications", "campaigns", "processes"):
            self.database[name].delete_many({})
        for queue in ("audience", "bulk", "dispatch", "retry", "rejected"):
            drain(self.run, f"{self.installation.prefix}.{queue}")

    def works_until(self, command: str, is_done: Callable[[], object]) -> bool:
        """Runs a service until something is done, and its lease is renewed. False as soon as it complains."""
        service = self.installation.service(command)
        before = len(service.words)

        def complains() -> bool:
            self.words = service.words[before:]
            return not service.runs or any(word in self.words.lower() for word in COMPLAINTS)

        try:
            eventually(f"{command} has worked or complains", lambda: complains() or is_done(), 30)
            lease = {"role": command, "ended": {"$exists": False}}
            eventually("its lease is renewed", lambda: complains() or self.database.processes.count_documents(lease), 10)
            return not complains() and service.end() == 0
        except TimeoutError:
            return False
        finally:
            service.kill()

    def hooks(self) -> bool:
        """A mail that waits goes, an endpoint is told of a record, and the lease of who did both is written."""
        mails, now = self.database.outbox_mail, datetime.now(UTC)
        self.number += 1
        mail = {"_id": f"trial-{self.number}", "to": "a@example.com", "subject": "s", "text": "t", "html": "h"}
        mails.insert_one(mail | {"state": "waiting", "created_at": now, "due": now, "attempts": 0})
        receiver = Receiver(None, 0)
        self.database.webhook_secrets.insert_one({"_id": "we_1", "secrets": [{"key": SECRET}]})
        endpoint = {"client": "acme", "url": f"http://127.0.0.1:{receiver.port}/ok", "active": True}
        self.database.webhook_endpoints.insert_one({"_id": "we_1", "created_at": now, "active_since": now} | endpoint)
        service = self.installation.service("hooks")
        before = len(service.words)
        self.record(uuid.uuid4(), self.run.producer.token("dead"), now, "com.example.app", client="acme")

        def complains() -> bool:
            self.words = service.words[before:]
            return not service.runs or any(word in self.words.lower() for word in COMPLAINTS)

        try:
            sent = {"_id": mail["_id"], "state": "sent"}
            eventually("it has gone, or hooks complains", lambda: complains() or mails.count_documents(sent), 30)
            eventually("it is told, or hooks complains", lambda: complains() or len(receiver.of("/ok")) >= 2, 30)
            noted = {"last_success": {"$exists": True}}
            eventually("it is noted", lambda: complains() or self.database.webhook_endpoints.count_documents(noted), 30)
            lease = {"role": "hooks", "ended": {"$exists": False}}
            eventually("its lease is renewed", lambda: complains() or self.database.processes.count_documents(lease), 10)
            return not complains() and service.end() == 0
        except TimeoutError:
            return False
        finally:
            service.kill()
            receiver.stop()
            mails.delete_many({})
            for name in ("endpoints", "secrets", "deliveries", "progress"):
                self.database[f"webhook_{name}"].delete_many({})
            self.database.processes.delete_many({})

    def webhooks(self) -> bool:
        """An endpoint is made, gets another secret, what the log has of its client, that again, and goes."""
        self.record(uuid.uuid4(), self.run.producer.token("dead"), datetime.now(UTC), "com.example.app", client="acme")
        if not self.succeeds("webhooks", "add", "http://127.0.0.1:9999/", "--client", "acme", "--json"):
            return False
        endpoint = json.loads(self.words.splitlines()[0])["id"]
        since = ("--since", "1h")
        return (
            self.succeeds("webhooks", "rotate", endpoint)
            and self.succeeds("webhooks", "replay", endpoint, *since, "--from-log")
            and self.succeeds("webhooks", "replay", endpoint, *since)
            and self.succeeds("webhooks", "show", endpoint)
            and self.succeeds("webhooks", "remove", endpoint)
        )

    def record(self, apns_id: uuid.UUID, token: str, now: datetime, topic: str, **more: str) -> None:
        """The record of a refused token."""
        self.database.deliveries.insert_one(
            {
                "_id": Binary(apns_id.bytes, 4),
                "device_token": token,
                "outcome": "token_invalid",
                "status_code": 410,
                "reason": "Unregistered",
                "date": now,
                "invalid_since": now,
                "lane": "parcels",
                "topic": topic,
                "batch_id": "trial",
                "attempts": 1,
            }
            | more
        )

    def batch(self, *prefixes: str) -> bytes:
        self.number += 1
        tokens = [self.run.producer.token(prefix) for prefix in prefixes]
        return json.dumps({"device_tokens": tokens, "message": "hello", "batch_id": f"trial-{self.number}"}).encode()

    def succeeds(self, command: str, *arguments: str, input: bytes = b"") -> bool:
        done = waybill(self.run, self.installation.configs[command], command, *arguments, input=input)
        self.words = (done.stdout + done.stderr).decode(errors="replace")
        return done.returncode == 0

    def serves(self, command: str, queue: str, message: bytes, is_done: Callable[[], object]) -> bool:
        """Runs a service over a message, the same again, and nonsense. False as soon as it complains."""
        connection = self.run.services.connect_broker()
        channel = connection.channel()
        for name in ("dispatch", "retry", "invalid-tokens", "rejected"):
            channel.queue_purge(f"{self.installation.prefix}.{name}")
        service = self.installation.service(command)
        before = len(service.words)

        def complains() -> bool:
            self.words = service.words[before:]
            return not service.runs or any(word in self.words.lower() for word in COMPLAINTS)

        def publish(body: bytes) -> None:
            channel.basic_publish("", f"{self.installation.prefix}.{queue}", body, pika.BasicProperties(delivery_mode=2))

        def is_rejected() -> bool:
            return channel.queue_declare(f"{self.installation.prefix}.rejected", passive=True).method.message_count == 1

        try:
            publish(message)
            eventually(f"{command} has worked or complains", lambda: complains() or is_done(), 30)
            publish(message)
            publish(b"nonsense")
            eventually(f"{command} has rejected or complains", lambda: complains() or is_rejected(), 30)
            return (
                not complains()
                and service.end() == 0
                and not any(word in service.words[before:].lower() for word in COMPLAINTS)
            )
        except TimeoutError:
            return False
        finally:
            service.kill()
            connection.close()


def a_key(installation: Installation) -> str:
    """Makes a key that may ask everything, with the rights of `keys`."""
    return installation.command("keys", "create", "--name", "trial", "--role", "steward", "--all-clients").strip()


def session(port: int, key: str) -> list[int]:
    """Logs in, asks with the cookie alone, and logs out: the statuses."""
    own = f"http://127.0.0.1:{port}"
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    statuses = []
    for method, body in (("POST", {"key": key}), ("GET", None), ("DELETE", None)):
        headers = {"Origin": own} | ({"Content-Type": "application/json"} if body else {})
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(f"{own}/v1/session", data=data, headers=headers, method=method)
        try:
            with opener.open(request, timeout=20) as answer:
                statuses.append(answer.status)
        except urllib.error.HTTPError as error:
            statuses.append(error.code)
    return statuses


def sign_up(port: int, database: Any) -> str:
    """Signs up, confirms, logs in and renews as a person's app does: what has not worked, or nothing."""
    app = App(port)
    for answer in (app.register("trial", "trial@example.com", "12345"), app.resend("trial")):
        if answer.status != 200 or answer.code is not None:
            return f"{answer}"
    mail = database["outbox_mail"].find_one()
    link = LINK.search(mail["text"]) if mail else None
    confirmed = app.confirm(link[1]) if link else None
    if not confirmed or confirmed.status != 200 or confirmed.code is not None:
        return f"{confirmed}"
    # The oldest of so many ends with the next one.
    (account,) = database["accounts"].find()
    dates = {"password_changed_at": account["password_changed_at"], "created_at": account["created_at"]}
    database["logins"].insert_many(
        {"_id": f"log_{number}", "account": account["_id"], "digest": f"{number}", **dates} for number in range(51)
    )
    entered = app.log_in("trial", "12345")
    if entered.status != 200 or entered.code is not None:
        return f"{entered}"
    renewed = app.access(entered.payload["refreshToken"])
    return "" if renewed.status == 200 else f"{renewed}"


PEOPLE = (
    *("services", "memberships", "service_keys", "notifications", "device_links", "invitations", "receipts", "idempotency"),
    *("account_events", "campaigns"),
)
PHONES = [32 * "1a", 32 * "2b"]


def tell_people(port: int, database: Any) -> str:
    """Has phones and a service as a person's app does, and says something: what has not worked, or nothing."""
    app = App(port)
    access = app.log_in("trial", "12345").payload["accessToken"]
    # One is known already, by another way of registering.
    known = {"provider": "apns", "app": BUNDLE, "environment": "production", "token": PHONES[0], "kind": "token"}
    database["devices"].insert_one({**known, "enabled": True, "registered_at": datetime(2020, 1, 1, tzinfo=UTC)})
    for token, enabled in ((PHONES[0], True), (PHONES[1], True), (PHONES[1], False)):
        answer = app.device(access, token, enabled)
        if answer.status != 204:
            return f"{answer}"
    made = app.create(access, "trial")
    if made.status != 200:
        return f"{made}"
    for answer in (
        app.send("PUT", "/service", made.json(), access),
        app.new_key(access, made.json(), "12345"),
        app.services(access),
    ):
        if answer.status != 200:
            return f"{answer}"
    (service,) = app.services(access).json()
    words = {"serviceKey": service["apiKey"], "level": 3, "body": "trial"}
    body, name = json.dumps(words).encode(), {"Idempotency-Key": f"{uuid.uuid4()}"}
    # Its connection to the broker may be younger than its listener.
    eventually("it is handed over", lambda: app.ask("POST", "/notify", body, headers=name).status == 204, 10)
    eventually("that is noted", lambda: database["notifications"].count_documents({"state": "sent"}) == 1, 10)
    again = app.ask("POST", "/notify", body, headers=name)
    deleted = app.send("DELETE", "/service", service, access)
    return "" if (again.status, deleted.status) == (204, 204) else f"{again} {deleted}"


def speak(port: int) -> str:
    """Has a service and invites somebody, says something, and hears and reads it: what has not worked, or nothing."""
    status, text = ask(port, "/v1/account/sessions", "", "POST", {"username": "trial", "password": "12345"})
    if status != 201:
        return f"log-in: {status}: {text}"
    access = json.loads(text)["access_token"]
    status, text = ask(port, "/v1/services", access, "POST", {"name": "voice"})
    if status != 201:
        return f"service: {status}: {text}"
    service = f"/v1/services/{json.loads(text)['id']}"
    status, text = ask(port, f"{service}/invitations", access, "POST", {"role": "member"})
    if status != 201:
        return f"invitation: {status}: {text}"
    invitation = json.loads(text)["id"]
    for method, path, wanted in (("GET", "", 200), ("DELETE", f"/{invitation}", 204)):
        status, text = ask(port, f"{service}/invitations{path}", access, method)
        if status != wanted:
            return f"{method} of invitations: {status}: {text}"
    status, text = ask(port, f"{service}/keys", access, "POST", {"name": "voice", "scopes": ["notify"]})
    if status != 201:
        return f"key: {status}: {text}"
    return hear(port, access, json.loads(text)["secret"])


def hear(port: int, access: str, key: str) -> str:
    """Listens while the service speaks, twice under one name; reads it, and asks for what was missed."""
    words, name = {"level": "info", "body": "trial"}, {"Idempotency-Key": f"{uuid.uuid4()}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/events", headers={"Authorization": f"Bearer {access}"})
    try:
        with urllib.request.urlopen(request, timeout=20) as stream:
            for _ in range(2):
                status, text = ask(port, "/v1/notifications", key, "POST", words, name)
                if status != 202:
                    return f"notification: {status}: {text}"
            event = next(line[3:].strip().decode() for line in stream if line.startswith(b"id:"))
    except (urllib.error.HTTPError, StopIteration) as error:
        return f"events: {error}"
    notification = f"/v1/notifications/{json.loads(text)['id']}"
    for method, path, more in (
        ("PUT", f"{notification}/read", {}),
        ("GET", "/v1/notifications", {}),
        ("GET", "/v1/events", {"Last-Event-ID": event}),
    ):
        status, text = ask(port, path, access, method, more=more)
        if status != 200:
            return f"{method} {path}: {status}: {text}"
    return ""


def campaign(port: int, key: str) -> str:
    """Makes one and ends it: what has not worked, or nothing."""
    one = {"name": "trial", "client": "notices", "body": "trial", "select": {"app": BUNDLE}}
    for path, body, wanted in (("", one, 201), ("/trial/cancel", None, 202)):
        status, text = ask(port, f"/v1/campaigns{path}", key, "POST", body)
        if status != wanted:
            return f"campaign: {status}: {text}"
    return ""


def ask(
    port: int, path: str, key: str, method: str = "GET", body: dict[str, Any] | None = None, more: dict[str, str] | None = None
) -> tuple[int, str]:
    """Asks the HTTP API, as soon as it listens."""
    headers = {"Authorization": f"Bearer {key}"} | ({"Content-Type": "application/json"} if body else {}) | (more or {})
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=data, headers=headers, method=method)
    deadline = time.monotonic() + 20
    while True:
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                # A stream has no end.
                streams = answer.headers.get_content_type() == "text/event-stream"
                return answer.status, (answer.readline() if streams else answer.read()).decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except urllib.error.URLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


@case("rights", quick=False)
def no_right_too_many(run: Run) -> None:
    """without any single right of those that the table names, its command does not work"""
    run.open()
    store = GuardedStore(run.folder / "guarded")
    installation = Installation(run, store)
    table = rights()
    needless = []
    try:
        installation.add(table)
        trials = Trials(run, installation)
        assert trials.works("init"), trials.words
        for command, allowed in table.items():
            assert trials.works(command), f"{command} with all its rights: {trials.words[-500:]}"
            for name, left in each_right_less(allowed):
                installation.change(command, left)
                works = trials.works(command)
                print(f"without {name}: {command} {'works' if works else 'does not work'}", file=sys.stderr)
                if works:
                    needless.append(f"{command}: {name}")
            installation.change(command, allowed)
            assert trials.works(command), f"{command} with its rights again: {trials.words[-500:]}"
    finally:
        installation.remove()
        store.stop()
    assert not needless, f"not needed: {', '.join(needless)}"
    forget_pushes(run)
    run.start()
