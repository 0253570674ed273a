"""The four ledgers: what was issued, pushed, recorded and pruned. Facts only; verdict.py compares them."""

import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from pymongo.collection import Collection

UNREAD = {"goaway", "refused_stream"}  # reasons of pushes that the service has certainly not read
DEAD_STATUSES = {410, 404}  # of a refused token: APNs', FCM's
FINAL = {"accepted", "rejected", "token_invalid", "invalid", "expired", "unknown", "cancelled", "superseded"}


@dataclass(frozen=True)
class Issued:
    """A notification that the broker has confirmed to the producer."""

    apns_id: str
    token: str
    allowed: frozenset  # the outcomes that are right for it
    topic: str
    expiration: int = 0  # seconds since 1970 after which it must not be pushed; 0 is never
    too_late: int = 0  # the same by its max_age, which APNs is not told


@dataclass(frozen=True)
class Push:
    """A complete request that the simulator received."""

    apns_id: str
    token: str
    time_ms: int
    status: int | None  # None: left without an answer
    reason: str | None
    connection: tuple = (0, 0)  # which record file, and the simulator's number in it
    process: Hashable = None  # the dispatcher that sent it, or its connection where several may have


@dataclass(frozen=True)
class Life:
    """The time in which a dispatcher ran, and the record files of the simulators that it sends to."""

    files: frozenset
    began_ms: int
    ended_ms: int | None = None


@dataclass(frozen=True)
class Record:
    """A document of the collection deliveries."""

    apns_id: str
    token: str | None
    outcome: str
    status: int | None
    attempts: int
    repeat: bool
    answers: tuple = ()  # the status of each push that the record tells of, oldest first; None: no answer


@dataclass(frozen=True)
class Fault:
    """A moment at which something was broken, and what had a final record then.

    began_ms: just before; ended_ms: before anything that was started again could send. recorded: ids with a final
    record at that moment, of those recorded since `since_ms`; deferred: attempts of those that waited for another one.
    allowance: repeats beyond what was pushed and not
    recorded, for faults that leave a dispatcher at work while the broker hands its messages to another.
    """

    began_ms: int
    ended_ms: int
    recorded: frozenset
    since_ms: int = 0
    allowance: int = 0
    deferred: dict = field(default_factory=dict)


@dataclass
class Ledgers:
    """Everything known at the end of a run.

    issued: by apns-id. uncertain: published, and the confirm never came: they may be there or not. pushed: in the order of
    arrival. recorded: every document. disabled: tokens that the registry has disabled. events: tokens
    whose events were still in the queue. rejected: bodies in the rejected queue, of which
    ordered_rejects belong there. left_in_queues: messages that nobody took, by queue.
    batches: the ids of a message's notifications in their order, by its message-id.
    """

    issued: dict[str, Issued] = field(default_factory=dict)
    uncertain: dict[str, Issued] = field(default_factory=dict)
    pushed: list[Push] = field(default_factory=list)
    recorded: list[Record] = field(default_factory=list)
    disabled: set[str] = field(default_factory=set)
    events: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    batches: dict[str, list[str]] = field(default_factory=dict)
    rejected: int = 0
    ordered_rejects: int = 0
    left_in_queues: dict[str, int] = field(default_factory=dict)

    def forget(self) -> None:
        """Begins anew, in place: producers and audits hold on to the same ledgers."""
        vars(self).update(vars(Ledgers()))


def read_pushes(files: Iterable[Path], marks: dict[Path, int] | None = None) -> list[Push]:
    """The simulator's record, from where `marks` says that it was read to before; they move on.

    A last line that is not complete is left for later: it was cut off by a kill, or the rest is not written yet.
    """
    marks = {} if marks is None else marks
    pushes = []
    for number, file in enumerate(files):
        with open(file, "rb") as lines:
            lines.seek(marks.get(file, 0))
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                marks[file] = marks.get(file, 0) + len(line)
                entry = json.loads(line.decode(errors="replace"))
                if entry.get("path") == "/token":  # an access token was bought
                    continue
                apns_id, token = names(entry)
                pushes.append(
                    Push(
                        apns_id=apns_id,
                        token=token,
                        time_ms=entry["time_ms"],
                        status=entry.get("status"),
                        reason=entry.get("reason"),
                        connection=(number, entry["connection"]),
                    )
                )
    return pushes


def names(entry: dict) -> tuple[str, str]:
    """A push's id and token: APNs has them in the head, FCM in the body."""
    if not entry.get("path", "").endswith("/messages:send"):
        return entry["headers"].get("apns-id", "").lower(), entry.get("device_token", "")
    message = json.loads(entry["payload"])["message"]
    return message["data"]["wb_id"], message["token"]


def attribute(pushes: list[Push], lives: list[Life]) -> list[Push]:
    """The pushes with the process that sent each: a connection is of the only dispatcher that ran when it was first used."""
    first: dict[tuple, int] = {}
    for push in pushes:
        first[push.connection] = min(push.time_ms, first.get(push.connection, push.time_ms))
    return [replace(push, process=_sender(push.connection, first[push.connection], lives)) for push in pushes]


def _sender(connection: tuple, time_ms: int, lives: list[Life]) -> Hashable:
    begun = [number for number, life in enumerate(lives) if connection[0] in life.files and life.began_ms <= time_ms]
    alive = [number for number in begun if (lives[number].ended_ms or time_ms) >= time_ms]
    # The last requests of a process that was killed may be read after its end.
    possible = alive or begun[-1:]
    return possible[0] if len(possible) == 1 else connection


def read_records(collection: Collection) -> list[Record]:
    """Every record, straight from MongoDB."""
    fields = {"device_token": 1, "outcome": 1, "status_code": 1, "attempts": 1, "repeat": 1, "history": 1, "reason": 1}
    return [
        Record(
            apns_id=str(document["_id"]),
            token=document.get("device_token"),
            outcome=document["outcome"],
            status=document.get("status_code"),
            attempts=document["attempts"],
            repeat=document.get("repeat") is True,
            answers=_answers(document),
        )
        for document in collection.find({}, fields)
    ]


def _answers(document: dict) -> tuple:
    """A record without a history tells of its only push itself."""
    history = document.get("history") or ([document] if document["attempts"] else [])
    return tuple("unread" if push.get("reason") in UNREAD else push.get("status_code") for push in history)
