"""The HTTP API, held against its contract by somebody who tries everything."""

import json
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from common.places import ROOT
from common.receipts import settings as receipts

from faults.app import App
from faults.cases import case
from faults.cases.health import Admin
from faults.cases.trust import forget_pushes, waybill
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
# Streams of people, which have none either.
STREAMS = ("followEvents", "followEventsOverWebSocket")
# What takes away what the others ask about; `EverybodyTests` has these.
ENDS = (
    "deleteAccount",
    "endSession",
    "removeDevice",
    "deleteService",
    "leaveService",
    "transferService",
    "revokeServiceKey",
    "removeWebhook",
    "removeMember",
    "withdrawInvitation",
    "declineInvitation",
)
# Routes that must have answered with success: all that are about something which is there.
BEHIND = (
    "/v1/account",
    "/v1/account/sessions",
    "/v1/account/devices",
    "/v1/services",
    "/v1/services/{service}",
    "/v1/services/{service}/keys",
    "/v1/services/{service}/webhooks",
    "/v1/services/{service}/webhooks/{webhook}",
    "/v1/services/{service}/webhooks/{webhook}/test",
    "/v1/services/{service}/members",
    "/v1/services/{service}/membership",
    "/v1/services/{service}/invitations",
    "/v1/notifications",
    "/v1/notifications/{notification}",
    "/v1/notifications/{notification}/read",
    "/v1/notifications/{notification}/acknowledged",
)
PASSWORD = "correct horse battery"
LINK = re.compile(r"/account/confirm/(\S+)")
# Answers that refuse what breaks the contract: a query that is too long, too, whose head cannot be read.
REFUSALS = [400, 401, 403, 404, 405, 409, 410, 413, 415, 429, 431, 503]


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


@case("api", alone=True, later=True)
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


def held(run: Run, port: int, token: str, *which: str, examples: int = 150, parameters: dict[str, str] | None = None) -> str:
    """Has schemathesis hold a server against the contract: its last line. `parameters`: what stands in paths, by name."""
    settings = run.folder / "schemathesis.toml"
    settings.touch(mode=0o600)
    headers = json.dumps(f"Bearer {token}")
    seeds = "".join(f'"path.{name}" = {json.dumps(value)}\n' for name, value in (parameters or {}).items())
    settings.write_text(
        f'headers = {{ Authorization = {headers} }}\nrate-limit = "9/s"\ncontinue-on-failure = true\n'
        f"[parameters]\n{seeds}[generation]\nmax-examples = {4 if run.quick else examples}\ndatabase = 'none'\n"
        f"[checks]\nnegative_data_rejection.expected-statuses = {REFUSALS}\n"
    )
    tool = Path(sys.executable).parent / "schemathesis"
    phases = "examples,fuzzing" if run.quick else "examples,coverage,fuzzing"
    done = subprocess.run(
        [
            *(tool, "--config-file", settings, "run", CONTRACT, "--url", f"http://127.0.0.1:{port}", "--no-color"),
            *(*which, "--exclude-checks", NOT_ASKED, "--phases", phases),
            *("--seed", str(run.random.randrange(1 << 32)), "--warnings", "off"),
        ],
        capture_output=True,
        cwd=run.folder,
        timeout=300 if run.quick else 1800,
    )
    words = done.stdout.decode(errors="replace")
    assert done.returncode == 0, f"schemathesis: {words[-3000:]} {done.stderr.decode()[-500:]}"
    return words.strip().splitlines()[-1].strip("= ")


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
    offered = {"serve": serve, "receipts": receipts(run.folder)}
    people.write_text(json.dumps(json.loads(run.direct.read_text()) | offered))
    arguments = [run.programs.waybill, "serve", "--config", str(people)]
    server = Process("waybill serve", arguments, run.folder / "serve.log")
    run.at_close(server.kill)
    eventually("it listens", lambda: listens(port), 30)
    words = held(run, port, made.stdout.decode().strip(), "--exclude-path", ENDLESS)
    assert server.end() == 0
    assert '"api.failed"' not in server.words, server.words[-1000:]
    run.notes.append(f"{len(ids)} messages; {words}")


class Household:
    """Somebody with an account, a service and one of everything, for paths to name."""

    def __init__(self, run: Run, app: App) -> None:
        self.app = app
        assert app.register("Ada.L", "ada@example.com", PASSWORD).code is None
        mail = run.deliveries.database["outbox_mail"].find_one({"to": "ada@example.com"})
        (token,) = set(LINK.findall(mail["text"]))
        assert app.confirm(token).payload
        begun = self.ask("POST", "/v1/account/sessions", {"username": "Ada.L", "password": PASSWORD})
        self.access = begun["access_token"]
        device = "5C2D2E36-4C2B-4B8B-9E39-0F1A8C9D7E10"
        self.ask("PUT", f"/v1/account/devices/{device}", {"token": 32 * "1a"})
        service = self.ask("POST", "/v1/services", {"name": "Backups"})["id"]
        path = f"/v1/services/{service}"
        key = self.ask("POST", f"{path}/keys", {"name": "seed"})["key"]["id"]
        self.key = self.ask("POST", f"{path}/keys", {"name": "job", "scopes": ["notify", "read"]})["secret"]
        # It waits for whoever sends, and nobody does here.
        webhook = self.ask("POST", f"{path}/webhooks", {"url": "https://example.com/hooks"})["webhook"]["id"]
        invitation = self.ask("POST", f"{path}/invitations", {})
        said = app.send("POST", "/v1/notifications", {"level": "error", "body": "Full"}, f"Bearer {self.key}", typed=True)
        assert said.status == 202, said
        self.parameters = {
            "service": service,
            "key": key,
            "webhook": webhook,
            "invitation": invitation["id"],
            "token": invitation["link"].rpartition("=")[2],
            "account": begun["account"],
            "session": begun["session"],
            "device": device,
            "notification": said.json()["id"],
        }

    def ask(self, method: str, path: str, members: dict) -> dict:
        token = f"Bearer {self.access}" if hasattr(self, "access") else None
        answer = self.app.send(method, path, members, token, typed=True)
        assert answer.status in (200, 201, 204), (method, path, answer)
        return answer.json() if answer.body else {}


@case("api", later=True, long=True)
def people_contract(run: Run) -> None:
    """the same by somebody's access token and by a service's key, about what is there"""
    # Without a first load: what is pushed here is nobody's issue, and is taken away in the end.
    run.open()
    run.start_dispatcher()
    port, admin = free_ports(2)
    sections = accounts(run.folder)
    # Each record in the end is one of a notification.
    sections["notifire"]["services"]["tell_read"] = False
    sections["accounts"]["limits"] |= dict.fromkeys(("changes_per_minute", "key_changes_per_hour", "devices_per_hour"), 10_000)
    config = run.folder / "people.json"
    config.touch(mode=0o600)
    settings = {"serve": {"listen": f"127.0.0.1:{port}", **sections}, "admin": {"listen": {"serve": f"127.0.0.1:{admin}"}}}
    config.write_text(json.dumps(json.loads(run.direct.read_text()) | settings))
    server = Process("waybill serve", [run.programs.waybill, "serve", "--config", str(config)], run.folder / "serve.log")
    run.at_close(server.kill)
    eventually("it listens", lambda: listens(port), 30)
    ada = Household(run, App(port))
    left_out = [word for name in (*STREAMS, *ENDS) for word in ("--exclude-operation-id", name)]
    mine = ("--include-path-regex", "^/v1/(account|services|invitations|notifications)")
    said = [held(run, port, ada.access, *mine, *left_out, examples=30, parameters=ada.parameters)]
    said.append(held(run, port, ada.key, "--include-path-regex", "^/v1/notifications", examples=60, parameters=ada.parameters))
    # It came behind the door: these routes have answered with success.
    answered = {
        dict(labels)["route"]
        for (name, labels), value in Admin(admin).series().items()
        if name == "waybill_api_requests_total" and dict(labels)["status"] == "2xx" and value > 0
    }
    silent = set(BEHIND) - answered
    assert not silent, f"never answered with success: {sorted(silent)}"
    assert server.end() == 0
    assert '"api.failed"' not in server.words, server.words[-1000:]
    run.notes.append("; ".join(said))
    database = run.deliveries.database

    def is_all_recorded() -> bool:
        wanted = sum(one["devices"] for one in database.notifications.find({"state": "sent"}))
        return run.deliveries.count_documents({"client": "notices", "outcome": {"$ne": "deferred"}}) == wanted

    eventually("all is recorded", is_all_recorded, 60)
    for process in run.running():
        process.end()
    run.forget_records()
    forget_pushes(run)
    # Nor are its phones, which got another token or were logged out.
    database.devices.delete_many({"enabled": False})
    run.start()
