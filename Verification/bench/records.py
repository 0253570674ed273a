"""Counts records in MongoDB without the project's own code: an independent reader for a benchmark's assertions."""

from typing import Any

from pymongo import MongoClient

OUTCOMES = ("accepted", "rejected", "token_invalid", "invalid", "expired", "unknown", "deferred")


class Records:
    """A client of a mongod on loopback, with the collections of one database."""

    def __init__(self, port: int, database: str) -> None:
        self._client: MongoClient = MongoClient("127.0.0.1", port, directConnection=True)
        self._name = database
        self.deliveries = self._client[database].deliveries
        self.devices = self._client[database].devices
        self.audiences = self._client[database].audiences
        self.notifications = self._client[database].notifications
        self.receipts = self._client[database].delivery_receipts
        self.mails = self._client[database].outbox_mail

    def close(self) -> None:
        self._client.close()

    def drop(self) -> None:
        self._client.drop_database(self._name)

    def count(self, query: dict[str, Any] | None = None) -> int:
        """How many records there are. Without a query it is the collection's own counter, which costs nothing."""
        return self.deliveries.count_documents(query) if query else self.deliveries.estimated_document_count()

    def disabled(self) -> int:
        """How many devices are disabled."""
        return self.devices.count_documents({"enabled": False})

    def by_outcome(self, batches: str = "") -> dict[str, int]:
        """How many records there are of each outcome that the delivery record knows, by reading all of them.

        With the beginning of their batch ids, only of those batches.
        """
        which = {"batch_id": {"$gte": batches, "$lt": batches + "\x7f"}} if batches else {}
        counts = {outcome: self.count({"outcome": outcome} | which) for outcome in OUTCOMES}
        return {outcome: count for outcome, count in counts.items() if count}
