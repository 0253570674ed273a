"""Waits for a mongod on a loopback port and makes it the primary of a one-member replica set.

    await_store.py PORT PID [SECONDS]

Ends with 0 when the server accepts writes, with 1 when the process PID is gone or the time is over.
"""

import sys

from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError
from waiting import wait_for

REPLICA_SET = "rs0"
ALREADY_INITIALIZED = 23


def is_ready(port: int) -> bool:
    """Whether the server accepts writes; makes it a replica set when it is none yet."""
    try:
        client: MongoClient
        with MongoClient("127.0.0.1", port, directConnection=True, serverSelectionTimeoutMS=500) as client:
            hello = client.admin.command("hello")
            if hello.get("isWritablePrimary"):
                return True
            if "setName" not in hello:
                initiate(client, port)
    except PyMongoError:
        pass
    return False


def initiate(client: MongoClient, port: int) -> None:
    member = {"_id": 0, "host": f"127.0.0.1:{port}"}
    try:
        client.admin.command("replSetInitiate", {"_id": REPLICA_SET, "members": [member]})
    except OperationFailure as error:
        if error.code != ALREADY_INITIALIZED:
            print(f"replSetInitiate: {error}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(wait_for(is_ready))
