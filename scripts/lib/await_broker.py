"""Waits until an AMQP 0-9-1 broker greets on a loopback port: await_broker.py PORT PID [SECONDS]

Ends with 0 when it does, with 1 when the process PID is gone or the time is over.
"""

import socket
import sys

from waiting import wait_for

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


if __name__ == "__main__":
    sys.exit(wait_for(greets))
