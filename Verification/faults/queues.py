"""The queues of a run, one set for each prefix: counted, emptied into the ledgers, deleted."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from pika.adapters.blocking_connection import BlockingChannel

from faults.oracle.ledger import Ledgers
from faults.servers.services import Services


class Queues:
    """All queues whose prefixes were added. `steps` names the delay queues, `numbered` counts the numbered dispatch queues."""

    def __init__(self, services: Services, prefix: str) -> None:
        self._services, self._first = services, prefix
        self._prefixes = [prefix]
        self.steps: list[str] = []
        self.numbered = 0

    def add(self, prefix: str) -> bool:
        """Whether the prefix is new."""
        is_new = prefix not in self._prefixes
        if is_new:
            self._prefixes.append(prefix)
        return is_new

    @property
    def _consumed(self) -> tuple[str, ...]:
        return ("dispatch", *(f"dispatch.{number}" for number in range(self.numbered)), "bulk", "retry")

    def waiting(self) -> int:
        """Messages in the dispatch, bulk and retry queues that no dispatcher has."""
        with self._channel() as channel:
            return sum(count(channel, f"{prefix}.{name}") for prefix in self._prefixes for name in self._consumed)

    def delayed(self) -> int:
        """Messages that wait in the delay queues."""
        with self._channel() as channel:
            return sum(count(channel, f"{prefix}.delay.{step}") for prefix in self._prefixes for step in self.steps)

    def read(self, ledgers: Ledgers) -> None:
        """Writes down what was left, and takes the events that no prune worker has taken."""
        with self._channel() as channel:
            for prefix in self._prefixes:
                for name in (*self._consumed, *(f"delay.{step}" for step in self.steps)):
                    queue = f"{prefix}.{name}"
                    ledgers.left_in_queues[queue.replace(self._first, "waybill")] = count(channel, queue)
                ledgers.rejected += count(channel, f"{prefix}.rejected")
                while (got := channel.basic_get(f"{prefix}.invalid-tokens", auto_ack=True))[0] is not None:
                    ledgers.events.add(json.loads(got[2])["device_token"])

    def delete(self, only: str | None = None) -> None:
        """Deletes all queues and exchanges, or those of one prefix; what is not there is no error."""
        with self._channel() as channel:
            for prefix in [only] if only else self._prefixes:
                for name in (
                    *self._consumed,
                    "audience",
                    "rejected",
                    "invalid-tokens",
                    *(f"delay.{step}" for step in self.steps),
                ):
                    channel.queue_delete(f"{prefix}.{name}")
                channel.exchange_delete(f"{prefix}.in")
                channel.exchange_delete(f"{prefix}.replay")

    @contextmanager
    def _channel(self) -> Iterator[BlockingChannel]:
        connection = self._services.connect_broker()
        try:
            yield connection.channel()
        finally:
            connection.close()


def count(channel: BlockingChannel, queue: str) -> int:
    """Messages that wait in a queue; what a consumer holds is not counted."""
    return channel.queue_declare(queue, passive=True).method.message_count
