"""What an operator sees when something breaks: `waybill status` and `/v1/status` name the cause in words, within seconds.

Each case breaks something under traffic and asks both until the first finding is what somebody needs to know who has never
seen it; how long that took is a figure of the result. Then it heals, status is healthy, and nothing is lost.
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
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from faults.cases import case
from faults.cases.store import own_store
from faults.cases.trust import waybill
from faults.process import Process, eventually
from faults.producer import SENT
from faults.product import KEY, RULES, Programs
from faults.rehearsals import UNANSWERED
from faults.run import Run
from faults.servers.loop_disk import LoopDisk
from faults.servers.ports import free_ports

HEALTHY, DEGRADED, DOWN = 0, 75, 69
GRADES = {"healthy": HEALTHY, "degraded": DEGRADED, "down": DOWN}
GENEROUS = 30.0  # seconds until a cause must be named; ten are wanted
NO_ROOM = "No space left on device"  # what mongod writes into its log
ANDROID = "android"
SETTINGS = {"retry": {"steps": ["1s", "3s"], "max_attempts": 100}}


def status(run: Run) -> tuple[int, dict]:
    """Exit status and answer of `waybill status --json`, asked past every proxy."""
    command = [run.programs.waybill, "status", "--json", "--config", str(run.direct)]
    done = subprocess.run(command, capture_output=True, timeout=90, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}


def findings(answer: dict) -> list[str]:
    return [finding["text"] for finding in answer.get("findings", [])]


class Operator:
    """Somebody at a terminal, and at the page: a `waybill serve` beside the dispatcher, and a key for it."""

    def __init__(self, run: Run, dispatcher: Process) -> None:
        self.run, self.dispatcher = run, dispatcher
        made = waybill(run, run.direct, "keys", "create", "--name", "operator", "--role", "reader", "--all-clients")
        assert made.returncode == 0, made.stderr.decode()
        self._headers = {"Authorization": f"Bearer {made.stdout.decode().strip()}"}
        (port,) = free_ports(1)
        self._url = f"http://127.0.0.1:{port}/v1/status"
        command = [run.programs.waybill, "serve", "--config", str(run.direct), "--set", f"serve.listen=127.0.0.1:{port}"]
        run.at_close(Process("waybill serve", command, run.folder / "serve.log").kill)
        eventually("the API answers", self._asks_api, 30, 0.2)

    def _asks_api(self) -> dict:
        """What `/v1/status` says; nothing while it gives no answer."""
        try:
            with urllib.request.urlopen(urllib.request.Request(self._url, headers=self._headers), timeout=20) as answer:
                found: dict = json.load(answer)
                return found
        except urllib.error.HTTPError as error:
            return {"findings": [{"text": f"HTTP {error.code}: {error.read(300).decode()}"}]}
        except OSError:
            return {}

    def asks(self) -> dict[str, tuple[int, list[str]]]:
        """The exit status, or what stands for it, and the findings, the worst first, by whom they were told."""
        # At once: where a server is away, each waits for it.
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(self._asks_api)
            code, answer = status(self.run)
            told = asked.result()
        return {
            "waybill status": (code, findings(answer)),
            "/v1/status": (GRADES.get(told.get("grade", ""), -1), findings(told)),
        }


class Disaster:
    """One thing that breaks at the moment when this is made."""

    def __init__(self, operator: Operator, name: str) -> None:
        self._operator, self._name, self._began = operator, name, time.monotonic()

    def is_named(self, words: str, code: int) -> None:
        """Asks until a finding of each matches, which must be the first one, and the exit status is right."""
        said: dict[str, tuple[int, list[str]]] = {}

        def matches() -> bool:
            nonlocal said
            said = self._operator.asks()
            return all(found == code and texts and re.search(words, texts[0]) for found, texts in said.values())

        try:
            eventually(f"{self._name} is named", matches, GENEROUS, 0.2)
        except TimeoutError as error:
            raise AssertionError(f"{error}; the findings are {said}") from None
        _, (first, *_) = said["waybill status"]
        self._operator.run.notes.append(f"{self._name}: named after {time.monotonic() - self._began:.1f} s: {first}")


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


def begin(run: Run, **how: object) -> Operator:
    run.open(more={**SETTINGS, **how})
    operator = Operator(run, run.start())
    await_healthy(run)
    return operator


@case("disasters", alone=True, long=True, later=True)
def servers_break(run: Run) -> None:
    """status names a store that is down, and an alarm of the broker, which RabbitMQ tells dispatchers alone"""
    operator = begin(run)
    with traffic(run):
        run.services.control("stop-store")
        disaster = Disaster(operator, "store down")
        disaster.is_named("store does not answer", DOWN)
        run.services.control("start-store")
        await_healthy(run)
        with alarm(run):
            disaster = Disaster(operator, "broker alarm")
            disaster.is_named("alarm", DOWN)
        await_healthy(run)
    run.fault(window=120)


@case("disasters", long=True, later=True)
def nobody_consumes(run: Run) -> None:
    """status names a queue without a consumer, and a dispatcher that hangs: stopped as a whole, and one thread alone"""
    operator = begin(run)
    dispatcher = operator.dispatcher
    with traffic(run):
        dispatcher.kill()
        disaster = Disaster(operator, "no consumer")
        disaster.is_named("has no consumer", DOWN)
        run.crashed(dispatcher)
        dispatcher = run.start_dispatcher()
        await_healthy(run)
        dispatcher.signal(signal.SIGSTOP)
        disaster = Disaster(operator, "stuck process")
        disaster.is_named("has said nothing", DOWN)
        dispatcher.signal(signal.SIGCONT)
        await_healthy(run)
        for name, words, code in (("wb-apns-0", "thread wb-apns-0", DEGRADED), ("wb-consume", "takes no messages", DOWN)):
            with stopped_thread(dispatcher, name):
                disaster = Disaster(operator, f"stuck thread {name}")
                disaster.is_named(words, code)
            await_healthy(run)
    run.fault(window=120)


@case("disasters", long=True, later=True)
def lanes_break(run: Run) -> None:
    """status names a lane that is parked because APNs is not reached, one that is silent, and one whose key is refused"""
    run.folder.parent.mkdir(exist_ok=True)
    key = run.folder.parent / f"{run.prefix}.p8"
    right = Path(run.programs.credentials) / f"AuthKey_{KEY}.p8"
    wrong = Path(Programs(Path(run.programs.waybill).parent, run.folder.parent / "other-credentials").credentials)
    shutil.copy2(right, key)
    run.at_close(lambda: key.unlink(missing_ok=True))
    operator = begin(run, lanes=[{"key_file": str(key)}], dispatch={"unreachable": "1s", "request_timeout": "20s"})
    dispatcher = operator.dispatcher
    with traffic(run, allowed=UNANSWERED):
        run.apns.hold("up")
        run.apns.hold("down")
        disaster = Disaster(operator, "silent lane")
        disaster.is_named("parcels: the push service is silent", DEGRADED)
        run.apns.release("up")
        run.apns.release("down")
        await_healthy(run)
        run.simulator.stop()
        disaster = Disaster(operator, "parked lane")
        disaster.is_named("lane parcels is parked", DOWN)
        run.simulator.start()
        await_healthy(run)
    assert dispatcher.end() == 0
    shutil.copy2(wrong / f"AuthKey_{KEY}.p8", key)
    dispatcher = run.start_dispatcher()
    with traffic(run):
        disaster = Disaster(operator, "wrong key")
        disaster.is_named("lane parcels is parked.*InvalidProviderToken", DOWN)
    shutil.copy2(right, key)
    assert dispatcher.end() == 0
    run.start_dispatcher()
    await_healthy(run)
    run.fault(window=120, allowance=10_000)


@case("disasters", later=True)
def lane_puts_off(run: Run) -> None:
    """status names a lane whose push service answers and takes nothing for the moment, and is healthy once it takes pushes"""
    operator = begin(run)
    with traffic(run, allowed=UNANSWERED):
        run.simulator.restart({"rules": [{"token_prefix": "", "reason": "ServiceUnavailable"}]})
        disaster = Disaster(operator, "pushes put off")
        disaster.is_named("lane parcels: .* answers put pushes off: 503 ServiceUnavailable", DEGRADED)
        _, answer = status(run)
        finding = answer["findings"][0]
        assert (finding["kind"], finding["lane"]) == ("push_service_puts_off", "parcels"), finding
        run.simulator.restart(RULES)
        await_healthy(run)
    run.fault(window=120, allowance=10_000)


@case("disasters", quick=False)
def lane_is_not_reached(run: Run) -> None:
    """status names a lane that does not reach APNs, with the reason, long before the lane is parked"""
    operator = begin(run)
    with traffic(run, allowed=UNANSWERED):
        run.simulator.stop()
        disaster = Disaster(operator, "lane not reached")
        disaster.is_named("lane parcels: the push service is not reached: no connection for .*: TLS", DEGRADED)
        run.simulator.start()
        await_healthy(run)
    run.fault(window=120, allowance=10_000)


@case("disasters", later=True)
def lane_hangs(run: Run) -> None:
    """status names a lane whose push service takes connections and answers no TLS handshake, long before the lane is parked"""
    operator = begin(run)
    # No connection stands in a new process that could be silent.
    operator.dispatcher.kill()
    run.crashed(operator.dispatcher)
    run.apns.hold("up")
    run.apns.hold("down")
    run.start_dispatcher()
    await_healthy(run)
    with traffic(run, allowed=UNANSWERED):
        disaster = Disaster(operator, "TLS handshake hangs")
        # The first attempt is given up after ten seconds.
        words = "lane parcels: the push service is not reached: no connection for .* TLS handshake"
        disaster.is_named(words, DEGRADED)
        run.apns.release("up")
        run.apns.release("down")
        await_healthy(run)
    run.fault(window=120, allowance=10_000)


@case("disasters", later=True)
def key_of_fcm_is_refused(run: Run) -> None:
    """status names a lane to FCM whose service account is refused, with what to do about it, long before the lane is parked"""
    run.open(fcm=(ANDROID,), more=SETTINGS)
    account = Path(run.simulators[ANDROID].account)
    right = account.read_bytes()
    made = ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    other = subprocess.run(made, capture_output=True, check=True, timeout=60).stdout.decode()
    account.write_text(json.dumps(json.loads(right) | {"private_key": other}))
    dispatcher = run.start()
    operator = Operator(run, dispatcher)
    await_healthy(run)
    run.issue(2, 50, lane=ANDROID, dead=0)
    disaster = Disaster(operator, "key of FCM refused")
    words = f"lane {ANDROID}: nothing can be sent: no access token for .*: the token endpoint refuses the key: invalid_grant"
    disaster.is_named(words, DEGRADED)
    _, answer = status(run)
    finding = answer["findings"][0]
    assert (finding["kind"], finding["lane"]) == ("no_token", ANDROID), finding
    assert "service_account_file" in finding["advice"], finding
    account.write_bytes(right)
    assert dispatcher.end() == 0
    run.start_dispatcher()
    await_healthy(run)
    run.fault(window=120, allowance=10_000)


@case("disasters", later=True)
def pushes_go_wrong(run: Run) -> None:
    """status names a storm of dead tokens, and a message that nobody can read"""
    operator = begin(run)
    load = run.load(200, dead=0.9)
    disaster = Disaster(operator, "dead-token storm")
    disaster.is_named("dead or wrong tokens", DEGRADED)
    load.stop()
    with traffic(run):
        # A storm is told of for a minute after its end.
        await_healthy(run, 100)
        run.producer.publish(b"{ no message", message_id=f"{run.prefix}-poison")
        disaster = Disaster(operator, "poison message")
        disaster.is_named("rejected queue holds 1", DEGRADED)
        config = ("--config", str(run.direct))
        drop = [run.programs.waybill, "rejected", "drop", "--all", "--yes", *config]
        subprocess.run(drop, check=True, capture_output=True, timeout=60)
        await_healthy(run)


@case("disasters", quick=False)
def disk_full(run: Run) -> None:
    """status names the store whose disk is full, where mongod ends by itself, and the disk (needs root to mount a small one)"""
    disk = LoopDisk(run.servers_folder.with_suffix(".image"), run.servers_folder, 400)
    run.at_close(disk.unmount)
    store = own_store(run, options=("--wiredTigerEngineConfigString", "log=(file_max=4MB,prealloc=false)"))
    operator = begin(run)
    disk.fill(leaving=6 << 20)
    load = run.load(rate=3_000, size=100)
    eventually("the store says that its disk is full", lambda: NO_ROOM in store.words(), 90, 0.05)
    disaster = Disaster(operator, "disk full")
    # mongod hangs, and then ends: what it says of the disk is in its log alone, to which the advice leads.
    disaster.is_named("^the store does not answer: (nobody listens|a server is there and does not answer)", DOWN)
    _, answer = status(run)
    assert "disk" in answer["findings"][0]["advice"], answer["findings"]
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
