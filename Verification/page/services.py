"""What the page for people promises of their services, at /app?view=services."""

import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from common.certificates import Authority
from common.receiver import Receiver

from page.checks import CHECKS, SCHEMES, Stage, check
from page.hostile import TEXTS
from page.installation import free_port
from page.people import PASSWORD, SESSIONS, Person, enter, logged_in
from page.visit import Visit

SERVICES = "/app?view=services"


def access(visited: Visit, person: Person) -> str:
    token: str = person.tell(visited, "POST", SESSIONS, username=person.name, password=PASSWORD)["access_token"]
    return token


def make(visited: Visit, name: str) -> str:
    """Makes a service by the page; where it is then."""
    page = visited.page
    visited.go(SERVICES)
    page.fill("#create-name", name)
    page.click("#create-button")
    visited.shows("#service-facts dd")
    visited.settle()
    found = re.search(r"[?&]id=([0-9a-f-]{36})", page.url)
    assert found, page.url
    return f"/app?view=service&id={found[1]}"


def open_form(visited: Visit, panel: str) -> None:
    visited.page.click(f"#{panel} details > summary")


def picture(width: int, height: int) -> bytes:
    """A PNG in one colour, with a comment that nobody sees."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(height * (b"\0" + width * b"\x14\x5a\xb4"))
    parts = (("IHDR", header), ("tEXt", b"Comment\0taken at home"), ("IDAT", rows), ("IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(name.encode(), content) for name, content in parts)


@check
def people_see_and_set_a_services_image(stage: Stage) -> None:
    """a file becomes the service's image, small and without what nobody sees; another file is refused; it is taken away"""
    person = Person(stage)
    with logged_in(stage, person) as visited:
        page = visited.page
        where = make(visited, "Backups")
        assert page.locator(".service-image").count() == 0
        page.set_input_files("#image-file", {"name": "house.png", "mimeType": "image/png", "buffer": picture(1600, 800)})
        visited.shows("#service-facts .service-image")
        visited.until(
            "it is drawn", lambda: page.evaluate("() => document.querySelector('#service-facts img').naturalWidth === 512")
        )
        path = page.get_attribute("#service-facts .service-image", "src") or ""
        loaded = visited.context.request.get(visited.origin + path)
        assert loaded.ok and loaded.headers["content-type"] == "image/png", loaded.status
        assert b"taken at home" not in loaded.body()
        visited.axe("a service with an image")
        # What is no image stays here.
        page.set_input_files("#image-file", {"name": "page.png", "mimeType": "image/png", "buffer": b"<svg/>"})
        visited.shows("#image-error", "This file is no image")
        visited.go(SERVICES)
        visited.shows("#services .service-image")
        visited.go(where)
        page.click("#image-remove")
        visited.until("it is gone", lambda: page.locator(".service-image").count() == 0)
        assert visited.context.request.get(visited.origin + path).status == 404


@check
def people_have_services_and_keys(stage: Stage) -> None:
    """a service is made, renamed and deleted by typing its name; a key is shown once, rotated and ended"""
    person = Person(stage)
    with logged_in(stage, person) as visited:
        page = visited.page
        make(visited, TEXTS["script"][:60])
        visited.has_no_strangers("a service")
        open_form(visited, "keys")
        page.fill("#key-name", "nightly")
        page.click("#key-button")
        first = page.inner_text("#key-once code")
        assert re.fullmatch(r"wbk_live_[0-9A-Za-z]{36}", first), first
        page.reload()
        visited.shows("#keys li[data-id^='key_']", "nightly")
        assert first not in page.content() and first[-4:] in page.inner_text("#keys")
        page.click("#keys li[data-id^='key_'] button:has-text('Rotate')")
        visited.axe("rotate a key")
        page.click("#dialog-yes")
        visited.shows("#key-once code")
        assert page.inner_text("#key-once code") != first
        visited.until("there are two", lambda: page.locator("#keys li[data-id^='key_']").count() == 2)
        page.locator("#keys li[data-id^='key_'] button:has-text('End')").first.click()
        page.click("#dialog-yes")
        visited.shows("#keys .state-word", "Ended")
        # One that ends by itself; not in the past.
        open_form(visited, "keys")
        page.fill("#key-name", "for a while")
        page.fill("#key-end", "2020-01-01T10:00")
        visited.allowed = {400}
        page.click("#key-button")
        visited.shows("#key-error", "later than now")
        visited.allowed = set()
        end = (datetime.now() + timedelta(days=40)).strftime("%Y-%m-%dT10:00")
        page.fill("#key-end", end)
        page.click("#key-button")
        visited.until("it is there", lambda: page.locator("#keys li[data-id^='key_']").count() == 3)
        ending = visited.shows("#keys li[data-id^='key_']", "for a while")
        assert ending.locator("time").first.get_attribute("datetime") == f"{end}:00.000Z", ending.inner_html()
        page.fill("#rename-name", "Backups")
        page.click("#rename-button")
        visited.shows("#service-facts dd", "Backups")
        page.click("#delete-service")
        visited.shows("dialog")
        assert page.is_disabled("#dialog-yes")
        page.fill("#dialog-type", "Backups")
        page.click("#dialog-yes")
        visited.shows("#services", "None yet")


@check
def people_invite_and_are_told(stage: Stage) -> None:
    """a link that is handed on lets somebody in once, and leaves the address at once; roles, levels and quiet hours hold"""
    (owner, guest) = (Person(stage), Person(stage))
    with logged_in(stage, owner) as visited, stage.visit() as other:
        where = make(visited, "Backups")
        open_form(visited, "invitations")
        visited.page.click("#invite-button")
        link = visited.page.inner_text("#link-once code")
        other.go("/app#" + link.partition("#")[2])
        assert "wbi_" not in other.page.url, other.page.url
        enter(other, guest)
        visited_link = other.shows("#invitation", "Backups")
        assert visited_link
        other.axe("an invitation")
        other.page.click("#accept")
        other.shows("#service-facts dd", "member")
        assert other.page.locator("#keys").count() == 0
        other.page.uncheck("#levels-info")
        other.page.check("#levels-critical")
        other.page.select_option("#mute", "8")
        other.page.click("#told-button")
        other.shows("#told", "Muted until")
        token = access(other, guest)
        told: Any = other.context.request.get(
            other.origin + where.replace("/app?view=service&id=", "/v1/services/") + "/membership",
            headers={"Authorization": f"Bearer {token}"},
        ).json()
        assert told["levels"] == ["warning", "error", "critical"] and told["muted_until"], told
        other.go(SERVICES)
        other.page.fill("#quiet-from", "21:30")
        other.page.click("#quiet-button")
        other.shows("#quiet-off")
        visited.page.reload()
        visited.shows("#members", guest.name)
        visited.settle()
        row = visited.page.locator("#members li[data-id]", has_text=guest.name)
        row.locator("select").select_option("manager")
        other.go(where)
        other.shows("#keys")
        visited.settle()
        visited.page.locator("#members li[data-id]", has_text=guest.name).locator("button.danger").click()
        visited.page.click("#dialog-yes")
        visited.until("they have gone", lambda: visited.page.locator("#members li[data-id]").count() == 1)
        other.allowed = {404}
        other.go(where)
        other.shows(".problem, [role=alert]", "no such service")


@check
def people_transfer_a_service(stage: Stage) -> None:
    """an owner gives it to a member by typing its name, and manages it from then on"""
    (owner, heir) = (Person(stage), Person(stage))
    with logged_in(stage, owner) as visited:
        page = visited.page
        where = make(visited, TEXTS["attribute"][:60].strip())
        join(visited, owner, where, heir, "member")
        visited.go(where)
        visited.shows("#members", heir.name)
        assert page.locator("#members button:has-text('Transfer')").count() == 1, "nobody gives it to themselves"
        page.click("#members button:has-text('Transfer')")
        visited.axe("transfer a service")
        assert page.is_disabled("#dialog-yes")
        page.fill("#dialog-type", page.inner_text("dialog code"))
        page.click("#dialog-yes")
        visited.shows("#service-facts dd", "manager")
        visited.shows("#members .state-word", "Owner")
        assert page.locator("#members button:has-text('Transfer')").count() == 0
        assert page.locator("#delete-service").count() == 0


def join(visited: Visit, owner: Person, where: str, guest: Person, role: str) -> None:
    """Somebody is let in past the page."""
    path = where.replace("/app?view=service&id=", "/v1/services/")
    invited = owner.tell(visited, "POST", f"{path}/invitations", access=access(visited, owner), role=role)
    guest.tell(visited, "PUT", f"/v1/invitations/{invited['link'].partition('=')[2]}", access=access(visited, guest))


@contextmanager
def listening(stage: Stage) -> Iterator[Receiver]:
    """Somebody's web server, and a process that posts to it."""
    folder = stage.installation.folder / "authority"
    is_first = not folder.exists()
    authority = Authority(folder) if is_first else None
    if authority:
        authority.issue("receiver")
    receiver = Receiver((folder / "receiver.pem", folder / "receiver-key.pem"), free_port())
    hooks = stage.installation.hooks(folder / "ca.pem", "127.0.0.1/32")
    try:
        yield receiver
    finally:
        hooks.terminate()
        hooks.wait(20)
        receiver.stop()


# What the form refuses, and a word of why.
HOSTILE_URLS = {
    TEXTS["address"]: "a character that does not stand in one",
    "javascript:alert(6)": "begin with https://",
    "http://example.com/hooks": "begin with https://",
    "https://user:secret@example.com/": "no user in it",
    "https://2130706433/": "no usable host",
    "https://example.com:22/": "port must be 443",
    "https://example.com/\u202egpj": "a character that does not stand in one",
    "https://example.com/#x": "no fragment",
}


@check
def people_have_webhooks(stage: Stage) -> None:
    """added, tested, rotated, disabled, enabled and removed; its secret is shown once; what came of events, and again"""
    person = Person(stage)
    with logged_in(stage, person) as visited, listening(stage) as receiver:
        page = visited.page
        make(visited, TEXTS["script"][:60])
        visited.shows("#webhooks", "None yet")
        open_form(visited, "webhooks")
        visited.allowed = {400}
        for url, why in HOSTILE_URLS.items():
            page.fill("#webhook-url", url)
            page.click("#webhook-button")
            visited.shows("#webhook-error", why)
        visited.allowed = set()
        address = f"https://localhost:{receiver.port}"
        page.fill("#webhook-url", f"{address}/ok/all?a=%3Cb%3E&x='onload=alert(1)'")
        page.click("#webhook-button")
        secret = visited.shows("#webhook-once code").inner_text()
        assert re.fullmatch(r"whsec_[0-9A-Za-z+/=]{32,}", secret), secret
        visited.has_no_strangers("a webhook")
        page.reload()
        visited.shows("#webhooks li[data-id]", "Told everything")
        assert secret not in page.content()
        # What it is posted, and what came of it.
        page.click("#webhooks button:has-text('Test')")
        visited.shows("#webhooks .deliveries .state-word", "Taken")
        visited.shows("#webhooks .attempts", "HTTP 204")
        (request,) = (each for each in receiver.requests if each.event["type"] == "webhook.test")
        assert request.is_signed_by(secret)
        page.click("#webhooks button:has-text('Post again')")
        visited.until("it is posted again", lambda: [each.id for each in receiver.requests] == [request.id] * 2)
        page.click("#webhooks button:has-text('Rotate')")
        visited.axe("rotate a secret")
        page.click("#dialog-yes")
        visited.shows("#new-webhook", "signs, too, until")
        following = visited.shows("#webhook-once code").inner_text()
        assert following != secret

        def is_signed_twice() -> bool:
            """Whoever posts learns of a secret within a second."""
            page.click("#webhooks button:has-text('Test')")
            page.wait_for_timeout(1000)
            return any(each.is_signed_by(following) and each.is_signed_by(secret) for each in receiver.requests)

        visited.until("both secrets sign", is_signed_twice)
        page.click("#webhooks button:has-text('Post those of a time')")
        visited.axe("post events of a time")
        visited.until("nothing waits", lambda: page.locator("#webhooks .deliveries .state-word:has-text('Waits')").count() == 0)
        (before, told) = (len(receiver.requests), {each.id for each in receiver.requests})
        page.fill("#replay-since", (datetime.now() - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M"))
        page.click("#dialog-yes")
        visited.shows(".toast", f"Posted again: {len(told)} events")
        visited.until("all are posted again", lambda: len(receiver.requests) == before + len(told))
        page.click("#webhooks button:has-text('Disable')")
        visited.shows("#webhooks .state-word", "Disabled")
        visited.shows("#webhooks li", "somebody who manages the service")
        assert page.locator("#webhooks button:has-text('Test')").count() == 0
        page.click("#webhooks button:has-text('Enable')")
        visited.shows("#webhooks .state-word", "Active")
        page.click("#webhooks li[data-id] button:has-text('Remove')")
        page.click("#dialog-yes")
        visited.shows("#webhooks", "None yet")


@check
def people_see_why_a_webhook_is_not_told(stage: Stage) -> None:
    """one that has gone is disabled with the reason; what waited is told when it is enabled; a choice of events holds"""
    (owner, guest) = (Person(stage), Person(stage))
    with logged_in(stage, owner) as visited, listening(stage) as receiver:
        page = visited.page
        where = make(visited, "Backups")
        open_form(visited, "webhooks")
        page.fill("#webhook-url", f"https://localhost:{receiver.port}/gone")
        page.check("#webhook-events [data-value='member.joined']")
        page.click("#webhook-button")
        visited.shows("#webhooks li[data-id]", "Told of somebody has joined")
        join(visited, owner, where, guest, "member")
        visited.until("it was told", lambda: [each.event["type"] for each in receiver.requests] == ["member.joined"])
        visited.go(where)

        def is_disabled() -> bool:
            page.reload()
            visited.settle()
            return page.locator("#webhooks .state-word:has-text('Disabled')").count() == 1

        visited.until("it is disabled", is_disabled)
        visited.shows("#webhooks li", "it has answered 410 Gone")
        page.click("#webhooks .deliveries > summary")
        visited.shows("#webhooks .attempts", "HTTP 410")
        page.check("#webhooks .deliveries .check input")
        visited.shows("#webhooks .deliveries", "Nothing was given up")
        visited.axe("a disabled webhook")


@check
def members_see_no_webhooks(stage: Stage) -> None:
    """a member is shown no webhooks and asks for none; a manager has them"""
    (owner, guest) = (Person(stage), Person(stage))
    with logged_in(stage, owner) as visited, stage.visit() as other:
        where = make(visited, "Backups")
        join(visited, owner, where, guest, "member")
        asked: list[str] = []
        other.page.on("request", lambda request: asked.append(request.url))
        other.go("/app")
        enter(other, guest)
        other.shows("#account-facts")
        other.go(where)
        other.shows("#told")
        other.settle()
        assert other.page.locator("#webhooks, #keys").count() == 0
        assert not any("/webhooks" in url for url in asked), asked
        row = visited.page.locator("#members li[data-id]", has_text=guest.name)
        visited.go(where)
        row.locator("select").select_option("manager")
        visited.shows(".toast", "changed")
        other.go(where)
        other.shows("#webhooks", "None yet")


@check
def people_are_not_kept_out_of_services(stage: Stage) -> None:
    """axe finds nothing on the services, light and dark; 320 pixels are wide enough"""
    person = Person(stage)
    for scheme in SCHEMES:
        for width in (320, 1280):
            with logged_in(stage, person, scheme=scheme, width=width) as visited:
                where = make(visited, 60 * "W")
                for panel in ("keys", "invitations", "webhooks"):
                    open_form(visited, panel)
                visited.page.fill("#webhook-url", f"https://example.com/{'x' * 200}?{'y' * 200}")
                visited.page.click("#webhook-button")
                visited.shows("#webhooks li[data-id]")
                visited.page.click("#webhooks .deliveries > summary")
                visited.settle()
                visited.axe(f"a service, {scheme}, {width}")
                visited.fits(f"a service, {width}")
                visited.go(SERVICES)
                visited.axe(f"services, {scheme}, {width}")
                visited.fits(f"services, {width}")
                assert where


__all__ = ["CHECKS"]
