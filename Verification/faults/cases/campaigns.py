"""Campaigns whose fan-out is killed meanwhile: nothing is missing, and nobody makes up for the time that was lost."""

import json
import threading
import time
from functools import partial
from pathlib import Path

from proxy.link import Link
from proxy.wires import Unit

from faults.cases import case
from faults.cases.audiences import fanout, judge, register
from faults.cases.posted import schedule
from faults.cases.trust import waybill, write_config
from faults.process import eventually
from faults.product import BUNDLE
from faults.run import Run

DEVICES = 900
"""A second's worth: that much may go beside the rate, by whatever stretch of time one looks."""
SECOND = 60
"""Between the moment that the throttle grants and the one that the proxy sees, on a machine that does nothing else."""
JITTER = 0.5


class Handovers:
    """When each device was handed over first, as the broker's proxy sees it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times: dict[str, float] = {}

    def see(self, link: Link, direction: str, unit: Unit) -> None:
        if direction != "up" or unit.kind != "body" or "fanout" not in link.role:
            return
        # A frame has seven bytes in front and one behind.
        message = json.loads(unit.data[7:-1])
        now = time.monotonic()
        with self._lock:
            for token in message.get("device_tokens", []):
                self._times.setdefault(token, now)

    @property
    def times(self) -> list[float]:
        with self._lock:
            return sorted(self._times.values())

    def has(self, count: int) -> bool:
        return len(self.times) >= count


@case("campaigns", quick=False)
def fanout_killed_in_a_throttled_campaign(run: Run) -> None:
    """kill -9 of the fan-out, twice: every device once, and never more than the rate and a second's worth above it"""
    run.open()
    run.start_dispatcher()
    tokens = [run.producer.token() for _ in range(DEVICES)]
    register(run, tokens)
    config = write_config(run, "campaign")
    began = time.monotonic()
    path = run.new_path()
    seen = Handovers()
    path.broker.watch(seen.see)
    workers = [fanout(run, path.config, 0), schedule(run, config, "campaign")]
    rate = ("--per-minute", str(SECOND * 60))
    orders(run, config, "create", "slow", "--client", "acme", "--app", BUNDLE, "--body", "News", *rate)
    orders(run, config, "start", "slow", "--at-most", str(DEVICES))
    for kill, enough in enumerate((DEVICES // 5, DEVICES // 2)):
        eventually("it goes on", partial(seen.has, enough), 60, 0.005)
        workers[0].kill()
        workers[0].wait()
        workers[0] = fanout(run, path.config, kill + 1)
    eventually("everything is handed over", lambda: seen.has(DEVICES), 90)
    eventually("it is done", lambda: shown(run, config)["state"] == "done", 60)
    account = shown(run, config)
    assert (account["handed_over"], account["outcomes"]) == (DEVICES, {"accepted": DEVICES}), f"{account}"
    assert not seen.has(DEVICES + 1), "somebody was told who is not registered"
    judge_rate(run, seen.times, run.pace.since(began))
    for process in workers:
        assert process.end() == 0, process.words[-500:]
    notifications = run.devices.database.notifications
    judge(run, tokens, batch=notifications.find_one()["_id"])
    for collection in (notifications, run.devices.database.campaigns):
        collection.delete_many({})


def judge_rate(run: Run, times: list[float], pace: float) -> None:
    """No stretch of time has more than its rate, and a second's worth."""
    most = 0.0
    for first, begin in enumerate(times):
        for last in range(first, len(times)):
            most = max(most, last - first + 1 - SECOND * (times[last] - begin))
    run.notes.append(f"{most:.0f} above the rate at most, of {SECOND}")
    allowed = SECOND * (1 + JITTER * pace)
    assert most <= allowed, f"{most:.0f} above the rate within some stretch of time, not {allowed:.0f} at most"


def orders(run: Run, config: Path, *words: str) -> str:
    done = waybill(run, config, "campaign", *words)
    assert done.returncode == 0, f"campaign {words[0]}: {done.stderr.decode()}"
    return done.stdout.decode()


def shown(run: Run, config: Path) -> dict:
    return json.loads(orders(run, config, "show", "slow", "--json"))
