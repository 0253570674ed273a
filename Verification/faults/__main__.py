"""The command line: chooses cases, runs them, prints the table and the sum. See scripts/faults.sh."""

import argparse
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from common.places import ROOT
from proxy.selftest import wire_test

from faults import report
from faults.cases import Case, load_all
from faults.oracle import selftest
from faults.session import Session


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="faults.sh", add_help=False)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--group", action="append", default=[])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--later", action="store_true")
    parser.add_argument("--rest", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--check-arguments", action="store_true")  # faults.sh asks before it builds
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--repeat", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--folder", type=Path)
    try:
        return parser.parse_args(arguments)
    except SystemExit:
        sys.exit(64)


def choose(options: argparse.Namespace, cases: list[Case]) -> list[Case]:
    names, groups = {case.name for case in cases}, {case.group for case in cases}
    for unknown in (set(options.cases) - names) | (set(options.group) - groups):
        print(f"faults.sh: there is no case or group '{unknown}'; --list names them", file=sys.stderr)
        sys.exit(64)
    if not (options.cases or options.group or options.all):
        options.all = True
    chosen = [case for case in cases if options.all or case.name in options.cases or case.group in options.group]
    if not options.quick:
        return chosen
    if options.rest:
        return [case for case in chosen if not case.quick]
    named = options.cases + options.group
    return [
        case
        for case in chosen
        if case.name in options.cases or (case.quick and (case.later == options.later or case.group in named))
    ]


def left_out(case: Case) -> str:
    if case.later:
        return "  (--quick --later)"
    return "" if case.quick else "  (not in --quick)"


def main() -> int:
    options = parse(sys.argv[1:])
    cases = load_all()
    if options.check_arguments:
        choose(options, cases)
        return 0
    if options.list:
        for case in cases:
            print(f"{case.group:<8} {case.name:<34} {case.summary}{left_out(case)}")
        return 0
    wrong = selftest.self_test(json.loads((ROOT / "schemas/test-vectors.json").read_text())) + wire_test()
    if wrong:
        print("The oracle cannot be trusted:", *wrong, sep="\n  ", file=sys.stderr)
        return 1
    print(f"The oracle finds each of {len(selftest.LIES) + 2} planted lies.", flush=True)
    if options.self_test:
        return 0
    chosen = choose(options, cases)
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000)
    if options.jobs is None:
        options.jobs = 2 * len(os.sched_getaffinity(0)) if options.quick else 1
    # So that what was started is ended, also when somebody ends us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began = time.monotonic()
    session = Session(options)
    try:
        print(f"Seed {options.seed}; {'quick' if options.quick else 'full'} form; folder {session.folder}", flush=True)
        lines = session.run(chosen)
    finally:
        if not options.keep:
            session.stop()
    if options.json:
        report.write_json(options.json, lines, options.seed, options.quick)
    failed = [line for line in lines if not line.passed]
    print(
        f"{len(lines) - len(failed)} of {len(lines)} cases passed in {time.monotonic() - began:.0f} s"
        + (f"; what the failed ones left is in {session.folder}" if failed else "")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
