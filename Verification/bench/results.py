"""What the runs of a scenario came to: medians, a table for people, and rows for programs."""

from dataclasses import dataclass, field
from statistics import median

# How each measure is headed, and with how many decimals it is shown.
MEASURES = {
    "rate": ("/s", 0),
    "expanded_rate": ("expanded /s", 0),
    "predicted": ("predicted /s", 0),
    "ratio": ("ratio", 2),
    "connections": ("connections", 0),
    "cpu_us.dispatcher": ("dispatcher µs", 2),
    "cpu_us.client": ("client µs", 2),
    "cpu_us.mongod": ("mongod µs", 2),
    "cpu_us.broker": ("broker µs", 2),
    "cpu_us.simulator": ("simulator µs", 2),
    "cpu_us.prune": ("prune µs", 2),
    "cpu_us.fanout": ("fanout µs", 2),
    "cpu_us.serve": ("serve µs", 2),
    "cpu_us.schedule": ("schedule µs", 2),
    "rss_early_mb": ("RSS early MB", 1),
    "rss_mb": ("RSS MB", 1),
    "rss_peak_mb": ("peak MB", 1),
    "slope_bytes": ("bytes each", 3),
    "bytes": ("bytes", 0),
    "max_in_flight": ("in flight", 0),
    "load_rate": ("load /s", 0),
    "p50_ms": ("p50 ms", 2),
    "p90_ms": ("p90 ms", 2),
    "p99_ms": ("p99 ms", 2),
    "p999_ms": ("p99.9 ms", 2),
    "max_ms": ("max ms", 2),
    "latest_ms": ("load late ms", 2),
    "late_p50_ms": ("late p50", 2),
    "late_p99_ms": ("late p99", 2),
    "answered_p50_ms": ("answered p50", 2),
    "answered_p99_ms": ("answered p99", 2),
    "pushed_p50_ms": ("pushed p50", 2),
    "pushed_p99_ms": ("pushed p99", 2),
    "logs_ms": ("logs --token ms", 1),
    "answered": ("answered /s", 0),
    "first_push_ms": ("first push ms", 1),
    "binary_mb": ("binary MB", 1),
    "libraries": ("libraries", 0),
    "left": ("left", 0),
    "found": ("found", 0),
}


@dataclass
class Row:
    """One line of a table: the same thing measured several times."""

    label: str
    runs: list[dict[str, float]] = field(default_factory=list)
    note: str = ""
    is_ratio: bool = False  # all its values are ratios of two rows above

    def add(self, result: dict) -> None:
        """Takes one run; what is nested gets names with a dot."""
        flat: dict[str, float] = {}
        for name, value in result.items():
            if isinstance(value, dict):
                flat |= {f"{name}.{inner}": number for inner, number in value.items()}
            else:
                flat[name] = value
        self.runs.append(flat)

    @property
    def medians(self) -> dict[str, float]:
        if not self.runs:
            return {}
        names = [name for name in self.runs[0] if all(name in run for run in self.runs)]
        return {name: median(run[name] for run in self.runs) for name in names}

    def as_json(self) -> dict:
        fields = {"label": self.label, "medians": self.medians, "runs": self.runs}
        return fields | ({"note": self.note} if self.note else {})


def shown(row: Row, name: str) -> str:
    if name not in row.medians:
        return ""
    decimals = 2 if row.is_ratio else MEASURES.get(name, ("", 2))[1]
    return f"{row.medians[name]:,.{decimals}f}"


def table(title: str, rows: list[Row]) -> str:
    """The medians of some rows, one column for each measure that any of them has."""
    names = list(dict.fromkeys(name for row in rows for name in row.medians))
    names.sort(key=lambda name: list(MEASURES).index(name) if name in MEASURES else len(MEASURES))
    cells = [["", *(MEASURES.get(name, (name, 2))[0] for name in names)]]
    cells += [[row.label, *(shown(row, name) for name in names)] for row in rows if row.runs]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines = [title]
    for line in cells:
        first, *rest = line
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(rest, widths[1:]))
        lines.append(f"  {first.ljust(widths[0])}  {numbers}".rstrip())
    lines += [f"  {row.note}" for row in rows if row.note]
    most = max(len(row.runs) for row in rows)
    if most > 1:
        lines.append(f"  medians of {most} runs")
    if any(name.startswith("cpu_us") for name in names):
        lines.append("  µs: user and system time of that process for each notification")
    return "\n".join(lines)
