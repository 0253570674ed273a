"""One execution of a case: its queues and database, its simulator, its dispatchers, its ledgers."""

import json
import random
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path as FilePath
from typing import Any

from common.pace import Pace
from proxy.link import Trap

from faults.load import Load
from faults.oracle.audit import AckAudit
from faults.oracle.ledger import DEAD_STATUSES, FINAL, Fault, Ledgers, Life, attribute, read_pushes, read_records
from faults.oracle.statistics import compare, in_doubt
from faults.oracle.verdict import Verdict, judge
from faults.path import Path
from faults.process import Process, eventually
from faults.producer import Producer
from faults.product import Programs, Simulator, configuration, fcm_lane
from faults.queues import Queues
from faults.servers.services import Services

SETTLE = 60.0  # how long everything may take to become final before the run is given up; the verdict allows half of it


class Run:
    """What a case works with; cases/__init__.py says how.

    Public: quick, random, services, path (of the first dispatcher; its proxies are also `broker`, `store`, `apns`),
    simulator (of the first lane), simulators (of all lanes, by name), producer, ledgers, dispatchers, notes (figures that
    are printed under the case's line), pace (for limits in seconds).
    """

    def __init__(
        self, services: Services, programs: Programs, pace: Pace, folder: FilePath, name: str, seed: int, quick: bool
    ) -> None:
        self.services, self.programs, self.folder = services, programs, folder
        self.quick, self.seed = quick, seed
        self.random = random.Random(f"{name}/{seed}")
        self.prefix = f"f{self.random.getrandbits(40):x}"
        self.ledgers = Ledgers()
        self.dispatchers: list[Process] = []
        self.simulators: dict[str, Simulator] = {}
        self.notes: list[str] = []
        self.minutes, self.rate = 60.0, None  # of a soak
        self.provider = "apns"  # of the first lane
        self.pace = pace
        self._began = time.monotonic()
        self.prune: Process | None = None
        self._queues = Queues(services, self.prefix)
        self._paths: list[Path] = []
        self._senders: list[tuple[Process, Path]] = []
        self._marks: dict[FilePath, int] = {}  # how far the simulators' records were read
        self._fault_ended = 0.0
        self._recovery = 0.0
        self._has_dropped = False  # records that were counted
        self._memory_before = 0
        self._endings: list = []
        self._store = services.connect_store()
        self.deliveries = self._store[self.prefix].deliveries
        self.devices = self._store[self.prefix].devices
        self.producer = self.new_producer()

    # -- Setting up

    @property
    def servers_folder(self) -> FilePath:
        """Where a case keeps servers of its own; removed with the run."""
        return self.folder.with_name(self.folder.name + ".servers")

    def use(self, services: Any) -> None:
        """Works on other servers than the session's: before `open`, and before anything is issued."""
        self._store.close()
        self.services = services
        self._queues = Queues(services, self.prefix)
        self._store = services.connect_store()
        self.deliveries = self._store[self.prefix].deliveries
        self.devices = self._store[self.prefix].devices
        self.producer = self.new_producer()

    def at_close(self, function: Callable) -> None:
        """Has something undone or ended when the run is over, whatever came of it; the last one first."""
        self._endings.append(function)

    def open(
        self,
        *,
        rules: dict | None = None,
        simulator_options: tuple = ("--latency", "5ms"),
        more: dict | None = None,
        lanes: tuple = (),
        keys: dict | None = None,
        fcm: tuple = (),
        servers: dict | None = None,
    ) -> None:
        """Makes folder, queues, indexes and the simulator. `more` is laid over the configuration.

        more["lanes"], a list of one, is laid over the first lane. lanes: names of further lanes, each with a
        simulator of its own and no proxy before it. keys: key ids of further lanes, by name, where they are not to share the
        first lane's: what APNs says of a key's token holds for every lane of the key. fcm: names of further lanes that lead
        to FCM. servers: what plays a push service for further lanes, by name: it offers what `Simulator` does, and `lane()`.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.simulator = Simulator(self.programs, self.folder, rules, simulator_options, provider=self.provider)
        self.simulators = {"parcels": self.simulator}
        for name in lanes:
            (self.folder / name).mkdir()
            key = {"key": keys[name]} if keys and name in keys else {}
            self.simulators[name] = Simulator(self.programs, self.folder / name, rules, simulator_options, **key)
        for name in fcm:
            (self.folder / name).mkdir()
            self.simulators[name] = Simulator(self.programs, self.folder / name, None, simulator_options, provider="fcm")
        self.simulators.update(servers or {})
        self.producer.fcm_lanes = {name for name, one in self.simulators.items() if one.provider == "fcm"}
        first = (more or {}).get("lanes", [{}])
        if self.provider == "fcm":
            first = [{"name": "parcels", **fcm_lane(self.simulator, self.programs.credentials), **lane} for lane in first]
        further = [{"name": name, "endpoint": f"https://localhost:{self.simulators[name].port}"} for name in lanes]
        for lane in further:
            if keys and lane["name"] in keys:
                lane["key_id"] = keys[lane["name"]]
        further += [{"name": name, **fcm_lane(self.simulators[name], self.programs.credentials)} for name in fcm]
        further += [{"name": name, **server.lane()} for name, server in (servers or {}).items()]
        self._more = {**(more or {}), "lanes": [*first, *further]}
        self._direct = self.folder / "direct.yaml"
        self._direct.write_text(json.dumps(self._direct_configuration(self.prefix), indent=1))
        settings = json.loads(self._direct.read_text())
        self._queues.steps = settings["retry"]["steps"]
        self._queues.numbered = settings["broker"].get("dispatch_queues", 0)
        # A failed run with the same seed has left its own to be looked at.
        self._store.drop_database(self.prefix)
        self._queues.delete()
        self._init(self._direct)
        self.path = self.new_path()
        self.broker, self.store, self.apns = self.path.proxies

    def _direct_configuration(self, prefix: str) -> dict:
        return configuration(
            broker=self.services.broker_url,
            store=f"mongodb://127.0.0.1:{self.services.store_port}/?replicaSet=rs0",
            apns_port=self.simulator.port,
            prefix=prefix,
            database=self.prefix,
            credentials=self.programs.credentials,
            more=self._more,
        )

    def _init(self, config: FilePath) -> None:
        init = Process("waybill init", [self.programs.waybill, "init", "--config", str(config)], self.folder / "init.log")
        if init.wait(60) != 0:
            raise RuntimeError(f"waybill init: {init.words}")

    @property
    def direct(self) -> FilePath:
        """A configuration that leads past the proxies."""
        return self._direct

    def declare(self) -> None:
        """Runs `waybill init` again: what was deleted is there afterwards."""
        self._init(self._direct)

    def add_simulator(self, name: str, rules: dict | None = None, options: tuple = ("--latency", "5ms")) -> Simulator:
        """Starts another simulator, for a path of its own: its record tells which dispatcher sent a push."""
        (self.folder / name).mkdir()
        self.simulators[name] = Simulator(self.programs, self.folder / name, rules, options, provider=self.provider)
        return self.simulators[name]

    def new_path(self, queue_prefix: str | None = None, more: dict | None = None, simulator: Simulator | None = None) -> Path:
        """Another set of proxies and a configuration that leads through them.

        simulator: of the first lane; the run's first one by default.
        """
        prefix = queue_prefix or self.prefix
        if self._queues.add(prefix):
            self._queues.delete(prefix)
            config = self.folder / f"direct-{prefix}.yaml"
            config.write_text(json.dumps(self._direct_configuration(prefix), indent=1))
            self._init(config)
        path = Path(
            self.folder / f"path-{len(self._paths)}.yaml",
            self.services,
            simulator or self.simulator,
            self.programs,
            prefix,
            self.prefix,
            AckAudit(self.ledgers, self.deliveries),
            self.seed,
            {**self._more, **(more or {})},
        )
        self._paths.append(path)
        return path

    def new_producer(self, queue_prefix: str | None = None, number: int | None = None) -> Producer:
        """A producer of its own, for another thread or another queue; its items go into the same ledgers."""
        seed = f"{self.prefix}/{self.random.random()}"
        queue = f"{queue_prefix or self.prefix}.dispatch" + ("" if number is None else f".{number}")
        producer = Producer(self.services.connect_broker, queue, self.ledgers, seed)
        producer.fcm_lanes = {name for name, one in self.simulators.items() if one.provider == "fcm"}
        return producer

    # -- The product

    def start_dispatcher(self, path: Path | None = None, through: tuple = ()) -> Process:
        """through: a command that becomes the dispatcher, such as ("prlimit", "--nofile=64")."""
        path = path or self.path
        process = Process(
            "waybill dispatch",
            [*through, self.programs.waybill, "dispatch", "--config", str(path.config)],
            self.folder / "dispatch.log",
        )
        self.dispatchers.append(process)
        self._senders.append((process, path))
        return process

    def start_prune(self) -> Process:
        self.prune = Process(
            "waybill prune", [self.programs.waybill, "prune", "--config", str(self._direct)], self.folder / "prune.log"
        )
        return self.prune

    def start(self, through: tuple = ()) -> Process:
        """Starts prune and a dispatcher, and passes a first load through them: connections stand, memory is known."""
        if self.prune is None:
            self.start_prune()
        dispatcher = self.start_dispatcher(through=through)
        self.warm()
        return dispatcher

    def start_several(self, count: int) -> list[tuple[Process, Path]]:
        """As `start`, with so many dispatchers, each on a path of its own; the first has `self.path`."""
        self.start_prune()
        paths = [self.path, *(self.new_path() for _ in range(count - 1))]
        several = [(self.start_dispatcher(path), path) for path in paths]
        self.warm(count)
        return several

    def warm(self, dispatchers: int = 1) -> None:
        """Passes a load through what runs, so that connections stand, and notes the memory."""
        self.issue(4 * dispatchers, 50)
        self.await_final()
        self.note_memory()

    def note_memory(self) -> None:
        """What the memory at the end is compared with."""
        self._memory_before = max(process.memory() for process in self.running())

    def running(self) -> list[Process]:
        return [process for process in self.dispatchers if process.runs]

    # -- Load

    def issue(self, messages: int = 1, size: int = 50, **how: Any) -> list[str]:
        """Publishes with confirms; see Producer.issue. Returns the ids."""
        return self.producer.issue(messages, size, **how)

    def load(
        self, rate: float, size: int = 20, producer: Producer | None = None, *, stubborn: bool = False, **how: Any
    ) -> Load:
        """Starts publishing about `rate` notifications a second on a thread, until `stop()`; see Load."""
        producer = producer or self.new_producer()
        return Load(producer, rate, size, lambda: producer.issue(1, size, **how), stubborn)

    # -- Faults

    def issue_into(self, trap: Trap, messages: int, size: int) -> None:
        """Publishes until the trap has caught something: nobody knows how many writes a load is worth."""
        self.issue(messages, size)
        for _ in range(40):
            if trap.wait(0.5):
                return
            self.issue(1, size)
        raise TimeoutError("the crash point was never reached")

    def fault(self, began_ms: int | None = None, window: float = 0, allowance: int = 0) -> None:
        """Writes down that something was broken just now, and what has a final record at this moment.

        Call it after the break and before anything is started again. window: seconds to look back; 0 is everything.
        allowance: see Fault.
        """
        now = int(time.time() * 1000)
        since = now - int(window * 1000) if window else 0
        found = list(self.deliveries.find({"date": {"$gte": _date(since)}} if since else {}, {"outcome": 1, "attempts": 1}))
        recorded = frozenset(str(record["_id"]) for record in found if record["outcome"] in FINAL)
        deferred = {str(record["_id"]): record["attempts"] for record in found if record["outcome"] not in FINAL}
        ended = int(time.time() * 1000)
        self.ledgers.faults.append(Fault(began_ms or now, ended, recorded, since, allowance, deferred))
        time.sleep(0.002)  # so that what is sent from here on carries a later millisecond
        self.healed()

    def crashed(self, process: Process, path: Path | None = None, **how: Any) -> None:
        """After a kill: waits for the end of the process, forgets every trap, cuts every link, notes the fault."""
        began = int(time.time() * 1000)
        process.wait(10)
        (path or self.path).heal()
        self.fault(began, **how)

    def healed(self) -> None:
        """The fault is over: recovery is counted from here."""
        self._fault_ended = time.monotonic()

    # -- Words

    def says(self, event: str) -> int:
        """How often the dispatchers have said something."""
        return (self.folder / "dispatch.log").read_text(errors="replace").count(event)

    def await_words(self, event: str, within: float = 20) -> None:
        eventually(f"the dispatcher says {event}", lambda: self.says(event), within, 0.1)

    # -- Ends

    def is_acknowledged(self) -> bool:
        return all(path.unacknowledged() == 0 for path in self._paths) and self._queues.waiting() == 0

    def delayed(self) -> int:
        """Messages in the delay queues."""
        return self._queues.delayed()

    def final_count(self) -> int:
        return self.deliveries.count_documents({"outcome": {"$in": sorted(FINAL)}})

    def recorded(self) -> int:
        """Documents of any outcome: cheap, for waiting until a load is under way."""
        return self.deliveries.estimated_document_count()

    def await_final(self, within: float = SETTLE) -> None:
        """Waits until everything issued has a final record."""
        next_count = time.monotonic() + 2

        def all_final() -> bool:
            nonlocal next_count
            wanted = len(self.ledgers.issued)
            # The estimate is cheap, but wrong for good after a mongod was killed: it only says when to count at once.
            if self.recorded() < wanted and time.monotonic() < next_count:
                return False
            next_count = time.monotonic() + 2
            return self.final_count() >= wanted and self._has_issued()

        pause = 0.02 if len(self.ledgers.issued) < 20_000 else 0.3
        eventually(f"{len(self.ledgers.issued)} final records", all_final, within, pause)

    def _has_issued(self) -> bool:
        """Whether the final records, if there are enough, are those of what was confirmed: others may be there, too."""
        issued = self.ledgers.issued.keys()
        if self.ledgers.uncertain.keys() <= issued:
            return True
        final = self.deliveries.find({"outcome": {"$in": sorted(FINAL)}}, {"_id": 1})
        return issued <= {str(record["_id"]) for record in final}

    def recover_but_for_delayed(self, within: float = 400) -> None:
        """Waits until everything issued is final or deferred, takes the time, and then lets the broker take its own.

        A broker that was killed while a delay queue forwarded something sends it again only after three minutes
        (dead_letter_worker_publisher_confirm_timeout), or six: it looks every three minutes for what is older than that.
        """
        wanted = len(self.ledgers.issued)
        eventually("a record of everything", lambda: self.deliveries.count_documents({}) >= wanted, SETTLE, 0.2)
        self._recovery = max(self._recovery, time.monotonic() - self._fault_ended)
        self.await_final(within)
        self.healed()

    def recover(self) -> None:
        """Waits until everything issued is final and acknowledged, and takes the time since the fault was over.

        Copies of what is final may be on their way back through a delay queue, for which nobody has to wait but the end. What
        does not come is left to the verdict, which names what is lost or left.
        """
        try:
            self.await_final()
            eventually("everything is acknowledged", self.is_acknowledged)
        except TimeoutError:
            pass
        if self._fault_ended:
            self._recovery = max(self._recovery, time.monotonic() - self._fault_ended)
        with suppress(TimeoutError):
            eventually("no copy is on its way", lambda: self.delayed() == 0 and self.is_acknowledged())

    def finish(self) -> Verdict:
        """The end of every run: recovery, a fresh batch, an orderly stop, and the ledgers' verdict."""
        if not self.running():
            self.start_dispatcher()
        self.recover()
        complaints = []
        fresh = len(self.issue(2, 50))
        try:
            self.await_final(30)
        except TimeoutError:
            complaints.append(f"a fresh batch of {fresh} did not pass within 30 s")
        after = max((process.memory() for process in self.running()), default=0)
        running = self.running()
        for process in running:
            process.signal(signal.SIGTERM)
        for process in running:
            process.wait(40)
        self.await_prune()
        if self.prune and self.prune.runs:
            self.prune.end()
        complaints += [process.fell for process in (*self.dispatchers, self.prune) if process and process.fell]
        for simulator in self.simulators.values():
            simulator.stop()
        self._read_ledgers()
        complaints += self.compare_statistics()
        verdict = judge(self.ledgers, self._recovery, (self._memory_before, after), self.pace.since(self._began))
        verdict.findings += complaints + self._look_at_words()
        verdict.findings += self._take_audits()
        verdict.notes += self.notes
        if verdict.both_accepted:
            verdict.notes.append(
                f"{verdict.both_accepted} accepted twice, {verdict.of_two} of them by two dispatchers;"
                f" {verdict.maybe_twice} more may have been sent twice"
            )
        if verdict.killed_beside:
            verdict.notes.append(f"{verdict.killed_beside} sent twice without a mark: the second dispatcher was killed")
        return verdict

    def judge_so_far(self, recovery: float = 0.0) -> Verdict:
        """The verdict on everything since the last one, while all goes on; what it was about is forgotten.

        For when everything issued is final and acknowledged: what comes later on that account is unexpected.
        """
        self.await_prune()
        time.sleep(1.2)  # the simulator writes its record once a second
        self._read_ledgers()
        verdict = judge(self.ledgers, recovery, pace=self.pace.since(self._began))
        verdict.findings += self._take_audits()  # while the records that they ask for are there
        self.ledgers.forget()
        self._has_dropped = True
        self.deliveries.drop()  # to delete a million records one by one takes longer than to make them
        self.declare()
        self.devices.delete_many({})
        return verdict

    def forget_records(self) -> None:
        """Takes away what a case has recorded for itself, while no dispatcher runs."""
        self.deliveries.delete_many({})
        self._store[self.prefix]["statistics"].delete_many({})

    def compare_statistics(self) -> list[str]:
        """What is in doubt is recounted, by a dispatcher that has nothing else to do; then statistics and log agree."""
        if self._has_dropped:
            return []  # dispatchers have counted what is gone
        database = self._store[self.prefix]
        if in_doubt(database["statistics"]):
            name = "waybill dispatch (recount)"
            recount = Process(
                name, [self.programs.waybill, "dispatch", "--config", str(self._direct)], self.folder / "recount.log"
            )
            try:
                eventually("the statistics are recounted", lambda: len(in_doubt(database["statistics"])) == 0, 30, 0.1)
            except TimeoutError:
                return [f"statistics in doubt: {', '.join(in_doubt(database['statistics'])[:3])}; {recount.words[-300:]}"]
            finally:
                recount.end(20)
        return compare(database)

    def _take_audits(self) -> list[str]:
        return [finding for path in self._paths for finding in path.audit.take_findings()]

    def await_prune(self) -> None:
        """Waits until the prune worker has disabled every token that the log calls dead."""
        if self.prune is None:
            return
        refused = {"outcome": "token_invalid", "status_code": {"$in": sorted(DEAD_STATUSES)}}
        dead = {found["device_token"] for found in self.deliveries.find(refused, {"device_token": 1})}

        def pruned() -> bool:
            return self.devices.count_documents({"enabled": False}) >= len(dead)

        try:
            eventually("the prune worker is done", pruned, 30, 0.02)
        except TimeoutError:
            pass  # the verdict names the tokens

    def _look_at_words(self) -> list[str]:
        """A crash of its own leaves words that no fault explains."""
        log = self.folder / "dispatch.log"
        words = log.read_text(errors="replace") if log.exists() else ""
        return [f"dispatch.log has: {word}" for word in ("Fatal error", "Sanitizer", "Backtrace") if word in words]

    def _read_ledgers(self) -> None:
        ledgers = self.ledgers
        for apns_id in ledgers.issued:
            ledgers.uncertain.pop(apns_id, None)
        owners = [(file, simulator) for simulator in self.simulators.values() for file in simulator.records]
        pushed = read_pushes([file for file, _ in owners], self._marks)
        firsts = [path.simulator for path in self._paths]
        lives = []
        for process, path in self._senders:
            files = (number for number, (_, one) in enumerate(owners) if one is path.simulator or one not in firsts)
            began, ended = process.lifetime
            lives.append(Life(frozenset(files), began, ended))
        ledgers.pushed = attribute(pushed, lives)
        ledgers.recorded = read_records(self.deliveries)
        disabled = self.devices.find({"enabled": False}, {"token": 1})
        ledgers.disabled = {document["token"] for document in disabled}
        self._queues.read(ledgers)

    def close(self, keep: bool = False) -> None:
        """Ends whatever runs. Removes queues, database and folders unless they are to be looked at."""
        with ExitStack() as endings:
            endings.callback(self._store.close)
            for function in self._endings:
                endings.callback(function)
            self._close(keep)
        if not keep:
            shutil.rmtree(self.servers_folder, ignore_errors=True)

    def _close(self, keep: bool) -> None:
        self.producer.close()
        for process in (*self.dispatchers, self.prune, *(one.process for one in self.simulators.values())):
            if process is not None and process.runs:
                process.kill()
                process.wait(10)
        for path in self._paths:
            path.close()
        if not keep:
            self._queues.delete()
            self._store.drop_database(self.prefix)
            shutil.rmtree(self.folder, ignore_errors=True)


def _date(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
