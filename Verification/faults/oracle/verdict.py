"""Compares the ledgers of a run: a pure function, checked by selftest.py against planted lies."""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from itertools import combinations

from faults.oracle.ledger import DEAD_STATUSES, FINAL, Fault, Ledgers, Record

# Each in the time of a machine that does nothing else; see common/pace.py.
RECOVERY_LIMIT = 30.0  # seconds
ON_ITS_WAY = 2  # seconds from the dispatcher's look at the expiration to the arrival
UNDER_WAY_MS = 1000
MEMORY_SLACK = 32 << 20  # allocators keep some; a leak of one message in flight after another is far above it
MAYBE_TAKEN = (None, 500, 502, 504)  # answers that leave open whether the push service has the notification


@dataclass
class Verdict:
    """The result of a run. Empty `findings` means that it passed.

    repeated: records with fewer attempts than pushes. marked: those of them that say so. both_accepted: records that tell of
    two accepted pushes; of_two: those whose pushes came from two dispatchers. maybe_twice: all other records with a mark.
    killed_beside: repeats without a mark, since one of two dispatchers that pushed at once was killed before its record.
    """

    issued: int = 0
    lost: int = 0
    unexpected: int = 0
    repeated: int = 0
    marked: int = 0
    bound: int = 0
    both_accepted: int = 0
    of_two: int = 0
    maybe_twice: int = 0
    killed_beside: int = 0
    unpruned: int = 0
    recovery: float = 0.0
    memory_before: int = 0
    memory_after: int = 0
    seconds: float = 0.0  # from the first preparation to the last cleaning
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # figures of the case's own

    @property
    def passed(self) -> bool:
        return not self.findings


def some(ids: Iterable[str]) -> str:
    """The first few of many, for a finding."""
    ids = sorted(ids)
    return ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")


def judge(ledgers: Ledgers, recovery: float = 0.0, memory: tuple[int, int] = (0, 0), pace: float = 1.0) -> Verdict:
    """Judges a run by its ledgers, its recovery time in seconds and its memory before and after, in bytes.

    pace: how much slower than by itself the machine was; limits in seconds are multiplied by it.
    """
    verdict = Verdict(issued=len(ledgers.issued), recovery=recovery)
    verdict.memory_before, verdict.memory_after = memory
    _find_lost(ledgers, verdict)
    _find_unexpected(ledgers, verdict, pace)
    _find_repeats(ledgers, verdict, pace)
    _find_copies(ledgers, verdict)
    _find_unpruned(ledgers, verdict)
    left = {queue: count for queue, count in ledgers.left_in_queues.items() if count}
    if left:
        verdict.findings.append(f"left in queues: {left}")
    if recovery > RECOVERY_LIMIT * pace:
        verdict.findings.append(f"recovery took {recovery:.1f} s, at a pace of 1 in {pace:.1f}")
    before, after = memory
    if before and after > before * 1.1 + MEMORY_SLACK:
        verdict.findings.append(f"memory went from {before >> 20} to {after >> 20} MiB")
    return verdict


def _find_lost(ledgers: Ledgers, verdict: Verdict) -> None:
    final = {record.apns_id for record in ledgers.recorded if record.outcome in FINAL}
    lost = ledgers.issued.keys() - final
    verdict.lost = len(lost)
    if lost:
        verdict.findings.append(f"{len(lost)} lost: {some(lost)}")


def _find_unexpected(ledgers: Ledgers, verdict: Verdict, pace: float) -> None:
    """What nobody ordered: foreign ids, wrong tokens, outcomes that no answer justifies, rejected bodies."""
    known = ledgers.uncertain | ledgers.issued
    strange: dict[str, set[str]] = {}

    def note(what: str, apns_id: str) -> None:
        strange.setdefault(what, set()).add(apns_id)

    statuses: dict[str, set] = {}
    for push in ledgers.pushed:
        statuses.setdefault(push.apns_id, set()).add(push.status)
        item = known.get(push.apns_id)
        if item is None:
            note("pushed, never issued", push.apns_id)
        elif item.token != push.token:
            note("pushed to another token", push.apns_id)
        elif item.expiration and push.time_ms > (item.expiration + ON_ITS_WAY * pace) * 1000:
            note("pushed after its expiration", push.apns_id)
        elif item.too_late and push.time_ms > (item.too_late + ON_ITS_WAY * pace) * 1000:
            note("pushed after its greatest age", push.apns_id)
    for record in ledgers.recorded:
        item = known.get(record.apns_id)
        if item is None:
            note("recorded, never issued", record.apns_id)
            continue
        if record.token != item.token:
            note("recorded with another token", record.apns_id)
        if record.outcome in FINAL and record.outcome not in item.allowed:
            note(f"recorded as {record.outcome}, which it cannot be", record.apns_id)
        answered = statuses.get(record.apns_id, set())
        if record.status is not None and record.status not in answered:
            note(f"recorded with {record.status}, which was never answered", record.apns_id)
        if record.outcome == "expired" and not item.expiration and not item.too_late:
            note("expired without a limit", record.apns_id)
        if record.outcome in ("invalid", "expired") and answered and record.attempts == 0:
            note(f"pushed, and recorded as {record.outcome}", record.apns_id)
    for what, ids in strange.items():
        verdict.unexpected += len(ids)
        verdict.findings.append(f"{len(ids)} {what}: {some(ids)}")
    if ledgers.rejected != ledgers.ordered_rejects:
        verdict.unexpected += abs(ledgers.rejected - ledgers.ordered_rejects)
        verdict.findings.append(f"{ledgers.rejected} bodies rejected, {ledgers.ordered_rejects} ordered")


def _find_repeats(ledgers: Ledgers, verdict: Verdict, pace: float) -> None:
    """Pushes beyond the attempts that the record tells of: few, marked, and never of what had a final record."""
    pushes = Counter(push.apns_id for push in ledgers.pushed)
    repeated = {record.apns_id for record in ledgers.recorded if pushes[record.apns_id] > record.attempts}
    verdict.repeated = len(repeated)
    unmarked = {record.apns_id for record in ledgers.recorded if record.apns_id in repeated and not record.repeat}
    verdict.marked = verdict.repeated - len(unmarked)
    if any(fault.allowance for fault in ledgers.faults):
        beside = unmarked & _pushed_side_by_side(ledgers)
        verdict.killed_beside = len(beside)
        unmarked -= beside
    if unmarked:
        verdict.findings.append(f"{len(unmarked)} repeats are not marked: {some(unmarked)}")
    explained: set[str] = set()
    for fault in ledgers.faults:
        opened = _open_at(fault, ledgers, pace)
        explained |= opened
        verdict.bound += len(opened) + fault.allowance
        if not fault.allowance:
            after = {p.apns_id for p in ledgers.pushed if p.time_ms > fault.ended_ms}
            again = after & fault.recorded
            if again:
                verdict.findings.append(f"{len(again)} sent again although recorded: {some(again)}")
    if verdict.repeated > verdict.bound:
        verdict.findings.append(f"{verdict.repeated} repeats, {verdict.bound} allowed")
    uncounted = repeated - explained
    if uncounted and not any(fault.allowance for fault in ledgers.faults):
        verdict.findings.append(f"{len(uncounted)} have fewer attempts than pushes, without a fault: {some(uncounted)}")


def _pushed_side_by_side(ledgers: Ledgers) -> set[str]:
    """Ids that two dispatchers pushed which ran at the same time (docs/RELIABILITY.md, "Ways to a second push")."""
    times: dict[Hashable, list[int]] = {}
    senders: dict[str, set[Hashable]] = {}
    for push in ledgers.pushed:
        times.setdefault(push.process, []).append(push.time_ms)
        senders.setdefault(push.apns_id, set()).add(push.process)
    ran = {process: (min(all_of), max(all_of)) for process, all_of in times.items()}

    def meet(one: Hashable, other: Hashable) -> bool:
        return ran[one][0] <= ran[other][1] and ran[other][0] <= ran[one][1]

    return {id for id, several in senders.items() if any(meet(*pair) for pair in combinations(several, 2))}


def _find_copies(ledgers: Ledgers, verdict: Verdict) -> None:
    """Copies of one notification: each process has it accepted once, and a record tells what may have gone out twice."""
    records = {record.apns_id: record for record in ledgers.recorded}
    taken = [push for push in ledgers.pushed if push.status == 200 and push.process is not None]
    accepted = Counter((push.apns_id, push.process) for push in taken)
    twice = {one for (one, _), count in accepted.items() if count > 1 and not _lost_an_answer(records.get(one))}
    if twice:
        verdict.findings.append(f"{len(twice)} accepted twice by one process: {some(twice)}")
    processes = Counter(one for one, _ in accepted)
    given = Counter((push.apns_id, push.status) for push in ledgers.pushed)
    unmarked, invented = set(), set()
    for record in ledgers.recorded:
        both = record.answers.count(200) > 1
        verdict.both_accepted += both
        verdict.of_two += both and processes[record.apns_id] > 1
        verdict.maybe_twice += record.repeat and not both
        if not record.repeat and (both or any(answer in MAYBE_TAKEN for answer in record.answers[:-1])):
            unmarked.add(record.apns_id)
        # The strict servers do not call it a push if they refuse the access token.
        told = Counter(answer for answer in record.answers if isinstance(answer, int) and answer != 401)
        if any(count > given[record.apns_id, status] for status, count in told.items()):
            invented.add(record.apns_id)
    if unmarked:
        verdict.findings.append(f"{len(unmarked)} sent again after a push that may have been taken, unmarked: {some(unmarked)}")
    if invented:
        verdict.findings.append(f"{len(invented)} tell of more answers than were given: {some(invented)}")


def _lost_an_answer(record: Record | None) -> bool:
    """Whether a push may have been accepted without the dispatcher's knowledge."""
    return record is not None and any(answer in MAYBE_TAKEN for answer in record.answers)


def _open_at(fault: Fault, ledgers: Ledgers, pace: float) -> set[str]:
    """What had been pushed at a fault and was not recorded: the streams open, and the outcomes unflushed."""
    first: dict[tuple, int] = {}
    last: dict[tuple, int] = {}
    for push in ledgers.pushed:
        first.setdefault(push.connection, push.time_ms)
        last[push.connection] = push.time_ms
    # What was under way when its connection died may have been read a moment later.
    until = fault.ended_ms + UNDER_WAY_MS * pace
    died = {one for one, time in last.items() if first[one] <= fault.ended_ms and time <= until}
    before = [push for push in ledgers.pushed if push.time_ms <= fault.ended_ms or push.connection in died]
    recent = {push.apns_id for push in before if push.time_ms >= fault.since_ms}
    times = Counter(push.apns_id for push in before)
    return {one for one in recent - fault.recorded if times[one] > fault.deferred.get(one, 0)}


def _find_unpruned(ledgers: Ledgers, verdict: Verdict) -> None:
    invalid = [record for record in ledgers.recorded if record.outcome == "token_invalid"]
    dead = {record.token for record in invalid if record.status in DEAD_STATUSES}
    unpruned = dead - ledgers.disabled - ledgers.events
    verdict.unpruned = len(unpruned)
    if unpruned:
        verdict.findings.append(f"{len(unpruned)} dead tokens never reached the prune side: {some(unpruned)}")
    known = {item.token for item in (ledgers.uncertain | ledgers.issued).values()}
    foreign = (ledgers.disabled | ledgers.events) - known
    alive = (ledgers.disabled & known) - dead
    for what, tokens in (("disabled or reported, never issued", foreign), ("disabled without a refusal that says so", alive)):
        if tokens:
            verdict.unexpected += len(tokens)
            verdict.findings.append(f"{len(tokens)} tokens {what}: {some(tokens)}")
