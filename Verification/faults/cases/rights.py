"""How little each command may be allowed: the table of docs/operations/rights.md suffices, and nothing in it is too much."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import pika
from pika.exceptions import ChannelClosedByBroker, UnroutableError

from faults.cases import case
from faults.cases.trust import forget_pushes, waybill
from faults.process import eventually
from faults.product import BUNDLE
from faults.rights.ask import ask
from faults.rights.installation import Installation, a_key
from faults.rights.table import each_right_less, rights
from faults.rights.trial import Trial
from faults.rights.trials import TRIALS
from faults.run import Run
from faults.servers.guarded import GuardedStore
from faults.servers.ports import free_ports


@case("rights", long=True, later=True)
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
        assert "not readable" not in told, f"explain may not read all that it asks: {told}"
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
        assert '"rights"' in installation.command("cancel", "--list", "--json"), "cancel lists too little"
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


def nothing_but_rejected(run: Run, config: Path) -> bool:
    found = json.loads(waybill(run, config, "status", "--json").stdout)["findings"]
    return [finding["text"] for finding in found] == ["the rejected queue holds 2"]


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
        for exchange in (f"{prefix}.in", f"{prefix}.replay", ""):
            connection = pika.BlockingConnection(parameters)
            channel = connection.channel()
            channel.confirm_delivery()
            try:
                channel.basic_publish(exchange, f"{prefix}.{queue}", b"forged", mandatory=True)
                has_arrived = True
            except (UnroutableError, ChannelClosedByBroker):
                has_arrived = False
            wanted = exchange == f"{prefix}.in" and queue == "dispatch"
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
        trial = Trial(run, installation)
        assert TRIALS["init"](trial), trial.words
        for command, allowed in table.items():
            assert TRIALS[command](trial), f"{command} with all its rights: {trial.words[-500:]}"
            for name, left in each_right_less(allowed):
                installation.change(command, left)
                works = TRIALS[command](trial)
                print(f"without {name}: {command} {'works' if works else 'does not work'}", file=sys.stderr)
                if works:
                    needless.append(f"{command}: {name}")
            installation.change(command, allowed)
            assert TRIALS[command](trial), f"{command} with its rights again: {trial.words[-500:]}"
    finally:
        installation.remove()
        store.stop()
    assert not needless, f"not needed: {', '.join(needless)}"
    forget_pushes(run)
    run.start()
