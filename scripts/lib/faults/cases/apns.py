"""APNs in trouble on one lane, and another lane that must not notice."""

import time

from faults.cases import case
from faults.lane import LaneLoad, share
from faults.process import eventually
from faults.rehearsals import ACCEPTED, TROUBLES, Trouble

TROUBLED, CALM = "parcels", "letters"
# Short steps and many of them: a trouble of minutes is ridden out, and its end is noticed within seconds.
LADDER = {"steps": ["1s", "3s"], "max_attempts": 100}
SETTINGS = {"retry": LADDER, "dispatch": {"request_timeout": "6s"}}
PARKED_PAUSE = 30  # how long a lane is parked at first, seconds


class Neighbour:
    """The load of the lane that goes on, and the judgement whether it did."""

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
        # The limit is far above what a busy machine adds and far below what waiting for a deadline costs.
        limit = max(1.5, 5 * share(calm, 0.99))
        assert share(troubled, 0.99) < limit, f"the other lane's p99 went to {share(troubled, 0.99):.1f} s"


def items_of(trouble: Trouble, random):
    """Makes the tokens of a message for a lane in trouble; see LaneLoad."""

    def make(producer, count):
        if trouble.tokens:
            return [(f"aa{random.randrange(trouble.tokens):062x}", ACCEPTED | trouble.prefixes["aa"]) for _ in range(count)]
        chosen = random.choices(list(trouble.prefixes.items()), k=count - 1)
        return [(producer.token("dead"), frozenset({"token_invalid"}))] + [
            (producer.token(prefix), allowed) for prefix, allowed in chosen
        ]

    return make


def live_through(run, troubles: dict[str, Trouble], seconds: float, rate: float) -> None:
    """Puts lanes (by name) into trouble for some seconds, watches another lane, and ends the trouble.

    What a dispatcher could not deliver by then it must deliver after that.
    """
    run.open(more=SETTINGS, lanes=(*(name for name in troubles if name != TROUBLED), CALM))
    run.start()
    neighbour = Neighbour(run)
    for name, trouble in troubles.items():
        run.simulators[name].stop()
        run.simulators[name].start(trouble.rules())
    loads = [LaneLoad(run, name, rate, items_of(trouble, run.random)) for name, trouble in troubles.items()]
    time.sleep(seconds)
    for load in loads:
        load.stop()
    neighbour.check()
    for name in troubles:
        run.simulators[name].stop()
        run.simulators[name].start()
    if any(trouble.parks for trouble in troubles.values()):
        await_opening(run)
    run.healed()


def await_opening(run) -> None:
    """Waits until a parked lane has opened by itself; each pause is twice as long as the one before."""
    log = run.folder / "dispatch.log"
    eventually("the lane opens by itself", lambda: "dispatch.laneOpened" in log.read_text(), 5 * PARKED_PAUSE)


@case("apns")
def every_lane_in_trouble_but_one(run):
    """all rehearsals at once, each on a lane of its own in one dispatcher, and one lane that must not notice"""
    several = {trouble.name: trouble for trouble in TROUBLES if not trouble.parks}
    live_through(run, several, seconds=6 if run.quick else 60, rate=100)


def rehearse(trouble: Trouble) -> None:
    def function(run):
        live_through(run, {TROUBLED: trouble}, seconds=4 if run.quick else 30, rate=400)

    function.__name__ = "apns_" + trouble.name.replace("-", "_")
    function.__doc__ = f"the rehearsal {trouble.name} on one lane, and one lane that must not notice"
    case("apns", quick=False)(function)


for one in TROUBLES:
    rehearse(one)
