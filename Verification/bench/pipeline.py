"""One run of the whole pipeline: fill the queue, start the dispatcher, measure, and account for every notification."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from common.usage import cpu_seconds, memory

from bench.devices import register
from bench.processes import Program, wait_until_idle
from bench.records import Records
from bench.rig import Rig

STALL = 60  # seconds without a new record after which a run has failed


@dataclass
class Plan:
    """What is published, and what it meets."""

    count: int
    form: str = "array"
    content: str = "payload"
    provider: str = "apns"
    is_critical: bool = False
    per_message: int = 100
    payload: int = 200
    dead_share: float = 0
    connections: int = 2
    dispatchers: int = 1
    max_in_flight: int = 20000
    sink_options: tuple = ()  # the measuring sink with these in place of the constant simulator
    programs: Path | None = None  # waybill of another revision


@dataclass
class Progress:
    """How the records came: (seconds on the monotonic clock, records), from the first one to the last."""

    samples: list[tuple[float, int]]

    @property
    def rate(self) -> float:
        (start, _), (end, count) = self.samples[0], self.samples[-1]
        return count / (end - start) if end > start else 0


def run(
    rig: Rig,
    plan: Plan,
    prepare: Callable[[], None] = lambda: None,
    watch: Callable[[int], None] = lambda pid: None,
    judge: Callable | None = None,
) -> dict:
    """One run into an empty log, or into what `prepare` has put there; `watch` learns the first dispatcher's process.

    judge: takes the place of `verify`.

    Raises when a notification is without its record, or a dead token without its event.
    """
    simulator, port = start_simulator(rig, plan)
    rig.clear(port, plan.connections, plan.max_in_flight, plan.programs, provider=plan.provider)
    seed = rig.next_seed()
    load = fill(rig, plan, seed)
    dead = load["dead"]
    prune = None
    prepare()
    records = rig.records()
    held = records.count()
    if dead:
        register(records, seed, plan.count, plan.dead_share)
        prune = rig.start("prune", "waybill", "prune", "--config", rig.config, programs=plan.programs)
    wait_until_idle([rig.services.broker_pid, rig.services.store_pid])

    watched = {"mongod": rig.services.store_pid, "broker": rig.services.broker_pid, "simulator": simulator.pid}
    if prune:
        watched["prune"] = prune.pid
    before = {name: cpu_seconds(pid) for name, pid in watched.items()}
    dispatchers = start_dispatchers(rig, plan)
    watch(dispatchers[0].pid)
    progress = follow(records, plan.count, [*dispatchers, simulator], held)
    cpu = {name: cpu_seconds(pid) - before[name] for name, pid in watched.items()}
    cpu["dispatcher"] = sum(cpu_seconds(program.pid) for program in dispatchers)
    sizes = [memory(program.pid) for program in dispatchers]
    for program in dispatchers:
        program.end()
    expected = {"accepted": plan.count - dead} | ({"token_invalid": dead} if dead else {})
    if prune:
        await_disabled(records, dead, prune)
        prune.end()
    (judge or verify)(rig, records, expected, held, f"run{seed}.")
    records.close()
    simulator.end()
    result = {
        "rate": progress.rate,
        "cpu_us": {name: seconds / plan.count * 1e6 for name, seconds in cpu.items()},
        "rss_mb": max(size[0] for size in sizes) / 1e6,
        "rss_peak_mb": max(size[1] for size in sizes) / 1e6,
        "load_rate": plan.count / load["seconds"],
    }
    if plan.sink_options:
        result["connections"] = sink_report(simulator)["connections"]
    return result


def start_simulator(rig: Rig, plan: Plan) -> tuple[Program, int]:
    if plan.sink_options:
        return rig.start_simulator(*plan.sink_options, command=["waybill-bench", "sink"])
    account = ["--service-account", rig.credentials / "service-account.json"] if plan.provider == "fcm" else []
    return rig.start_simulator("--constant", *account)


def sink_report(sink: Program) -> dict:
    """What a sink said when it ended."""
    return json.loads(sink.words(1))


def fill(rig: Rig, plan: Plan, seed: int, *options: object) -> dict:
    """Publishes what the plan says; with a seed of its own each time, because the same batch would not be sent again."""
    return rig.bench(
        "load", "--count", plan.count, "--form", plan.form, "--content", plan.content, "--payload", plan.payload,
        "--tokens", plan.provider,
        "--per-message", plan.per_message, "--dead-share", plan.dead_share, "--batch-id", f"run{seed}",
        "--seed", seed, *(("--critical",) if plan.is_critical else ()), *options,
    )  # fmt: skip


def start_dispatchers(rig: Rig, plan: Plan) -> list[Program]:
    return [
        rig.start(f"dispatch-{n}", "waybill", "dispatch", "--config", rig.config, programs=plan.programs)
        for n in range(plan.dispatchers)
    ]


def follow(records: Records, expected: int, programs: list[Program], held: int = 0) -> Progress:
    """Watches the log until it holds as many records more than it held, to a hundredth of a second."""
    samples: list[tuple[float, int]] = []
    seen, changed = 0, time.monotonic()
    while seen < expected:
        time.sleep(0.01)
        count, now = records.count() - held, time.monotonic()
        if count > seen:
            samples.append((now, count))
            seen, changed = count, now
        elif now - changed > STALL:
            raise RuntimeError(f"nothing new for {STALL} s: {seen} of {expected} records")
        else:
            for program in programs:
                program.check()
    return Progress(samples)


def await_disabled(records: Records, expected: int, prune: Program) -> None:
    """Waits until the registry has learned of every dead token."""
    end = time.monotonic() + STALL
    while (found := records.disabled()) != expected:
        prune.check()
        if found > expected or time.monotonic() > end:
            raise RuntimeError(f"the registry has disabled {found} tokens instead of {expected}")
        time.sleep(0.05)


def verify(rig: Rig, records: Records, expected: dict[str, int], held: int = 0, batches: str = "") -> None:
    """Every notification has its record and every message is acknowledged; no event and no rejected body is left."""
    found = records.by_outcome(batches if held else "")
    if found != expected or records.count() - held != sum(expected.values()):
        raise RuntimeError(f"the log holds {found}, {records.count() - held} in all, instead of {expected}")
    waiting = rig.bench("depth", "dispatch", "retry", "invalid-tokens", "rejected")
    if any(waiting.values()):
        raise RuntimeError(f"the queues are not empty at the end: {waiting}")
