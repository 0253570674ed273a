"""Pictures of the page, for the README and for whoever changes it: the same data each time, light and dark, wide and narrow."""

from pathlib import Path
from typing import Literal

from PIL import Image

from page.checks import SCHEMES, Stage
from page.notifications import NOTIFICATIONS, Service
from page.people import ENTRIES, OWN, Person, logged_in
from page.services import make
from page.visit import Visit

WIDTHS = {"wide": (1360, 1000), "narrow": (390, 844)}


IMAGES = Path("docs/images")


def for_readme(stage: Stage, root: Path) -> list[Path]:
    """What the README shows."""
    folder = root / IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    views = stage.views()
    pictures = []
    for name, view, scheme in FOR_README:
        with stage.visit(scheme=scheme, width=1360, height=900, key=stage.installation.key()) as visited:
            visited.go(views[view])
            pictures.append(folder / f"{name}.png")
            visited.page.screenshot(path=pictures[-1])
            shrink(pictures[-1])
    return pictures


FOR_README: tuple[tuple[str, str, Literal["light", "dark"]], ...] = (
    ("page", "overview", "light"),
    ("story", "story", "light"),
    ("page-dark", "overview", "dark"),
)


def shrink(picture: Path) -> None:
    """A palette: a page has few colours, and takes a third of the bytes."""
    with Image.open(picture) as image:
        small = image.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    small.save(picture, optimize=True)


def take(stage: Stage, folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    pictures = []
    for scheme in SCHEMES:
        for size, (width, height) in WIDTHS.items():
            with stage.visit(scheme=scheme, width=width, height=height) as visited:
                visited.go()
                pictures.append(folder / f"login-{scheme}-{size}.png")
                visited.page.screenshot(path=pictures[-1])
                visited.log_in(stage.installation.key())
                for name, path in stage.views().items():
                    visited.go(path)
                    visited.page.wait_for_timeout(400)
                    pictures.append(folder / f"{name}-{scheme}-{size}.png")
                    visited.page.screenshot(path=pictures[-1], full_page=True)
            pictures += take_of_people(stage, folder, Person(stage), scheme, size)
    return pictures


def with_webhooks(visited: Visit) -> None:
    """A service that has two of them, as somebody leaves it."""
    page = visited.page
    page.click("#webhooks details:not(.deliveries) > summary")
    for path in ("hooks", "a/longer/path/of/another/program?team=backups"):
        page.fill("#webhook-url", f"https://example.com/{path}")
        page.click("#webhook-button")
        visited.shows("#webhooks li[data-id]", path)
    page.locator("#webhooks button:has-text('Test')").first.click()
    visited.shows("#webhooks .deliveries li")
    page.locator("#webhooks button:has-text('Disable')").last.click()
    visited.shows("#webhooks .state-word", "Disabled")
    visited.settle()


def take_of_people(stage: Stage, folder: Path, person: Person, scheme: Literal["light", "dark"], size: str) -> list[Path]:
    width, height = WIDTHS[size]
    pictures = []
    with stage.visit(scheme=scheme, width=width, height=height) as visited:
        for name, path in ENTRIES.items():
            visited.go(path)
            pictures.append(folder / f"people-{name}-{scheme}-{size}.png")
            visited.page.screenshot(path=pictures[-1], full_page=True)
    with logged_in(stage, person, scheme=scheme, width=width, height=height) as visited:
        for name in (*OWN, "service"):
            if name in OWN:
                visited.go(OWN[name])
            else:
                make(visited, "Backups")
                with_webhooks(visited)
            pictures.append(folder / f"people-{name}-{scheme}-{size}.png")
            visited.page.screenshot(path=pictures[-1], full_page=True)
        service = Service(visited, person, "Backup")
        service.says("info", "Backup of the 24th is done")
        service.says("warning", "The backup took three hours", text="Twice as long as the day before.")
        row = service.says("error", "Disk full", url="https://example.com/disk")
        visited.go(NOTIFICATIONS)
        visited.shows(row)
        pictures.append(folder / f"people-notifications-{scheme}-{size}.png")
        visited.page.screenshot(path=pictures[-1], full_page=True)
    return pictures
