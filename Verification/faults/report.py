"""The table and the JSON of a session: one line for each case, over all its runs."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from faults.oracle.verdict import Verdict

HEAD = (
    f"{'case':<34} {'runs':>4} {'issued':>7} {'lost':>4} {'unexp.':>6} {'repeated':>8} {'marked':>6} {'bound':>6}"
    f" {'recovery':>8} {'memory MiB':>10} {'took':>6}  verdict"
)


@dataclass
class Line:
    """All runs of one case."""

    case: str
    group: str
    runs: dict[int, Verdict] = field(default_factory=dict)  # by number

    @property
    def passed(self) -> bool:
        return bool(self.runs) and all(run.passed for run in self.runs.values())

    def total(self, name: str) -> int:
        return sum(getattr(run, name) for run in self.runs.values())

    def __str__(self) -> str:
        before = max((run.memory_before for run in self.runs.values()), default=0) >> 20
        after = max((run.memory_after for run in self.runs.values()), default=0) >> 20
        recovery = max((run.recovery for run in self.runs.values()), default=0)
        failed = sum(not run.passed for run in self.runs.values())
        verdict = "ok" if self.passed else f"FAILED {failed} of {len(self.runs)}"
        return (
            f"{self.case:<34} {len(self.runs):>4} {self.total('issued'):>7} {self.total('lost'):>4}"
            f" {self.total('unexpected'):>6} {self.total('repeated'):>8} {self.total('marked'):>6}"
            f" {self.total('bound'):>6} {recovery:>6.1f} s {f'{before} → {after}':>10}"
            f" {self.total('seconds'):>4.0f} s  {verdict}"
        )


def show(line: Line, seed: int) -> None:
    """Prints a case's line, and below it the notes and findings of its runs."""
    print(line, flush=True)
    for number, verdict in sorted(line.runs.items()):
        for note in verdict.notes:
            print(f"    {note}", flush=True)
        for finding in verdict.findings:
            print(f"    seed {seed + number}: {finding}", flush=True)


def write_json(file: Path, lines: list[Line], seed: int, quick: bool) -> None:
    """Everything the table shows, and each run's findings."""
    cases = [
        {"case": line.case, "group": line.group, "runs": [asdict(run) for _, run in sorted(line.runs.items())]}
        for line in lines
    ]
    file.write_text(json.dumps({"seed": seed, "quick": quick, "cases": cases}, indent=1) + "\n")
