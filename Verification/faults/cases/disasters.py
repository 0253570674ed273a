"""What an operator sees when something breaks: `waybill status` names the cause in words, within seconds.

Each case breaks something under traffic and asks `waybill status --json` until the first finding is what somebody needs to know
who has never seen it; how long that took is a figure of the result. Then it heals, status is healthy, and nothing is lost.
"""

import contextlib
import ctypes
import ctypes.util
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from faults.cases import case
from faults.cases.store import own_store
from faults.process import Process, eventually
from faults.producer import SENT
from faults.product import KEY, Programs
from faults.rehearsals import UNANSWERED
from faults.run import Run
from faults.servers.loop_disk import LoopDisk

HEALTHY, DEGRADED, DOWN = 0, 75, 69
GENEROUS = 30.0  # seconds until a cause must be named; ten are wanted
SETTINGS = {"retry": {"steps": ["1s", "3s"], "max_attempts": 100}}


def status(run: Run) -> tuple[int, dict]:
    """Exit status and answer of `waybill status --json`, asked past every proxy."""
    command = [run.programs.waybill, "status", "--json", "--config", str(run.direct)]
    done = subprocess.run(command, capture_output=True, timeout=90, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}


def findings(answer: dict) -> list[str]:
    return [finding["text"] for finding in answer.get("findings", [])]


class Disaster:
    """One thing that breaks at the moment when this is made."""

    def __init__(self, run: Run, name: str) -> None:
        self._run, self._name, self._began = run, name, time.monotonic()

    def is_named(self, words: str, code: int) -> None:
        """Asks until a finding matches, which must be the first one, and the exit status is right."""
        said: list[str] = []

        def matches() -> bool:
            nonlocal said
            exit_status, answer = status(self._run)
            said = findings(answer)
            return exit_status == code and bool(said) and re.search(words, said[0]) is not None

        try:
            eventually(f"{self._name} is named", matches, GENEROUS, 0.2)
        except TimeoutError as error:
            raise AssertionError(f"{error}; the findings are {said}") from None
        self._run.notes.append(f"{self._name}: named after {time.monotonic() - self._began:.1f} s: {said[0]}")


def await_healthy(run: Run, seconds: float = 60) -> None:
    said: list[str] = []

    def is_healthy() -> bool:
        nonlocal said
        code, answer = status(run)
        said = findings(answer)
        return code == HEALTHY

    try:
        eventually("the installation is healthy", is_healthy, seconds, 0.3)
    except TimeoutError as error:
        raise AssertionError(f"{error}; the findings are {said}") from None


@contextlib.contextmanager
def traffic(run: Run, rate: float = 100, allowed: frozenset = SENT) -> Iterator[None]:
    """Load in the middle of which something breaks; a producer that the broker turns away tries again."""
    load = run.load(rate, stubborn=True, allowed=allowed)
    try:
        yield
    finally:
        load.stop()


@contextlib.contextmanager
def alarm(run: Run) -> Iterator[None]:
    """The broker is low on memory, as it is told: it reads from nobody who has published, and so from the load, either."""
    run.services.control("broker-control", "set_vm_memory_high_watermark", "0.0001")
    try:
        yield
    finally:
        run.services.control("broker-control", "set_vm_memory_high_watermark", "0.4")


def begin(run: Run, **how: object) -> Process:
    run.open(more={**SETTINGS, **how})
    dispatcher = run.start()
    await_healthy(run)
    return dispatcher


@case("disasters", alone=True, long=True)
def servers_break(run: Run) -> None:
    """status names a store that is down, and an alarm of the broker, which RabbitMQ tells dispatchers alone"""
    begin(run)
    with traffic(run):
        run.services.control("stop-store")
        disaster = Disaster(run, "store down")
        disaster.is_named("store does not answer", DOWN)
        run.services.control("start-store")
        await_healthy(run)
        with alarm(run):
            disaster = Disaster(run, "broker alarm")
            disaster.is_named("alarm", DOWN)
        await_healthy(run)
    run.fault(window=120)


@case("disasters", long=True, later=True)
def nobody_consumes(run: Run) -> None:
    """status names a queue without a consumer, and a dispatcher that hangs: stopped as a whole, and one thread alone"""
    dispatcher = begin(run)
    with traffic(run):
        dispatcher.kill()
        disaster = Disaster(run, "no consumer")
        disaster.is_named("has no consumer", DOWN)
        run.crashed(dispatcher)
        dispatcher = run.start_dispatcher()
        await_healthy(run)
        dispatcher.signal(signal.SIGSTOP)
        disaster = Disaster(run, "stuck process")
        disaster.is_named("has said nothing", DOWN)
        dispatcher.signal(signal.SIGCONT)
        await_healthy(run)
        for name, words, code in (("wb-apns-0", "thread wb-apns-0", DEGRADED), ("wb-consume", "takes no messages", DOWN)):
            with stopped_thread(dispatcher, name):
                disaster = Disaster(run, f"stuck thread {name}")
                disaster.is_named(words, code)
            await_healthy(run)
    run.fault(window=120)


@case("disasters", long=True)
def lanes_break(run: Run) -> None:
    """status names a lane that is parked because APNs is not reached, one that is silent, and one whose key is refused"""
    run.folder.parent.mkdir(exist_ok=True)
    key = run.folder.parent / f"{run.prefix}.p8"
    right = Path(run.programs.credentials) / f"AuthKey_{KEY}.p8"
    wrong = Path(Programs(Path(run.programs.waybill).parent, run.folder.parent / "other-credentials").credentials)
    shutil.copy2(right, key)
    run.at_close(lambda: key.unlink(missing_ok=True))
    dispatcher = begin(run, lanes=[{"key_file": str(key)}], dispatch={"unreachable": "1s", "request_timeout": "20s"})
    with traffic(run, allowed=UNANSWERED):
        run.apns.hold("up")
        run.apns.hold("down")
        disaster = Disaster(run, "silent lane")
        disaster.is_named("parcels: the push service is silent", DEGRADED)
        run.apns.release("up")
        run.apns.release("down")
        await_healthy(run)
        run.simulator.stop()
        disaster = Disaster(run, "parked lane")
        disaster.is_named("lane parcels is parked", DOWN)
        run.simulator.start()
        await_healthy(run)
    assert dispatcher.end() == 0
    shutil.copy2(wrong / f"AuthKey_{KEY}.p8", key)
    dispatcher = run.start_dispatcher()
    with traffic(run):
        disaster = Disaster(run, "wrong key")
        disaster.is_named("lane parcels is parked.*InvalidProviderToken", DOWN)
    shutil.copy2(right, key)
    assert dispatcher.end() == 0
    run.start_dispatcher()
    await_healthy(run)
    run.fault(window=120, allowance=10_000)


@case("disasters", quick=False)
def lane_is_not_reached(run: Run) -> None:
    """status names a lane that does not reach APNs, with the reason, long before the lane is parked"""
    begin(run)
    with traffic(run, allowed=UNANSWERED):
        run.simulator.stop()
        disaster = Disaster(run, "lane not reached")
        disaster.is_named("lane parcels: the push service is not reached: no connection for .*: TLS", DEGRADED)
        run.simulator.start()
        await_healthy(run)
    run.fault(window=120, allowance=10_000)


@case("disasters")
def pushes_go_wrong(run: Run) -> None:
    """status names a storm of dead tokens, and a message that nobody can read"""
    begin(run)
    load = run.load(200, dead=0.9)
    disaster = Disaster(run, "dead-token storm")
    disaster.is_named("dead or wrong tokens", DEGRADED)
    load.stop()
    with traffic(run):
        # A storm is told of for a minute after its end.
        await_healthy(run, 100)
        run.producer.publish(b"{ no message", message_id=f"{run.prefix}-poison")
        disaster = Disaster(run, "poison message")
        disaster.is_named("rejected queue holds 1", DEGRADED)
        config = ("--config", str(run.direct))
        drop = [run.programs.waybill, "rejected", "drop", "--all", "--yes", *config]
        subprocess.run(drop, check=True, capture_output=True, timeout=60)
        await_healthy(run)


@case("disasters", quick=False)
def disk_full(run: Run) -> None:
    """status names what the store says when its disk is full (needs root to mount a small one)"""
    disk = LoopDisk(run.servers_folder.with_suffix(".image"), run.servers_folder, 400)
    run.at_close(disk.unmount)
    store = own_store(run, options=("--wiredTigerEngineConfigString", "log=(file_max=4MB,prealloc=false)"))
    begin(run)
    disk.fill(leaving=6 << 20)
    load = run.load(rate=3_000, size=100)
    run.await_words("dispatch.storeFailed", 90)
    disaster = Disaster(run, "disk full")
    disaster.is_named("store", DOWN)
    load.stop()
    disk.free()
    if not store.runs():
        store.start()
    await_healthy(run)
    run.healed()


# -- One thread of a process

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17


@contextlib.contextmanager
def stopped_thread(process: Process, name: str) -> Iterator[None]:
    """Holds one thread as a call that does not return would: the others go on. Needs the right to trace it."""
    (thread,) = [
        int(task.name) for task in Path(f"/proc/{process.pid}/task").iterdir() if (task / "comm").read_text().strip() == name
    ]
    trace: Callable[..., int] = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True).ptrace
    trace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]  # type: ignore[attr-defined]
    for request in (SEIZE, INTERRUPT):
        if trace(request, thread, None, None) == -1:
            raise OSError(ctypes.get_errno(), f"ptrace of {name}")
    os.waitpid(thread, 0x40000000)  # __WALL: until it stands
    try:
        yield
    finally:
        trace(DETACH, thread, None, None)
