"""Attacks a `waybill serve` with slow clients, and asks it beside them. Command line: scripts/slow-clients.sh.

    python -m bench.slow --programs DIR --folder DIR --port N --protected-port N --admin-port N [--seconds N] [--connections N]
                         [--json FILE]

A probe asks for a page of records every 100 ms, or for /live of the admin listener, each time over a connection of its own:
first alone, then beside each attack of slowhttptest. No request may fail, and the median stays what it was.
"""

import argparse
import http.client
import json
import ssl
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.processes import Program
from bench.rig import Services

LIMIT = 100.0  # milliseconds that a median may have, and any median that is not three times that of the calm
PATIENCE = 10.0  # seconds after which a request of the probe has failed
ATTACKS = {
    "slow heads": ["-H", "-i", "3", "-x", "24"],
    "slow bodies": ["-B", "-i", "3", "-s", "8192", "-x", "10", "-t", "POST"],
    "slow readers": ["-X", "-w", "1", "-y", "8", "-n", "3", "-z", "1", "-k", "3"],
    "ranges": ["-R", "-a", "10", "-b", "3000"],
}


@dataclass
class Probe:
    """Asks again and again on a thread until `stop`."""

    port: int
    page: str
    headers: dict[str, str]
    context: ssl.SSLContext | None
    milliseconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while not self._end.wait(0.1):
            began = time.monotonic()
            try:
                self.ask()
                self.milliseconds.append(1000 * (time.monotonic() - began))
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(f"{type(error).__name__} {error}")

    def ask(self) -> None:
        connection: http.client.HTTPConnection
        if self.context is None:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        else:
            connection = http.client.HTTPSConnection("localhost", self.port, timeout=PATIENCE, context=self.context)
        try:
            connection.request("GET", self.page, headers={**self.headers, "Connection": "close"})
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise OSError(f"answered with {answer.status}")
        finally:
            connection.close()

    def stop(self) -> None:
        self._end.set()
        self._thread.join(2 * PATIENCE)


class Target:
    """The API of a `waybill serve` with an empty log behind it, with TLS or without."""

    name = "API"
    attacked = "/v1/status"

    def __init__(self, folder: Path, programs: Path, port: int, is_protected: bool = False) -> None:
        self.port, self.is_protected, self._folder, self._waybill = port, is_protected, folder, programs / "waybill"
        services = Services.read(folder / "services/env")
        self._credentials = folder / "credentials"
        if not self._credentials.exists():
            make = [str(programs / "apns-simulator"), "make-credentials", str(self._credentials)]
            subprocess.run(make, check=True, capture_output=True)
        self._config = folder / "waybill.yaml"
        self._config.write_text(
            f"store:\n  url: {json.dumps(services.store_url)}\n  database: slow\n"
            f"broker:\n  url: {json.dumps(services.broker_url)}\n  queue_prefix: slow\nretention:\n  default: keep\n"
        )

    def run(self, *arguments: str) -> str:
        command = [str(self._waybill), *arguments, "--config", str(self._config)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    @property
    def settings(self) -> list[str]:
        return [f"serve.listen=127.0.0.1:{self.port}"]

    @property
    def sign(self) -> str:
        """What it says when it listens."""
        return "api.listening"

    def probe(self, name: str) -> Probe:
        """One with a key of its own, which may ask ten times a second: none is asked for what the last one spent."""
        key = self.run("keys", "create", "--name", name, "--role", "reader", "--all-clients")
        return Probe(self.port, "/v1/deliveries?limit=10", {"Authorization": f"Bearer {key}"}, self.context)

    def serve(self) -> Program:
        settings = self.settings
        if self.is_protected:
            settings.append(f"serve.certificate_file={self._credentials}/server.pem")
            settings.append(f"serve.private_key_file={self._credentials}/server-key.pem")
        options = [word for setting in settings for word in ("--set", setting)]
        command = [self._waybill, "serve", "--config", self._config, *options]
        server = Program.start("serve", command, self._folder / f"serve-{self.port}.log")
        end = time.monotonic() + 60
        while self.sign not in server.words():
            server.check()
            if time.monotonic() > end:
                server.kill()
                raise SystemExit(f"waybill serve does not listen:\n{server.words()}")
            time.sleep(0.1)
        return server

    @property
    def context(self) -> ssl.SSLContext | None:
        return ssl.create_default_context(cafile=str(self._credentials / "ca.pem")) if self.is_protected else None

    @property
    def url(self) -> str:
        return f"{'https://localhost' if self.is_protected else 'http://127.0.0.1'}:{self.port}{self.attacked}"


class AdminTarget(Target):
    """The admin listener of the same, which asks for no key: a probe that keeps an orchestrator from ending the process."""

    name = "admin"
    attacked = "/metrics"

    def __init__(self, folder: Path, programs: Path, port: int, api_port: int) -> None:
        super().__init__(folder, programs, port)
        self._api_port = api_port
        text = self._config.read_text()
        self._config = folder / "admin.yaml"
        self._config.write_text(f"{text}admin:\n  listen:\n    serve: 127.0.0.1:{port}\n")

    @property
    def settings(self) -> list[str]:
        return [f"serve.listen=127.0.0.1:{self._api_port}"]

    @property
    def sign(self) -> str:
        return "admin.listening"

    def probe(self, name: str) -> Probe:
        return Probe(self.port, "/live", {}, None)


def attack(target: Target, words: list[str], connections: int, seconds: int) -> str:
    """Runs slowhttptest; returns what it says of the target at the end."""
    shape = ["-c", str(connections), "-r", "100", "-l", str(seconds), "-p", "3"]
    done = subprocess.run(
        ["slowhttptest", *words, *shape, "-u", target.url], capture_output=True, text=True, timeout=seconds + 60
    )
    said = [line.strip() for line in done.stdout.splitlines() if "service available" in line]
    return said[-1] if said else done.stdout[-200:]


def measure(target: Target, options: argparse.Namespace) -> list[dict]:
    server = target.serve()
    rows: list[dict] = []
    try:
        for name, words in [("calm", []), *ATTACKS.items()]:
            probe = target.probe(name)
            if words:
                attack(target, words, options.connections, options.seconds)
            else:
                time.sleep(options.seconds)
            probe.stop()
            times = probe.milliseconds or [float("inf")]
            rows.append(
                {
                    "attack": name,
                    "listener": target.name,
                    "protected": target.is_protected,
                    "asked": len(probe.milliseconds) + len(probe.failures),
                    "failed": len(probe.failures),
                    "median_ms": median(times),
                    "worst_ms": max(times),
                    "failures": probe.failures[:3],
                }
            )
            show(rows[-1])
    finally:
        server.end()
    return rows


def place(row: dict) -> str:
    return f"{row['listener']}: {row['attack']}{', TLS' if row['protected'] else ''}"


def show(row: dict) -> None:
    figures = f"{row['asked']:7}{row['failed']:8}{row['median_ms']:9.1f}{row['worst_ms']:9.1f}"
    print(f"{place(row):26}{figures}  {'; '.join(row['failures'])}", flush=True)


def findings(rows: list[dict]) -> list[str]:
    (calm,) = (row["median_ms"] for row in rows if row["attack"] == "calm")
    found = []
    for row in rows:
        where = place(row)
        if row["failed"]:
            found.append(f"{where}: {row['failed']} of {row['asked']} requests of the probe have failed")
        if row["median_ms"] > max(LIMIT, 3 * calm):
            found.append(f"{where}: the probe's median is {row['median_ms']:.0f} ms, without an attack {calm:.0f} ms")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--protected-port", type=int, required=True)
    parser.add_argument("--admin-port", type=int, required=True)
    parser.add_argument("--seconds", type=int, default=20, help="the length of each attack")
    parser.add_argument("--connections", type=int, default=400, help="of each attack")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(f"{'attack':26}{'asked':>7}{'failed':>8}{'median':>9}{'worst':>9}  (milliseconds)")
    rows, found = [], []
    plain = Target(options.folder, options.programs, options.port)
    plain.run("init")
    protected = Target(options.folder, options.programs, options.protected_port, is_protected=True)
    admin = AdminTarget(options.folder, options.programs, options.admin_port, options.port)
    for target in (plain, protected, admin):
        measured = measure(target, options)
        found += findings(measured)
        rows += measured
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    print("\n".join(found) or "no request of the probe has failed, and its medians stay in the same range")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
