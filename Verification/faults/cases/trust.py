"""Whom the product trusts, what it gives away, and how little it may be allowed."""

import json
import os
import resource
import signal
import subprocess
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pika
from common.certificates import Authority
from common.registry import device
from pika.exceptions import ChannelClosedByBroker

from faults.cases import case
from faults.process import Process, eventually
from faults.product import BUNDLE, KEY, configuration
from faults.run import Run
from faults.servers.impostor import Impostor

USAGE, UNAVAILABLE, PERMISSION, CONFIGURATION = 64, 69, 77, 78


def waybill(run: Run, config: Path, *arguments: str, input: bytes = b"") -> subprocess.CompletedProcess:
    """Runs a command to its end."""
    return subprocess.run(
        [run.programs.waybill, *arguments, "--config", str(config)],
        input=input,
        capture_output=True,
        timeout=60,
        env={key: value for key, value in os.environ.items() if not key.startswith("WAYBILL_")},
    )


def words(done: subprocess.CompletedProcess) -> str:
    """All that a command has said, in one line: where its own lines end depends on how wide the numbers are."""
    return " ".join((done.stdout + done.stderr).decode().split())


def write_config(run: Run, name: str, **more: Any) -> Path:
    """A configuration past every proxy, with other values laid over it by section."""
    base: dict[str, Any] = {
        "broker": run.services.broker_url,
        "store": f"mongodb://127.0.0.1:{run.services.store_port}/?replicaSet=rs0",
    }
    settings = configuration(
        **base, apns_port=run.simulator.port, prefix=run.prefix, database=run.prefix, credentials=run.programs.credentials
    )
    for section, values in more.items():
        if section == "lanes":
            settings["lanes"][0].update(values)
        else:
            settings.setdefault(section, {}).update(values)
    file = run.folder / f"{name}.yaml"
    file.touch(mode=0o600)  # it may hold passwords
    file.write_text(json.dumps(settings))
    return file


# -- TLS


@case("trust", long=True, later=True)
def impostors(run: Run) -> None:
    """broker, store and APNs with expired, foreign, misnamed or outdated TLS: none is trusted, none hears a word"""
    run.open()
    authority = Authority(run.folder / "authority")
    foreign = Authority(run.folder / "foreign")
    right = authority.issue("right")
    servers = {
        "right": lambda: Impostor(*right),
        "expired": lambda: Impostor(*authority.issue("expired", expired=True)),
        "self-signed": lambda: Impostor(*foreign.issue("foreign")),
        "wrong-name": lambda: Impostor(*authority.issue("wrong-name", host="DNS:elsewhere.example")),
        "old-tls": lambda: Impostor(*right, is_old=True),
    }
    for name, make in servers.items():
        impostors = {role: make() for role in ("broker", "store", "apns")}
        ca = str(authority.certificate)
        config = write_config(
            run,
            name,
            broker={"url": f"amqps://guest:guest@localhost:{impostors['broker'].port}/", "ca_file": ca},
            store={
                "url": f"mongodb://localhost:{impostors['store'].port}/?tls=true&tlsCAFile={ca}"
                "&serverSelectionTimeoutMS=1500&connectTimeoutMS=1500"
            },
            lanes={"endpoint": f"https://localhost:{impostors['apns'].port}", "trust_file": ca},
        )
        done = waybill(run, config, "check")
        words = (done.stdout + done.stderr).decode()
        assert done.returncode == UNAVAILABLE, f"{name}: check ended with {done.returncode}: {words}"
        for role, impostor in impostors.items():
            impostor.close()
            assert impostor.tried, f"{name}: nobody came to the {role}"
            if name == "right":
                assert impostor.trusted, f"the right certificate of the {role} is not trusted: {done.stdout.decode()}"
            else:
                assert not impostor.trusted and not impostor.heard, f"{name}: the {role} is trusted"
    run.start()


# -- Secrets

PASSWORDS = {"broker": "canary-of-the-broker", "store": "canary-of-the-store"}
TOKENS = {
    name: (prefix + "ca9a" * 16)[:64] for name, prefix in {"dead": "dead", "bad": "bad0", "late": "5030", "good": "aa"}.items()
}


def secrets(run: Run) -> dict[str, bytes]:
    """Everything that nobody may see in clear."""
    key = (run.programs.credentials / f"AuthKey_{KEY}.p8").read_text().splitlines()
    found = {f"password of the {name}": word.encode() for name, word in PASSWORDS.items()}
    found |= {f"token ({name})": token.encode() for name, token in TOKENS.items()}
    found |= {f"key, line {number}": line.encode() for number, line in enumerate(key) if not line.startswith("-")}
    return found


def search(where: str, text: bytes, wanted: dict[str, bytes]) -> list[str]:
    return [f"{where} shows the {name}" for name, secret in wanted.items() if secret in text]


def command_lines() -> bytes:
    """Of every process that can be seen."""
    lines = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(process.read_bytes())
        except OSError:
            pass
    return b"\n".join(lines)


@case("trust", long=True, later=True)
def canaries(run: Run) -> None:
    """tokens, keys and passwords never show in output, logs, errors or command lines, on the loudest log level"""
    run.open()
    wanted = secrets(run)
    findings: list[str] = []

    def look(name: str, done: subprocess.CompletedProcess, *statuses: int) -> None:
        findings.extend(search(name, done.stdout + done.stderr, wanted))
        if done.returncode not in statuses:
            findings.append(f"{name} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")

    broker = run.services.broker_url.replace("guest:guest", f"guest:{PASSWORDS['broker']}")
    store = f"mongodb://waybill:{PASSWORDS['store']}@127.0.0.1"
    timeouts = "serverSelectionTimeoutMS=500&connectTimeoutMS=500"
    strangers = {
        "wrong-password": write_config(
            run, "wrong", broker={"url": broker}, store={"url": f"{store}:{run.services.store_port}/?{timeouts}"}
        ),
        "unreachable": write_config(
            run,
            "unreachable",
            broker={"url": f"amqp://waybill:{PASSWORDS['broker']}@127.0.0.1:1/"},
            store={"url": f"{store}:1/?{timeouts}"},
            lanes={"endpoint": "https://localhost:1"},
        ),
        "bad-urls": write_config(
            run,
            "bad-urls",
            broker={"url": f"amqp://waybill:{PASSWORDS['broker']}@127.0.0.1:port/%zz"},
            store={"url": f"{store}:1,/?replicaSet"},
        ),
    }
    for name, config in strangers.items():
        statuses = (UNAVAILABLE, PERMISSION, CONFIGURATION)
        for arguments in (
            ("check",),
            ("init",),
            ("logs", "--token", TOKENS["dead"]),
            ("devices",),
            ("rejected",),
            ("dispatch", "--log-level", "trace"),
            ("prune", "--log-level", "trace"),
        ):
            if name == "unreachable" and arguments[0] in ("dispatch", "prune"):
                continue  # they wait; below they run
            look(f"{name}: {arguments[0]}", waybill(run, config, *arguments), *statuses)

    good = write_config(run, "good")
    broken = run.folder / "broken.p8"
    lines = (run.programs.credentials / f"AuthKey_{KEY}.p8").read_text().splitlines()
    broken.write_text("\n".join([lines[0], lines[1], "*", *lines[2:]]))
    broken.chmod(0o600)
    look("broken key: check", waybill(run, write_config(run, "broken", lanes={"key_file": str(broken)}), "check"), 77, 78)
    csv = f"device_token,message\n{TOKENS['good']}x,hello\n{TOKENS['good']},hello,{TOKENS['good']}\n"
    look("bad file: send", waybill(run, good, "send", "-", "--format", "csv", input=csv.encode()), 65)
    look("bad argument: logs", waybill(run, good, "logs", "--since", "lately", "--token", TOKENS["good"]), USAGE)

    run.start_prune()
    dispatcher = Process(
        "waybill dispatch",
        [run.programs.waybill, "dispatch", "--config", str(good), "--log-level", "trace", "--log-format", "json"],
        run.folder / "dispatch.log",
    )
    run.dispatchers.append(dispatcher)
    for token in TOKENS.values():
        entry = {"device_token": token, "message": "hello"}
        run.producer.publish(json.dumps([entry, {**entry, "topic": "a\nb"}, {**entry, "sounds": 1}]).encode())
        run.producer.publish(b'[{"device_token":"%s","message":"cut' % token.encode())
        run.producer.publish(b'{"notifications":[],"%s":1}' % token.encode())
        run.ledgers.ordered_rejects += 2
    wanted_records = 3 * len(TOKENS)
    eventually("records", lambda: run.final_count() >= wanted_records, 30)
    findings += search("a command line", command_lines(), {k: v for k, v in wanted.items() if "password" in k or "key" in k})
    look("rejected", waybill(run, good, "rejected"), 0)
    look("check", waybill(run, good, "check"), 75)  # rejected messages wait for somebody
    dispatcher.signal(signal.SIGTERM)
    dispatcher.wait(20)
    for log in run.folder.glob("*.log"):
        findings += search(log.name, log.read_bytes(), wanted)
    # What the case has put there is nobody's issue.
    run.forget_records()
    run.devices.delete_many({})
    drain(run, f"{run.prefix}.rejected")
    run.ledgers.ordered_rejects = 0
    forget_pushes(run)
    run.prune.end()
    run.prune = None
    assert not findings, "; ".join(findings[:6])
    run.start()


def forget_pushes(run: Run) -> None:
    """What a case has pushed outside of the ledgers is nobody's issue."""
    run.simulator.stop()
    run.simulator.records[-1].write_text("")
    run.simulator.start()


def drain(run: Run, queue: str) -> None:
    connection = run.services.connect_broker()
    connection.channel().queue_purge(queue)
    connection.close()


# -- Producers


def publish(run: Run, exchange: str, key: str, body: dict | bytes, **properties: Any) -> None:
    """Publishes one message with a confirm, as whoever may."""
    connection = run.services.connect_broker()
    try:
        channel = connection.channel()
        channel.confirm_delivery()
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        channel.basic_publish(exchange, key, body, pika.BasicProperties(delivery_mode=2, **properties), mandatory=True)
    finally:
        if connection.is_open:
            connection.close()


@case("trust", later=True)
def forged_events(run: Run) -> None:
    """an invalid-token event that the log does not bear out disables nothing and makes no device, however late it says"""
    run.open()
    run.start()
    pushed, unknown, unregistered = (run.producer.token() for _ in range(3))
    (apns_id,) = run.producer.issue_to([(pushed, frozenset({"accepted"}))])
    run.await_final()
    now = datetime.now(UTC)
    run.devices.insert_many([device(BUNDLE, token, now) for token in (pushed, unknown)])
    event = {
        "reason": "Unregistered",
        "status_code": 410,
        "invalid_since": int(time.time() * 1000) + 10**12,
        "observed_at": int(time.time() * 1000) + 10**12,
        "batch_id": "forged",
        "lane": "parcels",
        "class": "dead",
        "topic": BUNDLE,
        "environment": "production",
    }
    queue = f"{run.prefix}.invalid-tokens"
    publish(run, "", queue, event | {"device_token": pushed, "apns_id": apns_id})
    publish(run, "", queue, event | {"device_token": unregistered, "apns_id": str(uuid.uuid4())})
    publish(run, "", queue, event | {"device_token": unknown, "apns_id": apns_id})
    publish(run, "", queue, event | {"device_token": unknown, "apns_id": str(uuid.uuid4())})
    log = run.folder / "prune.log"
    eventually("the operator is told", lambda: "prune.notBelieved" in log.read_text(), 20)
    suspected = {"token": unknown, "suspected_at": {"$type": "date"}}
    eventually("what nobody can prove is suspected", lambda: run.devices.count_documents(suspected) == 1, 20)
    touched = list(run.devices.find({"enabled": {"$ne": True}, "token": {"$in": [pushed, unknown]}}))
    assert not touched, f"a forged event has disabled a device: {touched}"
    assert run.devices.count_documents({"token": pushed, "suspected_at": {"$exists": True}}) == 0
    assert run.devices.count_documents({"token": unregistered}) == 0, "a forged event has made a device"
    run.recover()


@case("trust", later=True)
def rejected_and_replayed(run: Run) -> None:
    """a producer that sends as another is refused by name; list, show, replay and drop keep the queue's order"""
    run.open(more={"producers": {"users": {"guest": {"clients": ["acme"], "lanes": ["parcels"]}}}})
    config = write_config(run, "producers", producers={"users": {"guest": {"clients": ["acme"]}}})
    run.start_dispatcher()
    exchange, key = f"{run.prefix}.in", f"{run.prefix}.dispatch"
    try:
        publish(run, exchange, key, {}, user_id="somebody")
        raise AssertionError("the broker takes a foreign user-id")
    except ChannelClosedByBroker:
        pass
    token = run.producer.token()
    entry = {"batch_id": "as-another", "client": "contoso", "notifications": [{"device_token": token, "message": "x"}]}
    publish(run, exchange, key, entry, user_id="guest", app_id="shop", message_id="m-1", correlation_id="theirs")

    def listed() -> list[dict]:
        done = waybill(run, config, "rejected", "list", "--json", "--limit", "2000")
        assert done.returncode == 0, done.stderr.decode()
        return [json.loads(line) for line in done.stdout.decode().splitlines()]

    eventually("the message is refused", lambda: len(listed()) == 1, 20)
    (found,) = listed()
    expected = {"reason": "forbidden_client", "client": "contoso", "batch_id": "as-another", "producer": "guest"}
    expected |= {"app_id": "shop", "message_id": "m-1", "correlation_id": "theirs", "queue": key}
    assert expected.items() <= found.items(), found
    words = (run.folder / "dispatch.log").read_text()
    assert all(word in words for word in ("forbidden_client", "contoso", "as-another", "shop", "guest")), words[-600:]
    # A replay is asked by the same name.
    done = waybill(run, config, "rejected", "replay", "--id", "m-1", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 0 and told.pop("returned") in (0, 1), done  # 0 if it takes its time to come back
    assert told == {"replayed": 1, "left": 0}, done
    eventually("it is refused again", lambda: len(listed()) == 1, 20)
    assert listed()[0]["producer"] == "guest", listed()
    for number in range(40):
        publish(run, exchange, key, b"nonsense %d " % number, message_id=f"n-{number}")
    eventually("all are rejected", lambda: len(listed()) == 41, 20)
    order = [message["message_id"] for message in listed()]
    shown = waybill(run, config, "rejected", "show", "n-17")
    assert shown.returncode == 0 and b"nonsense 17" in shown.stdout, shown
    done = waybill(run, config, "rejected", "show", "nobody")
    assert done.returncode == 66, done
    assert waybill(run, config, "rejected", "drop", "--id", "n-3").returncode == 64, "drop does not ask"
    done = waybill(run, config, "rejected", "drop", "--id", "n-3", "--yes", "--json")
    assert done.returncode == 0 and json.loads(done.stdout) == {"dropped": 1, "left": 40}, done
    order.remove("n-3")
    for _ in range(3):
        assert [message["message_id"] for message in listed()] == order, "a look shuffles the queue"
    # The cause is fixed: the client is the user's own now.
    for process in run.running():
        process.end()
    for file in (run.path.config, config):
        settings = json.loads(file.read_text())
        settings["producers"]["users"]["guest"]["clients"] = ["acme", "contoso"]
        file.write_text(json.dumps(settings))
    run.start_dispatcher()
    done = waybill(run, config, "rejected", "replay", "--reason", "forbidden_client")
    assert done.returncode == 0, done.stderr.decode()
    accepted = {"batch_id": "as-another", "outcome": "accepted"}
    eventually("the replayed message is sent", lambda: run.deliveries.count_documents(accepted) == 1, 20)
    done = waybill(run, config, "rejected", "drop", "--all", "--yes")
    assert done.returncode == 0, done
    assert not listed(), f"{done}: {listed()}"
    for process in run.running():
        process.end()
    run.forget_records()
    forget_pushes(run)
    run.start()


@case("trust", later=True)
def no_core_file(run: Run) -> None:
    """a dispatcher or prune worker that crashes leaves no core file, whatever the limits allow"""
    run.open()
    config = write_config(run, "direct-again")
    for command, event in (("dispatch", "dispatch.started"), ("prune", "prune.consuming")):
        log = run.folder / f"{command}-core.log"
        child = os.fork()
        if child == 0:
            try:
                resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                words = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                os.dup2(words, 1)
                os.dup2(words, 2)
                os.chdir(run.folder)
                # Swift's own crash reports would catch the signal, and a signal from outside would then end nothing.
                environment = {"SWIFT_BACKTRACE": "enable=no", "PATH": os.environ["PATH"]}
                os.execve(run.programs.waybill, [run.programs.waybill, command, "--config", str(config)], environment)
            finally:
                os._exit(127)  # or there would be two of this session
        eventually(f"{command} runs", lambda: event in log.read_text() if log.exists() else False, 20)
        os.kill(child, signal.SIGABRT)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"{command}: status {status}"
        assert not os.WCOREDUMP(status), f"{command} has left a core file"
    run.start()
