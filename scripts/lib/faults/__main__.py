"""The session: chooses cases, runs them on one private pair of servers, prints the table. See scripts/faults.sh."""

import argparse
import json
import random
import signal
import sys
import time
import traceback
from pathlib import Path

from faults import report, selftest
from faults.cases import Case, load_all
from faults.product import Programs
from faults.run import Run
from faults.services import Services
from faults.verdict import Verdict
from faults.wiretest import wire_test

ROOT = Path(__file__).resolve().parents[3]


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="faults.sh", add_help=False)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--group", action="append", default=[])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--check-arguments", action="store_true")  # faults.sh asks before it builds
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--repeat", type=int, default=None)
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
    chosen = [
        case for case in cases if options.all or case.name in options.cases or case.group in options.group
    ]
    return [case for case in chosen if case.quick or not options.quick or case.name in options.cases]


def execute(case: Case, number: int, session: "Session") -> Verdict:
    """Runs a case once. Whatever goes wrong becomes a finding."""
    options = session.options
    seed = options.seed + number
    run = Run(session.services, session.programs, session.folder / f"{case.name}-{seed}", case.name, seed, options.quick)
    run.minutes, run.rate = options.minutes, options.rate
    verdict = Verdict(findings=["ended early"])
    try:
        case.function(run)
        verdict = run.finish()
    except Exception as error:  # noqa: BLE001 — a case that breaks has failed, and the others go on
        verdict = Verdict(issued=len(run.ledgers.issued), findings=[f"{type(error).__name__}: {error}"])
        verdict.notes = run.notes
        if not isinstance(error, (AssertionError, TimeoutError)):
            verdict.findings.append(traceback.format_exc(limit=-3))
    finally:
        try:
            run.close(keep=options.keep or not verdict.passed)
        except Exception as error:  # noqa: BLE001
            verdict.findings.append(f"cleaning up: {type(error).__name__}: {error}")
    return verdict


class Session:
    """The private servers and the programs that all cases share."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.folder = options.folder / "runs"
        self.services = Services(options.folder / "services")
        self.programs = Programs(options.programs, options.folder / "credentials")

    def run(self, cases: list[Case]) -> list[report.Line]:
        lines = []
        print(report.HEAD, flush=True)
        for case in cases:
            line = report.Line(case.name, case.group)
            lines.append(line)
            for number in range(self.options.repeat or (1 if self.options.quick else case.repeat)):
                if not self.services.is_running():
                    self.services.control("start")
                line.runs.append(execute(case, number, self))
            print(line, flush=True)
            for number, verdict in enumerate(line.runs):
                for note in verdict.notes:
                    print(f"    {note}", flush=True)
                for finding in verdict.findings:
                    print(f"    seed {self.options.seed + number}: {finding}", flush=True)
        return lines


def main() -> int:
    options = parse(sys.argv[1:])
    cases = load_all()
    if options.check_arguments:
        choose(options, cases)
        return 0
    if options.list:
        for case in cases:
            print(f"{case.group:<8} {case.name:<34} {case.summary}{'' if case.quick else '  (not in --quick)'}")
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
    # So that what was started is ended, also when somebody ends us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began = time.monotonic()
    session = Session(options)
    try:
        print(f"Seed {options.seed}; {'quick' if options.quick else 'full'} form; folder {session.folder}", flush=True)
        lines = session.run(chosen)
    finally:
        if not options.keep:
            session.services.stop()
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
