"""Waits until an AMQP 0-9-1 broker greets on a loopback port: await_broker.py PORT PID [SECONDS]

Ends with 0 when it does, with 1 when the process PID is gone or the time is over.
"""

import os
import signal
import socket
import sys
import time

PROTOCOL_HEADER = b"AMQP\x00\x00\x09\x01"
METHOD_FRAME = 1


def greets(port: int) -> bool:
    """Whether the broker answers the protocol header with a method frame (connection.start)."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(PROTOCOL_HEADER)
            return connection.recv(1) == bytes([METHOD_FRAME])
    except OSError:
        return False


def main() -> int:
    port, pid = int(sys.argv[1]), sys.argv[2]
    deadline = time.monotonic() + float(sys.argv[3] if len(sys.argv) > 3 else 60)
    while time.monotonic() < deadline:
        if greets(port):
            return 0
        if not os.path.exists(f"/proc/{pid}"):
            return 1
        time.sleep(0.1)
    return 1


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the wait without a traceback
    sys.exit(main())
