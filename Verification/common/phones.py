"""Phones of both kinds: what arrives on them, and what their apps say of it to `waybill serve`.

An iPhone's app answers from its notification service extension, which runs for alerts with `mutable-content` alone; an Android
phone's from its messaging service, for messages with `data`. Both do what docs/operations/receipts.md asks of apps: they wait a
random moment before they say that something has come, and none before an acknowledgement; what could not be posted is kept and
posted in arrays; 429 and 5xx are tried again, 400, 403 and 410 never.
"""

import http.client
import json
import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

MOST_AT_ONCE = 50
AGAIN = {429, 500, 502, 503, 504}


@dataclass(frozen=True)
class Arrival:
    """A push that came to a phone and asks for receipts."""

    kind: str  # ios or android
    id: str
    capability: str
    runs_code: bool  # whether the app's code runs before somebody touches the screen


def arrival(entry: dict) -> Arrival | None:
    """What one line of the simulator's record is to its phone; None for what asks for nothing, was refused, or is no push."""
    if entry.get("status") != 200 or entry.get("path") == "/token":
        return None
    payload = json.loads(entry["payload"])
    if "message" in payload:
        data = payload["message"].get("data", {})
        if "wb_rcpt" in data and "wb_id" in data:
            return Arrival("android", data["wb_id"], data["wb_rcpt"], "notification" not in payload["message"])
    elif "wb_rcpt" in payload:
        return Arrival("ios", payload["wb_id"], payload["wb_rcpt"], payload.get("aps", {}).get("mutable-content") == 1)
    return None


def receipt(of: Arrival, event: str, **more: object) -> dict:
    return {"id": of.id, "cap": of.capability, "event": event, "at": int(time.time() * 1000), "app": "1.0", **more}


@dataclass
class Habits:
    """What people and networks do, as shares of 1."""

    opens: float = 0.3
    acknowledges: float = 0.1
    dismisses: float = 0.2
    offline: float = 0.1  # what happens is kept, and posted in one array
    jitter: float = 0.0  # seconds, before it is said that something has come


class Post:
    """Posts to one server over a connection that is kept while the server keeps it."""

    def __init__(self, host: str, port: int) -> None:
        self._connection = http.client.HTTPConnection(host, port, timeout=30)

    def __call__(self, body: dict | list) -> tuple[int, float]:
        """The status, and for how long to wait where it says so."""
        for attempt in range(3):
            try:
                self._connection.request("POST", "/v1/receipts", json.dumps(body), {"Content-Type": "application/json"})
                answer = self._connection.getresponse()
                answer.read()
                return answer.status, float(answer.headers.get("Retry-After") or 0)
            except (OSError, http.client.HTTPException):
                self._connection.close()  # the server has closed it meanwhile, or is away
                time.sleep(0.1 * attempt)
        return 0, 1.0


@dataclass
class Phones:
    """Many phones: worker threads play what their apps do with each arrival."""

    host: str
    port: int
    habits: Habits = field(default_factory=Habits)
    workers: int = 16
    seed: int = 1
    patience: float = 60.0  # for how long one receipt is tried again

    def __post_init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.said: dict[str, set[str]] = {}  # by notification: what the server has taken
        self.lost: list[dict] = []  # what was given up
        self._jobs: queue.Queue[Arrival | None] = queue.Queue(maxsize=10_000)
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._work, args=(number,), daemon=True) for number in range(self.workers)]
        for thread in self._threads:
            thread.start()

    def arrive(self, arrivals: Iterable[Arrival]) -> None:
        for one in arrivals:
            self._jobs.put(one)

    def finish(self) -> None:
        """Waits until every phone has said what it had to say."""
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self, number: int) -> None:
        post, chance = Post(self.host, self.port), random.Random(f"{self.seed}/{number}")
        while (arrived := self._jobs.get()) is not None:
            for body in bodies(arrived, self.habits, chance):
                if self.habits.jitter and body[0]["event"] == "received":
                    time.sleep(chance.uniform(0, self.habits.jitter))
                self._say(post, body)

    def _say(self, post: Post, body: list[dict]) -> None:
        deadline = time.monotonic() + self.patience
        while True:
            status, wait = post(body[0] if len(body) == 1 else body)
            with self._lock:
                self.statuses[status] += 1
                if status == 204:
                    for each in body:
                        self.said.setdefault(each["id"], set()).add(each["event"])
            if status not in AGAIN and status != 0:
                break
            if time.monotonic() > deadline:
                break
            time.sleep(min(max(wait, 0.1), 5))
        if status != 204:
            with self._lock:
                self.lost += body


def bodies(arrived: Arrival, habits: Habits, chance: random.Random) -> Iterator[list[dict]]:
    """What a phone posts about an arrival, request by request."""
    events = []
    if arrived.runs_code:
        events.append(
            receipt(arrived, "received", **({"prio": "high", "prio_asked": "high"} if arrived.kind == "android" else {}))
        )
        if arrived.kind == "android":
            events.append(receipt(arrived, "displayed"))
    for event, share in (("opened", habits.opens), ("acknowledged", habits.acknowledges)):
        if chance.random() < share:
            events.append(receipt(arrived, event))
    if not any(each["event"] == "opened" for each in events) and chance.random() < habits.dismisses:
        events.append(receipt(arrived, "dismissed"))
    if events and chance.random() < habits.offline:
        yield events[:MOST_AT_ONCE]
    else:
        yield from ([each] for each in events)


def follow(records: list[Path], is_over: Callable[[], bool], marks: dict[Path, int] | None = None) -> Iterator[Arrival]:
    """What arrives, as simulators write it down, until it is over and read to its end."""
    marks = {} if marks is None else marks
    while True:
        over, found = is_over(), False
        for record in records:
            if not record.exists():
                continue
            with open(record, "rb") as lines:
                lines.seek(marks.get(record, 0))
                for line in lines:
                    if not line.endswith(b"\n"):
                        break
                    marks[record] = marks.get(record, 0) + len(line)
                    found = True
                    if arrived := arrival(json.loads(line)):
                        yield arrived
        if over and not found:
            return
        if not found:
            time.sleep(0.05)
