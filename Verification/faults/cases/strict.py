"""A lane to the strict FCM of Verification/strict: what each answer becomes on its way through the whole pipeline."""

import json
import signal
import time
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from typing import Any

from strict.connection import Connection
from strict.fcm.account import PROJECT
from strict.fcm.answers import TABLE, Answer
from strict.fcm.connection import FCMConnection
from strict.ledger import Attempt
from strict.wire import INTERNAL_ERROR, REFUSED_STREAM

from faults.cases import case
from faults.oracle.ledger import FINAL
from faults.process import eventually
from faults.run import Run
from faults.servers.strict_fcm import Play, StrictFCM

LANE = "strict"
ACCEPTED, REJECTED, REFUSED, UNKNOWN = (frozenset({word}) for word in ("accepted", "rejected", "token_invalid", "unknown"))
# What becomes of a message for what its sender has to make of the answer; what is tried again is taken the next time.
ENDS = {"check": REFUSED, "remove": REFUSED, "drop": REJECTED}
EACH = 3  # messages of a row


def open_lane(run: Run) -> StrictFCM:
    strict = StrictFCM(run.servers_folder)
    run.at_close(strict.stop)
    run.open(servers={LANE: strict}, more={"retry": {"steps": ["1s"], "max_attempts": 100}})
    run.start()
    return strict


def say(answer: Answer) -> Play:
    return lambda connection, attempt: connection.say(attempt, answer)


def odd(status: int, body: bytes) -> Play:
    """A body that has no meaning: then the status alone counts."""
    return lambda connection, attempt: connection.respond(attempt, status, body, ...)


def issue(run: Run, rows: list[tuple[str, frozenset]], **defaults: Any) -> dict[str, list[str]]:
    """Publishes one batch with messages of each row, to registered phones; their tokens, by the row's prefix."""
    tokens = {prefix: [run.producer.token(prefix) for _ in range(EACH)] for prefix, _ in rows}
    since = datetime.now(UTC) - timedelta(hours=1)
    phone = {"provider": "fcm", "app": PROJECT, "kind": "token", "enabled": True, "registered_at": since}
    run.devices.insert_many({**phone, "token": token} for own in tokens.values() for token in own)
    items = [(token, allowed) for prefix, allowed in rows for token in tokens[prefix]]
    run.producer.issue_to(items, lane=LANE, defaults=defaults)
    return tokens


def records(run: Run, tokens: list[str]) -> list[dict[str, Any]]:
    return list(run.deliveries.find({"lane": LANE, "device_token": {"$in": tokens}}))


def await_answered(run: Run, strict: StrictFCM, tokens: dict[str, list[str]]) -> None:
    """Waits until each has a first answer, and its record."""
    every = [token for own in tokens.values() for token in own]
    eventually("each has its first answer", lambda: all(strict.requests(token) > 0 for token in every), 60)
    eventually("and each its record", lambda: len(records(run, every)) == len(every), 30)


def await_taken(run: Run, tokens: list[str]) -> None:
    """Starts another dispatcher, which knows nothing of a lane that is parked or held, and waits until everything is taken."""
    for process in run.running():
        process.signal(signal.SIGTERM)
        process.wait(40)
    run.start_dispatcher()
    run.healed()
    eventually("all is taken", lambda: [one["outcome"] in FINAL for one in records(run, tokens)] == [True] * len(tokens), 60)


def keeps_out(answer: Answer) -> bool:
    """Whether an answer stops its lane, or may."""
    return answer.action in ("fix", "later-project")


@case("strict", long=True, later=True)
def each_answer_is_the_record_that_it_should_be(run: Run) -> None:
    """a lane to the strict FCM: each answer that is documented or was seen ends as the record that it should, once"""
    strict = open_lane(run)
    for number, answer in enumerate(TABLE):
        strict.plays[f"row{number:02}"] = say(answer)
    ends = {f"row{number:02}": ENDS.get(answer.action, ACCEPTED) for number, answer in enumerate(TABLE)}
    suspects: list[str] = []
    stopping = {prefix for prefix, answer in zip(ends, TABLE) if keeps_out(answer)}
    for stops in (False, True):  # what leaves the lane as it is, and then what does not
        tokens = issue(run, [(prefix, allowed) for prefix, allowed in ends.items() if (prefix in stopping) == stops])
        await_answered(run, strict, tokens)
        if stops:
            await_taken(run, [token for own in tokens.values() for token in own])
        run.await_final()
        for prefix, own in tokens.items():
            answer = TABLE[int(prefix[3:])]
            for record in records(run, own):
                look_at(record, answer, strict.requests(record["device_token"]))
        suspects += [token for prefix, own in tokens.items() if TABLE[int(prefix[3:])].action == "check" for token in own]
    run.await_prune()  # and the ledgers say of whom it was right
    noted = {"suspected_at": {"$exists": True}, "token": {"$regex": "^row"}}
    eventually("the suspects are noted", lambda: sorted(run.devices.distinct("token", noted)) == sorted(suspects), 30)
    assert not strict.violations(), strict.violations()[:5]


def look_at(record: dict[str, Any], answer: Answer, requests: int) -> None:
    """Holds a record against the table: the outcome is the ledgers' business."""
    what = f"{answer.status} {answer.word or ''} {answer.action}"
    is_final = answer.action in ENDS
    assert requests == (1 if is_final else 2), f"{what}: {requests} requests"
    if is_final:
        assert record["status_code"] == answer.status, f"{what}: recorded with {record['status_code']}"
        assert answer.word is None or record["reason"] == answer.word, f"{what}: the reason is {record.get('reason')}"
        assert ("invalid_since" in record) == (answer.action == "remove"), f"{what}: {record}"
    else:
        assert record["status_code"] == 200, f"{what}: recorded with {record['status_code']}"


# Bodies that look as if they spoke of a dead token, and do not.
MISLEADING = [
    b"", b"null", b"{", b'{"error":{"message":"UNREGISTERED","status":"NOT_FOUND"}}', b'{"error":{"details":["UNREGISTERED"]}}',
    b'{"error":{"details":[{"@type":"x","errorCode":"UNREGISTERED"}]}}',
    json.dumps({"error": {"status": "NOT_FOUND", "x": "x" * 200_000}}).encode(),
]  # fmt: skip


@case("strict", long=True, later=True)
def a_body_that_means_nothing_disables_nobody(run: Run) -> None:
    """a lane to the strict FCM: 404, 400, 500 and 200 with bodies empty, broken or misleading: the status alone counts"""
    strict = open_lane(run)
    statuses = {200: ACCEPTED, 400: REJECTED, 404: ACCEPTED, 500: ACCEPTED}
    for status, allowed in statuses.items():
        rows = []
        for number, body in enumerate(MISLEADING):
            prefix = f"odd{status}-{number}"
            strict.plays[prefix] = odd(status, body)
            rows.append((prefix, allowed))
        tokens = issue(run, rows)
        await_answered(run, strict, tokens)
        if status == 404:
            await_taken(run, [token for own in tokens.values() for token in own])
        run.await_final()
    assert run.devices.count_documents({"enabled": False, "token": {"$regex": "^odd"}}) == 0, "a device is disabled"
    assert run.devices.count_documents({"suspected_at": {"$exists": True}, "token": {"$regex": "^odd"}}) == 0, (
        "one is suspected"
    )
    assert not strict.violations(), strict.violations()[:5]


def wait_word(status: int, wait: str) -> Play:
    """The project's quota, or an overload, with a Retry-After of every form that RFC 9110 knows, and of none."""
    answer = next(one for one in TABLE if one.status == status and one.action == "later-project")
    return lambda connection, attempt: connection.respond(attempt, status, answer.body(), answer.word, (("retry-after", wait),))


@case("strict", long=True, later=True)
def any_retry_after_is_survived(run: Run) -> None:
    """a lane to the strict FCM: 429 and 503 with seconds, a date, zero, garbage and too much: all is taken later"""
    strict = open_lane(run)
    words = ("2", formatdate(time.time() + 3, usegmt=True), "0", "-5", "soon", "9" * 30, "Thu, 01 Jan 1970 00:00:00 GMT")
    rows = {f"wait{status}-{number}": wait_word(status, word) for status in (429, 503) for number, word in enumerate(words)}
    strict.plays.update(rows)
    tokens = issue(run, [(prefix, ACCEPTED) for prefix in rows])
    await_answered(run, strict, tokens)
    await_taken(run, [token for own in tokens.values() for token in own])
    run.await_final()
    found = {strict.requests(token) for own in tokens.values() for token in own}
    assert found == {2}, f"{found} requests for one message"
    assert not strict.violations(), strict.violations()[:5]


@case("strict", long=True, later=True)
def an_access_token_that_is_no_good(run: Run) -> None:
    """a lane to the strict FCM: the token endpoint away, and 401 whatever the token: no loop of purchases, nothing is lost"""
    strict = open_lane(run)
    issue(run, [("first", ACCEPTED)])
    run.await_final()
    time.sleep(1.1)  # two assertions that are signed in one second are the same, and this one comes late
    strict.leave(4)
    strict.revoke()
    tokens = issue(run, [("away", ACCEPTED)])
    time.sleep(2)
    assert not any(one["outcome"] in FINAL for one in records(run, tokens["away"])), "sent without an access token"
    run.await_final(90)
    sold = len(strict.office.exchanges)
    strict.refuse_all(True)
    tokens = issue(run, [("never", ACCEPTED)])
    await_answered(run, strict, tokens)
    time.sleep(5)
    assert len(strict.office.exchanges) - sold <= 4, f"{len(strict.office.exchanges) - sold} access tokens were bought in vain"
    assert {one["outcome"] for one in records(run, tokens["never"])} == {"deferred"}, "ended for a fault of the lane"
    strict.refuse_all(False)
    await_taken(run, tokens["never"])
    run.await_final()
    assert not strict.violations(), strict.violations()[:5]


def late(seconds: float) -> Play:
    return lambda connection, attempt: connection.server.later(seconds, connection.accept, attempt)


def never(connection: FCMConnection, attempt: Attempt) -> None:
    pass


def reset(code: int) -> Play:
    return lambda connection, attempt: connection.refuse(attempt, code)


def cut(connection: FCMConnection, attempt: Attempt) -> None:
    connection.cut()


def leave_out(connection: FCMConnection, attempt: Attempt) -> None:
    """GOAWAY in front of this request, and an end when the others are answered."""
    connection.goaway(attempt.stream - 2, debug=b"session_timed_out")
    connection.server.later(1, Connection.hang_up, connection)


@case("strict", long=True, later=True)
def what_was_not_answered_is_recorded_as_that(run: Run) -> None:
    """a lane to the strict FCM: late, lost and failed answers, resets, GOAWAY, and an access token that ends in mid flight"""
    strict = open_lane(run)
    plays = {
        "late": (late(9), ACCEPTED), "never": (never, UNKNOWN), "reset": (reset(INTERNAL_ERROR), UNKNOWN),
        "refused": (reset(REFUSED_STREAM), ACCEPTED), "goaway": (leave_out, ACCEPTED), "cut": (cut, UNKNOWN),
    }  # fmt: skip
    strict.plays.update({prefix: play for prefix, (play, _) in plays.items()})
    alone = ("goaway", "cut")  # what else is on the connection has its fate
    tokens = issue(run, [(prefix, allowed) for prefix, (_, allowed) in plays.items() if prefix not in alone])
    run.await_final(60)
    for prefix in alone:
        tokens |= issue(run, [(prefix, plays[prefix][1])])
        run.await_final(60)
    for prefix, wanted in {"late": 1, "never": 1, "reset": 1, "refused": 2, "goaway": 2, "cut": 1}.items():
        found = [strict.requests(token) for token in tokens[prefix]]
        assert max(found) == wanted and min(found) >= 1, f"{prefix}: {found} requests, not {wanted}"
    repeated(run, strict)
    sold = len(strict.office.exchanges)
    strict.revoke()
    issue(run, [("fresh", ACCEPTED)])
    run.await_final(60)
    assert len(strict.office.exchanges) == sold + 1, f"{len(strict.office.exchanges) - sold} access tokens were bought for one"
    assert not strict.violations(), strict.violations()[:5]


def repeated(run: Run, strict: StrictFCM) -> None:
    """Messages that may be sent again after an attempt that FCM may have taken: the record says so, and counts each attempt."""
    failed = {f"fail{answer.status}": say(answer) for answer in TABLE if answer.status in (500, 502, 504)}
    for several in ({"again-reset": reset(INTERNAL_ERROR), "again-never": never, **failed}, {"again-cut": cut}):
        strict.plays.update(several)
        tokens = issue(run, [(prefix, ACCEPTED) for prefix in several], on_unknown="resend")
        run.await_final(90)
        for prefix, own in tokens.items():
            for record in records(run, own):
                requests = strict.requests(record["device_token"])
                assert requests > 1 and record["attempts"] == requests, f"{prefix}: {requests} requests, {record}"
                assert record.get("repeat"), f"{prefix}: no mark after {requests} requests"
