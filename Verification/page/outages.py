"""What the operators' page shows while something that it tells of does not answer."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Route

from page.checks import CHECKS, Stage, check

TICK = "#state .grade.is-healthy"
VISIBLE = f"() => [...document.querySelectorAll('{TICK}')].some(each => getComputedStyle(each).visibility === 'visible')"


@contextmanager
def hanging_store() -> Iterator[None]:
    """MongoDB takes connections and requests, and answers none."""
    store = int((Path(os.environ["WAYBILL_TEST_SERVICES_DIR"]) / "store/pid").read_text())
    os.kill(store, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(store, signal.SIGCONT)


def broker_control(*arguments: str) -> None:
    services, folder = os.environ["WAYBILL_TEST_SERVICES"], os.environ["WAYBILL_TEST_SERVICES_DIR"]
    subprocess.run([services, "broker-control", folder, *arguments], check=True, capture_output=True, timeout=60)


@check
def late_answers_are_told(stage: Stage) -> None:
    """while the state is asked for and does not come, the page says for how long, and has no tick; then it goes on"""
    with stage.visit(key=stage.installation.key()) as visited:
        page = visited.page
        visited.go()
        visited.shows("#pause", "Live")
        held: list[Route] = []
        is_held = True

        def hold(route: Route) -> None:
            if is_held:
                held.append(route)
            else:
                route.continue_()

        page.route("**/v1/status", hold)
        visited.shows("#pause[data-state=late]", "No answer for")
        visited.shows("#state .verdict[data-grade=not-known]", "No answer for")
        assert not page.evaluate(VISIBLE), "a tick, though nobody knows"
        visited.axe("a late answer")
        visited.fits("a late answer")
        is_held = False
        for route in held:
            route.continue_()
        visited.shows("#pause[data-state=live]", "Live")
        visited.shows("#state .verdict:is([data-grade=healthy], [data-grade=degraded])")
        visited.until("what is well has its tick", lambda: page.evaluate(VISIBLE))


@check
def store_that_hangs_is_told(stage: Stage) -> None:
    """while the store hangs, the state says so, nothing is called live, and afterwards all goes on by itself"""
    with stage.visit(key=stage.installation.key()) as visited:
        visited.allowed |= {503}
        visited.go()
        visited.shows("#tail-toggle").click()
        visited.shows("#tail[data-state=on] .tail-says", "so far")
        with hanging_store():
            visited.shows("#state .verdict[data-grade=down]", "Pushes do not go out")
            visited.shows("#state [data-part=Store]:has(.grade.is-down)", "does not answer")
            visited.shows("#pause:is([data-state=late], [data-state=old])")
            visited.shows("#tail[data-state=silent] .tail-says", "Nothing heard for")
            visited.shows("#tail-title", "Not live")
        visited.shows("#state .verdict:is([data-grade=healthy], [data-grade=degraded])", seconds=60)
        visited.shows("#pause[data-state=live]", seconds=60)
        visited.shows("#tail[data-state=on] .tail-says", "so far", seconds=60)


@check
def alarm_of_the_broker_is_told(stage: Stage) -> None:
    """while the broker takes no messages, its part of the state is red, also where nobody asks its HTTP API"""
    with stage.visit(key=stage.installation.key()) as visited:
        visited.go()
        visited.shows("#state [data-part=Broker]:has(.grade.is-healthy)", "ready")
        broker_control("set_vm_memory_high_watermark", "0.0001")
        try:
            visited.shows("#state [data-part=Broker]:has(.grade.is-down)", "takes no messages", seconds=60)
            visited.shows("#state .verdict[data-grade=down]")
        finally:
            broker_control("set_vm_memory_high_watermark", "0.4")
        visited.shows("#state [data-part=Broker]:has(.grade.is-healthy)", "ready", seconds=60)


@check
def lists_show_what_they_are_ordered_by(stage: Stage) -> None:
    """the times in a list are those that it is ordered by, and say which those are"""
    with stage.visit(key=stage.installation.key()) as visited:
        for path, words in (("/", "Message of"), ("/?outcome=rejected", "Recorded"), ("/?view=lane&id=parcels", "Recorded")):
            visited.go(path)
            shown = visited.page.locator("#records th").first.inner_text()
            assert shown == words, (path, shown)
            times = [one.get_attribute("datetime") or "" for one in visited.page.locator("#records .c-time time").all()]
            assert len(times) >= 10 and times == sorted(times, reverse=True), (path, times)
        # What was tried again is recorded later than its neighbours.
        visited.go("/?reason=TooManyRequests&outcome=rejected&outcome=accepted")
        visited.shows("#records .when-more", "recorded 35 s later")


__all__ = ["CHECKS"]
