"""The API of the thesis, run by an app that knows its texts and nothing of the product.

What it goes by is what people and phones see: answers, mails as they come, and pushes as the simulator has them. It asks the
store nothing.
"""

import json
import re
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from faults import mailbox
from faults.app import App, levels
from faults.cases import case
from faults.cases.api import listens
from faults.cases.trust import forget_pushes
from faults.frontdoor import APP_ID, BASE, accounts
from faults.process import Process, eventually
from faults.run import Run
from faults.servers.ports import free_ports
from faults.tokens import signed_again

LINK = re.compile(rf"{re.escape(BASE)}/account/confirm/(\S+)")
# As short as a password may be, and no part of an id in hexadecimal: it is looked for in the log.
PASSWORD = "hor5e"


def served(run: Run, port: int, **options: Any) -> Process:
    """waybill serve with accounts."""
    config = run.folder / "notifire.json"
    settings = json.loads(run.direct.read_text())
    settings["serve"] = {"listen": f"127.0.0.1:{port}", **accounts(run.folder, **options)}
    config.touch(mode=0o600)
    config.write_text(json.dumps(settings))
    arguments = [run.programs.waybill, "serve", "--config", str(config)]
    mailbox.opened(run)
    server = Process("waybill serve", arguments, run.folder / "serve.log")
    run.at_close(server.kill)
    eventually("it listens", lambda: listens(port), 30)
    return server


def root_of(run: Run) -> Path:
    """The root secret of the server that ``served`` has started."""
    settings = json.loads((run.folder / "notifire.json").read_text())
    return Path(settings["serve"]["accounts"]["root_secret_file"])


def links(run: Run, address: str, count: int = 1) -> list[str]:
    """What the links of the mails to an address hold, which are so many, the latest last."""
    found = []
    for mail in mailbox.received(run, address, count):
        (token,) = set(LINK.findall(mailbox.text_of(mail, "plain")))
        # The same link is in the part for people who read HTML, as something to press.
        html = mailbox.text_of(mail, "html")
        assert f'href="{BASE}/account/confirm/{token}"' in html, html
        found.append(token)
    return found


@case("notifire", long=True, later=True)
def notifire_accounts(run: Run) -> None:
    """an app written from the thesis signs up, confirms, logs in and renews, and is refused as the thesis says"""
    run.open()
    run.start()
    (port,) = free_ports(1)
    server = served(run, port)
    app = App(port)

    # 1: is it free? The format comes first; the thesis' own example has none.
    assert app.check(username="Ada.L").json() == {"valid": True}
    assert app.check(email="ada+push@example.com").json() == {"valid": True}
    for answer in (app.check(email="test123"), app.check(username="a b c d"), app.check(), app.check(name="Ada.L")):
        assert answer.status == 400, answer

    # 2: signing up; the mail's link belongs to the app.
    assert app.register("Ada.L", "ada+push@example.com", PASSWORD).json() == {"success": True}
    assert app.check(username="ada.l").json() == {"valid": False}
    assert app.check(email="ada+push@example.com").json() == {"valid": False}
    assert app.register("ADA.L", "other@example.com", PASSWORD).code is not None
    impossible = (("other", "other", PASSWORD), ("o", "o@example.com", PASSWORD), ("other", "o@example.com", ""))
    for name, email, password in impossible:
        assert app.register(name, email, password).status == 400
    (first,) = links(run, "ada+push@example.com")
    association = app.ask("GET", "/.well-known/apple-app-site-association")
    assert association.status == 200 and association.headers["content-type"] == "application/json", association
    (detail,) = association.json()["applinks"]["details"]
    assert detail["appID"] == APP_ID and detail["appIDs"] == [APP_ID], detail
    assert detail["paths"] == ["/account/confirm/*"], detail
    assert [component["/"] for component in detail["components"]] == ["/account/confirm/*"], detail

    # 3: before the confirmation. An impossible name is an unknown one.
    assert app.log_in("Ada.L", PASSWORD).code == 3
    assert app.log_in("nobody", PASSWORD).code == 1
    assert app.log_in("?" * 64, PASSWORD).code == 1
    assert app.log_in("ada+push@example.com", "54321").code == 2

    # 4: another mail, by address or by name; nobody hears whether there is an account.
    for text in ("ada+push@example.com", "Ada.L", "nobody", "nobody@example.com"):
        assert app.resend(text).json() == {"success": True}
    again = links(run, "ada+push@example.com", 3)
    assert len(set(again)) == 3 and again[0] == first, len(again)

    # A mail scanner looks at the link; then a person presses the button.
    page = app.ask("GET", f"/account/confirm/{again[-1]}")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html"), page
    assert page.headers["referrer-policy"] == "no-referrer", page.headers
    assert app.log_in("Ada.L", PASSWORD).code == 3

    # 5: once.
    confirmed = app.confirm(again[-1]).payload
    assert confirmed.keys() == {"username", "refreshToken", "accessToken"}, confirmed.keys()
    assert confirmed["username"] == "Ada.L"
    for token in again:
        assert app.confirm(token).code == 1
    assert app.register("other", "Ada+push@example.com", PASSWORD).code is not None
    for token in ("", "garbage", confirmed["accessToken"], confirmed["refreshToken"], again[-1] + "x"):
        assert app.confirm(token).status == 400, token

    # 3 again, and 6: the refresh token goes on, however often it is used, for each phone.
    tokens = [confirmed, app.log_in("ada.l", PASSWORD).payload, app.log_in("ADA+PUSH@example.com", PASSWORD).payload]
    assert len({login["refreshToken"] for login in tokens}) == 3
    for login in tokens * 2:
        assert app.access(login["refreshToken"]).json().keys() == {"accessToken"}
    for text in ("", "garbage", confirmed["accessToken"], again[-1], confirmed["refreshToken"][:-1]):
        assert app.access(text).status == 401, text

    # Everything else is not there: 404 and nothing more, whatever the method.
    for method, path in (("GET", "/account/login"), ("POST", "/account/check"), ("GET", "/nothing"), ("DELETE", "/account")):
        answer = app.ask(method, path)
        assert (answer.status, answer.body) == (404, b""), answer
    # A body that is not of the form.
    for method, path in (
        ("POST", "/account/register"),
        ("POST", "/account/login"),
        ("POST", "/account/resend"),
        ("PUT", "/account/confirm"),
        ("POST", "/account/access"),
    ):
        for body in (b"", b"{", b"[]", b"{}", b'{"username":1,"email":1,"password":1,"token":1,"refreshToken":1}'):
            assert app.ask(method, path, body).status == 400, (path, body)

    # Nothing of it is in the log.
    assert server.end() == 0
    text = (run.folder / "serve.log").read_text()
    for secret in ("ada+push", "Ada.L", PASSWORD, *again, *(value for login in tokens for value in login.values())):
        assert secret not in text, f"{secret[:8]} is in the log"


@case("notifire", later=True)
def notifire_strangers(run: Run) -> None:
    """somebody who guesses names or passwords is told to come later, and its owner's account is not locked for good"""
    run.open()
    run.start()
    (port,) = free_ports(1)
    server = served(run, port, limit=8)
    app = App(port)
    assert app.register("Ada.L", "ada@example.com", "correct horse").code is None
    (token,) = links(run, "ada@example.com")
    assert app.confirm(token).payload
    assert [app.log_in("Ada.L", "wrong").code for _ in range(5)] == [2] * 5
    slow = app.log_in("Ada.L", "correct horse")
    assert slow.status == 429 and int(slow.headers["retry-after"]) >= 1, slow
    eventually("it is let in again", lambda: app.log_in("Ada.L", "correct horse").status == 200, 30, 1.5)
    eventually("the address is, too, told to come later", lambda: app.log_in("nobody", "x").status == 429, 30)
    statuses = [app.check(username=f"name{number}").status for number in range(30)]
    assert statuses[0] == 200 and 429 in statuses, statuses
    assert server.end() == 0


@case("notifire", later=True)
def notifire_tokens_that_hold_no_more(run: Run) -> None:
    """a late link is error 2; a late access token is 401, and one without a name 400; a password ends refresh tokens"""
    run.open()
    run.start()
    (port,) = free_ports(1)
    server = served(run, port)
    app = App(port)
    again = partial(signed_again, root=root_of(run))
    over = int(datetime.now(UTC).timestamp()) - 3600
    assert app.register("Ada.L", "ada@example.com", PASSWORD).code is None
    (link,) = links(run, "ada@example.com")
    # With the claims that it has, it is the same text: what is wrong with the next one is its time alone.
    assert again(link, kind="email") == link
    late = again(link, kind="email", iat=over - 86_400, exp=over)
    assert app.confirm(late).code == 2
    login = app.confirm(link).payload
    access = login["accessToken"]
    assert app.services(again(access, kind="access")).status == 200

    service = app.create(access, "Backups").json()
    bodies: dict[tuple[str, str], Any] = {
        ("POST", "/account/device"): {"deviceToken": 32 * "1a", "enabled": True},
        ("POST", "/service"): {"name": "Mine", "image": "", "levels": levels(True, True, True)},
        ("PUT", "/service"): service,
        ("DELETE", "/service"): {"uuid": service["uuid"]},
        ("POST", "/service/key"): {"service": service, "password": PASSWORD},
        ("PATCH", "/services"): [service],
    }
    routes = [*bodies, ("GET", "/services")]
    tokens = {
        400: again(access, kind="access", username=None),
        401: again(access, kind="access", iat=over - 3600, exp=over),
    }
    for status, token in tokens.items():
        for route in routes:
            body = json.dumps(bodies[route]).encode() if route in bodies else None
            answer = app.ask(*route, body, token)
            assert answer.status == status, (route, status, answer)
    assert app.services(access).json() == [service], "nothing has changed"

    # The password is changed by our own API: the thesis knows no route for it.
    fields = {"username": "Ada.L", "password": PASSWORD}
    own = app.send("POST", "/v1/account/sessions", fields, typed=True).json()["access_token"]
    change = {"password": PASSWORD, "new_password": "a second correct horse"}
    assert app.send("PUT", "/v1/account/password", change, f"Bearer {own}", typed=True).status == 200
    assert app.access(login["refreshToken"]).status == 401
    assert app.log_in("Ada.L", "a second correct horse").payload
    assert server.end() == 0


# -- Services, devices and notifications

# What the author's own app reads: three digits and an offset or Z.
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)")
OFF = "notification not sent due to user notification level settings."


def entered(run: Run, app: App, name: str) -> str:
    """An access token of somebody who signs up for it."""
    assert app.register(name, f"{name}@example.com", "12345").code is None
    (token,) = links(run, f"{name}@example.com")
    return app.confirm(token).payload["accessToken"]


def updated(service: dict) -> datetime:
    text = service["updatedAt"]
    assert TIME.fullmatch(text), text
    return datetime.fromisoformat(text)


def opened(run: Run) -> tuple[Process, App]:
    """The product without a first load: what is pushed here is nobody's issue, and is taken away in the end."""
    run.open()
    (port,) = free_ports(1)
    return served(run, port), App(port)


def left(run: Run) -> None:
    for process in run.running():
        process.end()
    run.forget_records()
    forget_pushes(run)
    run.start()


def text_of(push: dict) -> str:
    """Its alert is a text of its own, or one beside a title."""
    alert = json.loads(push["payload"])["aps"]["alert"]
    text: str = alert if isinstance(alert, str) else alert["body"]
    return text


def heard(run: Run, text: str) -> list[dict]:
    """The pushes whose alert begins so."""
    lines = [line for file in run.simulator.records for line in file.read_text().splitlines(keepends=True)]
    found = [json.loads(line) for line in lines if line.endswith("\n")]
    return [push for push in found if text_of(push).startswith(text)]


def told(run: Run, text: str) -> dict[tuple[str, str], set[str]]:
    """The ids under which each text that begins so has come to each phone.

    What is sent again after a kill has the id that it had, and takes the first one's place on the screen: another id would be
    another notification.
    """
    found: dict[tuple[str, str], set[str]] = {}
    for push in heard(run, text):
        found.setdefault((text_of(push), push["device_token"]), set()).add(push["headers"]["apns-id"])
    return found


def told_once(run: Run, text: str, wanted: set[tuple[str, str]]) -> int:
    """Waits until all phones have heard what they were to hear, each once. Returns how many pushes are repeats."""
    eventually("the phones have heard everything", lambda: told(run, text).keys() >= wanted, 60)
    found = told(run, text)
    assert found.keys() == wanted, found.keys() ^ wanted
    twice = {name: ids for name, ids in found.items() if len(ids) != 1}
    assert not twice, twice
    return len(heard(run, text)) - len(found)


def run_program(run: Run, app: App, key: str, *arguments: str) -> tuple[int, str]:
    """The program under the name that the thesis gives it: its exit status, and what it printed."""
    link = run.folder / "notifire-cli"
    if not link.exists():
        link.symlink_to(run.programs.waybill)
    command = [str(link), "--key", key, "--apiurl", f"http://127.0.0.1:{app.port}", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode()


@case("notifire", later=True)
def notifire_services(run: Run) -> None:
    """services, keys and levels are their owner's, in the form that the author's own app reads"""
    server, app = opened(run)
    anna, berta = entered(run, app, "anna"), entered(run, app, "berta")

    # 8 and 12: the first service.
    made = app.create(anna, "Backups / night", warning=False)
    assert made.status == 200 and made.headers["content-type"] == "application/json", made
    service = made.json()
    assert service.keys() == {"name", "uuid", "levels", "apiKey", "updatedAt"}, service.keys()
    assert service["name"] == "Backups / night" and service["levels"] == levels(True, False, True), service["levels"]
    assert len(service["apiKey"]) >= 32
    assert abs(updated(service) - datetime.now(UTC)) < timedelta(minutes=1), service["updatedAt"]
    assert app.services(anna).json() == [service]
    assert app.services(berta).json() == []

    # 9: every change is newer, also one that changes nothing.
    latest = service
    for name in ("Backups", "Backups"):
        changed = app.send("PUT", "/service", {**latest, "name": name, "levels": levels(True, True, True)}, anna).json()
        assert changed["name"] == name and changed["levels"] == levels(True, True, True), changed["levels"]
        assert changed["apiKey"] == service["apiKey"] and changed["uuid"] == service["uuid"]
        assert updated(changed) > updated(latest), (changed["updatedAt"], latest["updatedAt"])
        latest = changed

    # 11: a new key takes the password, and the old one is dead.
    assert app.new_key(anna, latest, "54321").code is not None
    assert app.services(anna).json()[0]["apiKey"] == service["apiKey"]
    renewed = app.new_key(anna, latest, "12345").json()
    again = app.send("POST", "/service/key", {"uuid": service["uuid"], "password": "12345"}, anna).json()
    keys = [service["apiKey"], renewed["apiKey"], again["apiKey"]]
    assert len(set(keys)) == 3 and updated(again) > updated(renewed) > updated(latest)
    for key, is_known in zip(keys, (False, False, True), strict=True):
        answer = app.notify(key, 1, "Who am I?")
        assert (answer.status == 204) == is_known, answer
        assert is_known or answer.code is not None

    # 13: several at once, or none.
    second = app.create(anna, "Disks").json()
    answer = app.send("PATCH", "/services", {}, anna)
    assert answer.status == 400, answer
    changes = [{"uuid": second["uuid"], "name": "Drives"}, {"uuid": service["uuid"], "levels": levels(False, False, False)}]
    answer = app.ask("PATCH", "/services", json.dumps(changes).encode(), anna)
    assert [(one["name"], one["levels"]["info"]) for one in answer.json()] == [("Drives", True), ("Backups", False)], answer
    unknown = [{"uuid": second["uuid"], "name": "Lost"}, {"uuid": "0b5a7a52-8d0f-4f5b-9d5b-6f2f0f7f6a10", "name": "Lost"}]
    assert app.ask("PATCH", "/services", json.dumps(unknown).encode(), anna).status == 404
    assert [one["name"] for one in app.services(anna).json()] == ["Backups", "Drives"]

    # Somebody else's service is not there.
    for method, path in (("PUT", "/service"), ("DELETE", "/service"), ("POST", "/service/key")):
        assert app.send(method, path, {**again, "password": "12345"}, berta).status == 404, (method, path)

    # 10: with a body; twice it is not there.
    for status in (204, 404):
        assert app.send("DELETE", "/service", again, anna).status == status
    assert app.notify(again["apiKey"], 1, "Gone").code is not None
    assert [one["uuid"] for one in app.services(anna).json()] == [second["uuid"]]

    # Who asks, and what is no body.
    protected = (
        ("POST", "/account/device"),
        ("POST", "/service"),
        ("PUT", "/service"),
        ("DELETE", "/service"),
        ("POST", "/service/key"),
        ("GET", "/services"),
        ("PATCH", "/services"),
    )
    for method, path in protected:
        assert app.ask(method, path, b"{}").status == 400, (method, path)
        assert app.ask(method, path, b"{}", "garbage").status == 401, (method, path)
        if method != "GET":
            assert app.ask(method, path, b"{", anna).status == 400, (method, path)
    for answer in (
        app.create(berta, ""),
        app.create(berta, "x" * 65),
        app.send("POST", "/service", {"name": "x", "image": "?", "levels": levels(True, True, True)}, berta),
        app.send("POST", "/service", {"name": "x", "image": "", "levels": {"info": True}}, berta),
        app.send("PUT", "/service", {"uuid": "x", "name": "x", "levels": levels(True, True, True)}, berta),
        app.device(berta, "no token", True),
        app.send("POST", "/account/device", {"deviceToken": "00" * 32, "enabled": 1}, berta),
    ):
        assert answer.status == 400, answer
    assert server.end() == 0
    text = (run.folder / "serve.log").read_text()
    assert not [key for key in keys if key in text], "a key is in the log"
    left(run)


@case("notifire")
def notifire_notify(run: Run) -> None:
    """what a service says reaches the phones on which its owner is logged in, once each, in the form that the app reads"""
    server, app = opened(run)
    run.start_dispatcher()
    anna, berta = entered(run, app, "anna"), entered(run, app, "berta")
    services = {
        name: app.create(access, f"{name}'s", warning=False).json() for name, access in (("anna", anna), ("berta", berta))
    }
    phone, tablet = run.producer.token(), run.producer.token()

    def reached(name: str, level: int, text: str, count: int) -> list[dict]:
        """Notifies, and waits until so many phones have heard it."""
        answer = app.notify(services[name]["apiKey"], level, text, text="more / of it", url="https://example.com/a?b=c")
        assert (answer.status, answer.body) == (204, b""), answer
        eventually("the phones have heard it", lambda: len(heard(run, text)) >= count, 30)
        return heard(run, text)

    # A logs in, logs out, and B logs in on the same phone.
    assert app.device(anna, phone.upper(), True).status == 204
    (push,) = reached("anna", 3, "for anna", 1)
    assert push["device_token"] == phone and push["status"] == 200, push
    payload = json.loads(push["payload"])
    assert TIME.fullmatch(payload["notification"].pop("datetime"))
    assert payload == {
        "aps": {"alert": {"body": "for anna"}, "mutable-content": 1},
        "notification": {
            "text": "more / of it",
            "url": "https://example.com/a?b=c",
            "level": "error",
            "serviceUUID": services["anna"]["uuid"],
        },
    }, payload
    assert app.device(anna, phone, False).status == 204
    assert app.device(berta, phone, True).status == 204
    assert app.device(berta, tablet, True).status == 204
    assert reached("anna", 1, "nobody hears this", 0) == []
    assert {push["device_token"] for push in reached("berta", 1, "for berta", 2)} == {phone, tablet}
    assert app.device(anna, phone, True).status == 204
    assert [push["device_token"] for push in reached("anna", 1, "both are there", 1)] == [phone]

    # Each level for itself; what is sent nowhere is not sent.
    for level in (1, 3):
        assert app.notify(services["anna"]["apiKey"], level, f"level {level}").status == 204
    answer = app.notify(services["anna"]["apiKey"], 2, "off")
    assert answer.code is not None and answer.json()["error"]["message"] == OFF, answer
    for odd in (0, 4, "1", 1.5, None):
        members = {"serviceKey": services["anna"]["apiKey"], "level": odd, "body": "x"}
        assert app.send("POST", "/notify", members).status == 400, odd
    for members in ({"level": 1, "body": "x"}, {"serviceKey": "x", "level": 1}, {"serviceKey": "x", "body": "x"}):
        assert app.send("POST", "/notify", members).status == 400, members

    # The program of the thesis.
    words = run_program(run, app, services["anna"]["apiKey"], "--level", "3", "--body", "from a script")
    assert words == (0, "Sending notification.\nSuccess!\n"), words
    words = run_program(run, app, services["anna"]["apiKey"], "--level", "2", "--body", "off")
    assert words == (0, f"Sending notification.\nError: {OFF}\n"), words
    eventually("the phone has heard it", lambda: heard(run, "from a script"), 30)

    # Once each, although some were asked for twice under one name.
    for number in range(20):
        for _ in range(2):
            headers = {"Idempotency-Key": f'"job-{number}"'}
            body = {"serviceKey": services["berta"]["apiKey"], "level": 1, "body": f"job {number}"}
            assert app.ask("POST", "/notify", json.dumps(body).encode(), headers=headers).status == 204
    told_once(run, "job", {(f"job {number}", device) for number in range(20) for device in (phone, tablet)})
    # What was for nobody would have come long ago.
    assert heard(run, "nobody hears this") == [] and heard(run, "off") == [] and len(heard(run, "both are there")) == 1
    assert server.end() == 0
    left(run)


@case("notifire", later=True)
def notifire_killed(run: Run) -> None:
    """serve is killed again and again while a service notifies: everything is pushed, and what is asked twice is one"""
    server, app = opened(run)
    run.start_dispatcher()
    access = entered(run, app, "anna")
    key, phone = app.create(access, "Jobs").json()["apiKey"], run.producer.token()
    assert app.device(access, phone, True).status == 204
    rounds, jobs = (3, 40) if run.quick else (20, 200)
    wanted = []
    for turn in range(rounds):
        kill = run.random.randrange(jobs)
        for number in range(jobs):
            text = f"job {turn}.{number}"
            wanted.append(text)
            body = json.dumps({"serviceKey": key, "level": 1, "body": text}).encode()

            def sent(text: str = text, body: bytes = body) -> bool:
                try:
                    return app.ask("POST", "/notify", body, headers={"Idempotency-Key": text}).status == 204
                except OSError:
                    return False

            if number == kill:
                # Somewhere between its beginning and its answer.
                timer = threading.Timer(run.random.random() * 0.02, server.kill)
                timer.start()
                sent()
                timer.join()
                server.wait()
                server = served(run, app.port)
            eventually("it is taken", sent, 40, 0.2)
    repeats = told_once(run, "job", {(text, phone) for text in wanted})
    run.notes.append(f"{rounds} kills, {len(wanted)} notifications, {repeats} pushed twice")
    assert server.end() == 0
    left(run)


@case("notifire")
def notifire_queue(run: Run) -> None:
    """messages of the thesis' queue are taken once each, serve being killed meanwhile, and written for the thesis' sender"""
    run.open()
    queues = {"read_queue": f"{run.prefix}-in", "write_queue": f"{run.prefix}-out"}
    connection = run.services.connect_broker()
    run.at_close(connection.close)
    channel = connection.channel()
    for queue in queues.values():
        # As the thesis has it: durable, on the default exchange.
        channel.queue_declare(queue, durable=True)
        run.at_close(partial(channel.queue_delete, queue))
    channel.confirm_delivery()

    def put(body: bytes) -> None:
        channel.basic_publish("", queues["read_queue"], body, mandatory=True)

    (port,) = free_ports(1)
    server, app = served(run, port, queues=queues), App(port)
    run.start_dispatcher()
    access = entered(run, app, "anna")
    service, phone = app.create(access, "Jobs", info=False).json(), run.producer.token()
    assert app.device(access, phone, True).status == 204

    # Out: what the sender of the thesis reads, and nobody else sends.
    request = {
        "serviceKey": service["apiKey"],
        "level": 3,
        "body": "from /notify",
        "text": "more",
        "url": "https://example.com",
    }
    assert app.send("POST", "/notify", request).status == 204
    _, _, body = channel.basic_get(queues["write_queue"], auto_ack=True)
    message = json.loads(body)
    assert message.keys() == {"uid", "datetime", "sid", "request"}, message.keys()
    assert TIME.fullmatch(message["datetime"]) and message["sid"] == service["uuid"], message
    assert message["request"] == request, message
    assert app.notify(service["apiKey"], 1, "off").code is not None
    assert channel.basic_get(queues["write_queue"], auto_ack=True)[0] is None

    # In: from somebody's front door, each handed in once or twice, while serve is killed.
    rounds, jobs = (2, 20) if run.quick else (10, 100)
    for turn in range(rounds):
        for number in range(jobs):
            text = f"job {turn}.{number}"
            one = {**message, "datetime": datetime.now(UTC).isoformat(), "request": {**request, "body": text}}
            for _ in range(run.random.choice((1, 1, 2))):
                put(json.dumps(one).encode())
            if number == jobs // 2:
                threading.Event().wait(run.random.random() * 0.1)
                server.kill()
                server.wait()
                server = served(run, port, queues=queues)
    wanted = [f"job {turn}.{number}" for turn in range(rounds) for number in range(jobs)]
    repeats = told_once(run, "job", {(text, phone) for text in wanted})
    (payload,) = [push["payload"] for push in heard(run, "job 0.0")][:1]
    assert json.loads(payload)["notification"]["serviceUUID"] == service["uuid"], payload
    assert heard(run, "from /notify") == []

    # What is none is kept, as it is, with the reason.
    odd = {
        b"no JSON": "not_json",
        json.dumps({**message, "sid": "x"}).encode(): "bad_value",
        json.dumps(
            {**message, "sid": message["sid"][:-1] + ("0" if message["sid"][-1] != "0" else "1")}
        ).encode(): "unknown_service",
        json.dumps({**message, "uid": "somebody"}).encode(): "unknown_user",
        json.dumps({**message, "request": {**request, "level": 4}}).encode(): "bad_value",
        json.dumps({**message, "request": {**request, "body": "x" * 4096}}).encode(): "too_large",
        json.dumps({name: message[name] for name in ("uid", "sid", "request")}).encode(): "missing_field",
    }
    for body in odd:
        put(body)
    found: dict[bytes, str] = {}

    def all_rejected() -> bool:
        got, properties, body = channel.basic_get(f"{run.prefix}.rejected", auto_ack=True)
        if got is not None:
            found[body] = str(properties.headers["x-waybill-reason"])
        return found == odd

    eventually("they are in the rejected queue", all_rejected, 30)
    eventually(
        "nothing is left", lambda: channel.queue_declare(queues["read_queue"], passive=True).method.message_count == 0, 30
    )
    run.notes.append(f"{rounds} kills, {len(wanted)} messages, {repeats} pushed twice")
    assert server.end() == 0
    left(run)
