"""Shows the reading of words from a table: a runner that takes a failure for a success proves nothing."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from parts import board
from parts.part import Count, Part, fault_cases, one, strict_scenarios, swift_tests

PASSED = "✔ Test run with 3 tests in 1 suite passed after 0.1 seconds.\n"
FAILED = "✘ Test run with 3 tests in 1 suite failed after 0.1 seconds with 2 issues.\n"
ONE_OF_THEM = '✘ Test "A name" failed after 0.1 seconds with 2 issues.\n✘ Suite Names failed after 0.1 seconds with 2 issues.\n'
CASE_OF_IT = "✘ Test case passing 1 argument a → 1 to names(a:) failed after 0.1 seconds with 1 issue.\n"

READ: list[tuple[Callable[[str, int], Count], str, int, Count]] = [
    (one, "whatever", 0, Count(1, 0)),
    (one, "whatever", 1, Count(0, 1)),
    (swift_tests, PASSED, 0, Count(3, 0)),
    (swift_tests, ONE_OF_THEM + CASE_OF_IT + FAILED, 1, Count(2, 1)),
    (swift_tests, FAILED, 1, Count(2, 1)),  # an issue outside of any test
    (swift_tests, "", 0, Count(0, 1)),  # no words at all
    (swift_tests, "✔ Test a() passed after 0.1 seconds.\n", 139, Count(0, 1)),  # it has crashed
    (swift_tests, PASSED, 1, Count(2, 1)),  # crashed after the last words
    (swift_tests, "✔ Test run with 0 tests in 0 suites passed after 0.1 seconds.\n", 69, Count(0, 1)),
    (fault_cases, "53 of 53 cases passed in 200 s\n", 0, Count(53, 0)),
    (fault_cases, "51 of 53 cases passed in 200 s; what the failed ones left is in there\n", 1, Count(51, 2)),
    (fault_cases, "", 1, Count(0, 1)),
    (fault_cases, "", 0, Count(0, 1)),
    (fault_cases, "53 of 53 cases passed in 200 s\n", 143, Count(53, 1)),
    (strict_scenarios, "22 scenarios, 0 violated\n", 0, Count(22, 0)),
    (strict_scenarios, "22 scenarios, 2 violated\n", 1, Count(20, 2)),
    (strict_scenarios, "", 0, Count(0, 1)),
]


def self_test() -> list[str]:
    """What is wrong; empty is right."""
    wrong = []
    for read, words, status, expected in READ:
        count = read(words, status)
        if count != expected:
            wrong.append(f"{read.__name__} of {words!r} and {status}: {count}, not {expected}")
    with tempfile.TemporaryDirectory() as folder:
        parts = [Part(f"ends with {status}", ("sh", "-c", f"exit {status}")) for status in (0, 1)]
        found = {result.part.name: result.count for result in board.run(parts, 2, Path(folder), say=lambda _: None)}
    if found != {"ends with 0": Count(1, 0), "ends with 1": Count(0, 1)}:
        wrong.append(f"two commands: {found}")
    return wrong
