"""The HTTP API, held against its contract by somebody who tries everything."""

import json
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from common.places import ROOT

from faults.cases import case
from faults.cases.trust import waybill
from faults.frontdoor import accounts
from faults.process import Process, eventually
from faults.run import Run
from faults.servers.ports import free_ports

CONTRACT = ROOT / "schemas/openapi.yaml"
# Values that are well-formed and still mean nothing: a cursor of no search, a time after the other one.
NOT_ASKED = "positive_data_acceptance"
# For so many seconds and a few more a key is believed without asking for it.
KEY_PATIENCE = 35
# It has no end; Tests/WaybillHTTPAPITests and the case followed-through-an-outage read it.
ENDLESS = "/v1/tail"
# Answers that refuse what breaks the contract: a query that is too long, too, whose head cannot be read.
REFUSALS = [400, 401, 403, 404, 405, 409, 413, 415, 429, 431, 503]


def listens(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


class Viewer:
    """One who reads the stream of records on a thread, until it ends."""

    def __init__(self, port: int, key: str) -> None:
        request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/tail", headers={"Authorization": f"Bearer {key}"})
        self._answer = urllib.request.urlopen(request, timeout=60)
        self.lines: list[str] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            for line in self._answer:
                self.lines.append(line.decode().strip())
        except OSError as error:
            self.lines.append(f"broken: {error}")

    def ids(self) -> set[str]:
        """The records that came."""
        return {json.loads(line[6:])["_id"] for line in list(self.lines) if line.startswith('data: {"_id"')}

    def ends(self) -> bool:
        self._thread.join(20)
        return not self._thread.is_alive() and not any(line.startswith("broken") for line in self.lines)


def is_refused(port: int, key: str) -> bool:
    """Whether another viewer is told to come back later."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/tail", headers={"Authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request, timeout=60):
            return False
    except urllib.error.HTTPError as error:
        return error.code == 503


@case("api", alone=True)
def followed_through_an_outage(run: Run) -> None:
    """a viewer of the API's tail misses no record over a restart of MongoDB, and hears of it"""
    run.open()
    run.start()
    config = run.path.config
    made = waybill(run, config, "keys", "create", "--name", "viewer", "--role", "reader", "--all-clients")
    assert made.returncode == 0, made.stderr.decode()
    (port,) = free_ports(1)
    arguments = [run.programs.waybill, "serve", "--config", str(config), "--set", f"serve.listen=127.0.0.1:{port}"]
    server = Process("waybill serve", arguments, run.folder / "serve.log")
    run.at_close(server.kill)
    eventually("it listens", lambda: listens(port), 30)
    key = made.stdout.decode().strip()
    viewer = Viewer(port, key)
    # So few that none of them is left out.
    wanted = set(run.issue(2, 10, dead=0))
    eventually("they come", lambda: wanted <= viewer.ids(), 30)
    run.services.control("stop-store")
    wanted |= set(run.issue(2, 10, dead=0))
    # A shorter absence goes by unnoticed, and nothing is missed in it either.
    eventually("the stream is away", lambda: is_refused(port, key), 60, 1)
    run.services.control("start-store")
    run.healed()
    run.await_final()
    eventually("what was written afterwards comes", lambda: wanted <= viewer.ids(), 30)
    assert "event: gap" in viewer.lines, "the viewer does not hear of the outage"
    assert "event: sampled" not in viewer.lines, viewer.lines[-20:]
    assert server.end() == 0
    assert viewer.ends(), viewer.lines[-5:]


def asked(port: int, key: str, path: str) -> tuple[int, dict]:
    """Status and body of an answer."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, {}


@case("api", alone=True, long=True, later=True)
def state_told_through_an_outage(run: Run) -> None:
    """/v1/status tells whoever was let in before that the store is away, longer than keys are believed; no other route does"""
    run.open()
    run.start()
    config = run.path.config
    keys = {}
    for name in ("known", "stranger"):
        made = waybill(run, config, "keys", "create", "--name", name, "--role", "reader", "--all-clients", "--json")
        assert made.returncode == 0, made.stderr.decode()
        keys[name] = json.loads(made.stdout)
    known, stranger = keys["known"]["key"], keys["stranger"]["key"]
    (port,) = free_ports(1)
    arguments = [run.programs.waybill, "serve", "--config", str(run.direct), "--set", f"serve.listen=127.0.0.1:{port}"]
    server = Process("waybill serve", arguments, run.folder / "serve.log")
    run.at_close(server.kill)
    eventually("it listens", lambda: listens(port), 30)
    eventually("all is well", lambda: asked(port, known, "/v1/status")[1].get("grade") == "healthy", 30)

    def names_the_store() -> bool:
        code, told = asked(port, known, "/v1/status")
        return code == 200 and [one["kind"] for one in told["findings"]][:1] == ["store_unanswered"]

    run.services.control("stop-store")
    eventually("the state names the store", names_the_store, 30, 0.5)
    end = time.monotonic() + KEY_PATIENCE
    while time.monotonic() < end:
        assert names_the_store(), asked(port, known, "/v1/status")
        time.sleep(1)
    for key, path in ((known, "/v1/deliveries"), (known, "/v1/rejected"), (stranger, "/v1/status")):
        code, _ = asked(port, key, path)
        assert code == 503, f"{path} answers {code}"
    run.services.control("start-store")
    run.healed()
    eventually("all is well again", lambda: asked(port, known, "/v1/status")[1].get("grade") == "healthy", 60, 1)
    revoked = waybill(run, config, "keys", "revoke", keys["known"]["id"])
    assert revoked.returncode == 0, revoked.stderr.decode()
    eventually("a revocation is heard of", lambda: asked(port, known, "/v1/status")[0] == 401, KEY_PATIENCE, 1)
    assert server.end() == 0


@case("api", long=True, later=True)
def api_contract(run: Run) -> None:
    """schemathesis finds no answer of waybill serve that schemas/openapi.yaml does not allow"""
    run.open()
    run.start()
    ids = run.issue(4, 25)
    run.await_final()
    config = run.path.config
    made = waybill(run, config, "keys", "create", "--name", "contract", "--role", "steward", "--all-clients")
    assert made.returncode == 0, made.stderr.decode()
    (port,) = free_ports(1)
    people = run.folder / "people.json"
    people.touch(mode=0o600)
    serve = {"listen": f"127.0.0.1:{port}", "accounts": accounts(run.folder)["accounts"]}
    people.write_text(json.dumps(json.loads(run.direct.read_text()) | {"serve": serve}))
    arguments = [run.programs.waybill, "serve", "--config", str(people)]
    server = Process("waybill serve", arguments, run.folder / "serve.log")
    run.at_close(server.kill)
    eventually("it listens", lambda: listens(port), 30)
    settings = run.folder / "schemathesis.toml"
    settings.touch(mode=0o600)
    headers = json.dumps(f"Bearer {made.stdout.decode().strip()}")
    examples = 4 if run.quick else 150
    settings.write_text(
        f'headers = {{ Authorization = {headers} }}\nrate-limit = "9/s"\ncontinue-on-failure = true\n'
        f"[generation]\nmax-examples = {examples}\ndatabase = 'none'\n"
        f"[checks]\nnegative_data_rejection.expected-statuses = {REFUSALS}\n"
    )
    tool = Path(sys.executable).parent / "schemathesis"
    done = subprocess.run(
        [
            *(tool, "--config-file", settings, "run", CONTRACT, "--url", f"http://127.0.0.1:{port}", "--no-color"),
            *(
                "--exclude-path",
                ENDLESS,
                "--exclude-checks",
                NOT_ASKED,
                "--phases",
                "examples,fuzzing" if run.quick else "examples,coverage,fuzzing",
            ),
            *("--seed", str(run.random.randrange(1 << 32)), "--warnings", "off"),
        ],
        capture_output=True,
        cwd=run.folder,
        timeout=300 if run.quick else 1800,
    )
    words = done.stdout.decode(errors="replace")
    assert done.returncode == 0, f"schemathesis: {words[-3000:]} {done.stderr.decode()[-500:]}"
    assert server.end() == 0
    assert '"api.failed"' not in server.words, server.words[-1000:]
    run.notes.append(f"{len(ids)} messages; {words.strip().splitlines()[-1].strip('= ')}")
