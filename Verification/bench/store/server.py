"""The mongod that is measured: its commands, its CPU, what a collection takes on disk."""

from dataclasses import dataclass
from pathlib import Path

from common.usage import cpu_seconds
from pymongo import MongoClient
from pymongo.errors import OperationFailure

DATABASE = "economy"


@dataclass(frozen=True)
class Sizes:
    """Bytes that a collection takes, for each of its records."""

    data: float
    stored: float
    indexes: dict[str, float]


class Server:
    """A private mongod, known by its port and its process."""

    def __init__(self, port: int, pid: int) -> None:
        self.port, self.pid = port, pid
        self._client: MongoClient = MongoClient("127.0.0.1", port, directConnection=True)

    def run(self, command: dict, database: str = DATABASE) -> dict:
        try:
            return self._client[database].command(command)
        except OperationFailure as error:
            raise SystemExit(f"mongod refused {next(iter(command))}: {error}") from error

    def cpu(self) -> float:
        """Seconds of user and system time since mongod started."""
        return cpu_seconds(self.pid)

    def written(self) -> int:
        """Bytes that mongod has written: data, indexes, journal, oplog, and its few answers."""
        return self._transferred("wchar")

    def fetched(self) -> int:
        """Bytes that mongod has read: from files, and what its clients sent."""
        return self._transferred("rchar")

    def _transferred(self, counter: str) -> int:
        lines = Path(f"/proc/{self.pid}/io").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(counter))

    def checkpoint(self) -> None:
        """Writes everything that is dirty, so that its cost belongs to the run that made it."""
        self.run({"fsync": 1}, "admin")

    def set_parameters(self, parameters: dict) -> None:
        if parameters:
            self.run({"setParameter": 1} | parameters, "admin")

    def has(self, collection: str) -> bool:
        return collection in self._client[DATABASE].list_collection_names()

    def make(self, collection: str, options: dict, indexes: list[dict]) -> None:
        if self.has(collection):
            self.drop(collection)  # of a run that was interrupted
        self.run({"create": collection} | options)
        if indexes:
            self.run({"createIndexes": collection, "indexes": indexes})

    def drop(self, collection: str) -> None:
        self.run({"drop": collection})

    def sizes(self, collection: str) -> Sizes:
        stats = self.run({"collStats": collection})
        count = max(1, stats["count"])
        return Sizes(
            data=stats["size"] / count,
            stored=stats["storageSize"] / count,
            indexes={name: size / count for name, size in stats["indexSizes"].items()},
        )
