"""The private surroundings of a benchmark: services, credentials, simulator, dispatchers, and what they are told."""

import json
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.processes import Program
from bench.records import Records

PREFIX = "bench"
KEY_ID, TEAM_ID, TOPIC = "ABC123DEFG", "ABCDE12345", "com.example.parcels"


def free_port() -> int:
    """A port of loopback that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Services:
    """The broker and the store that scripts/services.sh has started."""

    broker_url: str
    broker_pid: int
    store_url: str
    store_port: int
    store_pid: int

    @classmethod
    def read(cls, file: Path) -> "Services":
        """Reads what services.sh wrote, by the shell whose syntax it is."""
        names = ["BROKER", "BROKER_PID", "STORE", "STORE_PORT", "STORE_PID"]
        script = 'source "$1"; shift; for name; do name="WAYBILL_TEST_$name"; printf "%s\\n" "${!name}"; done'
        command = ["bash", "-c", script, "-", str(file), *names]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        return cls(lines[0], int(lines[1]), lines[2], int(lines[3]), int(lines[4]))


@dataclass
class Rig:
    """Everything that one run of the pipeline needs, in one folder."""

    folder: Path
    services: Services
    programs: Path  # waybill, apns-simulator, waybill-bench
    seeds: int = 0
    started: list[Program] = field(default_factory=list)

    @property
    def credentials(self) -> Path:
        return self.folder / "credentials"

    @property
    def config(self) -> Path:
        return self.folder / "waybill.yaml"

    def prepare(self) -> None:
        """Makes the certificates and the provider key."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.credentials / "server.pem").exists():
            self.tool("apns-simulator", "make-credentials", self.credentials)

    def next_seed(self) -> int:
        """A number that no other run of these services has had."""
        self.seeds += 1
        return self.seeds

    def tool(self, program: str, *arguments: object, programs: Path | None = None) -> str:
        """Runs a program to its end and returns its standard output."""
        command = [str((programs or self.programs) / program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise RuntimeError(f"{program} {arguments[0]} ended with status {done.returncode}:\n{done.stderr[-2000:]}")
        return done.stdout

    def bench(self, command: str, *arguments: object) -> dict:
        """Runs a subcommand of waybill-bench that talks to the broker, and returns the object that it prints."""
        broker = ["--broker", self.services.broker_url, "--prefix", PREFIX]
        return json.loads(self.tool("waybill-bench", command, *broker, *arguments))

    def start(self, name: str, program: str, *arguments: object, programs: Path | None = None) -> Program:
        command = [(programs or self.programs) / program, *arguments]
        started = Program.start(name, command, self.folder / f"{name}.log")
        self.started.append(started)
        return started

    def end_all(self) -> None:
        """Ends whatever a failure has left running."""
        for program in self.started:
            program.kill()
        self.started.clear()

    def records(self) -> Records:
        return Records(self.services.store_port, PREFIX)

    def clear(
        self,
        port: int,
        connections: int = 2,
        max_in_flight: int = 20000,
        programs: Path | None = None,
        more: dict | None = None,
        provider: str = "apns",
    ) -> None:
        """An empty log, empty queues, and a configuration whose lane ends at a port of this machine.

        more: further sections of the configuration.
        """
        records = self.records()
        records.drop()
        records.close()
        settings = {
            "broker": {"url": self.services.broker_url, "queue_prefix": PREFIX, "max_in_flight": max_in_flight},
            "store": {"url": self.services.store_url, "database": PREFIX},
            "retention": {"default": "30d"},
            "lanes": [self.lane(port, connections, provider)],
        }
        # JSON is YAML.
        self.config.write_text(json.dumps(settings | (more or {}), indent=1))
        self.tool("waybill", "init", "--config", self.config, programs=programs)
        self.bench("depth", "--purge", "dispatch", "retry", "invalid-tokens", "rejected")

    def lane(self, port: int, connections: int, provider: str) -> dict:
        """A lane to a port of this machine."""
        lane = {
            "name": "bench",
            "connections": connections,
            "endpoint": f"https://localhost:{port}",
            "trust_file": f"{self.credentials}/ca.pem",
        }
        if provider == "apns":
            key = {"key_id": KEY_ID, "key_file": f"{self.credentials}/AuthKey_{KEY_ID}.p8"}
            return lane | {"bundle_id": TOPIC, "team_id": TEAM_ID} | key
        account = json.loads((self.credentials / "service-account.json").read_text())
        file = self.folder / "service-account.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps(account | {"token_uri": f"https://localhost:{port}/token"}))
        # Google's quota is not what is measured.
        return lane | {"provider": "fcm", "service_account_file": str(file), "messages_per_second": 100_000}

    def start_simulator(self, *options: object, command: list | None = None) -> tuple[Program, int]:
        """A simulated APNs on a port of its own: apns-simulator, or another program with the same options."""
        port_file = self.folder / "simulator.port"
        port_file.unlink(missing_ok=True)
        name, *first = command or ["apns-simulator"]
        certificate = ["--certificate", self.credentials / "server.pem"]
        key = ["--private-key", self.credentials / "server-key.pem"]
        where = ["--port", 0, "--port-file", port_file]
        program = self.start("simulator", name, *first, *where, *certificate, *key, *options)
        end = time.monotonic() + 10
        while time.monotonic() < end:
            program.check()
            if port_file.exists() and (text := port_file.read_text().strip()):
                return program, int(text)
            time.sleep(0.02)
        raise RuntimeError(f"the simulator did not start:\n{program.words()}")
