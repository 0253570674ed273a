"""Receipts: what taking them costs, with one core for `waybill serve`."""

import shutil
from statistics import quantiles

from common.receipts import capability, settings
from common.usage import cpu_seconds

from bench import pipeline, receiving
from bench.pipeline import Plan
from bench.processes import await_port, wait_until_idle
from bench.rig import Rig, free_port

RATE = 5000  # receipts a second


def run(rig: Rig, count: int, seconds: float, rate: float | None, together: int) -> dict:
    """Sends notifications, and has their phones say that they have come.

    count: receipts without a rate. together: receipts in one request.
    """
    wanted = count if rate is None else int(rate * seconds)
    port = free_port()
    plan = Plan(max(1000, wanted))
    simulator, apns = pipeline.start_simulator(rig, plan)
    rig.clear(apns, more={"receipts": settings(rig.folder), "serve": {"listen": f"127.0.0.1:{port}"}})
    records = rig.records()
    dispatchers = pipeline.start_dispatchers(rig, plan)
    pipeline.fill(rig, plan, rig.next_seed())
    pipeline.follow(records, plan.count, [*dispatchers, simulator])
    for program in [*dispatchers, simulator]:
        program.end()
    ids = [str(record["_id"].as_uuid()) for record in records.deliveries.find({}, {"_id": 1}).limit(wanted)]
    said = [{"id": id, "cap": capability(id), "event": "received", "at": 1_790_000_000_000, "app": "1.0"} for id in ids]
    bodies = [said[start : start + together] for start in range(0, len(said), together)]
    one_core = [shutil.which("taskset") or "taskset", "--cpu-list", "0"]
    serve = rig.start("serve", *one_core, rig.programs / "waybill", "serve", "--config", rig.config)
    await_port(serve, port)
    receiving.post(port, bodies[:1], None)
    wait_until_idle([rig.services.broker_pid, rig.services.store_pid])
    watched = {"serve": serve.pid, "mongod": rig.services.store_pid}
    before = {name: cpu_seconds(pid) for name, pid in watched.items()}
    result = receiving.post(port, bodies, rate and rate / together)
    cpu = {name: (cpu_seconds(pid) - before[name]) / len(said) * 1e6 for name, pid in watched.items()}
    serve.end()
    stored = records.receipts.count_documents({})
    records.close()
    if stored != len(said):
        raise RuntimeError(f"{stored} receipts are stored of {len(said)}")
    hundredths = quantiles(result.latencies, n=100)
    times = {"p50_ms": hundredths[49], "p90_ms": hundredths[89], "p99_ms": hundredths[98], "max_ms": max(result.latencies)}
    answered = {"answered": len(said) / result.seconds, "cpu_us": cpu}
    return answered | {name: nanoseconds / 1e6 for name, nanoseconds in times.items()}
