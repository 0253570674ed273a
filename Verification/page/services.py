"""What the page for people promises of their services, at /app?view=services."""

import re
import struct
import zlib
from typing import Any

from page.checks import CHECKS, SCHEMES, Stage, check
from page.hostile import TEXTS
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
        visited.page.locator("#members li[data-id]", has_text=guest.name).locator("button").click()
        visited.page.click("#dialog-yes")
        visited.until("they have gone", lambda: visited.page.locator("#members li[data-id]").count() == 1)
        other.allowed = {404}
        other.go(where)
        other.shows(".problem, [role=alert]", "no such service")


@check
def people_are_not_kept_out_of_services(stage: Stage) -> None:
    """axe finds nothing on the services, light and dark; 320 pixels are wide enough"""
    person = Person(stage)
    for scheme in SCHEMES:
        for width in (320, 1280):
            with logged_in(stage, person, scheme=scheme, width=width) as visited:
                where = make(visited, TEXTS["long"][:60] if "long" in TEXTS else 60 * "W")
                for panel in ("keys", "invitations"):
                    open_form(visited, panel)
                visited.axe(f"a service, {scheme}, {width}")
                visited.fits(f"a service, {width}")
                visited.go(SERVICES)
                visited.axe(f"services, {scheme}, {width}")
                visited.fits(f"services, {width}")
                assert where


__all__ = ["CHECKS"]
