"""The table and the JSON of a session: one line for each case, over all its runs."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from faults.verdict import Verdict

HEAD = (
    f"{'case':<34} {'runs':>4} {'issued':>7} {'lost':>4} {'unexp.':>6} {'repeated':>8} {'marked':>6} {'bound':>6}"
    f" {'recovery':>8} {'memory MiB':>10}  verdict"
)


@dataclass
class Line:
    """All runs of one case."""

    case: str
    group: str
    runs: list[Verdict] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return bool(self.runs) and all(run.passed for run in self.runs)

    def total(self, name: str) -> int:
        return sum(getattr(run, name) for run in self.runs)

    def __str__(self) -> str:
        before = max((run.memory_before for run in self.runs), default=0) >> 20
        after = max((run.memory_after for run in self.runs), default=0) >> 20
        recovery = max((run.recovery for run in self.runs), default=0)
        failed = sum(not run.passed for run in self.runs)
        verdict = "ok" if self.passed else f"FAILED {failed} of {len(self.runs)}"
        return (
            f"{self.case:<34} {len(self.runs):>4} {self.total('issued'):>7} {self.total('lost'):>4}"
            f" {self.total('unexpected'):>6} {self.total('repeated'):>8} {self.total('marked'):>6}"
            f" {self.total('bound'):>6} {recovery:>6.1f} s {f'{before} → {after}':>10}  {verdict}"
        )


def write_json(file: Path, lines: list[Line], seed: int, quick: bool) -> None:
    """Everything the table shows, and each run's findings."""
    cases = [{"case": line.case, "group": line.group, "runs": [asdict(run) for run in line.runs]} for line in lines]
    file.write_text(json.dumps({"seed": seed, "quick": quick, "cases": cases}, indent=1) + "\n")
