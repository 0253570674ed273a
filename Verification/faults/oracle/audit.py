"""Watches acknowledgements on the wire: each may pass only when the log has every record of its message's notifications.

Or when the message was moved: what waits for a lane goes to a delay queue as it is, without records.
"""

import re
import threading
import uuid
from collections import Counter

import pymongo
from proxy.link import Link
from proxy.wires import Unit
from pymongo.collection import Collection

from faults.oracle.ledger import Ledgers

NAME = re.compile(rb"[0-9a-f]{8}-[0-9]+")  # how the producer calls its messages, in the AMQP message-id
ITEMS = re.compile(rb"x-waybill-itemsS....([0-9,]+)", re.DOTALL)  # positions of a retry, which is a part of its message


class AckAudit:
    """One for each path; `watch` runs on the broker proxy's thread, `take_findings` is for when nothing is in flight.

    Works on what a consumer was handed and acknowledges. A message of another origin is let pass unseen.
    """

    def __init__(self, ledgers: Ledgers, deliveries: Collection) -> None:
        self._ledgers, self._deliveries = ledgers, deliveries
        self._open: dict[tuple, tuple[str, list[str]]] = {}  # (link, tag) to name and ids; empty for a foreign message
        self._last: dict[int, int] = {}  # link to the tag whose header comes next
        self._moving: set[int] = set()  # links on which the header of a message to a delay queue comes next
        self._moved: Counter[str] = Counter()  # ids of notifications, by how often they were put into a delay queue
        self._lock = threading.Lock()
        self.acknowledged = 0
        self._findings: list[str] = []
        self._unchecked: list[tuple[str, list[str]]] = []

    def take_findings(self) -> list[str]:
        """The first few since the last time; looks up what the store could not answer when it was acknowledged."""
        unchecked, self._unchecked = self._unchecked, []
        for name, ids in unchecked:
            self._compare(name, ids)
        with self._lock:
            findings, self._findings = self._findings, []
        return findings[:3]

    def open_items(self, live: set[int]) -> int:
        """Notifications in messages that were handed out on these links and are not acknowledged."""
        return sum(len(ids) or 1 for (link, _), (_, ids) in list(self._open.items()) if link in live)

    def watch(self, link: Link, direction: str, unit: Unit) -> None:
        if direction == "down" and unit.kind == "basic.deliver":
            self._last[link.number] = unit.fields["tag"]
            self._open[link.number, unit.fields["tag"]] = ("", [])
        elif direction == "down" and unit.kind == "header" and link.number in self._last:
            self._open[link.number, self._last.pop(link.number)] = self._read(unit.data)
        elif direction == "up" and unit.kind == "basic.publish" and ".delay." in unit.fields["queue"]:
            self._moving.add(link.number)
        elif direction == "up" and unit.kind == "header" and link.number in self._moving:
            self._moving.discard(link.number)
            self._moved.update(self._read(unit.data)[1])
        elif direction == "up" and unit.kind == "basic.ack" and "consume" in link.role:
            self._check(link.number, unit.fields["tag"], unit.fields["multiple"])

    def _read(self, header: bytes) -> tuple[str, list[str]]:
        """A message's name, and the ids of its notifications."""
        found = NAME.search(header)
        name = found.group().decode() if found else ""
        ids = self._ledgers.batches.get(name, [])
        items = ITEMS.search(header)
        if ids and items:
            ids = [ids[int(position)] for position in items.group(1).split(b",")]
        return name, ids

    def _check(self, link: int, tag: int, multiple: bool) -> None:
        tags = [key for key in self._open if key[0] == link and (key[1] == tag or (multiple and key[1] < tag))]
        if (link, tag) not in tags:
            self._note(f"tag {tag} acknowledged on connection {link}, where it is not open")
        for key in tags:
            name, ids = self._open.pop(key)
            self.acknowledged += 1
            moved = {one for one in ids if self._moved[one]}
            self._moved.subtract(moved)
            ids = [one for one in ids if one not in moved]
            if not ids:
                continue
            try:
                with pymongo.timeout(2):
                    self._compare(name, ids)
            except pymongo.errors.PyMongoError:
                # The store is down. What is acknowledged is never written again, so the records must be there later.
                self._unchecked.append((name, ids))

    def _compare(self, name: str, ids: list[str]) -> None:
        wanted = [uuid.UUID(one) for one in ids]
        count = self._deliveries.count_documents({"_id": {"$in": wanted}})
        if count < len(ids):
            self._note(f"message {name} acknowledged with {count} of {len(ids)} records")

    def _note(self, finding: str) -> None:
        with self._lock:
            self._findings.append(finding)
