"""What the page promises of campaigns."""

import json
import re
import subprocess
from datetime import UTC, datetime, timedelta
from typing import Any
from unicodedata import category
from urllib.parse import quote

from playwright.sync_api import Route

from page.checks import CHECKS, SCHEMES, Stage, addressed, check, shell
from page.hostile import TEXTS
from page.installation import Installation
from page.visit import Visit

LIST = "/?view=campaigns"
APP = "com.example.parcels"
DEVICES = 40
GERMAN = 10
"""A draft that is there from the beginning."""
DRAFT = "autumn"
LATER = (datetime.now(UTC) + timedelta(days=30)).strftime("%Y-%m-%dT%H:%M:%SZ")


def view(name: str) -> str:
    return f"/?view=campaign&id={quote(name, safe='')}"


def prepare(installation: Installation) -> None:
    """Devices for campaigns, and a draft."""
    rows = [
        {
            "app": APP,
            "environment": "production",
            "token": f"{0xC0FFEE00 + number:064x}",
            "device": f"phone-{number}",
            "user": "anna" if number < 2 else f"user-{number}",
            "locale": "de-AT" if number < GERMAN else "en",
            "registered_at": "2026-01-01T00:00:00Z",
        }
        for number in range(DEVICES)
    ]
    file = installation.folder / "devices.ndjson"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    program, config = installation.programs / "waybill", installation.config
    subprocess.run([program, "devices", "import", str(file), "--config", config], check=True, capture_output=True)
    words = [
        "create",
        DRAFT,
        "--app",
        APP,
        "--title",
        "Autumn",
        "--body",
        "New colours have come.\nHave a look.",
        "--at",
        LATER,
    ]
    subprocess.run(
        [installation.programs / "waybill", "campaign", *words, "--config", installation.config],
        check=True,
        capture_output=True,
    )


def tell(visited: Visit, path: str, body: dict[str, Any]) -> Any:
    """Asks the API as the page does."""
    answer = visited.context.request.post(
        visited.origin + path, data=json.dumps(body), headers={"Content-Type": "application/json", "Origin": visited.origin}
    )
    assert answer.ok, f"{path}: {answer.status} {answer.text()}"
    return answer.json()


def draft(visited: Visit, name: str, **more: object) -> None:
    tell(visited, "/v1/campaigns", {"name": name, "title": "News", "body": "There is news", "select": {"app": APP}} | more)


def typed(text: str) -> str:
    """What a name may have of a text: neither slashes nor characters that nobody sees."""
    return "".join(each for each in text if each != "/" and category(each) not in ("Cc", "Cf", "Zl", "Zp"))


def fresh(stage: Stage) -> str:
    return f"campaign-{stage.random.randrange(10**6)}"


def copied(visited: Visit, panel: str) -> list[str]:
    menu = visited.page.locator(f"#{panel} details.copy")
    menu.locator("summary").click()
    menu.locator("button[data-copies]").first.wait_for()
    found = [button.get_attribute("data-copies") or "" for button in menu.locator("button[data-copies]").all()]
    visited.page.keyboard.press("Escape")
    return found


def run_as_copied(stage: Stage, command: str) -> None:
    """As somebody pastes it into a shell."""
    installation = stage.installation
    done = shell(
        command,
        {"PATH": f"{installation.programs}:/usr/bin:/bin", "WAYBILL_CONFIG": str(installation.config), "LC_ALL": "C.UTF-8"},
    )
    assert done.returncode == 0, f"{command}: {done.returncode} {done.stderr}"


@check
def campaign_from_draft_to_outcome(stage: Stage) -> None:
    """composed, seen as on a lock screen, counted, tried on one user, started by typing its name, followed to its end"""
    name = fresh(stage)
    with stage.visit(key=stage.installation.key("operator")) as visited:
        page = visited.page
        visited.go()
        page.click("#view-campaigns")
        visited.settle()
        page.click("#compose-link")
        page.fill("#compose-name", name)
        page.fill("#compose-app", APP)
        page.fill("#compose-title", "Parcels in autumn")
        page.fill("#compose-body", "First line\nand a second")
        assert page.inner_text(".lock-title") == "Parcels in autumn"
        assert page.inner_text(".lock-body") == "First line\nand a second"
        page.select_option("#compose-who", "filter")
        page.fill("#compose-locale", "de")
        # Who looks elsewhere finds what was typed.
        page.go_back()
        visited.shows("#campaigns")
        page.go_forward()
        visited.shows("#compose-locale")
        assert page.input_value("#compose-name") == name and page.input_value("#compose-locale") == "de"
        (command,) = [each for each in copied(visited, "compose") if each.startswith("waybill ")]
        run_as_copied(stage, command.replace(name, f"{name}-copied"))
        page.click("#compose-button")
        visited.shows("#exact-count", f"{GERMAN} devices")
        assert addressed(visited) == {"view": ["campaign"], "id": [name]}
        page.fill("#test-names", "anna")
        page.click("#test-button")
        visited.shows("#test-sent", "2 devices")
        page.click("#campaign-start")
        visited.shows("#start-count", f"{GERMAN} devices")
        visited.axe("start a campaign")
        assert page.is_disabled("#dialog-yes")
        page.fill("#dialog-type", name.upper())
        assert page.is_disabled("#dialog-yes")
        page.fill("#dialog-type", name)
        page.click("#dialog-yes")
        visited.shows("#campaign [data-state=done]", seconds=60)
        visited.shows("#campaign .legend-item[data-outcome=accepted]", str(GERMAN))
        assert page.locator("#campaign .buttons button").count() == 0 and page.is_hidden("#campaign-test")
        page.goto(visited.origin + view(f"{name}-copied"))
        visited.shows("#exact-count", f"{GERMAN} devices")


@check
def campaign_is_held_and_ended(stage: Stage) -> None:
    """paused, resumed and cancelled after a question; what nobody would get is not started"""
    name, empty = fresh(stage), fresh(stage)
    with stage.visit(key=stage.installation.key("operator")) as visited:
        page = visited.page
        draft(visited, name, at=LATER)
        draft(visited, empty, select={"app": APP, "filter": {"locale": ["fi"]}})
        visited.go(view(empty))
        visited.shows("#exact-count", "nobody")
        page.click("#campaign-start")
        visited.shows(".toast", "nobody")
        visited.go(view(name))
        page.click("#campaign-start")
        page.fill("#dialog-type", name)
        page.click("#dialog-yes")
        visited.shows("#campaign [data-state=started]")

        def killed(route: Route) -> None:
            answer = route.fetch()
            route.fulfill(response=answer, json=answer.json() | {"handed_over": 20, "unconfirmed": 7})

        own = re.compile(rf"/v1/campaigns/{name}(\?|$)")
        page.route(own, killed)
        visited.go(view(name))
        visited.shows("#unconfirmed", "7 more may have been handed over")
        page.unroute(own)
        visited.go(view(name))
        for verb, state in (("pause", "paused"), ("resume", "started"), ("cancel", "cancelled")):
            visited.shows(f"#campaign-{verb}").click()
            page.click("#dialog-no")
            page.click(f"#campaign-{verb}")
            page.click("#dialog-yes")
            visited.shows(f"#campaign [data-state={state}]")
        assert page.locator("#campaign .buttons button").count() == 0


@check
def readers_see_campaigns(stage: Stage) -> None:
    """whose role may not send sees everything and is offered nothing; a key for other clients sees none; by the keyboard"""
    with stage.visit(key=stage.installation.key("reader")) as visited:
        page, press = visited.page, visited.page.keyboard.press
        visited.go(LIST)
        visited.shows("#campaigns .row-link", DRAFT)
        assert page.locator("#compose-link").count() == 0
        while page.evaluate("() => document.activeElement.closest('li')?.dataset.campaign") != DRAFT:
            press("j")
        press("Enter")
        visited.shows("#exact-count", f"{DEVICES} devices")
        assert page.locator("#campaign .buttons, #campaign-test, #compose-like").count() == 0
        press("Escape")
        visited.shows("#campaigns")
        visited.go("/?view=compose")
        visited.shows("#compose", "role operator")
        assert page.locator("#compose-form").count() == 0
    with stage.visit(key=stage.installation.key("operator", "acme")) as visited:
        visited.go(LIST)
        visited.shows("#campaigns .empty")
        visited.allowed = {404}
        visited.go(view(DRAFT))
        visited.shows("#campaign .problem", "no such campaign")


@check
def campaigns_with_hostile_texts(stage: Stage) -> None:
    """names and texts that want to be more than text stay text, also in a dialog and in a copied command"""
    with stage.visit(key=stage.installation.key("operator")) as visited:
        page = visited.page
        kinds = ("script", "attribute", "template", "address", "right to left", "formula")
        names = {kind: f"{typed(TEXTS[kind])} {fresh(stage)}" for kind in kinds}
        for kind, name in names.items():
            draft(visited, name, title=TEXTS[kind], body=TEXTS[kind] + "\n" + TEXTS["wide"])
        visited.go(LIST)
        visited.has_no_strangers("campaigns")
        visited.fits("campaigns")
        for kind, name in names.items():
            visited.go(view(name))
            visited.shows("#exact-count")
            visited.has_no_strangers(f"campaign, {kind}")
            (command,) = [each for each in copied(visited, "campaign") if each.startswith("waybill ")]
            run_as_copied(stage, command)
            page.click("#campaign-start")
            page.fill("#dialog-type", name)
            assert page.is_enabled("#dialog-yes")
            visited.has_no_strangers(f"the dialog, {kind}")
            page.click("#dialog-no")
        visited.go(f"/?view=compose&id={quote(names['script'], safe='')}")
        visited.until("it is filled", lambda: page.input_value("#compose-title") == TEXTS["script"])
        visited.has_no_strangers("compose")


@check
def campaign_is_wrong_in_a_field(stage: Stage) -> None:
    """what is refused is said with the field, which has the focus; a name that is taken is refused"""
    with stage.visit(key=stage.installation.key("operator")) as visited:
        page = visited.page
        visited.allowed = {400, 409}
        visited.go("/?view=compose")
        page.fill("#compose-name", DRAFT)
        page.fill("#compose-app", APP)
        page.fill("#compose-body", "News")
        page.fill("#compose-quiet", "at night")
        page.click("#compose-button")
        visited.shows("#compose-error", "Quiet is hours such as 22:00-08:00")
        assert page.evaluate("() => document.activeElement.id") == "compose-quiet"
        visited.axe("a wrong field")
        page.fill("#compose-quiet", "")
        page.select_option("#compose-when", "at")
        page.fill("#compose-at", "2099-01-01T10:00")
        page.click("#compose-button")
        visited.shows("#compose-error", "366 days")
        assert page.evaluate("() => document.activeElement.id") == "compose-at"
        page.select_option("#compose-when", "now")
        page.click("#compose-button")
        visited.shows("#compose-error", "nother campaign has this name")
        assert page.evaluate("() => document.activeElement.id") == "compose-name"


@check
def campaigns_keep_nobody_out(stage: Stage) -> None:
    """axe finds nothing on the form with all its fields, light and dark; 320 pixels are wide enough"""
    key = stage.installation.key("operator")
    for scheme in SCHEMES:
        for width in (320, 1280):
            with stage.visit(key=key, scheme=scheme, width=width) as visited:
                visited.go(f"/?view=compose&id={DRAFT}")
                visited.page.select_option("#compose-who", "filter")
                visited.page.select_option("#compose-when", "local")
                for name, path in (("compose", ""), ("campaigns", LIST), ("campaign", view(DRAFT))):
                    if path:
                        visited.go(path)
                    visited.axe(f"{name}, {scheme}, {width}")
                    visited.fits(f"{name}, {width}")


__all__ = ["CHECKS", "prepare"]
