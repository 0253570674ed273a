"""A load to one lane, with the moment of each confirm, so that the lane's latency and completeness can be judged."""

import time
from collections.abc import Callable
from datetime import UTC

from faults.load import Load
from faults.oracle.ledger import FINAL
from faults.process import eventually
from faults.producer import Producer, Target
from faults.product import DEAD_PREFIX
from faults.run import Run

# Makes so many of a message's device tokens.
Make = Callable[[Producer, int], list[Target]]


class LaneLoad:
    """Publishes about `rate` notifications a second to a lane on a thread, until `stop()`.

    make(producer, count): the (token, allowed outcomes) of a message; by default new tokens that shall be accepted.
    defaults(): the fields for every item of a message.
    """

    def __init__(
        self, run: Run, lane: str, rate: float, make: Make | None = None, defaults: Callable[[], dict] = dict, size: int = 20
    ) -> None:
        self._run, self.lane, self._defaults, self._size = run, lane, defaults, size
        self._make = make or (lambda producer, count: [(producer.token(), frozenset({"accepted"})) for _ in range(count)])
        self._producer = run.new_producer()
        self.confirmed: dict[str, float] = {}  # id to the time of its confirm
        # The broker may be what is broken.
        self._load = Load(self._producer, rate, size, self._publish, is_stubborn=True)

    def _publish(self) -> None:
        items = self._make(self._producer, self._size)
        ids = self._producer.issue_to(items, lane=self.lane, defaults=self._defaults())
        self.confirmed.update(dict.fromkeys(ids, time.time()))

    def stop(self) -> None:
        """Ends the load; raises what ended it early."""
        self._load.stop()

    def missing(self) -> int:
        """How many have no final record."""
        return len(self.confirmed) - len(self._finals())

    def await_final(self, within: float) -> None:
        eventually(f"final records of the lane {self.lane}", lambda: not self.missing(), within, 0.1)

    def await_refused(self, within: float) -> None:
        """Waits for a final record of everything that only the trouble refuses: once it is over, it would be accepted."""
        issued = {key: self._run.ledgers.issued[key] for key in self.confirmed}
        refused = {
            key for key, one in issued.items() if "accepted" not in one.allowed and not one.token.startswith(DEAD_PREFIX)
        }
        eventually(f"what the lane {self.lane} refuses", lambda: not refused - self._finals().keys(), within, 0.1)

    def latencies(self, since: float = 0, until: float = float("inf")) -> list[float]:
        """Seconds from confirm to outcome, ascending, of what was confirmed between two times."""
        ends = self._finals()
        chosen = [key for key, at in self.confirmed.items() if since <= at < until and key in ends]
        return sorted(max(0.0, ends[key] - self.confirmed[key]) for key in chosen)

    def _finals(self) -> dict[str, float]:
        found = self._run.deliveries.find({"lane": self.lane, "outcome": {"$in": sorted(FINAL)}}, {"date": 1})
        ends = {str(one["_id"]): one["date"].replace(tzinfo=UTC).timestamp() for one in found}
        return {key: at for key, at in ends.items() if key in self.confirmed}


def share(values: list[float], part: float) -> float:
    """The value that `part` of them do not exceed; 0 of none. Wants them ascending."""
    return values[min(len(values) - 1, int(len(values) * part))] if values else 0.0
