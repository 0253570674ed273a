"""Which parts there are: every test of the package in exactly one of them, the longest first."""

import re
import subprocess
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from parts.part import Part, swift_tests

# Test targets that take so long that they are split: into suites, or where all are inside of one, into those.
# What no group names is one more.
GROUPS = {
    "FlowTests": (
        r"FlowTests/(Audiences|Bulk|Campaigns|OutcomeFlowTests)/",
        r"FlowTests/(IdentityFlowTests|OperatorFlowTests|OrderFlowTests)/",
    ),
    "WaybillHTTPAPITests": (r"(Account|Notice|Notifire|Own|Service)\w*/",),
    "WaybillAPNSTests": (r"(RehearsalFileTests|DeliveryTests|FaultTests|MemoryTests)/",),
}
# One by one; the rest of the targets are quick and share a process.
ALONE = (
    "FuzzTests",
    "WaybillAMQPTests",
    "WaybillDeliveryLogTests",
    "WaybillPruneTests",
    "WaybillMongoTests",
    "CommandTests",
    "WaybillAccountsTests",
)
# What takes longest of what other tests do in another way, too, by the beginnings of ids: it runs with what takes longer, and
# not in the short form.
LATER = tuple((Path(__file__).parent / "later.txt").read_text().split())
# So many of them share a process at the most.
MOST_OF_LATER = 12
# The rest of the targets, in one process.
OTHERS = "all other tests"
# What takes longest is begun first, so that it does not go on alone at the end; the others follow in their order.
LONGEST = (
    OTHERS,
    "WaybillHTTPAPITests 1",
    "WaybillHTTPAPITests 2",
    "WaybillDeliveryLogTests",
    "FlowTests 1",
    "FlowTests 2",
    "FlowTests 3",
    "WaybillAPNSTests 2",
    "WaybillAccountsTests",
)


def list_tests(bundle: str) -> list[str]:
    """The ids of all tests: Target.Suite/…/test(), one for each function."""
    done = subprocess.run([bundle, "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True)
    ids = [line for line in done.stdout.splitlines() if re.match(r"\w+\.", line)]
    if done.returncode != 0 or not ids:
        raise RuntimeError(f"{bundle} lists no tests: {done.stderr[-2000:]}")
    return ids


def later_parts(bundle: str) -> list[Part]:
    """The Swift tests that the short form leaves out: of each target a few in a process, and the fullest processes first."""
    parts = []
    for target, group in groupby(LATER, key=lambda name: name.partition(".")[0]):
        names = list(group)
        count = -(-len(names) // MOST_OF_LATER)
        parts += [(f"{target}, what takes long {number + 1}", names[number::count]) for number in range(count)]
    parts.sort(key=lambda part: -len(part[1]))
    return [tests(bundle, name, [rf"^{re.escape(one)}" for one in names]) for name, names in parts]


def swift_parts(bundle: str) -> list[Part]:
    """The Swift tests of the short form, each in one part. In every process one test after the other, because many hold a
    thread while a real server works, and the pool of threads is as small as the machine."""
    ids = list_tests(bundle)
    gone = [name for name in LATER if not any(one.startswith(name) for one in ids)]
    if gone:
        raise RuntimeError(f"LATER names tests that are not there: {', '.join(gone)}")
    targets = {one.partition(".")[0] for one in ids}
    later = [rf"^{re.escape(name)}" for name in LATER]
    parts = [part for target in GROUPS if target in targets for part in split(bundle, target, GROUPS[target], later)]
    parts += [tests(bundle, target, [rf"^{target}\."], later) for target in ALONE if target in targets]
    named = "|".join((*GROUPS, *ALONE))
    parts.append(tests(bundle, OTHERS, [r"."], [rf"^({named})\.", *later]))
    return sorted(parts, key=lambda part: LONGEST.index(part.name) if part.name in LONGEST else len(LONGEST))


def split(bundle: str, target: str, groups: Iterable[str], later: list[str]) -> list[Part]:
    patterns = [rf"^{target}\.{group}" for group in groups]
    parts = [
        tests(bundle, f"{target} {number + 1}", [pattern], patterns[:number] + later) for number, pattern in enumerate(patterns)
    ]
    return parts + [tests(bundle, f"{target} {len(patterns) + 1}", [rf"^{target}\."], patterns + later)]


def tests(bundle: str, name: str, wanted: list[str], unwanted: Iterable[str] = ()) -> Part:
    """The tests whose ids match one of `wanted` and none of `unwanted`."""
    command = [bundle, "--testing-library", "swift-testing", "--no-parallel"]
    for option, patterns in (("--filter", wanted), ("--skip", unwanted)):
        for pattern in patterns:
            command += [option, pattern]
    return Part(name, tuple(command), swift_tests)
