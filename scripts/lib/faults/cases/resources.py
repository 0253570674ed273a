"""Too few descriptors, too little memory, one core; and an hour of load with a fault a minute."""

import time

from faults.cases import case
from faults.soak import Soak

MEBIBYTE = 1 << 20


def live_within(run, through: tuple, more: dict | None = None, **simulator) -> str:
    """A dispatcher under a limit that does not fit it, under load; returns what it said."""
    run.open(more=more, **simulator)
    dispatcher = run.start(through=through)
    load = run.load(rate=500)
    time.sleep(3 if run.quick else 60)
    load.stop()
    run.healed()
    run.await_final()
    if not dispatcher.runs:
        raise AssertionError("the dispatcher did not live within its limit")
    return dispatcher.words


@case("resources")
def few_descriptors(run):
    """64 file descriptors where 64 connections are wanted: as many as there is room for carry the load, and the log says why"""
    # Each request waits, so that the lane wants more connections than it can have; it opens one a second.
    words = live_within(
        run,
        ("prlimit", f"--nofile={36 if run.quick else 64}"),
        {"lanes": [{"connections": 64}]},
        simulator_options=("--latency", "2s", "--streams", "10"),
    )
    if "Too many open files" not in words:
        raise AssertionError("nothing in the log tells of the descriptors")


@case("resources")
def little_memory(run):
    """256 MiB of memory (data and stacks): the load passes, nothing is killed"""
    live_within(run, ("prlimit", f"--data={256 * MEBIBYTE}"))


@case("resources")
def one_core(run):
    """one core for all threads, shared with nobody's favour: the load passes"""
    live_within(run, ("taskset", "-c", "0"))


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
