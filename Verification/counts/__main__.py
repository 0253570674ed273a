"""Counts the exact cases of waybill-bench and compares them with a record.

    python -m counts --program FILE --baseline FILE [--update] [CASE…]

Ends with 0 when nothing has grown, 1 when a count has grown or is not recorded yet, 64 for a case that does not exist.
"""

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from counts.compare import HEADING, line, self_test, verdict
from counts.run import Count, CountingFailed, count, measured_with, names


def read(baseline: Path) -> tuple[dict[str, str], dict[str, Count]]:
    if not baseline.exists():
        return {}, {}
    record = json.loads(baseline.read_text())
    return record["measured_with"], {case: Count(**values) for case, values in record["cases"].items()}


def write(baseline: Path, recorded: dict[str, Count], order: list[str]) -> None:
    cases = {case: asdict(recorded[case]) for case in order if case in recorded}
    baseline.write_text(json.dumps({"measured_with": measured_with(), "cases": cases}, indent=2) + "\n")


def warn_of_differences(before: dict[str, str]) -> None:
    """Other libraries, other counts: then a comparison says little of our own sources."""
    for name, version in measured_with().items():
        if name in before and before[name] != version:
            print(f"note: recorded with {name} {before[name]}, this is {version}: counts may differ", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--baseline", required=True, type=Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    self_test()
    known = names(options.program)
    for case in options.cases:
        if case not in known:
            print(f"counts: there is no case {case}; there are {', '.join(known)}", file=sys.stderr)
            return 64
    chosen = options.cases or known
    before, recorded = read(options.baseline)
    warn_of_differences(before)

    words: dict[str, list[str]] = {}
    print(HEADING, flush=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counted = pool.map(lambda case: count(options.program, case), chosen)
        for case, now in zip(chosen, counted):
            print(line(case, recorded.get(case), now), flush=True)
            words.setdefault(verdict(recorded.get(case), now), []).append(case)
            if options.update:
                recorded[case] = now
    gone = [] if options.cases else [case for case in recorded if case not in known]

    if options.update:
        write(options.baseline, recorded, known)
        print(f"Recorded in {options.baseline}")
        return 0
    if "shrunk" in words:
        print(f"Shrunk: {', '.join(words['shrunk'])}. Record it with scripts/counts.sh --update")
    for word, why in (("grown", "Grown"), ("new", "Not recorded yet")):
        if word in words:
            print(f"{why}: {', '.join(words[word])}", file=sys.stderr)
    if gone:
        print(f"Recorded, and no case any more: {', '.join(gone)}", file=sys.stderr)
    return 1 if "grown" in words or "new" in words or gone else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CountingFailed as failure:
        print(f"counts: {failure}", file=sys.stderr)
        sys.exit(1)
