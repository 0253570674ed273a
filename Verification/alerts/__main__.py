"""python3 -m alerts              hold the alerts and the dashboard against the pages and the unit tests; needs no programs
python3 -m alerts --as-rules FILE  write the dashboard's queries as recording rules, for promtool to parse
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml
from common.expressions import Expression, Rule, dashboard, rules, variables
from common.places import ROOT

RUNBOOK = "docs/operations/alerts.md"
METRICS = "docs/operations/monitor.md"
TESTS = Path(__file__).with_name("rules.test.yml")
ROW = re.compile(r"^\| `(waybill_\w+)` \| (\w+) \| (.*?) \|", re.MULTILINE)
SCRAPED = {"job", "instance"}  # what Prometheus itself adds
SEVERITIES = ("critical", "warning")
Findings = Iterator[str]


def documented() -> dict[str, set[str]]:
    """The labels of every metric, a histogram's parts among them, as the page has them."""
    found: dict[str, set[str]] = {"up": set()}
    for name, kind, labels in ROW.findall((ROOT / METRICS).read_text()):
        own = set(re.findall(r"`(\w+)`", labels))
        if kind == "histogram":
            found |= {f"{name}_bucket": own | {"le"}, f"{name}_sum": own, f"{name}_count": own}
        else:
            found[name] = own
    return found


def check_expression(expression: Expression, known: dict[str, set[str]]) -> Findings:
    usable = set(SCRAPED)
    is_ours = True
    for metric, _, matched in expression.selectors:
        if metric.startswith("rabbitmq_"):
            is_ours = False  # the fault case `prometheus-scrapes` asks a real broker
        elif metric not in known:
            yield f"{expression.place}: {metric} is no metric of {METRICS}"
        else:
            usable |= known[metric]
            for label in matched.keys() - known[metric] - SCRAPED:
                yield f"{expression.place}: {metric} has no label {label}"
    if not expression.selectors:
        yield f"{expression.place}: asks for nothing"
    for label in expression.grouped - usable if is_ours else ():
        yield f"{expression.place}: nothing in it has the label {label}"


def check_alerts(alerts: list[Rule]) -> Findings:
    page = (ROOT / RUNBOOK).read_text()
    headings = {heading.lower(): heading for heading in re.findall(r"^### (Waybill\w+)$", page, re.MULTILINE)}
    led: set[str] = set()
    for rule in alerts:
        place, _, anchor = rule.annotations.get("runbook", "").partition("#")
        led.add(anchor)
        if place != RUNBOOK or anchor != str(rule.alert).lower():
            yield f"{rule.expression.place}: its runbook is not the heading of its name in {RUNBOOK}"
        if rule.alert not in headings.values():
            yield f"{RUNBOOK}: has no heading {rule.alert}"
        if rule.labels.get("severity") not in SEVERITIES or not rule.annotations.get("summary"):
            yield f"{rule.expression.place}: needs a severity ({', '.join(SEVERITIES)}) and a summary"
    for anchor in headings.keys() - led:
        yield f"{RUNBOOK}: {headings[anchor]} is no alert"
    tests = [test for case in yaml.safe_load(TESTS.read_text())["tests"] for test in case["alert_rule_test"]]
    for fires in (True, False):
        tested = {test["alertname"] for test in tests if bool(test.get("exp_alerts")) == fires}
        for name in sorted({rule.alert for rule in alerts} - tested):
            yield f"{TESTS.name}: {name} is never seen to {'fire' if fires else 'be silent'}"


def check() -> list[str]:
    known = documented()
    every = list(rules())
    for rule in every:
        if rule.record:
            known[rule.record] = rule.expression.grouped - SCRAPED
    findings = list(check_alerts([rule for rule in every if rule.alert]))
    for expression in [rule.expression for rule in every] + dashboard():
        findings += check_expression(expression, known)
    for metric, label in variables():
        if label not in known.get(metric, set()) | SCRAPED or metric not in known:
            findings.append(f"the dashboard's choice of {label}: {metric} has no such label")
    shown = {metric for expression in dashboard() for metric, _, _ in expression.selectors}
    for metric in known:
        if metric.startswith("waybill_") and not metric.endswith(("_sum", "_count", "_info")) and metric not in shown:
            findings.append(f"the dashboard does not show {metric}")
    return findings


def main() -> int:
    parser = argparse.ArgumentParser(prog="alerts")
    parser.add_argument("--as-rules", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.as_rules:
        records = [
            {"record": "dashboard:query", "labels": {"n": str(n)}, "expr": one.text} for n, one in enumerate(dashboard())
        ]
        options.as_rules.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": records}]}))
        return 0
    findings = check()
    for finding in findings:
        print(f"alerts: {finding}", file=sys.stderr)
    if not findings:
        print(f"alerts: {sum(1 for rule in rules() if rule.alert)} alerts and {len(dashboard())} queries agree with the pages")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
