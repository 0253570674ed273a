"""Requests to the front door at times that are fixed beforehand, however slowly the ones before are answered."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice


@dataclass
class Asked:
    """One request, in nanoseconds of the monotonic clock."""

    due: int
    begun: int
    answered: int
    status: int


def produce(port: int, keys: Sequence[str], rate: float, seconds: float, is_timed: bool = True) -> list[Asked]:
    """Asks POST /notify with each key in turn; each request has a connection of its own, as a script's has.

    is_timed: the text holds `sent=` and the time when it was due, which the sink reads.
    """
    return asyncio.run(_produce(port, keys, rate, seconds, is_timed))


async def _produce(port: int, keys: Sequence[str], rate: float, seconds: float, is_timed: bool) -> list[Asked]:
    begin = time.monotonic_ns() + 200_000_000
    tasks = []
    for number, key in enumerate(islice(cycle(keys), int(rate * seconds))):
        due = begin + int(number / rate * 1e9)
        if (left := due - time.monotonic_ns()) > 0:
            await asyncio.sleep(left / 1e9)
        text = f"sent={due:019} {number:012}" if is_timed else f"warming up {number}"
        tasks.append(asyncio.create_task(_ask(port, key, text, due)))
    return list(await asyncio.gather(*tasks))


async def _ask(port: int, key: str, text: str, due: int) -> Asked:
    body = json.dumps({"serviceKey": key, "level": 1, "body": text}).encode()
    head = f"POST /notify HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    begun = time.monotonic_ns()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(head.encode() + body)
        line = await reader.readline()
        answered = time.monotonic_ns()
        return Asked(due, begun, answered, int(line.split()[1]))
    finally:
        writer.close()
