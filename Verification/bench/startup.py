"""Cold start: from the start of the process to its first push on the wire, and what the program is made of."""

import os
import subprocess
import time
from pathlib import Path

from bench import pipeline
from bench.pipeline import Plan
from bench.rig import Rig


def run(rig: Rig) -> dict:
    """One message waits; the time until its request has come is an upper bound for that until it was taken."""
    plan = Plan(1, per_message=1, sink_options=("--skip", 0))
    sink, port = pipeline.start_simulator(rig, plan)
    rig.clear(port)
    pipeline.fill(rig, plan, rig.next_seed())
    time.sleep(0.5)
    records = rig.records()
    begin = time.monotonic_ns()
    dispatchers = pipeline.start_dispatchers(rig, plan)
    pipeline.follow(records, 1, [*dispatchers, sink])
    for program in dispatchers:
        program.end()
    pipeline.verify(rig, records, {"accepted": 1})
    records.close()
    sink.end()
    return {"first_push_ms": (pipeline.sink_report(sink)["first_ns"] - begin) / 1e6}


def binary(program: Path) -> tuple[dict, list[str]]:
    """Its size, and the names of the libraries that the loader maps."""
    lines = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout.splitlines()
    names = [Path(line.split()[0]).name for line in lines]
    return {"binary_mb": os.path.getsize(program) / 1e6, "libraries": len(names)}, names
