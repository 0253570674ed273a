"""What the page promises, each promise tried in a browser of its own."""

import http.server
import json
import os
import random
import re
import subprocess
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, Locator, Route

from page.data import BATCH, Facts
from page.hostile import LONGEST, TEXTS
from page.installation import Installation
from page.visit import Visit, visit

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@dataclass(frozen=True)
class Stage:
    browser: Browser
    installation: Installation
    facts: Facts
    random: random.Random

    @property
    def origin(self) -> str:
        return self.installation.address

    def visit(self, **how: Any) -> AbstractContextManager[Visit]:
        return visit(self.browser, how.pop("origin", self.origin), pictures=self.installation.folder, **how)

    def views(self) -> dict[str, str]:
        """An address of every view."""
        return {
            "overview": "/",
            "story": f"/?view=story&id={self.facts.story}",
            "batch": f"/?view=batch&id={self.facts.batch}",
            "lane": "/?view=lane&id=parcels",
            "rejected": "/?view=rejected",
            "campaigns": "/?view=campaigns",
            "campaign": "/?view=campaign&id=autumn",
            "compose": "/?view=compose&id=autumn",
        }


Check = Callable[[Stage], None]
CHECKS: dict[str, Check] = {}


def check(body: Check) -> Check:
    CHECKS[body.__name__.replace("_", "-")] = body
    return body


def addressed(visited: Visit) -> dict[str, list[str]]:
    return parse_qs(urlsplit(visited.page.url).query)


@check
def log_in_and_out(stage: Stage) -> None:
    """a key lets in, stays nowhere in the browser, and nothing is left after logging out"""
    key = stage.installation.key("reader")
    with stage.visit() as visited:
        page = visited.page
        visited.go()
        visited.shows("#login")
        page.fill("#login-key", key[:-1] + ("a" if key[-1] != "a" else "b"))
        page.click("#login-button")
        visited.shows("#login-error", "not known")
        page.fill("#login-key", key)
        page.keyboard.press("Enter")
        visited.shows("#search")
        visited.settle()
        (cookie,) = visited.context.cookies()
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict", cookie
        kept = page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])")
        assert key not in kept and "wbk_" not in kept, kept
        assert key not in page.content()
        page.reload()
        visited.shows("#search")
        visited.settle()
        visited.go(f"/?view=batch&id={BATCH}")
        page.click("#account")
        page.click("#log-out")
        visited.shows("#login")
        page.go_back()
        page.reload()
        visited.shows("#login")
        assert page.locator("#records").count() == 0
        visited.context.add_cookies([{"name": cookie["name"], "value": cookie["value"], "url": visited.origin}])
        page.reload()
        visited.shows("#login")


@check
def session_ends(stage: Stage) -> None:
    """whoever loses the session is asked for the key again, and is then where they were"""
    key = stage.installation.key()
    with stage.visit(key=key) as visited:
        visited.go(f"/?view=batch&id={BATCH}")
        visited.shows("#batch")
        visited.context.clear_cookies()
        # What the console says of the request that finds it out belongs to this check.
        visited.page.remove_listener("console", visited.hears)
        visited.page.goto(visited.origin + f"/?view=batch&id={BATCH}")
        visited.shows("#login")
        visited.page.fill("#login-key", key)
        visited.page.keyboard.press("Enter")
        visited.shows("#batch")
        assert addressed(visited) == {"view": ["batch"], "id": [BATCH]}


@check
def first_screen(stage: Stage) -> None:
    """state, chart, failing groups and records are there, and say what the log says"""
    with stage.visit(key=stage.installation.key()) as visited:
        visited.go()
        grade = visited.shows("#state .verdict").get_attribute("data-grade")
        assert grade in ("healthy", "degraded"), grade
        visited.shows("#chart canvas")
        visited.shows("#groups tr[data-reason=Unregistered]")
        visited.shows("#groups tr[data-outcome=invalid]")
        rows = visited.page.locator("#records tr[data-id]").count()
        assert rows >= 20, rows
        painted = visited.page.evaluate(
            "() => { const one = document.querySelector('#chart canvas');"
            " return new Set(one.getContext('2d').getImageData(0, 0, one.width, one.height).data).size }"
        )
        assert painted > 8, f"the chart has {painted} shades"


@check
def chart_says_what_is_summed_up(stage: Stage) -> None:
    """beneath the chart a note says until when only whole hours and days are kept"""

    def summed_up(route: Route) -> None:
        answer = route.fetch()
        until = {"whole_hours_until": "2026-03-02T01:00:00.000Z", "whole_days_until": "2026-01-02T00:00:00.000Z"}
        route.fulfill(response=answer, json={**answer.json(), **until})

    with stage.visit(key=stage.installation.key()) as visited:
        visited.page.route("**/v1/stats?*", summed_up)
        visited.go()
        visited.shows("#chart .note", "01:00 UTC only whole hours are kept")
        visited.shows("#chart .note", "00:00 UTC only whole days are kept")


@check
def search_knows_what_it_is_given(stage: Stage) -> None:
    """the search tells an apns-id, a device token and a batch apart, and a token never stands in an address"""
    facts = stage.facts
    with stage.visit(key=stage.installation.key("investigator")) as visited:
        page = visited.page
        visited.go()
        for typed, kind, place in (
            (facts.story, "apns-id", f"article.story[data-id='{facts.story}']"),
            (facts.story.upper(), "apns-id", f"article.story[data-id='{facts.story}']"),
            (facts.batch, "batch", "#batch"),
            (facts.token, "token", "#device"),
            (f"<{facts.token[:32]} {facts.token[32:]}>", "token", "#device"),
        ):
            page.keyboard.press("/")
            page.keyboard.insert_text(typed)
            assert page.locator("#search-says").get_attribute("data-kind") == kind, typed
            page.keyboard.press("Enter")
            visited.settle()
            visited.shows(place)
            if kind == "token":
                assert addressed(visited) == {"view": ["token"]}, page.url
                assert facts.token not in page.url
        # A key in the wrong place is not sent.
        page.fill("#search", "wbk_live_abcdefghij")
        before = page.url
        page.keyboard.press("Enter")
        assert page.url == before
        # No part of a token is found, and that is said.
        for typed in (f"{facts.token[:8]}…{facts.token[-4:]}", f"{facts.token[:8]}..."):
            page.fill("#search", typed)
            visited.shows("#search-says", "shortened device token")
            page.keyboard.press("Enter")
            assert page.url == before
        # Nor does most of one get into an address.
        for part in (facts.token[:-1], facts.token[:32]):
            page.fill("#search", part)
            visited.shows("#search-says", f"64 digits or more, and this has {len(part)}. It was not sent")
            page.keyboard.press("Enter")
            assert page.url == before
        page.fill("#search", facts.token[:16])
        visited.shows("#search-says", "64 digits or more, and this has 16")


@check
def readers_see_no_tokens(stage: Stage) -> None:
    """a reader sees the last four characters of a token, and is not let look one up"""
    with stage.visit(key=stage.installation.key("reader")) as visited:
        visited.go(stage.views()["story"])
        assert stage.facts.token not in visited.page.content()
        visited.page.fill("#search", stage.facts.token)
        assert visited.page.locator("#search-says").get_attribute("data-kind") != "token"
        visited.page.keyboard.press("Enter")
        assert addressed(visited)["view"] == ["story"]


@check
def scope_of_a_key(stage: Stage) -> None:
    """a key for one client shows nothing of another, nor of the installation"""
    with stage.visit(key=stage.installation.key("reader", "acme")) as visited:
        visited.allowed |= {403}
        visited.go()
        clients = visited.page.locator("#records td.c-client").all_inner_texts()
        assert clients and {text.strip() for text in clients} == {"acme"}, set(clients)
        assert "globex" not in visited.page.content() and "contoso" not in visited.page.content()


@check
def story_of_a_push(stage: Stage) -> None:
    """a story has its outcome, the way in time, and what to do next"""
    with stage.visit(key=stage.installation.key()) as visited:
        visited.go(stage.views()["story"])
        visited.shows("article.story .headline[data-outcome=rejected]", "TopicDisallowed")
        assert visited.page.locator("ol.timeline > li.step").count() >= 2
        visited.shows(".next")
        raw = visited.page.locator("article.story pre").first
        assert json.loads(raw.text_content() or "")["_id"] == stage.facts.story


@check
def batch_and_cancel(stage: Stage) -> None:
    """a batch shows how it ended, and is cancelled only after a question"""
    batch = f"cancelled-{stage.random.randrange(10**6)}"
    stage.installation.send(batch, [f"{stage.random.getrandbits(256):064x}" for _ in range(20)])
    with stage.visit(key=stage.installation.key("operator")) as visited:
        page = visited.page
        orders: list[str] = []
        page.on("request", lambda request: orders.append(request.url) if request.method == "POST" else None)
        visited.go(f"/?view=batch&id={BATCH}")
        visited.shows("#batch [data-outcome=accepted]")
        page.goto(f"{visited.origin}/?view=batch&id={batch}")
        visited.settle()
        visited.shows("#cancel-batch").click()
        visited.shows("#dialog-no").click()
        assert not orders, orders
        page.click("#cancel-batch")
        page.fill("#dialog-note", "the wrong text")
        page.click("#dialog-yes")
        visited.until("the order is given", lambda: orders)
        assert orders == [f"{visited.origin}/v1/batches/{batch}/cancel"], orders
        visited.shows("#batch .order", "the wrong text")
        assert page.locator("#cancel-batch").count() == 0, "what is cancelled offers to be cancelled"
        asked = page.evaluate(
            "path => fetch(path, { method: 'POST' }).then((answer) => answer.status)", f"/v1/batches/{batch}.1/cancel"
        )
        assert asked == 202, asked
        visited.shows("#lift-cancellation").click()
        page.click("#dialog-yes")
        visited.until(
            "what still holds is told",
            lambda: f"still cancelled: {batch}.1, for all clients" in (page.text_content("body") or ""),
        )
        visited.shows("#cancel-batch")
        assert page.locator("#batch .order").count() == 0, "what was lifted is still said to be cancelled"


@check
def lane_is_paused_and_opened(stage: Stage) -> None:
    """a lane is paused and opened again, and says who has ordered it and why"""
    with stage.visit(key=stage.installation.key("operator")) as visited:
        page = visited.page
        visited.go("/?view=lane&id=alerts")
        for action, note in (("pause", "Apple tells of trouble"), ("resume", "all well again")):
            visited.shows(f"#lane-{action}").click()
            page.fill("#dialog-note", note)
            page.click("#dialog-yes")
            visited.shows("#lane .order", note)
            visited.shows("#lane .order", "The dispatcher follows it", seconds=40)
        # The dispatcher says itself that it has heard.
        visited.shows("#lane-pause", seconds=40)


@check
def brush_narrows_the_time(stage: Stage) -> None:
    """what is drawn over in the chart is the time of everything else, in the address, and after loading again"""
    with stage.visit(key=stage.installation.key()) as visited:
        page = visited.page
        visited.go()
        canvas = visited.shows("#chart canvas")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.4)
        page.mouse.down()
        for step in range(1, 6):
            page.mouse.move(box["x"] + box["width"] * (0.4 + step * 0.06), box["y"] + box["height"] * 0.5)
        page.mouse.up()
        page.wait_for_url(re.compile("since="))
        visited.settle()
        narrowed, rows = page.url, ids(page.locator("#records tr[data-id]"))
        span = addressed(visited)
        assert span["since"] < span["until"], span
        page.reload()
        visited.settle()
        assert page.url == narrowed
        assert ids(page.locator("#records tr[data-id]")) == rows
        page.go_back()
        page.wait_for_url(lambda url: "since=" not in url)
        visited.settle()
        page.go_forward()
        page.wait_for_url(re.compile("since="))
        visited.settle()
        assert ids(page.locator("#records tr[data-id]")) == rows


def ids(rows: Locator) -> list[str | None]:
    return [row.get_attribute("data-id") for row in rows.all()]


@check
def address_holds_the_state(stage: Stage) -> None:
    """filters, ranges and views are in the address, and back and forward go through them"""
    with stage.visit(key=stage.installation.key()) as visited:
        page = visited.page
        visited.go()
        page.click("a[data-range='24h']")
        visited.settle()
        page.click("#groups tr[data-reason=Unregistered] a.row-link")
        visited.settle()
        assert addressed(visited)["reason"] == ["Unregistered"], page.url
        outcomes = {row.get_attribute("data-outcome") for row in page.locator("#records tr[data-id]").all()}
        assert outcomes == {"token_invalid"}, outcomes
        page.locator("#records tr[data-id] a.row-link").first.click()
        visited.settle()
        visited.shows("article.story")
        walked = [page.url]
        for _ in range(2):
            page.go_back()
            visited.settle()
            walked.append(page.url)
        assert "view=story" in walked[0] and "reason=" in walked[1] and "reason=" not in walked[2], walked
        page.go_forward()
        visited.settle()
        assert page.url == walked[1]
        visited.shows("#groups tr[data-reason=Unregistered]")
        # Times as commands take them.
        for address, range_ in (("/?since=24h", "24h"), ("/?since=45m", "45m"), ("/?range=45m", "45m")):
            visited.go(address)
            visited.shows(f"a[data-range='{range_}'][aria-current=true]")
        with page.expect_request(re.compile("/v1/groups.*since=45m")):
            visited.go("/?since=45m")
        visited.go("/?since=2026-01-01T00:00:00Z")
        visited.shows(".chip[data-filter=time]")


@check
def filters_for_and_against(stage: Stage) -> None:
    """`+` shows what has a value, `−` all but that, several of them add up, and a chip takes one away"""
    with stage.visit(key=stage.installation.key()) as visited:
        page = visited.page

        def choose(row: str, label: str) -> None:
            page.locator(f"#groups {row} button[aria-label='{label}']").first.click()
            visited.settle()

        def reasons() -> set[str | None]:
            return {row.get_attribute("data-reason") for row in page.locator("#groups tr[data-outcome]").all()}

        visited.go()
        page.locator("#groups .more", has_text="All").click()
        everything = reasons()
        choose("tr[data-reason=Unregistered]", "All but reason Unregistered")
        choose("tr[data-reason=TopicDisallowed]", "All but reason TopicDisallowed")
        assert addressed(visited)["reason"] == ["!Unregistered", "!TopicDisallowed"], page.url
        assert reasons() == everything - {"Unregistered", "TopicDisallowed"}, reasons()
        visited.shows(".chip.is-against", "Unregistered")
        choose("tr[data-reason=PayloadTooLarge]", "All but lane parcels")
        assert all("lane parcels" not in label for label in labels(page.locator("#groups button.plus")))
        choose("tr[data-reason=TooManyRequests]", "Only reason TooManyRequests")
        assert addressed(visited)["reason"] == ["TooManyRequests"] and addressed(visited)["lane"] == ["!parcels"], page.url
        assert reasons() == {"TooManyRequests"}
        shown = page.locator("#records tr[data-id]").all()
        assert shown and all("parcels" not in (row.locator(".c-lane").text_content() or "") for row in shown)
        page.click(".chip[data-filter=reason] .chip-x")
        visited.settle()
        assert "reason" not in addressed(visited) and reasons() >= {"Unregistered", "TooManyRequests"}, page.url


def labels(buttons: Locator) -> list[str]:
    return [button.get_attribute("aria-label") or "" for button in buttons.all()]


@check
def tail_shows_what_is_written(stage: Stage) -> None:
    """records come into the page as they are written, and no more when it is stopped"""
    with stage.visit(key=stage.installation.key()) as visited:
        page = visited.page
        visited.go()
        page.click("#tail-toggle")
        visited.shows("#tail .tail-says", "so far")
        batch = f"tail-{stage.random.randrange(10**6)}"
        stage.installation.send(batch, [f"{stage.random.getrandbits(256):064x}" for _ in range(5)])
        visited.shows(f"#tail tr[data-id]:has-text('{batch}')", seconds=40)
        visited.until("all five are there", lambda: page.locator("#tail tr[data-id]").count() >= 5)
        page.click("#tail-toggle")
        visited.shows("#tail .tail-says", "Stopped")


@check
def copies_run(stage: Stage) -> None:
    """what "copy as curl" copies is a command that answers what the page shows, and `waybill` takes the other one"""
    key = stage.installation.key()
    with stage.visit(key=key) as visited:
        page = visited.page
        commands = []
        for name, path in stage.views().items():
            visited.go(path + ("?outcome=rejected&reason=" + "TooManyRequests" if name == "overview" else ""))
            # What orders something has checks of its own.
            for menu in page.locator(".tools details.copy:not(.export, [data-key=copy-compose], [data-key=copy-test])").all():
                menu.locator("summary").click()
                menu.locator("button[data-copies]").first.wait_for()  # a menu is filled when it opens
                for button in menu.locator("button[data-copies]").all():
                    commands.append(button.get_attribute("data-copies") or "")
                page.keyboard.press("Escape")
        # One of them the way somebody does it.
        page.locator(".tools details.copy summary").first.click()
        button = page.locator(".tools details.copy[open] button[data-copies]").first
        wanted = button.get_attribute("data-copies")
        button.click()
        visited.shows(".toast", "Copied")
        # The page itself may not read the clipboard; somebody may paste.
        page.focus("#search")
        page.keyboard.press("Control+V")
        pasted = page.input_value("#search")
        assert wanted and pasted == " ".join(wanted.splitlines())[: len(pasted)] and len(pasted) > 20, (wanted, pasted)
    curls = sorted({command for command in commands if command.startswith("curl ") and "/v1/tail" not in command})
    others = sorted({command for command in commands if command.startswith("waybill ") and "--follow" not in command})
    assert len(curls) >= 5 and len(others) >= 4, commands
    for command in curls:
        done = shell(command.replace("curl ", "curl --fail --silent --show-error ", 1), {"WAYBILL_KEY": key})
        assert done.returncode == 0, f"{command}: {done.stderr}"
        json.loads(done.stdout)
    installation = stage.installation
    for command in others:
        environment = {"PATH": f"{installation.programs}:/usr/bin:/bin", "WAYBILL_CONFIG": str(installation.config)}
        done = shell(command, environment)
        # 64 is a command that does not exist like this; 75 and 69 tell of the installation's state.
        assert done.returncode in (0, 69, 75), f"{command}: {done.returncode} {done.stderr}"


def shell(command: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    known = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    return subprocess.run(["bash", "-c", command], env=known | environment, capture_output=True, text=True, timeout=60)


@check
def hostile_texts_are_texts(stage: Stage) -> None:
    """whatever stands in a record is shown as text: no element, no script, no request, no other place"""
    with stage.visit(key=stage.installation.key()) as visited:
        page = visited.page
        visited.go("/?outcome=rejected")
        visited.has_no_strangers("the first screen")
        visited.fits("the first screen")
        for kind, text in TEXTS.items():
            visited.go(f"/?view=story&id={stage.facts.hostile[kind]}")
            visited.shows("article.story")
            visited.has_no_strangers(f"a story, {kind}")
            visited.fits(f"a story, {kind}")
            raw = page.locator("article.story pre").first.text_content() or ""
            if kind == "long":
                # Whoever wants to read on asks for the rest.
                assert "x" * 500 in raw and len(raw) < 5 * LONGEST, len(raw)
            else:
                # What turns the direction of a line is shown as its number.
                seen = TURNING.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)
                assert json.loads(raw)["client"] == seen, f"{kind}: {raw[:300]!r}"
            # As an address, and as what somebody searches for.
            if kind not in ("zero", "path"):
                for view in ("batch", "lane"):
                    query = page.evaluate("text => new URLSearchParams({id: text}).toString()", text)
                    visited.allowed = {400, 401, 404, 414, 431}
                    visited.go(f"/?view={view}&{query}")
                    visited.has_no_strangers(f"{view}, {kind}")
                    visited.fits(f"{view}, {kind}")
            page.wait_for_timeout(500)
        assert page.evaluate("() => [...document.scripts].every(each => each.src.startsWith(location.origin + '/page/'))")


@check
def nothing_keeps_people_out(stage: Stage) -> None:
    """axe finds nothing in any view, light and dark, with data and without"""
    for scheme in SCHEMES:
        with stage.visit(scheme=scheme) as visited:
            visited.go()
            visited.axe(f"log in, {scheme}")
        with stage.visit(key=stage.installation.key(), scheme=scheme) as visited:
            for name, path in stage.views().items():
                visited.go(path)
                visited.axe(f"{name}, {scheme}")
            visited.go("/?client=nobody-of-this-name")
            visited.axe(f"overview without data, {scheme}")
            visited.page.keyboard.press("?")
            visited.shows("dialog")
            visited.axe(f"keys, {scheme}")


@check
def narrow_and_large(stage: Stage) -> None:
    """320 pixels, which is also a window at four times the size, need no scrolling sideways"""
    with stage.visit(width=320, height=700) as visited:
        visited.go()
        visited.fits("log in")
        visited.log_in(stage.installation.key())
        for name, path in stage.views().items():
            visited.go(path)
            visited.fits(name)
            visited.axe(f"{name}, narrow")
        visited.page.fill("#search", stage.facts.token)
        visited.page.keyboard.press("Enter")
        visited.shows("#device")
        visited.settle()
        visited.fits("device")


@check
def without_a_mouse(stage: Stage) -> None:
    """from logging in to a story, the chart's time and back, by the keyboard alone"""
    key = stage.installation.key()
    with stage.visit() as visited:
        page, press = visited.page, visited.page.keyboard.press
        visited.go()
        assert page.evaluate("() => document.activeElement.id") == "login-key"
        page.keyboard.insert_text(key)
        press("Enter")
        visited.shows("#search")
        visited.settle()
        press("j")
        assert page.evaluate("() => document.activeElement.classList.contains('row-link')")
        press("Enter")
        visited.settle()
        page.go_back()
        visited.settle()
        press("/")
        page.keyboard.insert_text(stage.facts.story)
        press("Enter")
        visited.shows("article.story")
        press("Escape")
        page.wait_for_url(lambda url: "view=" not in url)
        visited.settle()
        press("?")
        visited.shows("dialog")
        press("Escape")
        page.wait_for_function("() => !document.querySelector('dialog[open]')")
        page.focus("#chart .brush-keys")
        for step in ("ArrowLeft", "ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft", "Enter"):
            press(step)
        page.wait_for_url(re.compile("since="))
        press("Escape")
        page.wait_for_url(lambda url: "since=" not in url)
        # Wherever Tab leads, one sees where one is, and it leads all around.
        visited.settle()
        page.evaluate("() => document.activeElement.blur()")
        places = set()
        for _ in range(40):
            press("Tab")
            places.add(page.evaluate(PLACE))
        assert len(places) >= 15, places
        assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") != "none"


TURNING = re.compile("[\x7f-\x9f\xad\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
PLACE = """() => {
    const one = document.activeElement;
    return `${one.tagName} ${one.id} ${one.dataset.key ?? one.textContent.slice(0, 20)}`;
}"""


@check
def without_scripts(stage: Stage) -> None:
    """without JavaScript a sentence says where else to ask"""
    with stage.visit(scripts=False) as visited:
        visited.page.goto(visited.origin + "/")
        assert "JavaScript" in visited.page.inner_text("noscript")


@check
def without_charts(stage: Stage) -> None:
    """without Chart.js the page shows tables, and complains of nothing"""
    empty = stage.installation.folder / "no-scripts"
    empty.mkdir(exist_ok=True)
    origin = stage.installation.serve("--set", f"serve.assets={empty}")
    with stage.visit(origin=origin, key=stage.installation.key()) as visited:
        visited.go()
        visited.shows("#chart table")
        visited.axe("without charts")
    assert "api.chartsMissing" in stage.installation.words()


@check
def other_pages_are_kept_out(stage: Stage) -> None:
    """no page of another origin frames this one, reads from it, or gives orders with its cookie"""

    class Foreign(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"<!doctype html><title>elsewhere</title><p>elsewhere"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    elsewhere = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
    try:
        with stage.visit(key=stage.installation.key()) as visited:
            page = visited.context.new_page()
            page.goto(f"http://127.0.0.1:{elsewhere.server_address[1]}/")
            # The same site by name: the cookie would travel, were it not for the server.
            tries = page.evaluate(
                """async origin => {
                    const ask = (path, how) => fetch(origin + path, {credentials: 'include', ...how})
                        .then(answer => `${answer.type} ${answer.status}`, () => 'refused');
                    return [
                        await ask('/v1/session'),
                        await ask('/v1/lanes/alerts/pause', {method: 'POST', mode: 'no-cors'}),
                        await ask('/v1/session', {method: 'DELETE'}),
                        await ask('/v1/session', {method: 'POST', mode: 'no-cors', body: '{}'}),
                    ];
                }""",
                stage.origin,
            )
            assert all(one == "refused" or one.startswith("opaque") for one in tries), tries
            framed = page.evaluate(
                """async origin => {
                    const frame = document.createElement('iframe');
                    frame.src = origin + '/';
                    document.body.append(frame);
                    await new Promise(resolve => { frame.onload = resolve; setTimeout(resolve, 5000); });
                    try { return frame.contentDocument ? 'own' : 'foreign'; } catch { return 'foreign'; }
                }""",
                stage.origin,
            )
            shown = [frame for frame in page.frames if frame.query_selector("#bar")]
            assert framed == "foreign" and not shown, (framed, shown)
            # The session has survived all of it, and no lane is paused.
            visited.go("/?view=lane&id=alerts")
            visited.shows("#lane-pause")
    finally:
        elsewhere.shutdown()


def run_all(stage: Stage, names: list[str], say: Callable[[str], None]) -> list[str]:
    """The names of those that failed."""
    failed = []
    for name in names:
        try:
            CHECKS[name](stage)
        except Exception as error:
            failed.append(name)
            say(f"FAILED {name}: {str(error)[:1500]}")
        else:
            say(f"passed {name}: {(CHECKS[name].__doc__ or '').strip()}")
    return failed


__all__ = ["CHECKS", "Stage", "run_all"]
