"""The faults of a soak: each breaks something for some seconds and heals it, while the dispatcher lives on."""

import signal
import time
from collections.abc import Callable

from faults.process import Process
from faults.run import Run

# What --json calls it, and what does it.
Fault = tuple[str, Callable[[Run, Process], None]]


def during(run: Run, seconds: float) -> None:
    """Notes the fault at the moment it is worst, and lets it last."""
    run.fault(window=120)
    time.sleep(run.random.uniform(0.3, 1) * (min(seconds, 2) if run.quick else seconds))


def reset(name: str) -> Fault:
    """RST to every connection of one kind."""

    def fault(run: Run, dispatcher: Process) -> None:
        getattr(run, name).reset_links()
        during(run, 1)

    return f"{name} connections reset", fault


def hold(name: str, seconds: float) -> Fault:
    """A network that swallows everything, then a reset: nothing that was withheld ever arrives."""

    def fault(run: Run, dispatcher: Process) -> None:
        proxy = getattr(run, name)
        proxy.hold("up")
        proxy.hold("down")
        during(run, seconds)
        proxy.heal()
        run.fault(window=120)

    return f"{name} half-open for up to {seconds} s", fault


def slow(name: str, latency: float, seconds: float) -> Fault:
    def fault(run: Run, dispatcher: Process) -> None:
        proxy = getattr(run, name)
        proxy.profile.latency = latency
        during(run, seconds)
        proxy.profile.latency = 0

    return f"{name} with {latency} s more each way, for up to {seconds} s", fault


def refuse(name: str, seconds: float) -> Fault:
    def fault(run: Run, dispatcher: Process) -> None:
        proxy = getattr(run, name)
        proxy.refusing = True
        proxy.reset_links()
        during(run, seconds)
        proxy.refusing = False

    return f"{name} unreachable for up to {seconds} s", fault


def kill(name: str) -> Fault:
    def fault(run: Run, dispatcher: Process) -> None:
        run.services.control(f"kill-{name}")
        time.sleep(run.random.uniform(0, 3))
        run.services.control(f"start-{name}")
        run.fault(window=120)  # the oracle cannot look at a store that is dead

    return f"{name} killed and started again", fault


def restart_apns(run: Run, dispatcher: Process) -> None:
    run.simulator.stop()
    during(run, 5)
    run.simulator.start()


def freeze(run: Run, dispatcher: Process) -> None:
    dispatcher.signal(signal.SIGSTOP)
    during(run, 8)
    dispatcher.signal(signal.SIGCONT)


FAULTS = (
    *(reset(name) for name in ("broker", "store", "apns")),
    *(refuse(name, 8) for name in ("broker", "store", "apns")),
    *(hold(name, 8) for name in ("store", "apns")),
    *(slow(name, 0.3, 10) for name in ("broker", "store", "apns")),
    *(kill(name) for name in ("broker", "store")),
    ("apns restarted", restart_apns),
    ("dispatcher stopped for up to 8 s", freeze),
)
