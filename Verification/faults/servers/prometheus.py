"""A Prometheus of a case's own, set up as deploy/prometheus/prometheus.yml says."""

import json
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import yaml
from common.places import ROOT

from faults.process import Process, eventually
from faults.servers.ports import free_ports

EXAMPLE = ROOT / "deploy/prometheus/prometheus.yml"


class Prometheus:
    """Scrapes every second. targets: the addresses of each of the example's jobs, by its name."""

    def __init__(self, folder: Path, targets: dict[str, list[str]]) -> None:
        folder.mkdir(parents=True)
        settings = yaml.safe_load(EXAMPLE.read_text())
        settings["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        settings["rule_files"] = [str(EXAMPLE.parent / file) for file in settings["rule_files"]]
        jobs = settings["scrape_configs"]
        assert {job["job_name"] for job in jobs} == targets.keys(), "the example has other jobs"
        for job in jobs:
            job["static_configs"] = [{"targets": targets[job["job_name"]]}]
        config = folder / "prometheus.yml"
        config.write_text(yaml.safe_dump(settings))
        address = f"127.0.0.1:{free_ports(1)[0]}"
        self._origin = f"http://{address}"
        self.process = Process(
            "prometheus",
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data", f"--web.listen-address={address}"],
            folder / "prometheus.log",
        )
        eventually("Prometheus is ready", self._is_ready, 30, 0.2)

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self._origin}/-/ready", timeout=10) as answer:
                return answer.status == 200
        except OSError:
            return False

    def ask(self, page: str, **parameters: str) -> Any:
        """The data of an answer of /api/v1; an error of Prometheus is raised."""
        query = urllib.parse.urlencode({name.replace("match", "match[]"): value for name, value in parameters.items()})
        with urllib.request.urlopen(f"{self._origin}/api/v1/{page}?{query}", timeout=30) as answer:
            found = json.load(answer)
        assert found["status"] == "success", found
        return found["data"]

    def query(self, expression: str) -> list[dict]:
        """What an expression finds now: one entry for each series."""
        return self.ask("query", query=expression)["result"]

    def alerts(self) -> dict[str, str]:
        """The alerts that are pending or firing, by name."""
        return {alert["labels"]["alertname"]: alert["state"] for alert in self.ask("alerts")["alerts"]}
