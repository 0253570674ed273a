"""One run of the whole pipeline: fill the queue, start the dispatcher, measure, and account for every notification."""

import time
from dataclasses import dataclass
from pathlib import Path

from processes import cpu_seconds, memory, wait_until_idle
from rig import Rig

STALL = 60  # seconds without a new record after which a run has failed


@dataclass
class Plan:
    """What is published, and what it meets."""

    count: int
    form: str = "array"
    content: str = "payload"
    per_message: int = 100
    payload: int = 200
    connections: int = 2
    dispatchers: int = 1
    max_in_flight: int = 20000
    programs: Path | None = None  # those of another revision


def run(rig: Rig, plan: Plan) -> dict:
    """Raises when a notification is without its record, or has two fates."""
    rig.runs += 1
    simulator, port = rig.start_simulator("--constant")
    rig.clear(port, plan.connections, plan.max_in_flight, plan.programs)
    load = rig.bench(
        "load", "--count", plan.count, "--form", plan.form, "--content", plan.content, "--payload", plan.payload,
        "--per-message", plan.per_message, "--batch-id", f"run{rig.runs}", "--seed", rig.runs,
    )  # fmt: skip
    wait_until_idle([rig.services.broker_pid, rig.services.store_pid])

    watched = {"mongod": rig.services.store_pid, "broker": rig.services.broker_pid, "simulator": simulator.pid}
    before = {name: cpu_seconds(pid) for name, pid in watched.items()}
    records = rig.records()
    dispatchers = [
        rig.start(f"dispatch-{n}", "waybill", "dispatch", "--config", rig.config, programs=plan.programs)
        for n in range(plan.dispatchers)
    ]
    first, last = follow(records, plan.count, [*dispatchers, simulator])
    cpu = {name: cpu_seconds(pid) - before[name] for name, pid in watched.items()}
    cpu["dispatcher"] = sum(cpu_seconds(program.pid) for program in dispatchers)
    sizes = [memory(program.pid) for program in dispatchers]
    for program in dispatchers:
        program.end()
    simulator.end()
    verify(rig, records, {"accepted": plan.count})
    records.close()
    return {
        "rate": plan.count / (last - first),
        "cpu_us": {name: seconds / plan.count * 1e6 for name, seconds in cpu.items()},
        "rss_mb": max(size[0] for size in sizes) / 1e6,
        "rss_peak_mb": max(size[1] for size in sizes) / 1e6,
        "load_rate": plan.count / load["seconds"],
    }


def follow(records, expected: int, programs: list) -> tuple[float, float]:
    """The times of the first and of the last record, to a hundredth of a second."""
    first, seen, changed = None, 0, time.monotonic()
    while seen < expected:
        time.sleep(0.01)
        count, now = records.count(), time.monotonic()
        if count > seen:
            first = first or now
            seen, changed = count, now
        elif now - changed > STALL:
            raise RuntimeError(f"nothing new for {STALL} s: {seen} of {expected} records")
        else:
            for program in programs:
                program.check()
    return first, changed


def verify(rig: Rig, records, expected: dict[str, int], events: int = 0) -> None:
    """Every notification has its record, every message is acknowledged, every dead token has its event."""
    found = records.by_outcome()
    if found != expected or records.count() != sum(expected.values()):
        raise RuntimeError(f"the log holds {found}, {records.count()} in all, instead of {expected}")
    waiting = rig.bench("depth", "dispatch", "invalid-tokens", "rejected")
    if waiting != {"dispatch": 0, "invalid-tokens": events, "rejected": 0}:
        raise RuntimeError(f"the queues hold {waiting}; expected nothing but {events} events")
