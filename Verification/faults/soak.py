"""A soak: load, one random fault a minute, a verdict for every minute; memory, descriptors and latency must stay flat.

The ledgers of a minute are judged when everything in it is final, and then forgotten: an hour fits into memory.
"""

import time
from dataclasses import dataclass
from statistics import median

from faults.lane import LaneLoad, share
from faults.oracle.verdict import Verdict
from faults.process import Process, eventually
from faults.producer import Producer, Target
from faults.run import Run
from faults.soakfaults import FAULTS

SHARE_OF_MEASURED = 0.7
MEASURED = 15  # times 20,000 notifications
SETTLING = 3  # minutes in which allocators and caches find their size
MEMORY_GROWTH = 8 << 20
DESCRIPTOR_GROWTH = 4


@dataclass(frozen=True)
class Minute:
    """What a minute showed: figures at its end, at rest, and the latency of what was issued before its fault."""

    fault: str
    issued: int
    memory: int
    descriptors: int
    p50: float
    p99: float
    recovery: float
    verdict: Verdict


class Soak:
    """Runs on an opened and started Run, with one dispatcher that lives through all of it."""

    def __init__(self, run: Run, dispatcher: Process, rate: float | None = None) -> None:
        self._run, self._dispatcher = run, dispatcher
        self.rate = rate or SHARE_OF_MEASURED * self._measure()
        self.minutes: list[Minute] = []

    def _measure(self) -> float:
        """Notifications a second, issued as fast as they are confirmed: through the proxies, and more than may be in flight."""
        began = time.monotonic()
        for _ in range(MEASURED):
            self._run.issue(100, 200)
        self._run.await_final()
        return MEASURED * 20_000 / (time.monotonic() - began)

    def live(self, minutes: float, length: float = 60) -> None:
        """Lives through so many minutes of `length` seconds each, and writes each down."""
        self._run.judge_so_far()
        end = time.monotonic() + minutes * length
        while time.monotonic() < end:
            self._live_one(length)
        self._run.healed()  # to judge a minute takes one, and is no recovery

    def _live_one(self, length: float) -> None:
        run = self._run
        end = time.monotonic() + length
        load = LaneLoad(run, "parcels", self.rate, dead_and_alive, size=100)
        time.sleep(run.random.uniform(0.3, 0.5) * length)
        quiet_until = time.time()
        name, fault = run.random.choice(FAULTS)
        fault(run, self._dispatcher)
        run.producer.close()  # its connection may be lost with the broker's; it opens another one
        run.healed()
        time.sleep(max(0.0, end - time.monotonic()))
        load.stop()
        healed = time.monotonic()
        run.await_final()
        eventually("everything is acknowledged", lambda: run.is_acknowledged() and not run.delayed())
        recovery = time.monotonic() - healed
        calm = load.latencies(until=quiet_until - 1)
        verdict = run.judge_so_far(recovery)
        if not self._dispatcher.runs:
            raise AssertionError(f"the dispatcher ended after: {name}")
        minute = Minute(
            name,
            len(load.confirmed),
            self._dispatcher.memory(),
            self._dispatcher.descriptors(),
            share(calm, 0.5),
            share(calm, 0.99),
            recovery,
            verdict,
        )
        self.minutes.append(minute)
        print(
            f"    minute {len(self.minutes):>3}: {minute.issued:>7} issued, {minute.memory / 2**20:.1f} MiB,"
            f" {minute.descriptors} descriptors, p50/p99 {minute.p50 * 1000:.0f}/{minute.p99 * 1000:.0f} ms,"
            f" {verdict.repeated} repeated, settled {recovery:.1f} s after the load; {name}"
            + "".join(f"\n        {finding}" for finding in verdict.findings),
            flush=True,
        )

    # -- What it showed

    def judge(self) -> None:
        """Writes the figures into the notes; raises when something was lost, or grew."""
        minutes, run = self.minutes, self._run
        settled = minutes[SETTLING:] if len(minutes) > 3 * SETTLING else minutes
        third = max(1, len(settled) // 3)
        first, last = settled[:third], settled[-third:]

        def grown(name: str) -> tuple[float, float]:
            return median(getattr(one, name) for one in first), median(getattr(one, name) for one in last)

        memory, descriptors, p99 = grown("memory"), grown("descriptors"), grown("p99")
        hours = len(settled) / 60
        total = [one.verdict for one in minutes]
        run.notes += [
            f"{len(minutes)} minutes at {self.rate:.0f}/s, {sum(one.issued for one in minutes)} issued,"
            f" {sum(one.lost for one in total)} lost, {sum(one.unexpected for one in total)} unexpected,"
            f" {sum(one.repeated for one in total)} repeated, {sum(one.marked for one in total)} of them marked",
            f"memory {memory[0] / 2**20:.1f} MiB in the first third, {memory[1] / 2**20:.1f} in the last;"
            f" slope {slope([one.memory for one in settled]) * 60 / 2**20:+.2f} MiB an hour over {hours:.2f} hours",
            f"descriptors {descriptors[0]:.0f} and {descriptors[1]:.0f}; p99 before the fault"
            f" {p99[0] * 1000:.0f} and {p99[1] * 1000:.0f} ms; the longest recovery"
            f" {max(one.recovery for one in minutes):.1f} s",
        ]
        findings = [f"minute {number}: {finding}" for number, one in enumerate(minutes, 1) for finding in one.verdict.findings]
        if memory[1] > memory[0] + MEMORY_GROWTH:
            findings.append("memory grew")
        if descriptors[1] > descriptors[0] + DESCRIPTOR_GROWTH:
            findings.append("descriptors grew")
        if p99[1] > 2 * p99[0] + 0.1:
            findings.append("the latency grew")
        assert not findings, "; ".join(findings[:5])


def dead_and_alive(producer: Producer, count: int) -> list[Target]:
    """One dead token in a hundred."""
    dead = [(producer.token("dead"), frozenset({"token_invalid", "unknown"})) for _ in range(count // 100)]
    alive = frozenset({"accepted", "unknown"})
    return dead + [(producer.token(), alive) for _ in range(count - len(dead))]


def slope(values: list[float]) -> float:
    """The least-squares slope per step; 0 of fewer than two values."""
    count = len(values)
    if count < 2:
        return 0.0
    middle, mean = (count - 1) / 2, sum(values) / count
    above = sum((number - middle) * (value - mean) for number, value in enumerate(values))
    return above / sum((number - middle) ** 2 for number in range(count))
