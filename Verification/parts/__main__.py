"""python3 -m parts --folder DIR [--bundle FILE [--later]] [--jobs N] [--before NAME=SECONDS]… [--and NAME=COMMAND]…
                 [--last NAME=COMMAND]… [--sum FILE]

Runs the Swift tests of a bundle in several processes, and beside them the commands that are given: those of --and are begun
before the tests, those of --last, which are short, after the last of them. Prints a line for each part, a table, and
"N passed, N failed" last. A part's words are shown, all of them, when it fails.
--later: the tests that take long, which are left out otherwise.
--sum: what FILE holds is added to the last line, and the sum is written there for the next.
"""

import argparse
import os
import signal
import sys
import time
from pathlib import Path

from parts import board, plan, selftest
from parts.part import Part, count_of


def main() -> int:
    parser = argparse.ArgumentParser(prog="parts")
    parser.add_argument("--bundle")
    parser.add_argument("--later", action="store_true")
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)) + 2)
    parser.add_argument("--before", action="append", default=[])
    parser.add_argument("--and", dest="commands", action="append", default=[])
    parser.add_argument("--last", action="append", default=[])
    parser.add_argument("--sum", type=Path)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        wrong = selftest.self_test()
        print(*(wrong or ["parts: every planted failure was counted"]), sep="\n")
        return 1 if wrong else 0
    if options.folder is None:
        parser.error("--folder is needed")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options.folder.mkdir(parents=True, exist_ok=True)

    began = time.monotonic()
    first, last = ([command_part(*text.split("=", 1)) for text in texts] for texts in (options.commands, options.last))
    swift = plan.later_parts if options.later else plan.swift_parts
    parts = first + (swift(options.bundle) if options.bundle else []) + last
    results = board.run(parts, options.jobs, options.folder)
    before = [(name, float(seconds)) for name, seconds in (text.split("=") for text in options.before)]
    print(board.table(results, before, time.monotonic() - began))
    print(*board.complaints(results), sep="\n")
    passed, failed = (sum(getattr(result.count, name) for result in results) for name in ("passed", "failed"))
    if options.sum:
        earlier = options.sum.read_text().split() if options.sum.exists() else (0, 0)
        passed, failed = passed + int(earlier[0]), failed + int(earlier[1])
        options.sum.write_text(f"{passed} {failed}\n")
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


def command_part(name: str, command: str) -> Part:
    return Part(name, ("bash", "-c", f"exec {command}"), count_of(command))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
