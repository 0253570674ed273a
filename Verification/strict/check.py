"""Holds what the client says against what the server saw."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from strict import wire
from strict.ledger import Attempt, ConnectionLog, Ledger
from strict.probe import Outcome

RETRYABLE = {
    (503, "Shutdown"),
    (400, "IdleTimeout"),
    (403, "ExpiredProviderToken"),
    (403, "UnrelatedKeyIdInToken"),
    (429, "TooManyProviderTokenUpdates"),  # the token's second chance, on a new connection
}
REPEATS_WITH_LEAVE = 3  # at once, after one second and after five


@dataclass
class Tally:
    sent: int = 0
    accepted: int = 0
    rejected: int = 0
    unknown: int = 0
    not_sent: int = 0
    repeats: int = 0
    forbidden: int = 0
    reasons: Counter = field(default_factory=Counter)
    violations: list = field(default_factory=list)


def is_unprocessed(attempt: Attempt, before: float | None = None) -> bool:
    """Whether the server certainly did nothing with the request, and had said so before a time."""
    if attempt.excluded is not None and (before is None or attempt.excluded <= before):
        return True
    if attempt.answer_begun is not None:
        return False
    if attempt.complete is None:
        return True
    refused = attempt.reset is not None and attempt.reset[1] == wire.REFUSED_STREAM
    return refused and (before is None or attempt.reset[0] <= before)


def is_retryable(attempt: Attempt, replaced: float | None = None) -> bool:
    """Whether the answer asks for the same request again."""
    if attempt.answered is None:
        return False
    if attempt.again or (attempt.status, attempt.reason) in RETRYABLE:
        return True
    return replaced is not None and attempt.status in (403, 429)


def is_certain(attempt: Attempt) -> bool:
    """Whether the answer surely reached the client: written in full, and nothing happened to the connection."""
    if attempt.answered is None or attempt.connection.hurt:
        return False
    spoiled = attempt.connection.spoiled
    if spoiled and attempt.connection.ended and attempt.answered >= spoiled:
        return False
    return attempt.client_reset is None or attempt.client_reset[1] == wire.NO_ERROR


def may_be_unknown(attempt: Attempt, closing: bool) -> bool:
    """Whether a client may be left without knowledge of this attempt."""
    if closing:
        return True
    if attempt.complete is None:
        # The rest of the request may have been lost on its way, or behind a reset of ours.
        return bool(attempt.connection.hurt or attempt.reset or attempt.connection.ended)
    if attempt.reset is not None and attempt.reset[1] == wire.REFUSED_STREAM:
        return may_be_lost(attempt.connection, attempt.reset[0])
    if attempt.excluded is not None:
        return may_be_lost(attempt.connection, attempt.excluded)
    return not is_certain(attempt)


def may_be_lost(connection: ConnectionLog, written: float) -> bool:
    """Whether what was written then may not have arrived, or not have been read."""
    if connection.hurt and connection.hurt[0] - written < 0.5:
        return True
    return bool(connection.spoiled and connection.ended and written >= connection.spoiled)


def compare(
    items: Sequence[Any], outcomes: list[Outcome], ledger: Ledger, *, replaced: float | None = None, closing: bool = False
) -> Tally:
    """The tally of a run; `outcomes` are the probe's lines, `replaced` is when the credentials were."""
    tally = Tally(sent=len(items), violations=list(ledger.violations))
    wrong = tally.violations.append
    known: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        known.setdefault(outcome["id"], []).append(outcome)
    for item in items:
        attempts = in_order(ledger.attempts.get(item.id, []))
        found = known.pop(item.id, [])
        if len(found) != 1:
            wrong(f"{item.id} has {len(found)} outcomes")
        if found:
            check_outcome(item, found[0], attempts, tally, ledger, replaced, closing)
        check_repeats(item, attempts, tally, replaced)
    for stranger in known:
        wrong(f"an outcome for {stranger}, which nobody sent")
    return tally


def in_order(attempts: list[Attempt]) -> list[Attempt]:
    """The attempts as the client made them: two connections that speak at once may be read in either order."""
    attempts = sorted(attempts, key=lambda attempt: attempt.begun)
    for index in range(len(attempts) - 1):
        first, second = attempts[index : index + 2]
        is_close = second.begun - first.begun < 0.1 and first.connection is not second.connection
        if is_close and not is_unprocessed(first) and is_unprocessed(second, first.begun):
            attempts[index : index + 2] = second, first
    return attempts


def check_outcome(
    item: Any, outcome: Outcome, attempts: list[Attempt], tally: Tally, ledger: Ledger, replaced: float | None, closing: bool
) -> None:
    wrong = tally.violations.append
    last = attempts[-1] if attempts else None
    what = story(attempts)
    fate = outcome["fate"]
    if fate == "answered":
        status, reason = outcome["status"], outcome.get("reason")
        tally.reasons[f"{status} {reason or ''}".strip()] += 1
        if bool(outcome["accepted"]) != (200 <= status < 300):
            wrong(f"{item.id}: accepted is {outcome['accepted']} with {status}")
        if outcome["accepted"]:
            tally.accepted += 1
        else:
            tally.rejected += 1
        if last is None or (last.answer_begun is None and last.answered is None):
            return wrong(f"{item.id}: {status} {reason}, but nobody answered its last attempt: {what}")
        if last.status != status:
            return wrong(f"{item.id}: status {status}, but the answer was {last.status}: {what}")
        cut_short = not is_certain(last)
        if not cut_short and status == 410 and outcome.get("invalidSince") != last.timestamp:
            wrong(f"{item.id}: the timestamp is {outcome.get('invalidSince')}, not {last.timestamp}")
        if last.reason is ... or (cut_short and reason is None):
            return None
        allowed = last.reason if isinstance(last.reason, (set, frozenset)) else {last.reason}
        if reason not in allowed:
            wrong(f"{item.id}: reason {reason!r}, but the answer said {last.reason!r}: {what}")
        return None
    if fate == "notSent":
        tally.not_sent += 1
        tally.reasons[f"not sent: {outcome['code']}"] += 1
        for attempt in attempts:
            if not is_unprocessed(attempt) and not is_retryable(attempt, replaced):
                wrong(f"{item.id}: not sent ({outcome['code']}), but {attempt.text()} was complete: {what}")
        return None
    tally.unknown += 1
    tally.reasons[f"unknown: {outcome['code']}"] += 1
    if any(may_be_unknown(attempt, closing) for attempt in attempts) or closing:
        return None
    # An attempt may have been lost as a whole, with a connection that ended just then.
    at = outcome["at"] / 1e9
    is_lost = len(outcome["attempts"]) + 1 > len(attempts) and any(
        end and at - 10 < end[0] < at + 0.1 for log in ledger.connections for end in (log.hurt, log.ended)
    )
    if not is_lost:
        wrong(f"{item.id}: unknown ({outcome['code']}), but nothing was ambiguous: {what}")
    return None


def check_repeats(item: Any, attempts: list[Attempt], tally: Tally, replaced: float | None) -> None:
    used = 0
    for earlier, later in zip(attempts, attempts[1:]):
        if is_unprocessed(earlier, later.begun) or is_retryable(earlier, replaced):
            tally.repeats += 1
        elif item.leave and used < REPEATS_WITH_LEAVE and not is_certain(earlier):
            used += 1
            tally.repeats += 1
        else:
            tally.forbidden += 1
            leave = "with" if item.leave else "without"
            tally.violations.append(f"{item.id}: a forbidden repeat, {leave} leave: {story(attempts)}")


def check_replacements(ledger: Ledger, within: float, until: float) -> list[str]:
    """A connection that was lost while nothing else could carry requests is replaced in time."""
    findings = []
    logs = ledger.connections
    for log in logs:
        if log.unusable is None or log.unusable[0] > until:
            continue
        at = log.unusable[0]
        others = [
            other
            for other in logs
            if other is not log
            and other.accepted < at
            and (other.unusable is None or other.unusable[0] > at)
            and (other.ended is None or other.ended[0] > at)
        ]
        later = [other.accepted for other in logs if other.accepted > at]
        if others or not any(attempt.begun > at for other in logs for attempt in other.attempts):
            continue
        if not later or min(later) - at > within:
            delay = f"{min(later) - at:.2f} s" if later else "never"
            findings.append(
                f"connection {log.number} ({log.unusable[1]}) was replaced after {delay}, not within {within:.1f} s"
            )
    return findings


def story(attempts: list[Attempt]) -> str:
    """What happened to each attempt, for a person."""
    if not attempts:
        return "it never arrived"
    origin = attempts[0].begun
    lines = []
    for attempt in attempts:
        words = [attempt.note, f"{attempt.connection.number}/{attempt.stream} at {attempt.begun - origin:.3f}"]
        if attempt.complete:
            words.append(f"complete {attempt.complete - origin:.3f}")
        if attempt.answered:
            words.append(f"answered {attempt.status} {attempt.reason} {attempt.answered - origin:.3f}")
        if attempt.reset:
            words.append(f"reset {attempt.reset[1]} {attempt.reset[0] - origin:.3f}")
        if attempt.excluded:
            words.append(f"above GOAWAY {attempt.excluded - origin:.3f}")
        if attempt.client_reset:
            words.append(f"reset by the client {attempt.client_reset[1]} {attempt.client_reset[0] - origin:.3f}")
        if attempt.connection.hurt:
            words.append(f"connection {attempt.connection.hurt[1]} {attempt.connection.hurt[0] - origin:.3f}")
        if attempt.connection.ended:
            words.append(f"ended by the client {attempt.connection.ended[0] - origin:.3f}")
        lines.append(", ".join(filter(None, words)))
    return "; ".join(lines)
