"""Runs cases: one after the other on one pair of servers, or side by side in worker processes.

Most of a case is waiting, so several fit on one core. A case that is `alone` breaks or sets up the servers: those have one
worker, with servers of its own; the other workers share a second pair.
"""

import argparse
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from common.pace import Pace

from faults import report
from faults.cases import Case
from faults.crew import Crew
from faults.oracle.verdict import Verdict
from faults.product import Programs
from faults.run import Run
from faults.servers.services import Services, SharedServices, start_all


class Session:
    """The private servers and the programs of all cases. `jobs` is how many cases run at a time."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder: Path = options.folder / "runs"
        self.programs = Programs(options.programs, options.folder / "credentials")
        self._pace = Pace()
        self._own = Services(options.folder / "services")
        self._shared = SharedServices(options.folder / "services-shared")

    def run(self, cases: list[Case]) -> list[report.Line]:
        """Runs all of them and prints each one's line when its last run is over; returns them in the order of `cases`."""
        runs = {case: self.options.repeat or (1 if self.options.quick else case.repeat) for case in cases}
        tasks = [(case, number) for case in cases for number in range(runs[case])]
        lines = {case: report.Line(case.name, case.group) for case in cases}
        print(report.HEAD, flush=True)
        for case, number, verdict in self._verdicts(tasks):
            lines[case].runs[number] = verdict
            if len(lines[case].runs) == runs[case]:
                report.show(lines[case], self.options.seed)
        return list(lines.values())

    def stop(self) -> None:
        for services in (self._own, self._shared):
            services.stop()

    def _verdicts(self, tasks: list[tuple[Case, int]]) -> Iterator:
        jobs = min(self.options.jobs, len(tasks))
        if jobs <= 1:
            start_all(self._own)
            for case, number in tasks:
                yield case, number, self._execute(case, number, self._own)
            return
        start_all(self._own, self._shared)
        # The longest first, or the last of them would run on alone.
        ordered = sorted(tasks, key=lambda task: not task[0].long)
        crew = Crew(
            jobs, ordered, lambda task, worker: self._execute(task[0], task[1], self._own if worker == 0 else self._shared)
        )
        try:
            for (case, number), verdict in crew.run(lambda task: task[0].alone):
                yield case, number, verdict
        finally:
            crew.end()

    def _execute(self, case: Case, number: int, services: Services) -> Verdict:
        """Runs a case once. Whatever goes wrong becomes a finding."""
        began, options = time.monotonic(), self.options
        seed = options.seed + number
        services.ensure_running()
        folder = self.folder / f"{case.name}-{seed}"
        run = Run(services, self.programs, self._pace, folder, case.name, seed, options.quick)
        run.minutes, run.rate = options.minutes, options.rate
        run.provider = case.provider
        verdict = Verdict(findings=["ended early"])
        try:
            case.function(run)
            verdict = run.finish()
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            finding = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno}: {where.line})"
            verdict = Verdict(issued=len(run.ledgers.issued), findings=[finding])
            verdict.notes = run.notes
            if not isinstance(error, (AssertionError, TimeoutError)):
                verdict.findings.append(traceback.format_exc(limit=-3))
        finally:
            try:
                run.close(keep=options.keep or not verdict.passed)
            except Exception as error:
                verdict.findings.append(f"cleaning up: {type(error).__name__}: {error}")
        verdict.seconds = time.monotonic() - began
        return verdict
