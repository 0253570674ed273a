"""python3 -m deploy    check the chart, the Compose file and the Dockerfile, without running any of them"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import helm_python
import kubernetes_validate
import yaml
from common.places import ROOT
from jsonschema import Draft202012Validator

CHART = ROOT / "deploy/helm/waybill"
COMPOSE = ROOT / "deploy/docker/compose.yaml"
DOCKERFILE = ROOT / "deploy/docker/Dockerfile"
KUBERNETES = ("1.25", "1.31", "1.34")
SCHEMAS: dict[str, Any] = {  # of the custom resources: the few fields that the chart sets, so that a slip in one shows
    "TriggerAuthentication": {"spec": {"secretTargetRef": [{"parameter": "", "name": "", "key": ""}]}},
    "ScaledObject": {
        "spec": {
            "scaleTargetRef": {"name": ""},
            "minReplicaCount": 0,
            "maxReplicaCount": 0,
            "triggers": [
                {
                    "type": "",
                    "metadata": {"protocol": "", "queueName": "", "mode": "", "value": ""},
                    "authenticationRef": {"name": ""},
                }
            ],
        }
    },
    "PodMonitor": {
        "spec": {
            "selector": {"matchLabels": {"app.kubernetes.io/name": "", "app.kubernetes.io/instance": ""}},
            "podMetricsEndpoints": [{"port": "", "path": "", "relabelings": [{"targetLabel": "", "replacement": ""}]}],
        }
    },
}
# Values under which the chart must hold: as it comes, with all that is optional, and with as little as possible.
VARIANTS: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "with everything": {
        "keda": {"enabled": True},
        "podMonitor": {"enabled": True},
        "roles": {role: {"enabled": True} for role in ("fanout", "schedule", "serve", "hooks")},
        "imagePullSecrets": [{"name": "registry"}],
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"key": "push", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
    },
    "without prune": {"roles": {"prune": {"enabled": False}}},
}
Findings = Iterator[str]


def version() -> str:
    text = (ROOT / "Sources/waybill/Version/ProductVersion.swift").read_text()
    return re.findall(r'current = "([^"]+)"', text)[0]


def same_shape(value: Any, shape: Any, path: str) -> Findings:
    """Whether a value has exactly the members of a shape, and each of its type."""
    if isinstance(shape, dict) and isinstance(value, dict):
        for name in value.keys() ^ shape.keys():
            yield f"{path}: {name} is {'unknown' if name in value else 'missing'}"
        for name in value.keys() & shape.keys():
            yield from same_shape(value[name], shape[name], f"{path}.{name}")
    elif isinstance(shape, list) and isinstance(value, list):
        for one in value:
            yield from same_shape(one, shape[0], path)
    elif type(value) is not type(shape):
        yield f"{path}: {value!r} is of another type"


def check_deployment(document: dict[str, Any], values: dict[str, Any]) -> Findings:
    """What is promised of every pod: no root, nothing writable, probes, and time enough to end."""
    name, pod = document["metadata"]["name"], document["spec"]["template"]["spec"]
    if not pod["securityContext"]["runAsNonRoot"] or pod["securityContext"]["runAsUser"] != user_of_image():
        yield f"{name}: does not run as the image's user"
    if pod["terminationGracePeriodSeconds"] <= values["graceSeconds"] + 10:
        yield f"{name}: is killed before its grace time is over"
    for container in (*pod["initContainers"], *pod["containers"]):
        context = container["securityContext"]
        if (
            not context["readOnlyRootFilesystem"]
            or context["allowPrivilegeEscalation"]
            or context["capabilities"] != {"drop": ["ALL"]}
        ):
            yield f"{name}: {container['name']} may too much"
    for container in pod["containers"]:
        yield from check_variables([variable["name"] for variable in container["env"]], name)
        ports = {port["name"] for port in container["ports"]}
        for probe, page in (("livenessProbe", "/live"), ("readinessProbe", "/ready")):
            target = container[probe]["httpGet"]
            if target["path"] != page or target["port"] not in ports:
                yield f"{name}: its {probe} asks {target}"


def check_variables(variables: list[str], place: str) -> Findings:
    """Whether each stands for a setting: WAYBILL_BROKER_URL for broker.url."""
    for variable in variables:
        section, _, setting = variable.removeprefix("WAYBILL_").lower().partition("_")
        if setting not in schema()["properties"].get(section, {}).get("properties", {}):
            yield f"{place}: {variable} stands for no setting"


def schema() -> dict[str, Any]:
    return json.loads((ROOT / "schemas/configuration.schema.json").read_text())


def user_of_image() -> int:
    return int(re.findall(r"^USER (\d+):\d+$", DOCKERFILE.read_text(), re.MULTILINE)[0])


def check_chart() -> Findings:
    chart = helm_python.Chart.load(str(CHART))
    for message in helm_python.lint(str(CHART), strict=True)["messages"]:
        if message["severity"] > 1:
            yield f"{CHART.name}: {message['path']}: {message['error']}"
    facts = yaml.safe_load((CHART / "Chart.yaml").read_text())
    if {facts["version"], facts["appVersion"]} != {version()}:
        yield f"{CHART.name}: Chart.yaml has not the program's version, {version()}"
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    for error in Draft202012Validator(schema()).iter_errors(yaml.safe_load(values["configuration"])):
        yield f"{CHART.name}: its configuration: {error.json_path}: {error.message[:100]}"
    everything = {"dispatch", "prune"} | VARIANTS["with everything"]["roles"].keys()
    if values["roles"].keys() != everything:
        yield f"{CHART.name}: the variant with everything has not all roles: {values['roles'].keys() ^ everything}"
    kinds: set[str] = set()
    for variant, changed in VARIANTS.items():
        for file, text in chart.render(changed, name="push", namespace="push").items():
            for document in filter(None, yaml.safe_load_all(text)) if file.endswith(".yaml") else ():
                kinds.add(document["kind"])
                for finding in check_document(document, values):
                    yield f"{CHART.name}, {variant}: {Path(file).name}: {finding}"
    for kind in SCHEMAS.keys() | {"Deployment", "PodDisruptionBudget", "ConfigMap", "Service"}:
        if kind not in kinds:
            yield f"{CHART.name}: makes no {kind}"


def check_document(document: dict[str, Any], values: dict[str, Any]) -> Findings:
    if shape := SCHEMAS.get(document["kind"]):
        yield from same_shape(document["spec"], shape["spec"], document["kind"])
        return
    is_valid = True
    for release in KUBERNETES:
        try:
            kubernetes_validate.validate(document, release, strict=True)
        except kubernetes_validate.ValidationError as error:
            is_valid = False
            yield f"{document['kind']}, Kubernetes {release}: {error.message[:200]}"
    if is_valid and document["kind"] == "Deployment":
        yield from check_deployment(document, values)


def check_images() -> Findings:
    yield from check_variables(re.findall(r"\b(WAYBILL_\w+)=", DOCKERFILE.read_text()), DOCKERFILE.name)
    compose = yaml.safe_load(COMPOSE.read_text())
    for name, service in compose["services"].items():
        if not service["image"].startswith("waybill:"):
            continue
        if service["image"] != f"waybill:{version()}":
            yield f"{COMPOSE.name}: {name}: its image is not the program's version, {version()}"
        yield from check_variables(list(service.get("environment", {})), f"{COMPOSE.name}: {name}")
        for port in service.get("ports", []):
            if not port.startswith("127.0.0.1:"):
                yield f"{COMPOSE.name}: {name}: {port} is offered beyond this machine"
    roles = yaml.safe_load((CHART / "values.yaml").read_text())["roles"].keys()
    for role in roles - compose["services"].keys():
        yield f"{COMPOSE.name}: {role} is missing"


def self_test() -> list[str]:
    """Slips that must be found."""
    missed = []
    shape = {"spec": {"a": "", "b": [{"c": 0}]}}
    for planted in ({"spec": {"a": ""}}, {"spec": {"a": 1, "b": []}}, {"spec": {"a": "", "b": [{"c": "1"}]}}):
        if not list(same_shape(planted, shape, "x")):
            missed.append(f"not found: {planted}")
    if not list(check_variables(["WAYBILL_BROKER_ULR"], "x")):
        missed.append("not found: WAYBILL_BROKER_ULR")
    broken = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}, "spec": {"replica": 1}}
    if not list(check_document(broken, {})):
        missed.append("a Deployment without a template is taken")
    return missed


def main() -> int:
    findings = self_test() + list(check_chart()) + list(check_images())
    for finding in findings:
        print(f"deploy: {finding}", file=sys.stderr)
    if not findings:
        print(f"deploy: the chart holds for Kubernetes {', '.join(KUBERNETES)}, in {len(VARIANTS)} variants")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
