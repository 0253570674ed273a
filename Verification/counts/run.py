"""Counts one case of waybill-bench micro: instructions under valgrind, allocations by the program itself."""

import json
import os
import re
import subprocess
from dataclasses import dataclass

FEWER = 5_000  # notifications of the first run: every sample once
MORE = 2 * FEWER
COLLECTED = re.compile(r"Collected : (\d+)")
# What the counts depend on besides our own sources.
PACKAGES = ["valgrind", "libc6", "libssl3", "libnghttp2-14", "libbson-1.0-0", "libmongoc-1.0-0"]


@dataclass
class Count:
    """For one notification."""

    instructions: float
    allocations: float
    bytes: float


class CountingFailed(Exception):
    pass


def environment() -> dict[str, str]:
    """Little, and the same everywhere: a random hash seed would change the work of every table."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {"LC_ALL": "C", "SWIFT_DETERMINISTIC_HASHING": "1"}


def names(program: str) -> list[str]:
    """All cases whose counts are the same at every run."""
    listed = subprocess.run(
        [program, "micro", "--exact", "--list"], env=environment(), check=True, capture_output=True, text=True
    )
    return [line.split()[0] for line in listed.stdout.splitlines() if line.strip()]


def run(program: str, case: str, notifications: int) -> tuple[int, dict]:
    """The instructions of a whole run, and what the program says of its loop."""
    # callgrind, unlike valgrind's other tools, leaves malloc to the program, which counts there.
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "micro", "--exact", "--json"]
    command += ["--case", case, "--count", str(notifications)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    collected = COLLECTED.search(done.stderr)
    if done.returncode != 0 or not collected:
        raise CountingFailed(f"{case}: {done.stderr.strip() or done.stdout.strip()}")
    return int(collected[1]), json.loads(done.stdout)[0]


def count(program: str, case: str) -> Count:
    """What one more notification costs: two runs differ by the loop alone, so that start and samples cancel out."""
    fewer, _ = run(program, case, FEWER)
    more, report = run(program, case, MORE)
    return Count(
        instructions=round((more - fewer) / (MORE - FEWER), 1),
        allocations=round(report["allocations"]["median"], 3),
        bytes=round(report["allocated_bytes"]["median"], 1),
    )


def measured_with() -> dict[str, str]:
    """The versions behind the counts."""
    versions = {}
    for package in PACKAGES:
        asked = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True)
        versions[package] = asked.stdout if asked.returncode == 0 else "unknown"
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    found = re.search(r"Swift version (\S+)", swift)
    versions["swift"] = found[1] if found else "unknown"
    # Valgrind shows the program a processor of its own, but only what the real one has: libraries choose by that.
    with open("/proc/cpuinfo") as processors:
        versions["processor"] = "x86-64 with AVX2" if " avx2 " in processors.read() else "without AVX2"
    return versions
