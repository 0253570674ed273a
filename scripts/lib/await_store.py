"""Waits for a mongod on a loopback port and makes it the primary of a one-member replica set.

    await_store.py PORT PID [SECONDS]

Ends with 0 when the server accepts writes, with 1 when the process PID is gone or the time is over.
"""

import os
import signal
import sys
import time

from mongo_wire import run

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


def main() -> int:
    port, pid = int(sys.argv[1]), sys.argv[2]
    deadline = time.monotonic() + float(sys.argv[3] if len(sys.argv) > 3 else 60)
    while time.monotonic() < deadline:
        if is_ready(port):
            return 0
        if not os.path.exists(f"/proc/{pid}"):
            return 1
        time.sleep(0.1)
    return 1


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the wait without a traceback
    sys.exit(main())
