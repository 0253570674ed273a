"""The lane that goes on while another one is in trouble, and the judgement whether it did."""

import time

from faults.lane import LaneLoad, share

CALM = "letters"


class Neighbour:
    """A load to that lane; what passes before `trouble` begins is the measure."""

    def __init__(self, run, lane: str = CALM, rate: float = 200):
        self._run, self._load = run, LaneLoad(run, lane, rate)
        time.sleep(2 if run.quick else 10)
        self._trouble = time.time()  # until now all was well: the measure for what follows

    def check(self) -> None:
        """Call it while the other lane is still in trouble: everything must be through, about as fast as before."""
        self._load.stop()
        try:
            self._load.await_final(5)
        except TimeoutError:
            missing = self._load.missing()
            raise AssertionError(f"the lane {self._load.lane} was held up: {missing} without an outcome") from None
        calm, troubled = self._load.latencies(until=self._trouble), self._load.latencies(since=self._trouble)
        figures = [f"{share(part, at) * 1000:.0f}" for part in (calm, troubled) for at in (0.5, 0.99)]
        self._run.notes.append(
            f"other lane: {len(troubled)} during the trouble; confirm to outcome p50/p99 {figures[2]}/{figures[3]} ms,"
            f" {figures[0]}/{figures[1]} ms before"
        )
        # A lane is watched for a second before it is found slow. The limit is above that and what a busy machine adds, and
        # below the six seconds that waiting for its requests would cost.
        limit = max(3, 5 * share(calm, 0.99))
        assert share(troubled, 0.99) < limit, f"the other lane's p99 went to {share(troubled, 0.99):.1f} s"
