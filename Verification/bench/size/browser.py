"""Follows links of the operators' page in Chromium, and takes the time until what was asked for is drawn."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, sync_playwright

from bench.size.questions import Ask

DRAWN = (
    "() => document.querySelector('main')?.childElementCount > 0"
    " && !document.querySelector('[aria-busy=true]') && !document.querySelector('.skeleton')"
)


FOLLOW = "address => { history.pushState(null, '', address); dispatchEvent(new PopStateEvent('popstate')); }"


class Reader:
    """Goes from a quiet view to one after another, each time as somebody with another key."""

    def __init__(self, origin: str, people: list[BrowserContext]) -> None:
        self._origin, self._people = origin, people
        self._turn = 0

    def __call__(self, ask: Ask) -> tuple[float, dict]:
        """Seconds from the link to the whole view."""
        self._turn += 1
        page = self._people[self._turn % len(self._people)].new_page()
        try:
            page.goto(f"{self._origin}/?view=lane&id=none")
            page.wait_for_function(DRAWN)
            began = time.monotonic()
            page.evaluate(FOLLOW, ask.path)
            page.wait_for_function(DRAWN)
            return time.monotonic() - began, {}
        finally:
            page.close()


@contextmanager
def reader(port: int, keys: list[str]) -> Iterator[Reader]:
    origin = f"http://127.0.0.1:{port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        people = []
        for key in keys:
            people.append(browser.new_context())
            answer = people[-1].request.post(f"{origin}/v1/session", data={"key": key})
            if answer.status != 200:
                raise RuntimeError(f"{answer.status} for a log-in: {answer.text()[:300]}")
        yield Reader(origin, people)
        browser.close()
