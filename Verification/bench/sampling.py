"""Where the dispatcher's time goes: samples of a whole run, by thread, by library and by function."""

import re
import shutil
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bench import pipeline
from bench.pipeline import Plan
from bench.rig import Rig

FREQUENCY = 1999  # a second; no divisor of the timer's
SAMPLE = re.compile(r"^\s*(\S+)\s+[0-9a-f]+ (.*) \((.*)\)$")
# Names that perf and the demangler leave long; only their beginning tells something.
WIDTH = 72


@dataclass
class Samples:
    """How often the processor was found in each place."""

    total: int = 0
    threads: Counter = field(default_factory=Counter)
    libraries: Counter = field(default_factory=Counter)
    functions: Counter = field(default_factory=Counter)  # (thread, function)

    def add(self, thread: str, function: str, library: str) -> None:
        self.total += 1
        self.threads[thread] += 1
        self.libraries[library] += 1
        self.functions[thread, function if function != "[unknown]" else f"in {library}"] += 1


def run(rig: Rig, plan: Plan) -> dict:
    """The figures of the run, and the samples under "samples"."""
    if not shutil.which("perf"):
        raise RuntimeError("there is no perf: install linux-perf")
    data = rig.folder / "perf.data"
    recorder: list[subprocess.Popen] = []

    def record(pid: int) -> None:
        time.sleep(0.3)  # its threads must be there: perf follows those that it finds
        command = ["perf", "record", "-q", "-F", str(FREQUENCY), "-o", str(data), "-p", str(pid)]
        recorder.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    result = pipeline.run(rig, plan, watch=record)
    if recorder[0].wait(timeout=60) not in (0, 2) or not data.exists():  # it ends with the process that it watches
        raise RuntimeError("perf could not record: perf_event_paranoid may forbid it")
    return result | {"samples": read(data)}


def read(data: Path) -> Samples:
    script = subprocess.run(
        ["perf", "script", "-i", str(data), "-G", "-F", "comm,ip,sym,dso"], capture_output=True, text=True, errors="replace"
    ).stdout
    samples = Samples()
    for line in script.splitlines():
        if found := SAMPLE.match(line):
            samples.add(found[1], found[2].split("+0x")[0], library(found[3]))
    return samples


def library(path: str) -> str:
    return "the kernel" if path.startswith("[") else re.sub(r"\.so.*", "", Path(path).name)


def words(samples: Samples, cpu: float) -> str:
    """The shares, in percent and in microseconds for each notification."""
    if not samples.total:
        return "no samples"

    def lines(title: str, counter: Counter, most: int) -> list[str]:
        return [title] + [
            f"  {100 * number / samples.total:5.1f} %  {cpu * number / samples.total:5.2f} µs  {name}"
            for name, number in counter.most_common(most)
        ]

    functions = Counter({f"{thread:11} {short(name)}": number for (thread, name), number in samples.functions.items()})
    return "\n".join(
        lines("by thread", samples.threads, 6)
        + lines("by library", samples.libraries, 12)
        + lines("by function", functions, 24)
    )


def short(name: str) -> str:
    demangled = subprocess.run(["swift", "demangle", "--compact", "--simplified", name], capture_output=True, text=True)
    name = demangled.stdout.strip() or name
    return name if len(name) <= WIDTH else name[: WIDTH - 1] + "…"
