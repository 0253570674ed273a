"""Loopback ports for servers of a case's own."""

import random
import socket

# Below the range that the kernel gives to outgoing connections: a server can come back on its own port.
_first, _end = 20_000, 32_000


def take_part(number: int, count: int) -> None:
    """From now on this process takes ports of its own part of the range, one of `count` that do not overlap.

    A free port is known to be free, not reserved: two processes that look at the same time might choose the same.
    """
    global _first, _end
    size = (_end - _first) // count
    _first, _end = _first + number * size, _first + (number + 1) * size


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, all different."""
    held: list[socket.socket] = []
    while len(held) < count:
        candidate = socket.socket()
        try:
            candidate.bind(("127.0.0.1", random.randrange(_first, _end)))
        except OSError:
            candidate.close()
            continue
        held.append(candidate)
    ports = [candidate.getsockname()[1] for candidate in held]
    for candidate in held:
        candidate.close()
    return ports
