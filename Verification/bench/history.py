"""A log that holds much already: what the next notifications cost, and how long an operator waits for an answer."""

import json
import subprocess
import time
from pathlib import Path
from statistics import median

from bench import pipeline
from bench.limits import SOURCES, compiled, output
from bench.pipeline import Plan
from bench.rig import PREFIX, Rig

LOOKUPS = 20
FILLING = 1_000_000  # records inserted at a time


def run(rig: Rig, held: int, count: int) -> dict:
    """The whole way into a log of so many records, and `waybill logs --token` on it."""
    program = compiled(rig, SOURCES / "store/store_insert.c", "libmongoc-1.0")
    result = pipeline.run(rig, Plan(count), prepare=lambda: fill(rig, program, held))
    if held:
        result["logs_ms"] = median(look_up(rig, program, held // LOOKUPS * number) for number in range(LOOKUPS))
    return result


def fill(rig: Rig, program: Path, held: int) -> None:
    """Adds records as the log writer would, of tokens that nothing else here pushes to."""
    for first in range(0, held, FILLING):
        part = min(FILLING, held - first)
        output(
            [program, "--uri", rig.services.store_url, "--database", PREFIX, "--writers", 2, "--first", first, "--count", part]
        )


def look_up(rig: Rig, program: Path, number: int) -> float:
    """Milliseconds from the start of `waybill logs --token` to its end, the process included."""
    token = subprocess.run([program, "--print-token", str(number)], check=True, capture_output=True, text=True).stdout.strip()
    command: list[str | Path] = [rig.programs / "waybill", "logs", "--config", rig.config, "--token", token, "--json"]
    begin = time.monotonic_ns()
    done = subprocess.run(command, capture_output=True, text=True)
    end = time.monotonic_ns()
    records = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or not records or any(record["device_token"] != token for record in records):
        raise RuntimeError(f"waybill logs --token found {len(records)} records (status {done.returncode}): {done.stderr}")
    return (end - begin) / 1e6
