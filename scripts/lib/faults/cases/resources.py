"""Too few descriptors, too little memory, one core; and an hour of load with a fault a minute."""

from faults.cases import case
from faults.soak import Soak


@case("resources", quick=False)
def soak(run):
    """an hour at 70 % of the measured rate with a random fault a minute: nothing lost, memory and latency flat"""
    run.open(more={"retry": {"steps": ["1s", "3s"], "max_attempts": 100}, "broker": {"max_in_flight": 20_000}})
    soak = Soak(run, run.start(), run.rate)
    try:
        soak.live(1 if run.quick else run.minutes, length=20 if run.quick else 60)
    finally:
        if soak.minutes:
            soak.judge()
