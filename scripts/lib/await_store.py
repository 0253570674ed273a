"""Waits for a mongod on a loopback port and makes it the primary of a one-member replica set.

    await_store.py PORT PID [SECONDS]

Ends with 0 when the server accepts writes, with 1 when the process PID is gone or the time is over.
"""

import sys

from mongo_wire import run
from waiting import wait_for

REPLICA_SET = "rs0"
ALREADY_INITIALIZED = 23


def is_ready(port: int) -> bool:
    """Whether the server accepts writes; makes it a replica set when it is none yet."""
    try:
        hello = run(port, {"hello": 1})
        if hello.get("isWritablePrimary"):
            return True
        if "setName" not in hello:
            member = {"_id": 0, "host": f"127.0.0.1:{port}"}
            answer = run(port, {"replSetInitiate": {"_id": REPLICA_SET, "members": [member]}})
            if answer.get("ok") != 1 and answer.get("code") != ALREADY_INITIALIZED:
                print(f"replSetInitiate: {answer.get('errmsg')}", file=sys.stderr)
    except OSError:
        pass
    return False


if __name__ == "__main__":
    sys.exit(wait_for(is_ready))
