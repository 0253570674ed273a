"""Asks a running `waybill serve`, or runs a command, and takes the time."""

import http.client
import json
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from pymongo.database import Database

from bench.size.questions import Ask, Question

KEYS = 12  # an API key may ask ten times a second


@dataclass(frozen=True)
class Cost:
    """What the store did for one answer, by its own profiler."""

    queries: int
    keys: int
    documents: int
    plans: tuple[str, ...]


class Caller:
    """Asks over HTTP, with one key after another."""

    def __init__(self, port: int, keys: list[str]) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._keys = keys
        self._turn = 0

    def __call__(self, ask: Ask) -> tuple[float, dict]:
        """Seconds until the whole answer was there, and the answer."""
        self._turn += 1
        headers = {"Authorization": f"Bearer {self._keys[self._turn % len(self._keys)]}"}
        body = json.dumps(ask.body) if ask.body else None
        if body:
            headers["Content-Type"] = "application/json"
        began = time.monotonic()
        self._connection.request("POST" if body else "GET", ask.path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        seconds = time.monotonic() - began
        if answer.status == 429:
            time.sleep(float(answer.headers["Retry-After"]))
            return self(ask)
        if answer.status != 200:
            raise RuntimeError(f"{answer.status} for {re.sub('[0-9a-f]{64}', '…', ask.path)}: {text[:300]!r}")
        return seconds, json.loads(text)


class Shell:
    """Runs commands, each a process of its own: its start belongs to the time."""

    def __init__(self, program: Path, config: Path) -> None:
        self._program, self._config = program, config

    def __call__(self, ask: Ask) -> tuple[float, dict]:
        began = time.monotonic()
        command = [str(self._program), *ask.arguments, "--config", str(self._config)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise RuntimeError(f"waybill {ask.arguments[0]} ended with {done.returncode}: {done.stderr[-500:]}")
        return time.monotonic() - began, {}


def behind(ask: Ask, answer: dict) -> Ask | None:
    """The page behind an answer."""
    return Ask(f"{ask.path}&cursor={quote(answer['next'])}") if answer.get("next") else None


def measure(question: Question, call: Callable[[Ask], tuple[float, dict]], times: int) -> list[float]:
    """Seconds of each ask, the first one first. A walk that ends begins again."""
    if not question.depth:
        return [call(ask)[0] for ask in question.asks]
    (start,) = question.asks
    ask, seconds = start, []
    for number in range(question.depth + times):
        took, answer = call(ask)
        if number >= question.depth:
            seconds.append(took)
        ask = behind(start, answer) or start
    return seconds


def cost(database: Database, run: Callable[[], object]) -> Cost:
    """What the store does meanwhile for the log and the statistics."""
    database.command("profile", 0)
    database["system.profile"].drop()
    database.command("profile", 2)
    try:
        run()
    finally:
        database.command("profile", 0)
    namespaces = [f"{database.name}.{name}" for name in ("deliveries", "statistics")]
    wanted = {"keysExamined": 1, "docsExamined": 1, "planSummary": 1}
    found = list(database["system.profile"].find({"ns": {"$in": namespaces}, "op": {"$in": ["query", "command"]}}, wanted))
    return Cost(
        len(found),
        sum(one.get("keysExamined", 0) for one in found),
        sum(one.get("docsExamined", 0) for one in found),
        tuple(sorted({one.get("planSummary", "") for one in found})),
    )
