"""What the page for people promises, at /app."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pymongo import MongoClient

from page.checks import CHECKS, SCHEMES, Stage, check
from page.hostile import TEXTS
from page.installation import BASE
from page.visit import Visit

SESSIONS = "/v1/account/sessions"
PASSWORD = "correct horse battery"
ENTRIES = {name: f"/app?view={name}" for name in ("login", "sign-up", "confirmation", "password-reset")}
OWN = {"account": "/app", "services": "/app?view=services"}


class Person:
    """Somebody with an account of their own, made past the page."""

    made = 0

    def __init__(self, stage: Stage, *, is_confirmed: bool = True) -> None:
        Person.made += 1
        self.name = f"person-{Person.made}"
        self.email = f"{self.name}@example.com"
        self.stage = stage
        if is_confirmed:
            with stage.visit() as visited:
                self.tell(visited, "POST", "/v1/account", username=self.name, email=self.email, password=PASSWORD)
                self.tell(visited, "PUT", "/v1/account/confirmation", token=self.mailed())

    def tell(self, visited: Visit, method: str, path: str, token: str | None = None, **members: Any) -> Any:
        headers = {"Authorization": f"Bearer {members.pop('access')}"} if "access" in members else {}
        body = members | ({"token": token} if token else {})
        answer = visited.context.request.fetch(
            visited.origin + path, method=method, headers=headers, data=body or None, max_redirects=0
        )
        assert answer.ok, f"{method} {path}: {answer.status} {answer.text()}"
        return answer.json() if answer.body() else None

    def mailed(self) -> str:
        """What the link of the latest mail ends with."""
        return self.mailed_path().rpartition("/")[2]

    def mailed_path(self) -> str:
        """Where the link of the latest mail leads."""
        client: MongoClient[Any] = MongoClient(self.stage.installation.store)
        mails = client[self.stage.installation.database].outbox_mail
        mail = mails.find_one({"to": self.email, "text": {"$exists": True}}, sort=[("created_at", -1)])
        client.close()
        link = re.search(re.escape(BASE) + r"(/account/[\w-]+/\S+)", mail["text"]) if mail else None
        assert link, f"no mail with a link: {mail and mail['subject']}"
        return link[1]

    def log_in(self, visited: Visit, name: str) -> Any:
        """As an app does, that keeps its tokens itself."""
        return self.tell(visited, "POST", SESSIONS, username=self.name, password=PASSWORD, name=name)


def enter(visited: Visit, person: Person, password: str = PASSWORD) -> None:
    visited.page.fill("#log-in-username", person.name)
    visited.page.fill("#log-in-password", password)
    visited.page.keyboard.press("Enter")


@contextmanager
def logged_in(stage: Stage, person: Person, path: str = "/app", **how: Any) -> Iterator[Visit]:
    with stage.visit(**how) as visited:
        visited.go(path)
        enter(visited, person)
        visited.shows("#account-facts")
        visited.settle()
        yield visited


@check
def people_sign_up_and_log_in(stage: Stage) -> None:
    """from signing up to logging out; what a browser keeps of a session, no script can read"""
    person = Person(stage, is_confirmed=False)
    with stage.visit() as visited:
        page = visited.page
        visited.go("/app")
        page.click("text=Sign up")
        page.fill("#sign-up-username", person.name)
        page.fill("#sign-up-email", person.email)
        page.fill("#sign-up-password", PASSWORD)
        page.click("#sign-up-button")
        visited.shows("#sign-up-sent", "mail")
        page.click("#sign-up-sent button")
        visited.allowed = {401, 403}
        enter(visited, person)
        visited.shows("#log-in-error", "not confirmed")
        page.goto(f"{visited.origin}/account/confirm/{person.mailed()}")
        page.click("#go")
        visited.shows("#answer", "confirmed")
        visited.go("/app")
        enter(visited, person, "another password")
        visited.shows("#log-in-error", "do not belong together")
        enter(visited, person)
        visited.shows("#account-facts", person.email)
        visited.allowed = set()
        (cookie,) = visited.context.cookies()
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict", cookie
        kept = page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])")
        assert "wbr_" not in kept and "eyJ" not in kept and PASSWORD not in kept, kept
        assert cookie["value"] not in page.content()
        page.reload()
        visited.shows("#account-facts", person.email)
        visited.settle()
        page.click("#account")
        page.click("#log-out")
        visited.shows("#log-in")
        assert not visited.context.cookies()
        page.reload()
        visited.shows("#log-in")
        # What somebody had copied of it is worth nothing.
        visited.allowed = {401}
        visited.context.add_cookies([{"name": cookie["name"], "value": cookie["value"], "url": visited.origin}])
        page.reload()
        visited.shows("#log-in")


@check
def people_choose_another_password(stage: Stage) -> None:
    """by the one before it, and by a mail where that is forgotten; other sessions end"""
    person = Person(stage)
    with logged_in(stage, person) as visited:
        page = visited.page
        other = person.log_in(visited, "phone")
        visited.allowed = {403}
        page.fill("#password-password", "not the password")
        page.fill("#password-next", "another correct horse")
        page.click("#password-button")
        visited.shows("#password-error", "wrong")
        visited.allowed = set()
        page.fill("#password-password", PASSWORD)
        page.fill("#password-next", "another correct horse")
        page.click("#password-button")
        visited.shows(".toast", "changed")
        answer = visited.context.request.get(
            visited.origin + "/v1/account", headers={"Authorization": f"Bearer {other['access_token']}"}
        )
        assert answer.status == 401, answer.status
        page.reload()
        visited.shows("#account-facts")
        visited.settle()
        page.click("#account")
        page.click("#log-out")
        visited.shows("#log-in")
        page.click("text=Forgot the password")
        page.fill("#password-reset-email", person.email)
        page.click("#password-reset-button")
        visited.shows("#password-reset-sent")
        page.goto(f"{visited.origin}/account/reset/{person.mailed()}")
        page.fill("#password", "a third correct horse")
        page.click("#go")
        visited.shows("#answer", "changed")
        visited.go("/app")
        enter(visited, person, "a third correct horse")
        visited.shows("#account-facts")


@check
def people_see_their_sessions(stage: Stage) -> None:
    """this browser is marked, one other can be ended, and all others; names are texts"""
    person = Person(stage)
    with logged_in(stage, person) as visited:
        page = visited.page
        names = [TEXTS[kind][:60] for kind in ("script", "attribute", "template", "right to left")] + ["phone"]
        tokens = {name: person.log_in(visited, name) for name in names}
        page.reload()
        visited.shows("#sessions li[data-id]")
        visited.settle()
        assert page.locator("#sessions li[data-id]").count() == len(names) + 1
        assert page.locator("#sessions .state-word").count() == 1
        text = page.inner_text("#sessions")
        assert names[0] in text and names[1] in text and "U+202E" in text, text
        visited.has_no_strangers("sessions")
        visited.axe("sessions")
        phone = f"#sessions li[data-id='{tokens['phone']['session']}']"
        page.click(f"{phone} button")
        page.locator(phone).wait_for(state="detached")
        page.click("#end-others")
        visited.shows("dialog", "Whoever is logged in there")
        visited.axe("end the others")
        page.click("#dialog-yes")
        visited.until("one session is left", lambda: page.locator("#sessions li[data-id]").count() == 1)
        visited.shows("#sessions .state-word", "This browser")
        for token in tokens.values():
            answer = visited.context.request.get(
                visited.origin + "/v1/account", headers={"Authorization": f"Bearer {token['access_token']}"}
            )
            assert answer.status == 401, answer.status


@check
def people_have_one_session_in_all_tabs(stage: Stage) -> None:
    """tabs of a browser share one session: what begins or ends in one, begins and ends in all"""
    person = Person(stage)
    with stage.visit() as visited:
        visited.go("/app")
        other = visited.context.new_page()
        other.on("console", visited.hears)
        other.on("pageerror", lambda error: visited.faults.append(f"page error: {error}"))
        other.goto(visited.origin + "/app?view=sign-up")
        other.wait_for_selector("#sign-up")
        enter(visited, person)
        visited.shows("#account-facts", person.email)
        other.wait_for_selector("#account-facts dd")
        for tab in (visited.page, other, visited.page):
            tab.reload()
            tab.wait_for_selector("#account-facts dd")
        visited.settle()
        assert visited.page.locator("#sessions li[data-id]").count() == 1
        other.click("#account")
        other.click("#log-out")
        # Each shows what its address says.
        other.wait_for_selector("#sign-up")
        visited.shows("#log-in")


@check
def people_are_not_kept_out(stage: Stage) -> None:
    """axe finds nothing on the page for people, light and dark; 320 pixels are wide enough; the keyboard does"""
    person = Person(stage)
    for scheme in SCHEMES:
        for width in (320, 1280):
            with stage.visit(scheme=scheme, width=width) as visited:
                for name, path in ENTRIES.items():
                    visited.go(path)
                    visited.axe(f"{name}, {scheme}, {width}")
                    visited.fits(f"{name}, {width}")
                visited.go("/app")
                assert visited.page.evaluate("() => document.activeElement.id") == "log-in-username"
                visited.page.keyboard.insert_text(person.name)
                visited.page.keyboard.press("Tab")
                visited.page.keyboard.insert_text(PASSWORD)
                visited.page.keyboard.press("Enter")
                visited.shows("#account-facts")
                for name, path in OWN.items():
                    visited.go(path)
                    visited.axe(f"{name}, {scheme}, {width}")
                    visited.fits(f"{name}, {width}")
    with stage.visit(scripts=False) as visited:
        visited.page.goto(visited.origin + "/app")
        assert "JavaScript" in visited.page.inner_text("noscript")


__all__ = ["CHECKS"]


@check
def people_take_their_data_and_go(stage: Stage) -> None:
    """all of it as a file; the account ends after its name was typed, and its sessions with it"""
    person = Person(stage)
    with logged_in(stage, person) as visited:
        page = visited.page
        with page.expect_download() as download:
            page.click("#export")
        kept = Path(download.value.path()).read_text()
        assert json.loads(kept) and person.email in kept, kept[:200]
        page.fill("#deletion-password", PASSWORD)
        page.click("#deletion-button")
        visited.shows("dialog")
        assert page.is_disabled("#dialog-yes")
        page.fill("#dialog-type", person.name)
        page.click("#dialog-yes")
        visited.shows("#log-in")
        visited.allowed = {401}
        enter(visited, person)
        visited.shows("#log-in-error", "do not belong together")


@check
def people_change_their_address(stage: Stage) -> None:
    """by a mail to the new one, whose link opens a page with a button"""
    person = Person(stage)
    with logged_in(stage, person) as visited:
        page = visited.page
        person.email = f"new-{person.email}"
        page.fill("#address-email", person.email)
        page.fill("#address-password", PASSWORD)
        page.click("#address-button")
        visited.shows(".toast", "mail")
        page.goto(f"{visited.origin}{person.mailed_path()}")
        page.click("#go")
        visited.until("the page says so", lambda: page.inner_text("#answer") not in ("", "One moment…"))
        visited.go("/app")
        visited.shows("#account-facts", person.email)
