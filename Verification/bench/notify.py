"""The front door: how long from a service's request until its push is at APNs, alone and beside a campaign."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import quantiles

from common import frontdoor
from common.usage import cpu_seconds

from bench import audience, people, pipeline
from bench.devices import APP
from bench.pipeline import Plan
from bench.processes import Program, await_port, wait_until_idle
from bench.producing import Asked, produce
from bench.records import Records
from bench.rig import TOPIC, Rig, free_port

RATE = 200  # requests a second
PEOPLE = 50  # each with a phone and a service
WARM_UP = 2000  # notifications that are not timed: the dispatcher connects
FIRST = 400  # requests that are not timed: serve connects


@dataclass
class House:
    """Everything that a service's notification, or a campaign, passes on its way."""

    rig: Rig
    records: Records
    port: int
    keys: list[str]
    sink: Program
    arrivals: Path
    roles: dict[str, Program]  # by name
    expected: int  # records in the end

    @property
    def programs(self) -> list[Program]:
        return [*self.roles.values(), self.sink]

    def cpu(self) -> dict[str, float]:
        pids = {name: program.pid for name, program in self.roles.items()}
        pids |= {"mongod": self.rig.services.store_pid, "broker": self.rig.services.broker_pid}
        return {name: cpu_seconds(pid) for name, pid in pids.items()}

    def close(self) -> None:
        """Ends all roles, and accounts for every notification."""
        for program in self.roles.values():
            program.end()
        pipeline.verify(self.rig, self.records, {"accepted": self.expected})
        self.records.close()
        self.sink.end()


def run(rig: Rig, devices: int, seconds: float, age: float) -> tuple[dict, dict, dict]:
    """A campaign alone, as fast as it goes; requests alone; and requests beside a campaign at half of the first one's rate.

    age: seconds that the dispatcher is to have consumed before anything is timed. In its first minute it looks up in the log
    what it is to send, and later hardly ever.
    """
    house = build(rig, devices, age)
    before = house.cpu()
    by_itself = ask(house, seconds)
    pipeline.follow(house.records, house.expected, house.programs)
    cpu = {name: (used - before[name]) / len(by_itself) * 1e6 for name, used in house.cpu().items()}
    most = campaign(house, "first", devices)
    near, rate, left = beside(house, "second", devices, most / 2, seconds)
    house.close()
    arrived = arrivals(house.arrivals, len(by_itself) + len(near))
    alone = {"cpu_us": cpu, **times(arrived, by_itself)}
    return {"rate": most}, alone, {"rate": rate, "left": left, **times(arrived, near)}


def build(rig: Rig, devices: int, age: float) -> House:
    """Starts every role, with people who have entered and so many more devices, and passes a first load through them."""
    file = rig.folder / "arrivals"
    plan = Plan(WARM_UP, per_message=1, sink_options=("--skip", WARM_UP + FIRST, "--arrivals", file))
    sink, apns = pipeline.start_simulator(rig, plan)
    port = free_port()
    services = {"app": APP, "lane": "bench", "client": "services"}
    serve = {"listen": f"127.0.0.1:{port}", **frontdoor.accounts(rig.folder, [f"ABCDE12345.{TOPIC}"], services)}
    rig.clear(apns, more={"serve": serve, "clients": {"bench": {"apps": [APP]}}})
    records = rig.records()
    roles = {name: rig.start(name, "waybill", name, "--config", rig.config) for name in ("serve", "fanout", "schedule")}
    (roles["dispatcher"],) = pipeline.start_dispatchers(rig, plan)
    house = House(rig, records, port, [], sink, file, roles, 0)
    await_port(roles["serve"], port)
    pipeline.fill(rig, replace(plan, count=WARM_UP), rig.next_seed(), "--rate", 1000)
    begun = time.monotonic()
    house.keys = people.enter(port, records, PEOPLE)
    audience.register(records, devices, rig.next_seed())
    ask(house, FIRST / RATE, is_timed=False)
    house.expected += WARM_UP
    pipeline.follow(records, house.expected, house.programs)
    time.sleep(max(0.0, begun + age - time.monotonic()))
    wait_until_idle([rig.services.broker_pid, rig.services.store_pid])
    return house


def ask(house: House, seconds: float, is_timed: bool = True) -> list[Asked]:
    """Requests in an open loop."""
    asked = produce(house.port, house.keys, RATE, seconds, is_timed)
    refused = [one.status for one in asked if one.status != 204]
    if refused:
        raise RuntimeError(f"{len(refused)} of {len(asked)} requests were not taken, the first with {refused[0]}")
    house.expected += len(asked)
    return asked


def campaign(house: House, name: str, devices: int) -> float:
    """A campaign as fast as it goes: notifications a second."""
    held = house.expected
    begin(house, name, devices)
    progress = pipeline.follow(house.records, devices + PEOPLE, house.programs, held)
    await_end(house)
    return progress.rate


def beside(house: House, name: str, devices: int, rate: float, seconds: float) -> tuple[list[Asked], float, int]:
    """Requests beside a campaign at a rate, which lasts longer than they do; its rate meanwhile, and what of it was left."""
    held = house.expected
    begin(house, name, devices, "--per-minute", round(rate * 60))
    pipeline.follow(house.records, 1, house.programs, held)
    began, first = time.monotonic(), house.records.count()
    # While at most four fifths of it can have gone.
    asked = ask(house, min(seconds, 0.8 * devices / rate))
    took, last = time.monotonic() - began, house.records.count()
    left = house.expected - last
    if left < devices / 20:
        raise RuntimeError("the campaign has ended before the requests have")
    pipeline.follow(house.records, house.expected, house.programs)
    await_end(house)
    return asked, (last - first) / took - RATE, left


def begin(house: House, name: str, devices: int, *options: object) -> None:
    """Starts a campaign to all devices."""
    order = lambda *words: house.rig.tool("waybill", "campaign", *words, "--config", house.rig.config)  # noqa: E731
    order("create", name, "--client", "bench", "--app", APP, "--body", "News", *options)
    order("start", name, "--client", "bench", "--at-most", devices + PEOPLE)
    house.expected += devices + PEOPLE


def await_end(house: House) -> None:
    """Waits until the account of every campaign is closed."""
    end = time.monotonic() + 60
    while house.records.notifications.find_one({"x-campaign": {"$exists": True}, "finished_at": {"$exists": False}}):
        if time.monotonic() > end:
            raise RuntimeError("the campaign has not ended")
        time.sleep(0.1)


def arrivals(file: Path, count: int) -> dict[int, int]:
    """When each request's push has come, by when the request was due, as a sink has written them down."""
    pairs = [line.split() for line in file.read_text().splitlines()]
    found = {int(due): int(came) for due, came in pairs}
    if len(pairs) != count or len(found) != count:
        raise RuntimeError(f"{len(pairs)} pushes of {len(found)} requests have come, not {count}")
    return found


def times(arrived: dict[int, int], asked: list[Asked]) -> dict[str, float]:
    """From the moment when a request was due until its push has come; and the parts of that.

    late: until the producer began. answered: from there to the answer, which comes when the notification is stored and the
    broker has it. pushed: from the answer to the push, which may come before.
    """
    parts = {
        "": [arrived[one.due] - one.due for one in asked],
        "late_": [one.begun - one.due for one in asked],
        "answered_": [one.answered - one.begun for one in asked],
        "pushed_": [arrived[one.due] - one.answered for one in asked],
    }
    found: dict[str, float] = {}
    for name, values in parts.items():
        hundredths = quantiles(values, n=100)
        shown = {"p50": hundredths[49], "p99": hundredths[98]}
        if not name:
            shown |= {"p90": hundredths[89], "max": max(values)}
        found |= {f"{name}{measure}_ms": value / 1e6 for measure, value in shown.items()}
    return found
