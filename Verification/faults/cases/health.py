"""What the admin listener says of a dispatcher that something is taken from, and whether its counters tell the truth."""

import json
import signal
import subprocess
import urllib.error
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

from faults.cases import case
from faults.oracle.ledger import FINAL
from faults.process import eventually
from faults.run import Run
from faults.servers.ports import free_ports


class Admin:
    """The pages of one process."""

    def __init__(self, port: int) -> None:
        self._origin = f"http://127.0.0.1:{port}"

    def ask(self, page: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(self._origin + page, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def is_ready(self) -> bool:
        return self.ask("/ready")[0] == 200

    def lacks(self) -> list[str]:
        """What it says is missing."""
        status, text = self.ask("/ready")
        return [check["name"] for check in json.loads(text)["checks"] if not check["ok"]] if status == 503 else []

    def series(self) -> dict[tuple[str, tuple], float]:
        """Every series of a scrape, read by Prometheus' own parser; none appears twice."""
        found: dict[tuple[str, tuple], float] = {}
        for family in text_string_to_metric_families(self.ask("/metrics")[1]):
            assert family.documentation, f"{family.name} has no help"
            for sample in family.samples:
                name = (sample.name, tuple(sorted(sample.labels.items())))
                assert name not in found, f"{name} appears twice"
                found[name] = sample.value
        return found

    def total(self, name: str, **labels: str) -> int:
        wanted = set(labels.items())
        return int(sum(value for (one, pairs), value in self.series().items() if one == name and wanted <= set(pairs)))


def observed(run: Run) -> Admin:
    port = free_ports(1)[0]
    run.open(more={"admin": {"listen": {"dispatch": f"127.0.0.1:{port}"}}})
    run.start()
    admin = Admin(port)
    eventually("it is ready", admin.is_ready, 30, 0.2)
    return admin


@case("health", alone=True, long=True, later=True)
def told_what_is_missing(run: Run) -> None:
    """an idle dispatcher notices by itself that the store, the broker or room for confirms is gone, says so, and recovers"""
    admin = observed(run)
    run.producer.close()  # its connection would not live through this

    def missing(name: str) -> None:
        eventually(f"it says that it lacks {name}", lambda: name in admin.lacks(), 60, 0.2)
        assert admin.ask("/live")[0] == 200, "what is missing elsewhere is no reason for a restart"
        assert admin.total("waybill_condition_up", condition=name) == 0

    run.services.control("stop-store")
    missing("store")
    run.services.control("start-store")
    eventually("it is ready again", admin.is_ready, 60, 0.2)
    run.services.control("stop-broker")
    missing("consuming")
    run.services.control("start-broker")
    eventually("it is ready again", admin.is_ready, 90, 0.2)
    clear = ("broker-control", "set_vm_memory_high_watermark", "0.4")
    run.at_close(lambda: run.services.control(*clear))
    run.services.control("broker-control", "set_vm_memory_high_watermark", "0.0001")
    missing("confirms")
    run.services.control(*clear)
    eventually("it is ready again", admin.is_ready, 60, 0.2)
    run.fault()


@case("health", later=True)
def told_that_statistics_are_refused(run: Run) -> None:
    """the store takes records and no statistics: what could not be counted is not recorded, it says why, and all goes on"""
    admin = observed(run)
    database = run.deliveries.database
    database.command("collMod", "statistics", validator={"nobody": {"$exists": True}})
    load = run.load(rate=200, later=0.02)

    def cause() -> str:
        status, text = admin.ask("/ready")
        return text if status == 503 else ""

    eventually("it names the collection", lambda: f"{database.name}.statistics" in cause(), 60, 0.2)
    assert admin.lacks() == ["store"], "the collection is a part of the store"
    load.stop()
    waiting = len(run.ledgers.issued) - run.final_count()
    assert waiting > 0, "everything was recorded, although nothing could be counted"
    database.command("collMod", "statistics", validator={})
    run.healed()
    eventually("it is ready again", admin.is_ready, 60, 0.2)
    run.await_final()


@case("health", later=True)
def counts_are_those_of_the_log(run: Run) -> None:
    """after a load, a reload and another load the counters are the log's, and a taken address stops nobody"""
    admin = observed(run)
    dispatcher = run.dispatchers[0]
    second = run.start_dispatcher(run.new_path())
    eventually("the second one says that the address is taken", lambda: "admin.notListening" in second.words, 30)
    assert second.end() == 0
    run.issue(10, 50)
    run.await_final()
    before = admin.series()
    taken = admin.total("waybill_messages_total", result="taken")
    dispatcher.signal(signal.SIGHUP)
    eventually("the new configuration is at work", lambda: "service.reloaded" in dispatcher.words, 60)
    assert admin.total("waybill_messages_total", result="taken") == taken, "a reload has lost counts"
    run.issue(10, 50)
    run.await_final()
    after = admin.series()
    assert before.keys() <= after.keys(), f"series have gone: {before.keys() - after.keys()}"
    for (name, labels), value in before.items():
        if name.endswith(("_total", "_count", "_bucket")):
            assert after[name, labels] >= value, f"{name} has fallen"
    for outcome in FINAL:
        counted = admin.total("waybill_notifications_total", outcome=outcome)
        recorded = run.deliveries.count_documents({"outcome": outcome})
        assert counted == recorded, f"{counted} {outcome} are counted, {recorded} recorded"
    page = admin.ask("/metrics")[1] + admin.ask("/status")[1]
    assert not any(item.token in page for item in run.ledgers.issued.values()), "a device token is on a page"
    run.notes.append(f"{len(after)} series")


def counting_every(milliseconds: int) -> str:
    """The expression that has the broker's queues, as they are made from now on, count so often."""
    return f"application:set_env(rabbit, collect_statistics_interval, {milliseconds})"


@case("health", alone=True, later=True)
def told_by_the_broker_itself(run: Run) -> None:
    """with RabbitMQ's HTTP API configured, waybill status has unacknowledged messages and alarms from the broker"""
    port = free_ports(1)[0]
    listens = f'application:set_env(rabbitmq_management, tcp_config, [{{port, {port}}}, {{ip, "127.0.0.1"}}])'
    # Queues count every five seconds otherwise, and each question below waits for that.
    run.at_close(lambda: run.services.control("broker-control", "eval", counting_every(5000) + "."))
    run.services.control("broker-control", "eval", f"{listens}, {counting_every(500)}.")
    run.at_close(lambda: run.services.control("broker-plugins", "disable", "rabbitmq_management"))
    run.services.control("broker-plugins", "enable", "rabbitmq_management")
    run.open(more={"broker": {"management": {"url": f"http://127.0.0.1:{port}"}}})
    run.start()

    def status() -> dict:
        command = [run.programs.waybill, "status", "--json", "--config", str(run.path.config)]
        return json.loads(subprocess.run(command, capture_output=True, timeout=60, check=False).stdout)

    def queue() -> dict:
        return next(queue for queue in status()["broker"]["queues"] if queue["name"] == f"{run.prefix}.dispatch")

    eventually("the broker counts for itself", lambda: queue().get("unacknowledged") == 0, 60, 1)
    assert status()["broker"]["alarms"] == []
    run.apns.hold("up")
    run.apns.hold("down")
    run.issue(5, 10)
    eventually("what is in flight is unacknowledged", lambda: queue()["unacknowledged"] == 5, 60, 1)
    run.apns.release("up")
    run.apns.release("down")
    run.await_final()
    clear = ("broker-control", "set_disk_free_limit", "50MB")
    run.at_close(lambda: run.services.control(*clear))
    run.services.control("broker-control", "set_disk_free_limit", "100000GB")

    def alarms() -> list[str]:
        return status()["broker"]["alarms"]

    eventually("the disk alarm is told", lambda: any("disk alarm" in alarm for alarm in alarms()), 60, 1)
    assert any("disk alarm" in finding["text"] for finding in status()["findings"])
    assert status()["grade"] == "down", "no push gets in, and the installation is said to be well"
    run.services.control(*clear)
    eventually("it is over", lambda: alarms() == [], 60, 1)
