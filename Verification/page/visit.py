"""One visit to the page: a browser that notes whatever should not happen."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

TOKEN = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])", re.IGNORECASE)
HASH = re.compile(r"^/page/[0-9a-f]+/")
# What no text of a record may become.
STRANGERS = (
    "img:not([src^='/v1/services/']), iframe, object, embed, audio, video, base, form[action], script:not([src^='/page/']), "
    "[onerror], [onload], [onfocus], [onmouseover], [style*=url], a[href^='javascript:']"
)
# The complaints of a console that belong to the contract: a page asks whether somebody is logged in.
NOBODY = {"/v1/session": 401, "/v1/account/sessions/refresh": 400}
SECONDS = 1000  # what Playwright counts in


WIDE = """room => [...document.querySelectorAll('main *, header *')]
    .filter(each => each.getBoundingClientRect().right > room + 1)
    .slice(0, 4).map(each => `${each.tagName.toLowerCase()}#${each.id}.${each.className}`)"""


@dataclass
class Visit:
    page: Page
    context: BrowserContext
    origin: str
    faults: list[str] = field(default_factory=list)
    allowed: set[int] = field(default_factory=set)
    """Statuses of answers that the check is about."""

    def go(self, path: str = "/") -> None:
        self.page.goto(self.origin + path)
        self.settle()

    def settle(self) -> None:
        """Until every part of the page has its answer."""
        self.page.wait_for_function(
            "() => document.querySelector('main')?.childElementCount > 0"
            " && !document.querySelector('[aria-busy=true]') && !document.querySelector('.skeleton')"
        )

        # A key may ask so often a second, and nobody reads faster than this.
        self.page.wait_for_timeout(700)

    def log_in(self, key: str) -> None:
        """Without the form, which has a check of its own."""
        answer = self.context.request.post(f"{self.origin}/v1/session", data={"key": key})
        assert answer.status == 200, f"log in: {answer.status} {answer.text()}"

    def shows(self, selector: str, text: str | None = None, seconds: float = 20) -> Any:
        """The first element, once it is there."""
        found = self.page.locator(selector, has_text=text) if text else self.page.locator(selector)
        found.first.wait_for(state="visible", timeout=seconds * SECONDS)
        return found.first

    def until(self, what: str, holds: Callable[[], object], seconds: float = 30) -> None:
        """Until something is so; the browser goes on meanwhile."""
        for _ in range(int(seconds * 10)):
            if holds():
                return
            self.page.wait_for_timeout(100)
        raise TimeoutError(f"not within {seconds:.0f} s: {what}")

    def axe(self, what: str) -> None:
        """Nothing that keeps people out."""
        # Half of a fade is no contrast.
        self.page.wait_for_function("() => document.getAnimations().every(each => each.playState !== 'running')")
        found = Axe().run(self.page).response["violations"]
        for each in found:
            nodes = "; ".join(node["html"][:120] for node in each["nodes"][:3])
            self.faults.append(f"axe, {what}: {each['impact']} {each['id']}: {each['help']}: {nodes}")

    def fits(self, what: str) -> None:
        """Nobody has to scroll sideways."""
        width, room = self.page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        if width > room:
            wide = self.page.evaluate(WIDE, room)
            self.faults.append(f"{what}: {width} of {room} pixels: {wide}")

    def has_no_strangers(self, what: str) -> None:
        found = self.page.evaluate(
            "all => [...document.querySelectorAll(all)].map(each => each.outerHTML.slice(0, 150))", STRANGERS
        )
        if found:
            self.faults.append(f"{what}: new elements: {found}")

    # What is noted

    def hears(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning"):
            return
        url = urlsplit(message.location.get("url", ""))
        status = re.search(r"responded with a status of (\d+)", message.text)
        # One request at a time looks at the rejected messages, and a page that was left may still be at it.
        if status and status[1] == "503" and url.path == "/v1/rejected":
            return
        if status and (int(status[1]) in self.allowed or NOBODY.get(url.path) == int(status[1])):
            return
        self.faults.append(f"console: {message.text} ({url.path})")

    def asks(self, request: Request) -> None:
        url = urlsplit(request.url)
        if f"{url.scheme}://{url.netloc}" != self.origin and url.scheme != "blob":
            self.faults.append(f"asks elsewhere: {request.url[:200]}")
        if TOKEN.search(unquote(HASH.sub("", url.path) + "?" + url.query)):
            self.faults.append(f"a token in an address: {request.method} {url.path}")


@contextmanager
def visit(
    browser: Browser,
    origin: str,
    *,
    key: str | None = None,
    scheme: Literal["light", "dark"] = "light",
    width: int = 1280,
    height: int = 900,
    scripts: bool = True,
    pictures: Path | None = None,
) -> Iterator[Visit]:
    context = browser.new_context(
        color_scheme=scheme,
        viewport={"width": width, "height": height},
        java_script_enabled=scripts,
        locale="en-GB",
        timezone_id="UTC",
        reduced_motion="reduce",
        accept_downloads=True,
    )
    context.set_default_timeout(30 * SECONDS)
    page = context.new_page()
    visited = Visit(page, context, origin)
    try:
        page.on("console", visited.hears)
        page.on("pageerror", lambda error: visited.faults.append(f"page error: {error}"))
        page.on("request", visited.asks)

        def refuse(dialog: Any) -> None:
            visited.faults.append(f"dialog: {dialog.message[:100]}")
            dialog.dismiss()

        page.on("dialog", refuse)
        if key:
            visited.log_in(key)
        yield visited
        if visited.faults:
            raise AssertionError("; ".join(visited.faults[:6]))
    except Exception:
        if pictures:
            page.screenshot(path=pictures / f"{len(list(pictures.glob('*.png')))}.png", full_page=True)
        if visited.faults:
            print(f"   noted before: {visited.faults[:6]}; at {page.url}", file=sys.stderr)
        raise
    finally:
        context.close()
