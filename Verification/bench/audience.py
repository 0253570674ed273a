"""An audience of many devices: how fast it becomes notifications, and what single notifications meet beside it."""

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from common.registry import device
from common.usage import cpu_seconds, memory

from bench import pipeline
from bench.devices import APP, words
from bench.pipeline import Plan
from bench.processes import Program, wait_until_idle
from bench.records import Records
from bench.rig import Rig

WARM_UP = 2000  # notifications that are not timed: the dispatcher connects
RATE = 200  # single notifications a second
NAME = "bench-audience"
BULK = 10_000  # devices of one insertion


@dataclass
class Expansion:
    """What the process that expands has been seen to need: its resident size each half second, and the CPU of all."""

    program: Program

    def __post_init__(self) -> None:
        self.sizes: list[int] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def _sample(self) -> None:
        while not self._over.wait(0.5):
            try:
                self.sizes.append(memory(self.program.pid)[0])
            except OSError:
                return

    def end(self) -> dict[str, float]:
        """Its size after a tenth of the time and at the end."""
        self._over.set()
        self._thread.join()
        early = self.sizes[len(self.sizes) // 10]
        return {"rss_early_mb": early / 1e6, "rss_mb": self.sizes[-1] / 1e6, "rss_peak_mb": memory(self.program.pid)[1] / 1e6}


def run(rig: Rig, devices: int, seconds: float) -> dict:
    """Sends to all devices of an app while single notifications go to the dispatch queue in an open loop, timed by a sink."""
    singles = Plan(int(RATE * seconds), per_message=1, sink_options=("--skip", WARM_UP))
    sink, port = pipeline.start_simulator(rig, singles)
    rig.clear(port)
    records = rig.records()
    register(records, devices, rig.next_seed())
    (dispatcher,) = pipeline.start_dispatchers(rig, singles)
    fanout = rig.start("fanout", "waybill", "fanout", "--config", rig.config)
    pipeline.fill(rig, replace(singles, count=WARM_UP), rig.next_seed(), "--rate", 1000)
    pipeline.follow(records, WARM_UP, [dispatcher, sink, fanout])
    wait_until_idle([rig.services.broker_pid, rig.services.store_pid])

    watched = {"fanout": fanout.pid, "dispatcher": dispatcher.pid, "mongod": rig.services.store_pid}
    before = {name: cpu_seconds(pid) for name, pid in watched.items()}
    expansion = Expansion(fanout)
    send(rig)
    load = pipeline.fill(rig, singles, rig.next_seed(), "--rate", RATE)
    left = devices + WARM_UP + singles.count - records.count()
    progress = pipeline.follow(records, devices + singles.count, [dispatcher, sink, fanout], held=WARM_UP)
    cpu = {name: cpu_seconds(pid) - before[name] for name, pid in watched.items()}
    sizes = expansion.end()
    expanded = ended(records, devices)
    for program in (fanout, dispatcher):
        program.end()
    pipeline.verify(rig, records, {"accepted": WARM_UP + devices + singles.count})
    records.close()
    sink.end()
    report = pipeline.sink_report(sink)
    if report["timed"] != singles.count:
        raise RuntimeError(f"the sink has timed {report['timed']} of {singles.count} notifications")
    return {
        "rate": progress.rate,
        "expanded_rate": expanded,
        "cpu_us": {name: each / devices * 1e6 for name, each in cpu.items()},
        **sizes,
        **{name: report[name] for name in ("p50_ms", "p99_ms", "max_ms")},
        "latest_ms": load["latest_ms"],
        # Of the audience, when the last single notification was published.
        "left": left,
    }


def register(records: Records, count: int, seed: int) -> None:
    """Registers devices of yesterday, in the order of the installations' tokens."""
    yesterday = datetime.now(UTC) - timedelta(days=1)
    tokens = made_tokens(seed)
    for first in range(0, count, BULK):
        some = [device(APP, next(tokens), yesterday) for _ in range(first, min(count, first + BULK))]
        records.devices.insert_many(some, ordered=False)


def made_tokens(seed: int) -> Iterator[str]:
    source = words(seed)
    while True:
        yield "".join(f"{next(source):016x}" for _ in range(4))


def send(rig: Rig) -> None:
    message = {"audience_id": NAME, "client": "bench", "content": {"message": "News"}, "select": {"app": APP}}
    file = rig.folder / "audience.json"
    file.write_text(json.dumps(message))
    rig.tool("waybill", "audience", "send", file, "--config", rig.config)


def ended(records: Records, devices: int) -> float:
    """Devices a second, from the entry of the audience to its end."""
    end = time.monotonic() + 30
    while True:
        one = records.audiences.find_one({"name": NAME}) or {}
        if one.get("finished_at"):
            break
        if time.monotonic() > end:
            raise RuntimeError(f"the audience has not ended: {one.get('state')}")
        time.sleep(0.1)
    if (one["state"], one["expanded"], one["handed_over"]) != ("done", devices, devices):
        raise RuntimeError(f"the audience has ended as {one}")
    return devices / (one["finished_at"] - one["created_at"]).total_seconds()
