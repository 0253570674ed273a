"""Prometheus itself scrapes: what the alerts and the dashboard ask for must be there."""

import json
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path as FilePath

from common import receipts
from common.expressions import Expression, dashboard, rules, variables
from cryptography import x509

from faults.cases import case
from faults.path import Path
from faults.process import Process, eventually
from faults.run import Run
from faults.servers.ports import free_ports
from faults.servers.prometheus import Prometheus
from faults.servers.services import Services

# Each has a process of its own, and pages; then those that are together in one process of `waybill run`.
ROLES = ("dispatch", "prune", "serve", "hooks", "fanout", "schedule")
TOGETHER = ("dispatch", "prune", "fanout", "schedule")


class MeasuredServices(Services):
    """A broker and a store of a case's own; the broker tells Prometheus of its queues."""

    def __init__(self, folder: FilePath) -> None:
        super().__init__(folder)
        self.metrics_port = free_ports(1)[0]
        broker = folder / "broker"
        (broker / "conf.d").mkdir(parents=True)
        (broker / "enabled_plugins").write_text("[rabbitmq_prometheus].\n")
        (broker / "conf.d/metrics.conf").write_text(
            f"prometheus.tcp.ip = 127.0.0.1\nprometheus.tcp.port = {self.metrics_port}\ncollect_statistics_interval = 1000\n"
        )


def certified(run: Run, port: int) -> Path:
    """The configuration of a dispatcher whose lane has a certificate; it has queues of its own, and nothing to do."""
    path = run.new_path(f"{run.prefix}c", more={"admin": {"listen": f"127.0.0.1:{port}"}})
    settings = json.loads(path.config.read_text())
    (lane,) = settings["lanes"]
    for name in ("team_id", "key_id", "key_file"):
        del lane[name]
    credentials = run.programs.credentials
    lane |= {
        "name": "certified",
        "certificate_file": f"{credentials}/client.pem",
        "private_key_file": f"{credentials}/client-key.pem",
    }
    path.config.write_text(json.dumps(settings))
    return path


def each_alternative(selector: str) -> Iterator[str]:
    """A selector for each word of its alternatives: state=~"a|b" wants both to be there."""
    found = re.search(r'=~"([\w.]+(?:\|[\w.]+)+)"', selector)
    if not found:
        yield selector
        return
    for word in found[1].split("|"):
        yield from each_alternative(selector[: found.start()] + f'="{word}"' + selector[found.end() :])


def missing(prometheus: Prometheus, expressions: list[Expression]) -> list[str]:
    """What expressions name and no scrape has."""
    wanted = {
        one: expression.place
        for expression in expressions
        for _, text, _ in expression.selectors
        for one in each_alternative(text)
    }
    return [f"{place}: {one}" for one, place in wanted.items() if not prometheus.ask("series", match=one)]


def run_alone(run: Run, ports: dict[str, int]) -> None:
    """`waybill run` with every role that needs no more of the configuration; it has queues of its own, and nothing to do."""
    path = run.new_path(
        f"{run.prefix}r", more={"admin": {"listen": {role: f"127.0.0.1:{port}" for role, port in ports.items()}}}
    )
    arguments = [run.programs.waybill, "run", "--roles", ",".join(ports), "--config", str(path.config)]
    run.at_close(Process("waybill run", arguments, run.folder / "run.log").kill)


def lint(port: int) -> str:
    """What promtool has to say of a page."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        page = answer.read()
    done = subprocess.run(["promtool", "check", "metrics"], input=page, capture_output=True, timeout=60)
    return (done.stdout + done.stderr).decode()


@case("scrape", long=True, later=True)
def prometheus_scrapes(run: Run) -> None:
    """every alert and every query of the dashboard finds its metrics in Prometheus' own scrapes; none fires without cause"""
    services = MeasuredServices(run.servers_folder / "measured")
    services.start()
    run.at_close(services.stop)
    run.use(services)
    api, other, *free = free_ports(2 + len(ROLES) + len(TOGETHER))
    ports, together = dict(zip(ROLES, free, strict=False)), dict(zip(TOGETHER, free[len(ROLES) :], strict=True))
    every_port = [*ports.values(), other, *together.values()]
    run.open(
        more={
            "admin": {"listen": {role: f"127.0.0.1:{port}" for role, port in ports.items()}},
            "serve": {"listen": f"127.0.0.1:{api}"},
            "receipts": receipts.settings(run.servers_folder),
            "mail": {"from": "no-reply@example.com", "folder": str(run.folder)},
            "webhooks": {},
        }
    )
    run.start()
    for role in set(ROLES) - {"dispatch", "prune"}:
        arguments = [run.programs.waybill, role, "--config", str(run.path.config)]
        run.at_close(Process(f"waybill {role}", arguments, run.folder / f"{role}.log").kill)
    second = run.start_dispatcher(certified(run, other))
    run_alone(run, together)
    prometheus = Prometheus(
        run.folder / "prometheus",
        {
            "waybill": [f"127.0.0.1:{port}" for port in every_port],
            "rabbitmq": [f"127.0.0.1:{services.metrics_port}"],
            "rabbitmq-queues": [f"127.0.0.1:{services.metrics_port}"],
        },
    )
    run.at_close(prometheus.process.kill)
    targets = len(every_port) + 2
    eventually("all are scraped", lambda: len(prometheus.query("up == 1")) == targets, 60, 0.5)
    run.issue(10, 50)
    run.await_final()
    eventually("all are ready", lambda: len(prometheus.query("waybill_ready == 1")) == len(every_port), 60, 0.5)

    every = list(rules())
    asked = [rule.expression for rule in every] + dashboard()
    asked = [
        Expression(one.place, one.text.replace("waybill\\\\.", f"{run.prefix}\\\\.").replace('"waybill.', f'"{run.prefix}.'))
        for one in asked
    ]
    try:
        eventually("every metric is there", lambda: not missing(prometheus, asked), 30, 1)
    except TimeoutError:
        raise AssertionError(f"not in any scrape: {missing(prometheus, asked)}") from None
    for expression in asked:
        prometheus.query(expression.text)
    for name, label in variables():
        assert prometheus.query(f'{name}{{{label}!=""}}'), f"{name} has no label {label}"
    for rule in every:
        for series in prometheus.ask("series", match=rule.record) if rule.record else ():
            assert rule.expression.grouped <= series.keys(), f"{rule.record} has {series}"
    wrong = [rule["name"] for group in prometheus.ask("rules")["groups"] for rule in group["rules"] if rule["health"] != "ok"]
    assert not wrong, f"Prometheus cannot evaluate {wrong}"
    firing = [name for name, state in prometheus.alerts().items() if state == "firing"]
    assert not firing, f"{firing} without cause"

    (end,) = prometheus.query("waybill_lane_certificate_expiry_timestamp_seconds")
    certificate = x509.load_pem_x509_certificate((run.programs.credentials / "client.pem").read_bytes())
    assert float(end["value"][1]) == certificate.not_valid_after_utc.timestamp(), end
    for port in every_port:
        assert not lint(port), lint(port)
    assert second.end() == 0
    eventually("a process that has gone is noticed", lambda: "WaybillProcessDown" in prometheus.alerts(), 30, 0.5)
    series = prometheus.ask("series", match='{job="waybill"}')
    run.notes.append(f"{len(asked)} expressions, {len(series)} series")
