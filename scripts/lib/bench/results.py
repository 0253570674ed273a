"""What the runs of a scenario came to: medians, a table for people, and rows for programs."""

from dataclasses import dataclass, field
from statistics import median

# How each measure is headed, and with how many decimals it is shown.
MEASURES = {
    "rate": ("/s", 0),
    "ratio": ("ratio", 2),
    "cpu_us.dispatcher": ("dispatcher µs", 2),
    "cpu_us.mongod": ("mongod µs", 2),
    "cpu_us.broker": ("broker µs", 2),
    "cpu_us.simulator": ("simulator µs", 2),
    "rss_mb": ("RSS MB", 1),
    "rss_peak_mb": ("peak MB", 1),
    "load_rate": ("load /s", 0),
}


@dataclass
class Row:
    """One line of a table: the same thing measured several times."""

    label: str
    runs: list[dict[str, float]] = field(default_factory=list)

    def add(self, result: dict) -> None:
        """Takes one run; what is nested gets names with a dot."""
        flat = {}
        for name, value in result.items():
            if isinstance(value, dict):
                flat |= {f"{name}.{inner}": number for inner, number in value.items()}
            else:
                flat[name] = value
        self.runs.append(flat)

    @property
    def medians(self) -> dict[str, float]:
        names = [name for name in self.runs[0] if all(name in run for run in self.runs)]
        return {name: median(run[name] for run in self.runs) for name in names}

    def as_json(self) -> dict:
        return {"label": self.label, "medians": self.medians, "runs": self.runs}


def shown(name: str, value: float | None) -> str:
    if value is None:
        return ""
    decimals = MEASURES.get(name, ("", 2))[1]
    return f"{value:,.{decimals}f}"


def table(title: str, rows: list[Row]) -> str:
    """The medians of some rows, one column for each measure that any of them has."""
    names = list(dict.fromkeys(name for row in rows for name in row.medians))
    names.sort(key=lambda name: list(MEASURES).index(name) if name in MEASURES else len(MEASURES))
    cells = [["", *(MEASURES.get(name, (name, 2))[0] for name in names)]]
    cells += [[row.label, *(shown(name, row.medians.get(name)) for name in names)] for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines = [title]
    for line in cells:
        first, *rest = (cell for cell in line)
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(rest, widths[1:]))
        lines.append(f"  {first.ljust(widths[0])}  {numbers}".rstrip())
    runs = sorted({len(row.runs) for row in rows})
    lines.append(f"  medians of {' or '.join(map(str, runs))} runs; µs are user + system time per notification")
    return "\n".join(lines)
