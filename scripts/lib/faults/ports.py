"""Loopback ports for servers of a case's own."""

import random
import socket


def free_ports(count: int) -> list[int]:
    """Ports below the range that the kernel gives to outgoing connections: a server can come back on its own."""
    held = []
    while len(held) < count:
        candidate = socket.socket()
        try:
            candidate.bind(("127.0.0.1", random.randrange(20000, 32000)))
        except OSError:
            candidate.close()
            continue
        held.append(candidate)
    ports = [candidate.getsockname()[1] for candidate in held]
    for candidate in held:
        candidate.close()
    return ports
