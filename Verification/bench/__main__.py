"""Runs benchmark scenarios against private services that are up already; scripts/benchmark.sh calls it."""

import argparse
import json
import os
import platform
import signal
import sys
import time
from pathlib import Path

from bench import scenarios
from bench.results import Row, table
from bench.rig import Rig, Services


def main() -> int:
    arguments = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is ended then too
    rig = Rig(arguments.folder, Services.read(arguments.services), arguments.programs)
    effort = scenarios.Effort(arguments.repeat, arguments.scale, arguments.full)
    results, failed = [], False
    try:
        rig.prepare()
        for name in arguments.scenarios:
            try:
                rows = measure(rig, effort, name, arguments)
            except (RuntimeError, OSError) as error:
                print(f"\nbenchmark: {name} failed: {error}", file=sys.stderr, flush=True)
                failed = True
                rig.end_all()
                continue
            print(f"\n{table(f'{name}: {scenarios.SCENARIOS[name].summary}', rows)}", flush=True)
            results.append({"name": name, "rows": [row.as_json() for row in rows]})
    finally:
        rig.end_all()
        if arguments.json:
            write(arguments.json, results, arguments.revision)
    return 1 if failed else 0


def measure(rig: Rig, effort: scenarios.Effort, name: str, arguments: argparse.Namespace) -> list[Row]:
    scenario = scenarios.SCENARIOS[name]
    if not arguments.compare_programs:
        return scenario.measure(rig, effort)
    if not scenario.plan:
        raise RuntimeError(f"{name} cannot be compared between revisions")
    names = (arguments.revision, arguments.compare_revision)
    return scenarios.compare(rig, scenario.plan(effort), effort.repeat, arguments.compare_programs, names)


def write(file: Path, results: list, revision: str) -> None:
    """schemas/benchmark.schema.json"""
    model = next(
        (line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.machine(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    machine = {"cpu": model, "cores": len(os.sched_getaffinity(0)), "memory_mb": memory // 1_000_000}
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    document = {"date": date, "revision": revision, "machine": machine, "scenarios": results}
    file.write_text(json.dumps(document, indent=2) + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where logs and credentials go")
    parser.add_argument("--services", type=Path, required=True, help="the file env of scripts/services.sh")
    parser.add_argument("--programs", type=Path, required=True, help="where waybill and the others are")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--full", action="store_true", help="the long form of scenarios that have one")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--revision", default="here", help="what the programs are called in the output")
    parser.add_argument("--compare-programs", type=Path, help="where the other revision's waybill is")
    parser.add_argument("--compare-revision", default="other")
    parser.add_argument("scenarios", nargs="+", choices=list(scenarios.SCENARIOS))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
