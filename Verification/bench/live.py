"""Latency: how long from the publication of a notification to its request on the wire, at a steady rate."""

import time
from dataclasses import replace

from bench import pipeline
from bench.pipeline import Plan
from bench.rig import Rig

WARM_UP = 2000  # notifications that are not timed: the dispatcher connects


def run(rig: Rig, rate: float, per_message: int, seconds: float) -> dict:
    """Publishes at a rate to a dispatcher that waits, in an open loop; the sink takes the times."""
    plan = Plan(int(rate * seconds), per_message=per_message, sink_options=("--skip", WARM_UP))
    sink, port = pipeline.start_simulator(rig, plan)
    rig.clear(port)
    records = rig.records()
    dispatchers = pipeline.start_dispatchers(rig, plan)
    pipeline.fill(rig, replace(plan, count=WARM_UP), rig.next_seed(), "--rate", 1000)
    pipeline.follow(records, WARM_UP, [*dispatchers, sink])
    time.sleep(2.5)  # a lane adds connections one a second
    load = pipeline.fill(rig, plan, rig.next_seed(), "--rate", rate)
    pipeline.follow(records, WARM_UP + plan.count, [*dispatchers, sink])
    for program in dispatchers:
        program.end()
    pipeline.verify(rig, records, {"accepted": WARM_UP + plan.count})
    records.close()
    sink.end()
    report = pipeline.sink_report(sink)
    if report["timed"] != plan.count:
        raise RuntimeError(f"the sink has timed {report['timed']} of {plan.count} notifications")
    names = ("p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms")
    return {name: report[name] for name in names} | {"latest_ms": load["latest_ms"]}
