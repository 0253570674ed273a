"""What the page for people promises of notifications and devices, at /app?view=notifications and /app."""

from typing import Any

from page.checks import CHECKS, SCHEMES, Stage, addressed, check
from page.hostile import TEXTS
from page.people import Person, logged_in
from page.services import access
from page.visit import Visit

NOTIFICATIONS = "/app?view=notifications"


class Service:
    """A service of somebody, that says things by the HTTP API."""

    def __init__(self, visited: Visit, person: Person, name: str) -> None:
        self.visited, self.person = visited, person
        self.access = access(visited, person)
        self.id = person.tell(visited, "POST", "/v1/services", access=self.access, name=name)["id"]
        made = person.tell(visited, "POST", f"/v1/services/{self.id}/keys", access=self.access, name="checks")
        self.key = made["secret"]

    def says(self, level: str, body: str, **more: Any) -> str:
        told = self.person.tell(self.visited, "POST", "/v1/notifications", access=self.key, level=level, body=body, **more)
        return f"#notifications li[data-id='{told['id']}']"


@check
def people_read_what_they_were_told(stage: Stage) -> None:
    """what a service says appears by itself; read and acknowledged hold; a filter and more pages show the rest"""
    person = Person(stage)
    with logged_in(stage, person) as visited:
        page = visited.page
        backup, other = Service(visited, person, "Backup"), Service(visited, person, "Weather")
        visited.go(NOTIFICATIONS)
        visited.shows("#notifications", "Nothing yet")
        visited.shows("#notifications-live", "Live")
        row = backup.says("error", "Disk full", text="Of 4 TB, all are used.", url="https://example.com/disk")
        visited.shows(row, "Disk full")
        visited.shows(f"{row} .state-word", "Error")
        assert page.get_attribute(f"{row} a", "rel") == "noopener noreferrer"
        hostile = backup.says("info", TEXTS["script"], title=TEXTS["attribute"][:60], text=TEXTS["right to left"])
        visited.shows(hostile, "onerror")
        danger = backup.says("warning", "Look there", url="parcels:alert(6)")
        visited.shows(danger, "parcels:alert(6)")
        assert page.locator(f"{danger} a").count() == 0
        page.click(f"{row} button:has-text('Read')")
        visited.until("it is read", lambda: page.locator(f"{row}.is-read").count() == 1)
        page.click(f"{hostile} button:has-text('Acknowledge')")
        visited.shows(hostile, "acknowledged")
        assert page.locator(f"{hostile} button").count() == 0
        page.check("#unread-only")
        visited.until("what is read is not there", lambda: page.locator("#notifications li").count() == 1)
        visited.shows(danger)
        page.click("#read-all")
        visited.shows("#notifications", "Nothing of the kind")
        page.uncheck("#unread-only")
        rain = other.says("info", "Rain", title="Tomorrow")
        visited.shows(rain, "Weather")
        page.select_option("#service-only", other.id)
        visited.until("one service alone", lambda: page.locator("#notifications li").count() == 1)
        page.select_option("#service-only", "")
        # What was said while nobody looked is there, too, and all of it on more than one page.
        for number in range(50):
            other.says("info", f"Rain {number}")
            page.wait_for_timeout(100)  # a key may ask ten times a second
        visited.shows("#notifications", "Rain 49")
        page.click("#older")
        visited.shows(row, "Disk full")
        visited.has_no_strangers("notifications")
        said = page.get_attribute(row, "data-id")
    # The operators' search knows the id, which has the form of an apns-id.
    with stage.visit(key=stage.installation.key()) as operator:
        operator.go(f"/?view=story&id={said}")
        operator.shows("#batch", "It is a notification of a service")
        assert addressed(operator) == {"view": ["batch"], "id": [said]}


TAG = "<b>night shift</b>"


@check
def people_see_their_devices(stage: Stage) -> None:
    """a phone on which somebody is logged in is listed with its tags, and logged out from here"""
    person = Person(stage)
    with logged_in(stage, person) as visited:
        page = visited.page
        visited.shows("#devices", "None yet")
        device = "11111111-2222-4333-8444-555555555555"
        token = access(visited, person)
        with stage.visit() as phone:
            answer = phone.context.request.put(
                f"{phone.origin}/v1/account/devices/{device}",
                headers={"Authorization": f"Bearer {token}"},
                data={"token": "00fc13ad" * 8, "tags": ["staff", TAG]},
            )
            assert answer.status == 204, answer.text()
        page.reload()
        visited.shows("#devices li", device)
        # In the order of the registry, and as text whatever it holds.
        visited.shows("#devices li .tags", f"Tags: {TAG}, staff")
        assert "00fc13ad" not in page.content()
        page.click("#devices li button")
        visited.axe("log a device out")
        page.click("#dialog-yes")
        visited.shows("#devices .state-word", "Logged out")


@check
def people_are_not_kept_out_of_notifications(stage: Stage) -> None:
    """axe finds nothing on the notifications, light and dark; 320 pixels are wide enough"""
    person = Person(stage)
    with logged_in(stage, person) as visited:
        service = Service(visited, person, 60 * "W")
        for level in ("info", "warning", "error"):
            service.says(level, TEXTS["wide"], title="W" * 200, text=TEXTS["long"][:1000])
    for scheme in SCHEMES:
        for width in (320, 1280):
            with logged_in(stage, person, scheme=scheme, width=width) as visited:
                visited.go(NOTIFICATIONS)
                visited.shows("#notifications li[data-id]")
                visited.axe(f"notifications, {scheme}, {width}")
                visited.fits(f"notifications, {width}")


__all__ = ["CHECKS"]
