"""Reads what deploy/prometheus and deploy/grafana ask of Prometheus."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from common.places import ROOT

RULES = ("deploy/prometheus/waybill.rules.yml", "deploy/prometheus/broker.rules.yml")
DASHBOARD = "deploy/grafana/waybill.json"

SELECTOR = re.compile(r'(?<![\w:"])(waybill[_:][\w:]+|rabbitmq_\w+|up(?!\w))(?:\{((?:[^}"]|"(?:[^"\\]|\\.)*")*)\})?')
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"')
GROUPING = re.compile(r"\b(?:by|on|without|group_left|group_right)\s*\(([^)]*)\)")
# What Grafana puts in before it asks.
VARIABLES = {"$__rate_interval": "5m", "$job": ".*", "$instance": ".*", "$lane": ".*"}


@dataclass(frozen=True)
class Expression:
    """One question to Prometheus. place: file and name, for complaints."""

    place: str
    text: str

    @property
    def selectors(self) -> list[tuple[str, str, dict[str, str]]]:
        """Each metric that it names: name, the whole selector, and what its labels are matched with."""
        return [
            (match[1], match[0], {label: value for label, _, value in MATCHER.findall(match[2] or "")})
            for match in SELECTOR.finditer(GROUPING.sub("", self.text))
        ]

    @property
    def grouped(self) -> set[str]:
        """The labels that it groups or joins by."""
        return {label.strip() for labels in GROUPING.findall(self.text) for label in labels.split(",")} - {""}


@dataclass(frozen=True)
class Rule:
    """An alert, or a recording rule: then `record` is its metric's name."""

    expression: Expression
    alert: str = ""
    record: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)


def rules() -> Iterator[Rule]:
    for file in RULES:
        for group in yaml.safe_load((ROOT / file).read_text())["groups"]:
            for rule in group["rules"]:
                alert, record = rule.get("alert", ""), rule.get("record", "")
                yield Rule(
                    Expression(f"{file}: {alert or record}", rule["expr"]),
                    alert,
                    record,
                    rule.get("labels", {}),
                    rule.get("annotations", {}),
                )


def dashboard() -> list[Expression]:
    """The queries of the dashboard, its variables filled in."""
    board = json.loads((ROOT / DASHBOARD).read_text())
    found = [(panel["title"], target["expr"]) for panel in board["panels"] for target in panel.get("targets", [])] + [
        (note["name"], note["expr"]) for note in board["annotations"]["list"]
    ]
    return [Expression(f"{DASHBOARD}: {title}", filled(text)) for title, text in found]


def variables() -> list[tuple[str, str]]:
    """The metric and the label behind each of the dashboard's choices."""
    queries: list[Any] = [one.get("definition", "") for one in json.loads((ROOT / DASHBOARD).read_text())["templating"]["list"]]
    return [(found[1], found[2]) for query in queries if (found := re.match(r"label_values\((\w+)(?:\{.*\})?, (\w+)\)", query))]


def filled(text: str) -> str:
    for name, value in VARIABLES.items():
        text = text.replace(name, value)
    return text
