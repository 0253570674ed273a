"""What operators ask of a large log, each question in many forms."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from bench.size.shape import Shape, spread

DEEP = 40  # pages that a walk has behind it before it is measured


@dataclass(frozen=True)
class Ask:
    """One request, or the arguments of one command."""

    path: str
    body: dict | None = None
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """asks: one for each time that is measured. depth: of a walk, which has one ask: every further one is the page behind, and
    so many pages go before what is measured."""

    name: str
    asks: list[Ask]
    depth: int = 0


def _get(path: str, **parameters: object) -> Ask:
    return Ask(f"{path}?{urlencode(parameters)}" if parameters else path)


def _ids(shape: Shape, count: int) -> Iterator[str]:
    """Of records all over the log."""
    for number in range(count):
        yield str(uuid.UUID(bytes=shape.key(spread(number ^ 0x7777) % shape.count)))


def _filters(shape: Shape) -> dict[str, dict]:
    middle = shape.time(shape.messages // 2) // 1000
    return {
        "newest": {},
        "failures": {"outcome": "!accepted"},
        "one outcome": {"outcome": "rejected"},
        "one reason": {"reason": "PayloadTooLarge"},
        "reason of nothing": {"reason": "Shutdown"},
        "large client": {"client": "major"},
        "small client": {"client": "minor3"},
        "rare client": {"client": "rare"},
        "client of nobody": {"client": "nobody"},
        "failures of a rare client": {"client": "rare", "outcome": "!accepted"},
        "lane": {"lane": "calls"},
        "topic": {"topic": "com.example.parcels.voip"},
        "push type": {"push_type": "voip"},
        "priority of nobody": {"priority": 5},
        "last hour": {"since": "1h"},
        "a time without any": {"since": "30s"},
        "an old day": {"since": _time(middle), "until": _time(middle + 86_400)},
        "failures of an old day": {"since": _time(middle), "until": _time(middle + 86_400), "outcome": "!accepted"},
        "batch of 100,000": {"batch": "launch"},
        "batch in 1,000 parts": {"batch": "campaign"},
        "failures of a batch": {"batch": "launch", "outcome": "!accepted"},
        "device of 100,000": {"token": shape.token(_heavy(shape))},
        "device, a reason": {"token": shape.token(_heavy(shape)), "reason": "PayloadTooLarge"},
    }


def _heavy(shape: Shape) -> int:
    return next(number for number in range(shape.count) if shape.token(number).startswith("b0b0"))


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def over_http(shape: Shape, times: int) -> list[Question]:
    ids = list(_ids(shape, 3 * times))
    heavy = {"token": shape.token(_heavy(shape))}
    small = [f"order-{spread(number) % (shape.messages // 4)}" for number in range(times)]
    tokens = [{"token": shape.token(spread(number) % shape.count // 2 * 2)} for number in range(times)]
    many = [
        Question("deliveries/{id}", [_get(f"/v1/deliveries/{one}") for one in ids[:times]]),
        Question("explain an id", [_get("/v1/explain", apns_id=one) for one in ids[times : 2 * times]]),
        Question("explain a device", [Ask("/v1/explain", one) for one in tokens]),
        Question("explain a device of 100,000", [Ask("/v1/explain", heavy)] * times),
        Question("explain a batch of 100", [_get("/v1/explain", batch=one) for one in small]),
        Question("explain a batch of 100,000", [_get("/v1/explain", batch="launch")] * times),
        Question("batches/{100,000}", [_get("/v1/batches/launch")] * times),
        Question("batches/{1,000 parts}", [_get("/v1/batches/campaign")] * times),
    ]
    for since in ("1h", "1d", "7d", "30d"):
        many.append(Question(f"groups, {since}", [_get("/v1/groups", since=since)] * times))
    many.append(Question("groups of a rare client, 7d", [_get("/v1/groups", since="7d", client="rare")] * times))
    for name, filters in _filters(shape).items():
        many.append(Question(f"deliveries: {name}", [_get("/v1/deliveries", **filters)] * times))
        many.append(Question(f"deliveries: {name}, deep", [_get("/v1/deliveries", limit=200, **filters)], DEEP))
    for since, every in (("1h", "1m"), ("1d", "5m"), ("1d", "1h"), ("30d", "1h"), ("30d", "1d")):
        for by in ({}, {"by": "reason"}, {"by": "client"}):
            name = f"stats {since}, every {every}" + "".join(f", by {value}" for value in by.values())
            many.append(Question(name, [_get("/v1/stats", since=since, every=every, **by)] * times))
    return many


def by_command(shape: Shape, times: int) -> list[Question]:
    def command(*arguments: str) -> Ask:
        return Ask("", arguments=arguments)

    return [
        Question("waybill explain ID", [command("explain", one) for one in _ids(shape, times)]),
        Question("waybill explain BATCH", [command("explain", "launch")] * times),
        Question("waybill logs", [command("logs", "--since", "1h")] * times),
        Question("waybill logs of a time without any", [command("logs", "--since", "30s")] * times),
        Question("waybill logs --failed", [command("logs", "--outcome", "!accepted", "--since", "7d")] * times),
        Question("waybill stats, 24h", [command("stats", "--since", "24h")] * times),
        Question("waybill stats, 30d", [command("stats", "--since", "30d", "--every", "1d")] * times),
    ]


def by_page(shape: Shape, times: int) -> list[Question]:
    def view(name: str, id: str) -> Ask:
        return _get("/", view=name, id=id)

    small = [f"order-{spread(number) % (shape.messages // 4)}" for number in range(times)]
    return [
        Question("page: the overview", [Ask("/")] * times),
        Question("page: the story of one", [view("story", one) for one in _ids(shape, times)]),
        Question("page: a batch of 100", [view("batch", one) for one in small]),
        Question("page: a batch of 100,000", [view("batch", "launch")] * times),
    ]
