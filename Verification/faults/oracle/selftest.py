"""Plants lies into ledgers and sees each of them found: an oracle that cannot fail proves nothing."""

from collections import Counter
from dataclasses import replace

from faults.oracle.identity import derive_apns_id
from faults.oracle.ledger import Fault, Issued, Ledgers, Life, Push, Record, attribute
from faults.oracle.statistics import counted, differences
from faults.oracle.verdict import judge

DEAD = "dead01"


def truth() -> Ledgers:
    """A run in which everything is right: three accepted, one of them repeated after a crash, and one dead."""
    ledgers = Ledgers()
    for number in range(3):
        name, token = f"id-{number}", f"token-{number}"
        ledgers.issued[name] = Issued(name, token, frozenset({"accepted"}), "topic")
        ledgers.pushed.append(Push(name, token, 100 + number, 200, None))
        ledgers.recorded.append(Record(name, token, "accepted", 200, 1, False))
    ledgers.issued["id-dead"] = Issued("id-dead", DEAD, frozenset({"token_invalid"}), "topic")
    ledgers.pushed.append(Push("id-dead", DEAD, 104, 410, "Unregistered"))
    ledgers.recorded.append(Record("id-dead", DEAD, "token_invalid", 410, 1, False))
    ledgers.disabled = {DEAD}
    # A crash at 150 with id-2 pushed and not recorded; it was pushed again at 200.
    ledgers.faults = [Fault(140, 150, frozenset({"id-0", "id-1", "id-dead"}))]
    ledgers.pushed.append(Push("id-2", "token-2", 200, 200, None, (0, 1)))
    ledgers.pushed = attribute(ledgers.pushed, [Life(frozenset({0}), 90, 145), Life(frozenset({0}), 160)])
    ledgers.recorded[2] = replace(ledgers.recorded[2], repeat=True)
    ledgers.uncertain["id-maybe"] = Issued("id-maybe", "token-maybe", frozenset({"accepted"}), "topic")
    return ledgers


def two_dispatchers(is_one_killed: bool = False) -> Ledgers:
    """The same run, but both dispatchers ran at once: the record counts both pushes, or the first one had no time for that."""
    ledgers = truth()
    ledgers.pushed.append(replace(ledgers.pushed[-1], apns_id="id-1", token="token-1", time_ms=103))
    ledgers.recorded[1] = replace(ledgers.recorded[1], attempts=2, answers=(200, 200), repeat=True)
    if is_one_killed:
        ledgers.faults = [replace(ledgers.faults[0], allowance=1)]
        ledgers.recorded[2] = replace(ledgers.recorded[2], repeat=False)
    else:
        ledgers.faults = []
        ledgers.recorded[2] = replace(ledgers.recorded[2], attempts=2, answers=(200, 200))
    return ledgers


def drop_a_record(ledgers: Ledgers) -> None:
    del ledgers.recorded[1]


def leave_one_deferred(ledgers: Ledgers) -> None:
    ledgers.recorded[1] = replace(ledgers.recorded[1], outcome="deferred")


def push_a_stranger(ledgers: Ledgers) -> None:
    ledgers.pushed.append(Push("id-99", "token-99", 120, 200, None))


def push_after_the_expiration(ledgers: Ledgers) -> None:
    ledgers.issued["id-0"] = replace(ledgers.issued["id-0"], expiration=1)
    ledgers.pushed[0] = replace(ledgers.pushed[0], time_ms=3_001)


def push_after_the_greatest_age(ledgers: Ledgers) -> None:
    ledgers.issued["id-0"] = replace(ledgers.issued["id-0"], too_late=1)
    ledgers.pushed[0] = replace(ledgers.pushed[0], time_ms=3_001)


def expire_what_has_no_limit(ledgers: Ledgers) -> None:
    ledgers.issued["id-0"] = replace(ledgers.issued["id-0"], allowed=frozenset({"accepted", "expired"}))
    ledgers.recorded[0] = replace(ledgers.recorded[0], outcome="expired", status=None)


def record_a_stranger(ledgers: Ledgers) -> None:
    ledgers.recorded.append(Record("id-99", "token-99", "accepted", 200, 1, False))


def push_to_another_token(ledgers: Ledgers) -> None:
    ledgers.pushed[0] = replace(ledgers.pushed[0], token="token-2")


def record_another_token(ledgers: Ledgers) -> None:
    ledgers.recorded[0] = replace(ledgers.recorded[0], token="token-2")


def leave_a_repeat_unmarked(ledgers: Ledgers) -> None:
    ledgers.recorded[2] = replace(ledgers.recorded[2], repeat=False)


def push_again_after_the_record(ledgers: Ledgers) -> None:
    ledgers.pushed.append(Push("id-0", "token-0", 210, 200, None, (0, 1)))
    ledgers.recorded[0] = replace(ledgers.recorded[0], repeat=True)


def repeat_without_a_fault(ledgers: Ledgers) -> None:
    ledgers.faults = []


def repeat_more_than_was_open(ledgers: Ledgers) -> None:
    ledgers.faults = [replace(ledgers.faults[0], recorded=frozenset({"id-0", "id-1", "id-2", "id-dead"}), allowance=0)]


def repeat_what_had_been_put_off(ledgers: Ledgers) -> None:
    ledgers.faults = [replace(ledgers.faults[0], deferred={"id-2": 1})]


def count_one_push_too_few(ledgers: Ledgers) -> None:
    ledgers.pushed.append(replace(ledgers.pushed[-1], apns_id="id-1", token="token-1", status=503))
    ledgers.recorded[1] = replace(ledgers.recorded[1], repeat=True)
    ledgers.faults = [replace(ledgers.faults[0], recorded=frozenset({"id-0", "id-dead"}), deferred={"id-1": 1})]
    ledgers.recorded[2] = replace(ledgers.recorded[2], attempts=2, answers=(200, 200))


def have_one_process_push_twice(ledgers: Ledgers) -> None:
    ledgers.pushed.append(replace(ledgers.pushed[0], time_ms=120))
    ledgers.recorded[0] = replace(ledgers.recorded[0], attempts=2, answers=(200, 200), repeat=True)


def leave_two_accepted_unmarked(ledgers: Ledgers) -> None:
    ledgers.recorded[2] = replace(ledgers.recorded[2], attempts=2, answers=(200, 200), repeat=False)


def leave_a_lost_answer_unmarked(ledgers: Ledgers) -> None:
    ledgers.recorded[0] = replace(ledgers.recorded[0], attempts=2, answers=(None, 200))


def count_one_answer_twice(ledgers: Ledgers) -> None:
    ledgers.recorded[2] = replace(ledgers.recorded[2], attempts=3, answers=(200, 200, 200))


def accept_without_a_push(ledgers: Ledgers) -> None:
    del ledgers.pushed[0]


def accept_what_was_refused(ledgers: Ledgers) -> None:
    ledgers.pushed[0] = replace(ledgers.pushed[0], status=400)


def call_a_living_token_dead(ledgers: Ledgers) -> None:
    ledgers.pushed[0] = replace(ledgers.pushed[0], status=410)
    ledgers.recorded[0] = replace(ledgers.recorded[0], outcome="token_invalid", status=410)
    ledgers.disabled.add("token-0")


def forget_the_dead_token(ledgers: Ledgers) -> None:
    ledgers.disabled = set()


def disable_a_living_token(ledgers: Ledgers) -> None:
    ledgers.disabled.add("token-0")


def disable_a_stranger(ledgers: Ledgers) -> None:
    ledgers.disabled.add("token-99")


def reject_a_body(ledgers: Ledgers) -> None:
    ledgers.rejected = 1


def leave_a_message(ledgers: Ledgers) -> None:
    ledgers.left_in_queues["waybill.dispatch"] = 1


LIES = (
    drop_a_record,
    leave_one_deferred,
    push_a_stranger,
    record_a_stranger,
    push_after_the_expiration,
    push_after_the_greatest_age,
    expire_what_has_no_limit,
    push_to_another_token,
    record_another_token,
    leave_a_repeat_unmarked,
    push_again_after_the_record,
    repeat_without_a_fault,
    repeat_more_than_was_open,
    repeat_what_had_been_put_off,
    count_one_push_too_few,
    have_one_process_push_twice,
    leave_two_accepted_unmarked,
    leave_a_lost_answer_unmarked,
    count_one_answer_twice,
    accept_without_a_push,
    accept_what_was_refused,
    call_a_living_token_dead,
    forget_the_dead_token,
    disable_a_living_token,
    disable_a_stranger,
    reject_a_body,
    leave_a_message,
)


def self_test(vectors: dict) -> list[str]:
    """What the oracle got wrong; empty when it sees every lie and nothing in the truth."""
    wrong = [f"the truth is not believed: {finding}" for finding in judge(truth()).findings]
    for lie in LIES:
        ledgers = truth()
        lie(ledgers)
        if judge(ledgers).passed:
            wrong.append(f"not found: {lie.__name__.replace('_', ' ')}")
    if (both := judge(two_dispatchers())).findings or (both.both_accepted, both.of_two, both.maybe_twice) != (2, 2, 0):
        wrong.append(f"a repeat of two dispatchers is miscounted: {both}")
    beside = two_dispatchers(is_one_killed=True)
    if (verdict := judge(beside)).findings or verdict.killed_beside != 1:
        wrong.append(f"a dispatcher that was killed beside another one is not excused: {verdict}")
    if judge(truth(), recovery=31).passed:
        wrong.append("not found: a late recovery")
    if judge(truth(), memory=(100 << 20, 200 << 20)).passed:
        wrong.append("not found: memory that does not come back")
    known = Counter({("accepted", "acme", "parcels", None): 3, ("expired", None, "parcels", "max_age"): 1})
    for said, count in ((known, 0), (known + known, 2), (Counter(), 2), (known + Counter({("unknown",): 1}), 1)):
        if len(differences(said, known)) != count:
            wrong.append(f"of {count} differences of statistics {differences(said, known)} are found")
    cell = {"outcome": "accepted", "lane": "parcels", "topic": "a", "push_type": "alert", "count": 2, "latency": {"3": 2}}
    told = counted([{"cells": [cell]}])
    changes: list[dict] = [
        {"topic": "b"},
        {"push_type": "background"},
        {"latency": {"3": 1, "4": 1}},
        {"latency": {}},
        {"count": 1},
    ]
    for change in changes:
        if not differences(counted([{"cells": [cell | change]}]), told):
            wrong.append(f"not found: a cell of the statistics with {change}")
    for vector in vectors["apns_id"]:
        body = vector["body"].encode()
        if derive_apns_id(vector["batch_id"], body, vector["index"], vector["milliseconds"]) != vector["apns_id"]:
            wrong.append(f"the apns-id of the vector '{vector['name']}' is derived differently")
    return wrong
