"""Runs scenarios of the strict server against the client and prints a line for each.

python -m strict --programs FOLDER --folder DIRECTORY [--seed N] [--list] [SCENARIO…]
"""

import argparse
import asyncio
import shutil
import sys
import time
import traceback
from pathlib import Path

from common.pace import Pace

from strict import check
from strict.check import Tally
from strict.keys import Keys
from strict.registry import RUNS, Scenario
from strict.report import write_report
from strict.run import Run
from strict.scenarios import SCENARIOS


async def run_one(name: str, scenario: Scenario, run: Run, pace: Pace) -> tuple[str, Tally]:
    """Returns (printed line, findings)."""
    began = time.monotonic()
    check_after = None
    try:
        check_after = await asyncio.wait_for(scenario(run), 150)
        if not run.closing:
            run.probe.measure()
            await run.close()
    except TimeoutError as error:
        run.find(f"stuck: {error or 'the scenario took too long'}")
    except Exception:
        run.find(f"the scenario broke: {traceback.format_exc()}")
    run.probe.measure()
    status = await run.probe.end()
    if status != run.expected_exit:
        run.find(f"the probe's exit status is {status}")
    await asyncio.sleep(0.05)
    if run.server is not None:
        run.server.end()
    took = time.monotonic() - began
    sent = run.items[: run.position]
    tally = check.compare(sent, run.probe.outcomes, run.ledger, replaced=run.replaced, closing=run.closing)
    if run.server is not None:
        tally.violations += run.server.tokens.too_many()
    tally.violations += [f"probe: {problem}" for problem in run.probe.problems]
    tally.violations += [f"server: {error}" for error in run.ledger.errors]
    tally.violations += check.check_replacements(run.ledger, run.replace_within * pace.since(began), run.done_at)
    if check_after is not None:
        check_after(tally)
    tally.violations += run.extra
    cpu, size = run.probe.usage
    # Waiting costs nothing: whoever burns a core is polling.
    if cpu > 0.5 + 0.1 * took + 0.0003 * tally.sent:
        tally.violations.append(f"the probe took {cpu:.1f} s of CPU in {took:.1f} s")
    if size > 400:
        tally.violations.append(f"the probe grew to {size} MiB")
    verdict = "ok" if not tally.violations else "VIOLATED"
    line = (
        f"{name:28} {tally.sent:6} {tally.accepted:8} {tally.rejected:8} {tally.unknown:7} {tally.not_sent:8}"
        f" {tally.repeats:7}/{tally.forbidden:<4} {len(tally.violations):5}  {verdict:8}"
        f" {took:5.1f} s {cpu:4.1f} cpu {size:3} MiB {len(run.ledger.connections):4} conn"
    )
    write_report(run.folder, run, tally)
    return line, tally


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, type=Path)
    parser.add_argument("--folder", required=True, type=Path)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("scenarios", nargs="*")
    arguments = parser.parse_args()
    if arguments.list:
        for name, scenario in SCENARIOS.items():
            print(f"{name:28} {scenario.__doc__.splitlines()[0]}")
        return 0
    names = arguments.scenarios or list(SCENARIOS)
    for name in names:
        if name not in SCENARIOS:
            print(f"there is no scenario {name}: {' '.join(SCENARIOS)}", file=sys.stderr)
            return 64
    for name in names:
        shutil.rmtree(arguments.folder / name, ignore_errors=True)
    keys = Keys(arguments.folder / "keys")
    pace = Pace()
    print(f"{'scenario':28} {'sent':>6} {'accepted':>8} {'rejected':>8} {'unknown':>7} {'not sent':>8}"
          f" {'repeats/forbidden':>12} {'violations':>5}  verdict", flush=True)  # fmt: skip
    failed = 0
    for name in names:
        run = RUNS.get(name, Run)(name, keys, arguments.folder / name, arguments.programs, arguments.seed)
        line, tally = asyncio.run(run_one(name, SCENARIOS[name], run, pace))
        print(line, flush=True)
        if tally.violations:
            failed += 1
            for text in tally.violations[:8]:
                print(f"    {text}", flush=True)
            if len(tally.violations) > 8:
                print(f"    … and more, in {arguments.folder / name / 'findings.txt'}", flush=True)
    print(f"{len(names)} scenarios, {failed} violated", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
