"""The API of the thesis, run by an app that knows its texts and nothing of the product."""

import base64
import json
import re
import secrets
from pathlib import Path
from typing import Any

from faults.app import App
from faults.cases import case
from faults.cases.api import listens
from faults.process import Process, eventually
from faults.run import Run
from faults.servers.ports import free_ports

BASE = "https://push.example.com"
LINK = re.compile(rf"{re.escape(BASE)}/account/confirm/(\S+)")
APP_ID = "ABCDE12345.com.example.app"


def accounts(folder: Path, limit: int = 1000) -> dict[str, Any]:
    """The sections of `serve` for accounts, with a root secret in the folder."""
    root = folder / "root-secret"
    if not root.exists():
        root.touch(mode=0o600)
        root.write_text(base64.b64encode(secrets.token_bytes(32)).decode() + "\n")
    return {
        "accounts": {
            "base_url": BASE,
            "root_secret_file": str(root),
            "password_hash": {"memory": 1024, "passes": 1},
            "limits": {"sign_ups_per_hour": limit, "log_ins_per_minute": limit, "checks_per_minute": limit},
            "apps": [APP_ID],
        },
        "notifire": {},
    }


def served(run: Run, port: int, **options: Any) -> Process:
    """waybill serve with accounts."""
    config = run.folder / "notifire.json"
    settings = json.loads(run.path.config.read_text())
    settings["serve"] = {"listen": f"127.0.0.1:{port}", **accounts(run.folder, **options)}
    config.touch(mode=0o600)
    config.write_text(json.dumps(settings))
    arguments = [run.programs.waybill, "serve", "--config", str(config)]
    server = Process("waybill serve", arguments, run.folder / "serve.log")
    run.at_close(server.kill)
    eventually("it listens", lambda: listens(port), 30)
    return server


def links(run: Run, address: str) -> list[str]:
    """What the links of the mails to an address hold, the latest last."""
    mails = run.deliveries.database["outbox_mail"].find({"to": address}).sort("created_at")
    found = []
    for mail in mails:
        (token,) = set(LINK.findall(mail["text"]))
        # The same link is in the part for people who read HTML, as something to press.
        assert f'href="{BASE}/account/confirm/{token}"' in mail["html"], mail["html"]
        found.append(token)
    return found


@case("notifire", long=True)
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
    assert app.register("Ada.L", "ada+push@example.com", "12345").json() == {"success": True}
    assert app.check(username="ada.l").json() == {"valid": False}
    assert app.check(email="ada+push@example.com").json() == {"valid": False}
    assert app.register("ADA.L", "other@example.com", "12345").code is not None
    assert app.register("other", "Ada+push@example.com", "12345").code is not None
    for name, email, password in (("other", "other", "12345"), ("o", "o@example.com", "12345"), ("other", "o@example.com", "")):
        assert app.register(name, email, password).status == 400
    (first,) = links(run, "ada+push@example.com")
    association = app.ask("GET", "/.well-known/apple-app-site-association")
    assert association.status == 200 and association.headers["content-type"] == "application/json", association
    (detail,) = association.json()["applinks"]["details"]
    assert detail["appID"] == APP_ID and detail["appIDs"] == [APP_ID], detail
    assert detail["paths"] == ["/account/confirm/*"], detail
    assert [component["/"] for component in detail["components"]] == ["/account/confirm/*"], detail

    # 3: before the confirmation. An impossible name is an unknown one.
    assert app.log_in("Ada.L", "12345").code == 3
    assert app.log_in("nobody", "12345").code == 1
    assert app.log_in("?" * 64, "12345").code == 1
    assert app.log_in("ada+push@example.com", "54321").code == 2

    # 4: another mail, by address or by name; nobody hears whether there is an account.
    for text in ("ada+push@example.com", "Ada.L", "nobody", "nobody@example.com"):
        assert app.resend(text).json() == {"success": True}
    again = links(run, "ada+push@example.com")
    assert len(set(again)) == 3 and again[0] == first, len(again)

    # A mail scanner looks at the link; then a person presses the button.
    page = app.ask("GET", f"/account/confirm/{again[-1]}")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html"), page
    assert page.headers["referrer-policy"] == "no-referrer", page.headers
    assert app.log_in("Ada.L", "12345").code == 3

    # 5: once.
    confirmed = app.confirm(again[-1]).payload
    assert confirmed.keys() == {"username", "refreshToken", "accessToken"}, confirmed.keys()
    assert confirmed["username"] == "Ada.L"
    for token in again:
        assert app.confirm(token).code == 1
    for token in ("", "garbage", confirmed["accessToken"], confirmed["refreshToken"], again[-1] + "x"):
        assert app.confirm(token).status == 400, token

    # 3 again, and 6: the refresh token goes on, however often it is used, for each phone.
    tokens = [confirmed, app.log_in("ada.l", "12345").payload, app.log_in("ADA+PUSH@example.com", "12345").payload]
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
    for secret in ("ada+push", "Ada.L", "12345", *again, *(value for login in tokens for value in login.values())):
        assert secret not in text, f"{secret[:8]} is in the log"
    for document in run.deliveries.database["accounts"].find():
        assert "12345" not in json.dumps(document, default=str)


@case("notifire")
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
