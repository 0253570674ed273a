"""Counts records in MongoDB without the project's own code: an independent reader for a benchmark's assertions."""

import socket
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/lib"))

from mongo_wire import OP_MSG, decode, encode, receive  # noqa: E402


class Records:
    """One connection to a mongod on loopback."""

    def __init__(self, port: int, database: str):
        self.database = database
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=120)

    def close(self) -> None:
        self.connection.close()

    def run(self, command: dict) -> dict:
        """The top of the answer; raises when the server refuses."""
        section = struct.pack("<i", 0) + b"\x00" + encode(command | {"$db": self.database})
        self.connection.sendall(struct.pack("<iiii", 16 + len(section), 1, 0, OP_MSG) + section)
        length = struct.unpack("<i", receive(self.connection, 4))[0]
        answer = decode(receive(self.connection, length - 4)[12 + 5 :])
        if answer.get("ok") != 1.0:
            raise RuntimeError(f"mongod refused {next(iter(command))}: {answer.get('errmsg')}")
        return answer

    def count(self, collection: str = "deliveries", query: dict | None = None) -> int:
        """Without a query it is the collection's own counter, which costs nothing."""
        command = {"count": collection}
        if query:
            command["query"] = query
        return int(self.run(command)["n"])

    def drop(self) -> None:
        self.run({"dropDatabase": 1})

    def by_outcome(self, batches: str = "") -> dict[str, int]:
        """How many records there are of each outcome that the delivery record knows, by reading all of them.

        With the beginning of their batch ids, only of those batches.
        """
        outcomes = ("accepted", "rejected", "token_invalid", "invalid", "expired", "unknown", "deferred")
        which = {"batch_id": {"$gte": batches, "$lt": batches + "\x7f"}} if batches else {}
        counts = {outcome: self.count(query={"outcome": outcome} | which) for outcome in outcomes}
        return {outcome: count for outcome, count in counts.items() if count}
