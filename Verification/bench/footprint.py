"""Memory: resident size sampled over a long run, and what one notification in flight takes."""

import threading
import time

from common.usage import memory

from bench import pipeline
from bench.pipeline import Plan
from bench.records import Records
from bench.rig import Rig


class Sampler(threading.Thread):
    """Reads the resident size of a process each second, with the number of records at that time."""

    def __init__(self, pid: int, records: Records) -> None:
        super().__init__(daemon=True)
        self.pid, self.records = pid, records
        self.samples: list[tuple[int, int]] = []
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(1):
            try:
                self.samples.append((self.records.count(), memory(self.pid)[0]))
            except OSError:
                return

    def slope(self) -> float:
        """Bytes for each notification, by least squares over what came after the first tenth."""
        last = self.samples[-1][0]
        points = [point for point in self.samples if point[0] >= last / 10]
        if len(points) < 3:
            return 0.0
        middle_x = sum(x for x, _ in points) / len(points)
        middle_y = sum(y for _, y in points) / len(points)
        spread = sum((x - middle_x) ** 2 for x, _ in points)
        return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread if spread else 0.0


def run(rig: Rig, count: int, max_in_flight: int = 20000) -> dict:
    plan = Plan(count, max_in_flight=max_in_flight)
    simulator, port = pipeline.start_simulator(rig, plan)
    rig.clear(port, max_in_flight=max_in_flight)
    pipeline.fill(rig, plan, rig.next_seed())
    records, counter = rig.records(), rig.records()
    [dispatcher] = pipeline.start_dispatchers(rig, plan)
    sampler = Sampler(dispatcher.pid, counter)
    sampler.start()
    progress = pipeline.follow(records, count, [dispatcher, simulator])
    time.sleep(1.1)  # one more sample
    sampler.over.set()
    sampler.join()
    now, peak = memory(dispatcher.pid)
    dispatcher.end()
    pipeline.verify(rig, records, {"accepted": count})
    for connection in (records, counter):
        connection.close()
    simulator.end()
    return {
        "rate": progress.rate,
        "rss_mb": now / 1e6,
        "rss_peak_mb": peak / 1e6,
        "slope_bytes": sampler.slope(),
        "max_in_flight": max_in_flight,
    }
