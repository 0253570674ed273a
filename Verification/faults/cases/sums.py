"""What sums up the statistics is killed between its steps: hours and days say what their minutes and the log say, and `waybill
stats` says the same by each.
"""

import json
import subprocess

from proxy.link import Link
from proxy.wires import Unit

from faults.cases import case
from faults.oracle.statistics import believed, compare, minutes
from faults.process import eventually
from faults.run import Run

# Sums wait until a minute is quiet for sixty times as long.
OFTEN = {"dispatch": {"statistics_interval": "150ms"}}
STEPS = 4  # an hour is written, its minutes are marked; a day is written, its hours are marked


def is_step(link: Link, direction: str, unit: Unit) -> bool:
    """Matches the commands that write sums, or say of minutes and hours that a sum has them."""
    if direction != "up" or unit.kind != "update" or b"statistics" not in unit.data:
        return False
    return b"hour/" in unit.data or b"day/" in unit.data or (b"$unset" in unit.data and b"unsummed" in unit.data)


def await_sums(run: Run) -> None:
    """Waits until hours and days have everything that was counted, and holds them against the log."""
    database = run.deliveries.database

    def is_whole() -> bool:
        documents = minutes(database["statistics"])
        sums = believed(database["statistics"], documents)
        is_marked = not any(document.get("unsummed") for document in documents)
        return is_marked and bool(sums["day"]) and all(hour["summed"] for hour in sums["hour"].values())

    eventually("everything is summed up", is_whole, 90, 0.2)
    findings = compare(database)
    assert not findings, "; ".join(findings)
    known = run.final_count()
    for step in ("1m", "1h", "1d"):
        said = told(run, step)
        assert said == known, f"waybill stats --every {step} tells of {said}, the log has {known}"


def told(run: Run, step: str) -> int:
    return sum(json.loads(line)["count"] for line in stats(run, step).stdout.splitlines())


def stats(run: Run, step: str) -> subprocess.CompletedProcess:
    command = [run.programs.waybill, "stats", "--since", "2d", "--every", step, "--json", "--config", str(run.path.config)]
    return subprocess.run(command, check=True, capture_output=True, timeout=60)


def is_in_doubt(run: Run) -> bool:
    return b"may lack something" in stats(run, "1m").stderr


@case("sums", repeat=10, long=True, later=True)
def killed_while_it_sums_up(run: Run) -> None:
    """kill -9 of the only dispatcher at any step of summing up; more comes, and hour and day are made anew"""
    run.open(more=OFTEN)
    dispatcher = run.start()
    trap = run.store.trap(is_step, dispatcher.kill, skip=run.random.randrange(STEPS))
    run.issue(5, 100)
    assert trap.wait(90), "the crash point was never reached"
    run.crashed(dispatcher)
    run.start_dispatcher()
    run.issue(5, 100)
    run.await_final()
    await_sums(run)


@case("sums", repeat=5, long=True, later=True)
def two_sum_up_and_one_is_stopped(run: Run) -> None:
    """one dispatcher is killed with open minutes after the first sums; another recounts those, and hour and day follow"""
    run.open(simulator_options=("--latency", "20ms"), more=OFTEN)
    dispatcher = run.start()
    await_sums(run)
    before = run.recorded()
    run.issue(20, 100)
    eventually("some are recorded", lambda: run.recorded() > before + 200, 20, 0.005)
    dispatcher.kill()
    run.crashed(dispatcher)
    eventually("what it had not written is in doubt", lambda: is_in_doubt(run), 5)
    run.start_dispatcher()
    run.await_words("dispatch.statisticsRecounted", 60)
    run.await_final()
    await_sums(run)
    eventually("nothing is in doubt any more", lambda: not is_in_doubt(run), 30)
