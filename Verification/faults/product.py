"""The programs under test, their configuration, and the simulated APNs and FCM."""

import fcntl
import json
import subprocess
from pathlib import Path
from typing import Any

from faults.process import Process, eventually
from faults.servers.ports import free_ports

KEY, TEAM, BUNDLE = "ABC123DEFG", "ABCDE12345", "com.example.parcels"
DEAD_SINCE = 1_700_000_000_000  # when APNs says that the dead tokens died, ms
DEAD_PREFIX = "dead"
RULES = {
    "rules": [
        {"token_prefix": DEAD_PREFIX, "status": 410, "reason": "Unregistered", "timestamp": DEAD_SINCE},
        {"token_prefix": "bad0", "reason": "BadDeviceToken"},
        {"token_prefix": "5030", "reason": "ServiceUnavailable", "times": 2},
    ]
}
FCM_RULES = {
    "rules": [
        {"registration_prefix": DEAD_PREFIX, "fcm": "UNREGISTERED"},
        {"registration_prefix": "bad0", "fcm": "INVALID_TOKEN"},
        {"registration_prefix": "5030", "fcm": "UNAVAILABLE", "times": 2},
    ]
}


class Programs:
    """Where the built programs are, and the credentials that client and simulator share."""

    def __init__(self, folder: Path, credentials: Path) -> None:
        folder = folder.resolve()  # a case may go elsewhere
        self.waybill = str(folder / "waybill")
        self.simulator = str(folder / "apns-simulator")
        self.credentials = credentials
        make_credentials(credentials, self.simulator)


def make_credentials(folder: Path, simulator: str, through: tuple = ()) -> None:
    """Makes them unless they are there; of several processes that want them one makes them and the others wait."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_name(f"{folder.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ca.pem").exists():
            command = [*through, simulator, "make-credentials", str(folder)]
            subprocess.run(command, check=True, capture_output=True, timeout=60)


class Simulator:
    """apns-simulator with a record of everything it received. Restartable on the same port; records add up."""

    def __init__(
        self,
        programs: Programs,
        folder: Path,
        rules: dict | None = None,
        options: tuple = (),
        port: int = 0,
        key: str = KEY,
        provider: str = "apns",
    ) -> None:
        self._programs, self._folder, self._options, self._key = programs, folder, options, key
        self.records: list[Path] = []
        self.port = port or free_ports(1)[0]
        self.process: Process | None = None
        self.provider = provider
        self.start(rules)

    @property
    def account(self) -> Path:
        """The key file of a lane to FCM, whose access tokens are bought at this simulator's own port, past every proxy."""
        return self._folder / "service-account.json"

    def _credentials(self) -> list[str]:
        """What it is to believe of who sends."""
        credentials = self._programs.credentials
        if self.provider == "apns":
            key = [f"{credentials}/AuthKey_{KEY}.pub.pem"]
            return ["--key-id", self._key, "--team-id", TEAM, "--public-key", *key, "--topic", BUNDLE]
        account = json.loads((credentials / "service-account.json").read_text())
        account["token_uri"] = f"https://localhost:{self.port}/token"
        self.account.touch(0o600)
        self.account.write_text(json.dumps(account))
        return ["--service-account", str(self.account)]

    def start(self, rules: dict | None = None) -> None:
        """Starts it with rules; a second start keeps the port."""
        number = len(self.records)
        rules_file = self._folder / f"rules-{number}.json"
        usual = RULES if self.provider == "apns" else FCM_RULES
        rules_file.write_text(json.dumps(usual if rules is None else rules))
        record = self._folder / f"pushes-{number}.ndjson"
        self.records.append(record)
        port_file = self._folder / f"port-{number}"
        credentials = self._programs.credentials
        self.process = Process(
            "apns-simulator",
            [self._programs.simulator, "--port", str(self.port), "--port-file", str(port_file)]
            + ["--certificate", f"{credentials}/server.pem", "--private-key", f"{credentials}/server-key.pem"]
            + self._credentials()
            + ["--rules", str(rules_file), "--record", str(record), *self._options],
            self._folder / "simulator.log",
        )
        eventually("the simulator listens", lambda: port_file.exists() and port_file.read_text().strip(), 10)
        self.port = int(port_file.read_text())

    def stop(self) -> None:
        """Ends it in order, so that its record is complete."""
        if self.process and self.process.runs:
            status = self.process.end(10)
            if status != 0:
                raise RuntimeError(f"apns-simulator ended with {status}: {self.process.words[-500:]}")

    def restart(self, rules: dict | None = None) -> None:
        """Ends it and starts it at once, with other rules."""
        self.stop()
        self.start(rules)


def fcm_lane(simulator: Simulator, credentials: Path, port: int | None = None) -> dict:
    """A lane to a simulator that plays FCM; port: of a proxy before it."""
    return {
        "provider": "fcm",
        "service_account_file": str(simulator.account),
        "endpoint": f"https://localhost:{port or simulator.port}",
        "trust_file": f"{credentials}/ca.pem",
        "connections": 2,
    }


def configuration(
    *, broker: str, store: str, apns_port: int, prefix: str, database: str, credentials: Path, more: dict | None = None
) -> dict:
    """Waybill's configuration as data (YAML reads JSON). `more` is laid over it, section by section."""
    settings: dict[str, Any] = {
        "broker": {"url": broker, "queue_prefix": prefix, "max_in_flight": 5000},
        "store": {"url": store, "database": database},
        "retention": {"default": "30d"},
        "retry": {"steps": ["1s", "3s"], "max_attempts": 8},
        "dispatch": {"grace": "10s", "request_timeout": "10s", "statistics_interval": "250ms"},
        # Far more of the cases' tokens are dead than of anybody's list; the group fuse has it on.
        "prune": {"fuse": "off"},
        "lanes": [
            {
                "name": "parcels",
                "environment": "production",
                "bundle_id": BUNDLE,
                "team_id": TEAM,
                "key_id": KEY,
                "key_file": f"{credentials}/AuthKey_{KEY}.p8",
                "endpoint": f"https://localhost:{apns_port}",
                "trust_file": f"{credentials}/ca.pem",
                "connections": 2,
            }
        ],
    }
    for section, values in (more or {}).items():
        if section == "lanes":  # each is laid over the first, but for one to FCM, which has nothing of it
            first = settings[section][0]
            settings[section] = [lane if lane.get("provider") == "fcm" else {**first, **lane} for lane in values]
        elif isinstance(values, dict):
            settings.setdefault(section, {}).update(values)
        else:
            settings[section] = values
    return settings
