"""Copies of one notification that meet in one dispatcher: it is pushed once, and no copy is dropped before its record."""

import json
import time
import uuid
from collections.abc import Iterable

from faults.cases import case
from faults.forged import RetryQueue
from faults.oracle.ledger import FINAL
from faults.process import eventually
from faults.producer import Batch
from faults.product import RULES
from faults.run import Run

ACCEPTED = frozenset({"accepted"})
STEP = 5  # the only delay, in seconds: longer than the dispatcher takes for the copies that are forged meanwhile
LATER = {"status": 503, "reason": "ServiceUnavailable"}
ONCE, TWICE, SLOW = "a1", "a2", "a3"  # prefixes of tokens, by how often they get 503
COPY_RULES = {
    "rules": [
        {"token_prefix": ONCE, **LATER, "times": 1},
        {"token_prefix": ONCE, "delay_ms": 400},  # so that the copies meet
        {"token_prefix": TWICE, **LATER, "times": 2},
        {"token_prefix": SLOW, **LATER, "times": 1},
        {"token_prefix": SLOW, "delay_ms": 6_000},
        *RULES["rules"],
    ]
}
SIZE = 4
# Retries of one message with four notifications, by their positions, in the order of the retry queue.
CUTS: dict[str, tuple[tuple[int, ...], ...]] = {
    "alike": ((0, 1, 2, 3), (0, 1, 2, 3)),
    "a part and the whole": ((1,), (0, 1, 2, 3)),
    "the whole and a part": ((0, 1, 2, 3), (1,)),
    "a chain": ((0, 1), (1, 2), (2, 3)),
    "a ring": ((0, 1), (1, 2), (2, 3), (0, 3)),
    "nested": ((0, 1, 2, 3), (1, 2), (2,)),
    "splinters": ((0,), (1,), (2,), (3,), (0, 1, 2, 3)),
}


def issue(run: Run, prefix: str, size: int = SIZE, **how: object) -> Batch:
    """Publishes one batch to tokens with a prefix."""
    run.producer.issue_to([(run.producer.token(prefix), ACCEPTED) for _ in range(size)], **how)  # type: ignore[arg-type]
    return run.producer.last


def records(run: Run, batch: Batch) -> list[dict]:
    return list(run.deliveries.find({"_id": {"$in": [uuid.UUID(one) for one in batch.ids]}}))


def is_deferred(run: Run, batches: Iterable[Batch], attempts: int = 1) -> bool:
    return all(
        [(one["outcome"], one["attempts"]) for one in records(run, batch)] == [("deferred", attempts)] * len(batch.ids)
        for batch in batches
    )


def await_deferred(run: Run, batches: list[Batch], attempts: int = 1) -> None:
    eventually(f"{attempts} attempts of each are recorded", lambda: is_deferred(run, batches, attempts), 20)


def await_acknowledged(run: Run, publish: list) -> None:
    """Publishes messages one by one, and waits until the dispatcher has acknowledged as many."""
    before = run.path.audit.acknowledged
    for one in publish:
        one()
    wanted = before + len(publish)
    eventually("they are acknowledged", lambda: run.path.audit.acknowledged >= wanted, 20)


def drop_retries(run: Run) -> None:
    """Empties the delay queue: from here on only a forged copy can bring a notification back."""
    connection = run.services.connect_broker()
    connection.channel().queue_purge(f"{run.prefix}.delay.{STEP}s")
    connection.close()


def read_answers(run: Run) -> dict[str, list[tuple[int, int]]]:
    """Waits until all is final and settled, ends the dispatcher, and returns each token's answers: time and status."""
    run.await_final()
    run.recover()
    for dispatcher in run.running():
        assert dispatcher.end() == 0, "the dispatcher did not end in order"
    run.simulator.stop()  # its record is complete then
    answers: dict[str, list[tuple[int, int]]] = {}
    for record in run.simulator.records:
        for line in record.read_text().splitlines():
            push = json.loads(line)
            answers.setdefault(push["device_token"], []).append((push["time_ms"], push["status"]))
    run.simulator.start()
    return answers


def wrong_answers(run: Run, answers: dict[str, list[tuple[int, int]]], name: str, batch: Batch, wanted: list[int]) -> set[str]:
    """Findings where a notification of a batch had other answers than these, or its record counts others."""
    wrong = set()
    for record in records(run, batch):
        found = [status for _, status in sorted(answers[record["device_token"]])]
        if found != wanted or record["attempts"] != len(wanted):
            wrong.add(f"{name}: answers {found}, {record['attempts']} attempts")
    return wrong


@case("copies", repeat=10, long=True)
def forged_retries(run: Run) -> None:
    """retries of one message that overlap in every way, or are older than its record: one process pushes each once"""
    settings = {"retry": {"steps": [f"{STEP}s"], "max_attempts": 8}, "broker": {"max_in_flight": 300}}
    run.open(rules=COPY_RULES, more=settings, lanes=("letters",))
    run.start()
    retries = RetryQueue(run)
    one_copy(run, retries)
    cut = {(name, given): issue(run, ONCE, given=given) for name in CUTS for given in (False, True)}
    await_deferred(run, list(cut.values()))
    for (name, _), batch in cut.items():
        for positions in CUTS[name]:
            retries.put(batch, positions)
    eventually("all is final", lambda: run.final_count() == len(run.ledgers.issued), 20)
    again = come_for_deferred(run, retries)
    crowd(run, retries)
    answers = read_answers(run)
    wrong: set[str] = set()
    for (name, given), batch in cut.items():
        wrong |= wrong_answers(run, answers, name + (", own ids" if given else ""), batch, [503, 200])
        if any(record.get("repeat") for record in records(run, batch)):
            wrong.add(f"{name}: marked")
    for name, batch in again.items():
        wrong |= wrong_answers(run, answers, name, batch, [503, 200] if name == "original" else [503, 503, 200])
    assert not wrong, "; ".join(sorted(wrong))
    for token in (record["device_token"] for record in records(run, again["original"])):
        first, second = (time_ms for time_ms, _ in answers[token])
        assert second - first > 900 * STEP, f"pushed again after {second - first} ms, and the delay is {STEP} s"


def one_copy(run: Run, retries: RetryQueue) -> None:
    """A single copy waits in the dispatcher: it does not go back to the delay queue."""
    batch = issue(run, ONCE)
    await_deferred(run, [batch])
    eventually("all is acknowledged", run.is_acknowledged, 20)
    waiting = run.delayed()
    await_acknowledged(run, [lambda: retries.put(batch, range(SIZE)), lambda: retries.put(batch, [1])])
    assert run.delayed() <= waiting, "a single copy was put off"


def come_for_deferred(run: Run, retries: RetryQueue) -> dict[str, Batch]:
    """A retry with an older pass than the record's, such a copy, and the original again: none is pushed, and none is lost."""
    older, copied = issue(run, TWICE), issue(run, TWICE)
    everything = range(SIZE)
    await_deferred(run, [older, copied])
    for batch in (older, copied):
        retries.put(batch, everything)
    await_deferred(run, [older, copied], attempts=2)
    original = issue(run, ONCE, form="envelope")
    await_deferred(run, [original])
    eventually("all is acknowledged", run.is_acknowledged, 20)
    drop_retries(run)
    await_acknowledged(run, [lambda: retries.put(older, everything)])
    assert is_deferred(run, [older], attempts=2), "an older pass was pushed"
    assert run.delayed() == 0, "an older pass was put off"
    repeat = {"message_id": original.name, "timestamp": original.seconds}
    copies = [lambda: retries.put(copied, everything, copy=True), lambda: run.producer.publish(original.text, **repeat)]
    for attempts, batch, publish in ((2, copied, copies[0]), (1, original, copies[1])):
        waiting = run.delayed()
        await_acknowledged(run, [publish])
        assert is_deferred(run, [batch], attempts), f"pushed early, after {attempts} attempts"
        assert run.delayed() > waiting, f"a copy was dropped, after {attempts} attempts"
    retries.put(older, everything, attempt=3)
    return {"older": older, "copy": copied, "original": original}


def crowd(run: Run, retries: RetryQueue) -> None:
    """Hundreds of copies wait for a push without an answer: the retry of another lane passes them."""
    slow, other = issue(run, SLOW, 1), issue(run, ONCE, 1, lane="letters")
    await_deferred(run, [slow, other])
    for _ in range(200):
        retries.put(slow, [0])
    retries.put(other, [0])
    eventually("the other lane's retry passes", lambda: records(run, other)[0]["outcome"] in FINAL, 20)
    assert records(run, slow)[0]["outcome"] == "deferred", "the copies of one lane held up the retry of another one"


@case("copies", repeat=3)
def fanout_copy(run: Run) -> None:
    """fan-out's copy of a page overtakes the page in the bulk queue: no device of it is pushed twice"""
    run.open(simulator_options=("--latency", "300ms"), more={"broker": {"max_in_flight": 300}})
    run.start()
    if not run.quick:
        time.sleep(62)  # in its first minute a dispatcher looks everything up
    bulk = run.new_producer()
    bulk.queue = f"{run.prefix}.bulk"
    retries = RetryQueue(run)
    for _ in range(6):
        bulk.issue(2, 50, dead=0)
        bulk.issue_to([(bulk.token(), ACCEPTED) for _ in range(50)], form="campaign")
        retries.put(bulk.last, range(50), attempt=1, copy=True, bulk=True)
    bulk.close()
    answers = read_answers(run)
    twice = [token for token, pushes in answers.items() if len(pushes) > 1]
    assert not twice, f"{len(twice)} were pushed twice"
    assert run.says("dispatch.repeatedByProducer") == 0, "the log blames the producer"
