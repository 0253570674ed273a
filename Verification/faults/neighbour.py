"""The lane that goes on while another one is in trouble, and the judgement whether it did."""

import time

from faults.lane import LaneLoad, share
from faults.run import Run

CALM = "letters"


class Neighbour:
    """A load to that lane; what passes before `trouble` begins is the measure."""

    def __init__(self, run: Run, lane: str = CALM, rate: float = 200) -> None:
        self._run, self._load = run, LaneLoad(run, lane, rate)
        time.sleep(2 if run.quick else 10)
        self._trouble = time.time()  # until now all was well: the measure for what follows
        self._began = time.monotonic()

    def check(self) -> None:
        """Call it while the other lane is still in trouble: everything must be through, about as fast as before."""
        self._load.stop()
        try:
            self._load.await_final(5)
        except TimeoutError:
            missing = self._load.missing()
            raise AssertionError(f"the lane {self._load.lane} was held up: {missing} without an outcome") from None
        pace = self._run.pace.since(self._began)
        calm, troubled = self._load.latencies(until=self._trouble), self._load.latencies(since=self._trouble)
        figures = [f"{share(part, at) * 1000:.0f}" for part in (calm, troubled) for at in (0.5, 0.99)]
        self._run.notes.append(
            f"other lane: {len(troubled)} during the trouble; confirm to outcome p50/p99 {figures[2]}/{figures[3]} ms,"
            f" {figures[0]}/{figures[1]} ms before; pace 1 in {pace:.1f}"
        )
        # A lane is watched for a second before it is found slow. The limit is above that, and at the pace of a machine of
        # its own below the six seconds that waiting for its requests would cost.
        limit = max(3, 5 * share(calm, 0.99)) * pace
        for part, allowed in ((0.99, limit), (1, 2 * limit)):
            assert share(troubled, part) < allowed, (
                f"the other lane's p{part * 100:g} went to {share(troubled, part):.1f} s, at a pace of 1 in {pace:.1f}"
            )
