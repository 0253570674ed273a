"""A private installation with a page: broker and store are there, a simulated APNs and `waybill run` are started here."""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

PATIENCE = 60.0  # seconds, for whatever starts
# What links in mails begin with; nobody follows it.
BASE = "https://push.example.com"


def await_true(what: str, holds: Callable[[], object], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


class Installation:
    def __init__(self, programs: Path, folder: Path, broker: str, store: str) -> None:
        self.programs, self.folder = programs, folder
        self.broker, self.store = broker, store
        self.database = "waybill_page"
        self.config = folder / "waybill.yaml"
        self.port = free_port()
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []

    def __enter__(self) -> "Installation":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for _, process in reversed(self._running):
            process.terminate()
        for _, process in reversed(self._running):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._start_simulator()
        self.waybill("init")
        self._start("run", self.programs / "waybill", "run", "--config", self.config)
        await_true("the page answers", lambda: answers(self.address))

    def serve(self, *options: str) -> str:
        """One more `waybill serve` with other settings: its address."""
        port = free_port()
        arguments: list[str | Path] = ["serve", "--config", self.config, "--set", f"serve.listen=127.0.0.1:{port}", *options]
        self._start(f"serve-{port}", self.programs / "waybill", *arguments)
        address = f"http://127.0.0.1:{port}"
        await_true("one more page answers", lambda: answers(address))
        return address

    def hooks(self, authority: Path, network: str) -> subprocess.Popen[bytes]:
        """`waybill hooks`, which trusts an authority and may reach a network; to be ended by who asks."""
        config = self.folder / "hooks.yaml"
        section = f"webhooks:\n  ca_file: {authority}\n  allow_networks_of_services: [{network}]\n"
        config.write_text(self.config.read_text() + section)
        return self._start("hooks", self.programs / "waybill", "hooks", "--config", config, "--set", "log.level=debug")

    def waybill(self, *arguments: str | Path, given: bytes = b"") -> str:
        """The standard output of a command that must succeed."""
        done = subprocess.run(
            [self.programs / "waybill", arguments[0], "--config", self.config, *arguments[1:]]
            if arguments[0] != "keys"
            else [self.programs / "waybill", *arguments, "--config", self.config],
            input=given,
            capture_output=True,
            timeout=PATIENCE,
        )
        if done.returncode != 0:
            raise RuntimeError(f"waybill {arguments[0]}: {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode()

    def key(self, role: str = "steward", *clients: str) -> str:
        whose = [word for client in clients for word in ("--client", client)] or ["--all-clients"]
        return self.waybill("keys", "create", "--name", f"{role}'s", "--role", role, *whose).strip()

    def send(self, batch: str, tokens: list[str], **more: object) -> None:
        """Publishes one message; whatever its fields say."""
        body = {"batch_id": batch, "client": "acme", "message": "Your parcel is here", "device_tokens": tokens} | more
        file = self.folder / "message"
        file.write_text(json.dumps(body))
        self.waybill("send", "--raw", file)

    def await_counts(self) -> None:
        """Has what was written past the dispatcher counted."""
        self.waybill("stats", "--recount", "--since", "2h")
        request = urllib.request.Request(
            f"{self.address}/v1/stats?since=2h&every=1m", headers={"Authorization": f"Bearer {self.key('reader')}"}
        )

        def is_counted() -> bool:
            time.sleep(0.5)
            with urllib.request.urlopen(request, timeout=20) as answer:
                found = json.load(answer)
            return found["minutes_in_doubt"] == 0 and len(found["rows"]) > 1

        await_true("everything is counted", is_counted)

    def words(self) -> str:
        """What all processes have said."""
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))

    def _start_simulator(self) -> None:
        credentials, program = self.folder / "credentials", self.programs / "apns-simulator"
        subprocess.run([program, "make-credentials", credentials], check=True, capture_output=True)
        rules = self.folder / "rules.json"
        rules.write_text(
            json.dumps({"rules": [{"token_prefix": "dead", "status": 410, "reason": "Unregistered", "timestamp": 1}]})
        )
        port = self.folder / "simulator.port"
        options: dict[str, str | Path] = {
            "--port": "0",
            "--port-file": port,
            "--certificate": credentials / "server.pem",
            "--private-key": credentials / "server-key.pem",
            "--key-id": "ABC123DEFG",
            "--team-id": "ABCDE12345",
            "--public-key": credentials / "AuthKey_ABC123DEFG.pub.pem",
            "--topic": "com.example.parcels",
            "--rules": rules,
        }
        self._start("simulator", program, *(word for pair in options.items() for word in pair))
        await_true("the simulator listens", lambda: port.exists() and port.read_text().strip())
        lanes = "".join(self._lane(name, port.read_text().strip()) for name in ("parcels", "alerts"))
        self.config.write_text(
            f"broker:\n  url: {self.broker}\n  queue_prefix: page\n"
            f"store:\n  url: {self.store}\n  database: {self.database}\n"
            "retention:\n  default: 30d\nclients:\n  notifications: {apps: [com.example.parcels]}\n"
            f"serve:\n  listen: 127.0.0.1:{self.port}\n{self._accounts()}"
            f"dispatch:\n  statistics_interval: 1s\nlanes:\n{lanes}"
        )

    def _accounts(self) -> str:
        """People have accounts, too; a password is hashed at little cost."""
        root = self.folder / "root-secret"
        root.touch(0o600)
        root.write_text(os.urandom(32).hex())
        limits = "".join(f"      {name}: 10000\n" for name in ("sign_ups_per_hour", "log_ins_per_minute", "checks_per_minute"))
        return (
            f"  accounts:\n    base_url: {BASE}\n    root_secret_file: {root}\n"
            f"    password_hash: {{memory: 64, passes: 1}}\n    limits:\n{limits}"
            "  notifire:\n    services: {app: com.example.parcels, lane: parcels}\n"
        )

    def _lane(self, name: str, port: str) -> str:
        credentials = self.folder / "credentials"
        return (
            f"  - name: {name}\n    environment: production\n    bundle_id: com.example.parcels\n    team_id: ABCDE12345\n"
            f"    key_id: ABC123DEFG\n    key_file: {credentials}/AuthKey_ABC123DEFG.p8\n"
            f"    endpoint: https://localhost:{port}\n    trust_file: {credentials}/ca.pem\n"
        )

    def _start(self, name: str, *command: str | Path) -> subprocess.Popen[bytes]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("WAYBILL_")}
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        self._running.append((name, process))
        return process


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address + "/", timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
