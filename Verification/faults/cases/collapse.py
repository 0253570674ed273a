"""Two alerts with one collapse id: the newer one is on the screen at the end, whatever the older one waited for."""

import json
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from faults.cases import case
from faults.cases.orders import order
from faults.oracle.ledger import names
from faults.process import eventually
from faults.product import FCM_RULES, RULES
from faults.run import Run

LATER = {"reason": "ServiceUnavailable"}
REFUSED = {"reason": "PayloadTooLarge"}
LOST = {"reset": "INTERNAL_ERROR"}
FCM = {"ServiceUnavailable": "UNAVAILABLE", "PayloadTooLarge": "INVALID_ARGUMENT"}
NEITHER = ("accepted", "accepted")
PAUSED = "letters"  # the lane that is paused for a while


@dataclass(frozen=True)
class Row:
    """Two notifications for one device: the second one is published when the first one waits for a retry.

    answers: to the pushes for the device, in their order; all others are accepted. later: by how many seconds the second
    message's own time is later. fields: of the second one. ends: the outcomes of both. on_screen: which of them the
    service accepted last.
    """

    name: str
    answers: tuple[dict, ...] = (LATER,)
    later: int = 1
    fields: dict[str, Any] = field(default_factory=dict)
    ends: tuple[str, str] = ("superseded", "accepted")
    on_screen: int = 1


ROWS = (
    Row("the newer one is accepted"),
    Row("in one second, the later push is newer", later=0),
    Row("published in the wrong order", later=-60, ends=NEITHER, on_screen=0),
    Row("the newer one is rejected", (LATER, REFUSED), ends=("accepted", "rejected"), on_screen=0),
    Row("the newer one expires", fields={"expiration": 1_000_000_000}, ends=("accepted", "expired"), on_screen=0),
    Row("the newer one waits, too", (LATER, LATER), ends=NEITHER),
    Row("the newer one is lost", (LATER, LOST), fields={"on_unknown": "record"}, ends=("accepted", "unknown"), on_screen=0),
    Row("an answer to the older one is lost", (LOST,) * 4, ends=("unknown", "accepted")),
)
TOGETHER = "c0"  # the prefix of devices with two notifications in one message
UNSENT = Row("the older one waits unsent")


def rules(run: Run, answers: dict[str, tuple[dict, ...]]) -> dict:
    """The usual rules, and the answers to the first pushes for each device, by the prefix of its token."""
    is_fcm = run.provider == "fcm"
    target, usual = ("registration_prefix", FCM_RULES) if is_fcm else ("token_prefix", RULES)
    own = []
    for prefix, several in answers.items():
        for answer in several:
            words = {"fcm": FCM[answer["reason"]]} if is_fcm and "reason" in answer else answer
            own.append({target: prefix, "times": 1, **words})
    return {"rules": [*usual["rules"], *own]}


def issue(run: Run, tokens: list[str], ends: list[str], **how: Any) -> list[str]:
    """Publishes one message of alerts with one collapse id; `how` has fields for each, and `lane` and `seconds`."""
    items = [(token, frozenset({end})) for token, end in zip(tokens, ends, strict=True)]
    envelope = {name: how.pop(name, None) for name in ("lane", "seconds")}
    return run.producer.issue_to(items, form="envelope", defaults={"collapse_id": "score", **how}, **envelope)


def outcome(run: Run, one: str) -> str | None:
    return (run.deliveries.find_one({"_id": uuid.UUID(one)}) or {}).get("outcome")


@case("collapse", long=True, fcm="full")
def older_state(run: Run) -> None:
    """two alerts with one collapse id, the older one put off: a newer one supersedes it, if it was accepted"""
    answers = {f"b{number}": row.answers for number, row in enumerate(ROWS)} | {TOGETHER: (LATER,)}
    # One connection keeps the notifications of a message in their order.
    settings = {"retry": {"steps": ["3s"], "max_attempts": 8}, "lanes": [{"connections": 1}]}
    is_fcm = run.provider == "fcm"
    second, none = (PAUSED,), ()
    run.open(rules=rules(run, answers), more=settings, lanes=none if is_fcm else second, fcm=second if is_fcm else none)
    run.start()
    now = int(time.time())
    tokens = [run.producer.token(f"b{number}") for number in range(len(ROWS))]
    older = [
        issue(run, [token], [row.ends[0]], seconds=now, on_unknown="resend")[0] for token, row in zip(tokens, ROWS, strict=True)
    ]
    pairs = []
    for row, token, one in zip(ROWS, tokens, older, strict=True):
        if row is ROWS[-1]:  # it is pushed again for seconds before it waits
            pairs += [*together(run), unsent(run)]
        eventually(f"{row.name}: the older one waits", lambda: outcome(run, one) == "deferred", 20, 0.02)
        time.sleep(0.1)
        pairs.append((row, one, issue(run, [token], [row.ends[1]], seconds=now + row.later, **row.fields)[0]))
    run.await_final()
    run.recover()
    check(run, pairs)


def together(run: Run) -> list[tuple[Row, str, str]]:
    """Two notifications for each device in one message: the higher position is newer."""
    tokens = [run.producer.token(TOGETHER) for _ in range(5) for _ in range(2)]
    tokens[1::2] = tokens[::2]
    ids = issue(run, tokens, ["superseded", "accepted"] * 5)
    row = Row("in one message")
    return [(row, one, two) for one, two in zip(ids[::2], ids[1::2], strict=True)]


def unsent(run: Run) -> tuple[Row, str, str]:
    """The older one is put off by a paused lane; another lane sends the newer one to the same app."""
    order(run, "pause", PAUSED)
    run.await_words("dispatch.laneOrdered")
    token, now = run.producer.token(), int(time.time())
    (one,) = issue(run, [token], [UNSENT.ends[0]], lane=PAUSED, seconds=now - 1)
    (two,) = issue(run, [token], [UNSENT.ends[1]], seconds=now)
    eventually("the newer one is accepted", lambda: outcome(run, two) == "accepted", 20)
    order(run, "resume", PAUSED)
    return UNSENT, one, two


def check(run: Run, pairs: list[tuple[Row, str, str]]) -> None:
    """Ends the dispatcher; compares outcomes and reasons, and the last push that was accepted, with the table."""
    for dispatcher in run.running():
        assert dispatcher.end() == 0, "the dispatcher did not end in order"
    run.simulator.stop()  # its record is complete then
    on_screen: dict[str, str] = {}
    for file in run.simulator.records:
        for push in map(json.loads, file.read_text().splitlines()):
            if push.get("status") == 200 and push["path"] != "/token":
                one, token = names(push)
                on_screen[token] = one
    run.simulator.start()
    wrong = []
    for row, *pair in pairs:
        found = [run.deliveries.find_one({"_id": uuid.UUID(one)}) for one in pair]
        ends = tuple(one["outcome"] for one in found)
        if ends != row.ends:
            wrong.append(f"{row.name}: {ends}")
        elif ends[0] == "superseded" and found[0].get("reason") != f"by {pair[1]}":
            wrong.append(f"{row.name}: the reason is {found[0].get('reason')}")
        if on_screen[found[0]["device_token"]] != pair[row.on_screen]:
            wrong.append(f"{row.name}: the wrong one is on the screen")
    assert not wrong, "; ".join(dict.fromkeys(wrong))
