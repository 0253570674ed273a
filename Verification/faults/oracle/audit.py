"""Watches acknowledgements on the wire: each may pass only when every record of its message is in the log.

Or when the message was moved: what waits for a lane goes to a delay queue as it is, without records.
"""

import re
import threading
from collections import Counter

import pymongo
from proxy.link import Link
from proxy.wires import Unit
from pymongo.collection import Collection

from faults.oracle.ledger import Ledgers

NAME = re.compile(rb"[0-9a-f]{8}-[0-9]+")  # how the producer calls its messages, in the AMQP message-id


class AckAudit:
    """One for each path; `watch` runs on the broker proxy's thread, `take_findings` is for when nothing is in flight.

    Works on what a consumer was handed and acknowledges. A message of another origin is let pass unseen.
    """

    def __init__(self, ledgers: Ledgers, deliveries: Collection) -> None:
        self._ledgers, self._deliveries = ledgers, deliveries
        self._open: dict[tuple, str] = {}  # (link, tag) to the message's name; empty for a foreign one
        self._last: dict[int, int] = {}  # link to the tag whose header comes next
        self._moving: set[int] = set()  # links on which the header of a message to a delay queue comes next
        self._moved: Counter[str] = Counter()  # names of messages that were put into a delay queue
        self._lock = threading.Lock()
        self.acknowledged = 0
        self._findings: list[str] = []
        self._unchecked: list[tuple[str, int]] = []

    def take_findings(self) -> list[str]:
        """The first few since the last time; looks up what the store could not answer when it was acknowledged."""
        unchecked, self._unchecked = self._unchecked, []
        for name, size in unchecked:
            self._compare(name, size, self._deliveries.count_documents({"batch_id": name}))
        with self._lock:
            findings, self._findings = self._findings, []
        return findings[:3]

    def open_items(self, live: set[int]) -> int:
        """Notifications in messages that were handed out on these links and are not acknowledged."""
        return sum(self._ledgers.sizes.get(name, 1) for (link, _), name in list(self._open.items()) if link in live)

    def watch(self, link: Link, direction: str, unit: Unit) -> None:
        if direction == "down" and unit.kind == "basic.deliver":
            self._last[link.number] = unit.fields["tag"]
            self._open[link.number, unit.fields["tag"]] = ""
        elif direction == "down" and unit.kind == "header" and link.number in self._last:
            name = NAME.search(unit.data)
            tag = self._last.pop(link.number)
            self._open[link.number, tag] = name.group().decode() if name else ""
        elif direction == "up" and unit.kind == "basic.publish" and ".delay." in unit.fields["queue"]:
            self._moving.add(link.number)
        elif direction == "up" and unit.kind == "header" and link.number in self._moving:
            self._moving.discard(link.number)
            if name := NAME.search(unit.data):
                self._moved[name.group().decode()] += 1
        elif direction == "up" and unit.kind == "basic.ack" and "consume" in link.role:
            self._check(link.number, unit.fields["tag"], unit.fields["multiple"])

    def _check(self, link: int, tag: int, multiple: bool) -> None:
        tags = [key for key in self._open if key[0] == link and (key[1] == tag or (multiple and key[1] < tag))]
        if (link, tag) not in tags:
            self._note(f"tag {tag} acknowledged on connection {link}, where it is not open")
        for key in tags:
            name = self._open.pop(key)
            size = self._ledgers.sizes.get(name)
            self.acknowledged += 1
            if self._moved[name]:
                self._moved[name] -= 1
                continue
            if size is None:
                continue
            try:
                with pymongo.timeout(2):
                    self._compare(name, size, self._deliveries.count_documents({"batch_id": name}))
            except pymongo.errors.PyMongoError:
                # The store is down. What is acknowledged is never written again, so the records must be there later.
                self._unchecked.append((name, size))

    def _compare(self, name: str, size: int, count: int) -> None:
        if count < size:
            self._note(f"message {name} acknowledged with {count} of {size} records")

    def _note(self, finding: str) -> None:
        with self._lock:
            self._findings.append(finding)
