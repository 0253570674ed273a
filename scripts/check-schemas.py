#!/usr/bin/env python3
"""Holds schemas/ against itself: schemas, examples, test vectors and the AsyncAPI document.

    scripts/check-schemas.py

The Swift tests run the same examples and vectors through Waybill's own decoders, so that neither side can drift:
  - schemas/<name>.schema.json is a valid JSON Schema (2020-12);
  - of the table schemas/examples/<name>.* the valid examples pass it, the invalid ones do not;
  - an invalid dispatch message is of one of two groups: body-* breaks the envelope, item-* keeps to the envelope
    and breaks a rule of a notification;
  - simulator-rules.example.json and rehearsals/*.json are rules files of the simulator, and rehearsals/README.md has a row
    for each of them;
  - test-vectors.json is computed anew;
  - openapi.yaml is OpenAPI 3.1, of the version that asyncapi.yaml has;
  - asyncapi.yaml has the structure of AsyncAPI 3.0, and every reference in it leads somewhere.

Needs what Verification/requirements.txt lists; scripts/lint.sh fetches it.
"""

import base64
import hashlib
import hmac
import json
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "schemas"
sys.path.insert(0, str(ROOT / "Verification"))

from common import examples  # noqa: E402

problems: list[str] = []


def complain(where: Path | str, what: str) -> None:
    problems.append(f"{where.relative_to(SCHEMAS) if isinstance(where, Path) else where}: {what}")


def load(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return yaml.safe_load(text) if path.suffix in (".yaml", ".yml") else json.loads(text)


def first_error(validator: Draft202012Validator, value: Any) -> str | None:
    error = next(iter(validator.iter_errors(value)), None)
    return error and f"{error.json_path}: {error.message[:200]}"


# Schemas and examples


def check_schema(path: Path) -> int:
    """Checks one schema with its examples; returns how many there were."""
    schema = load(path)
    try:
        Draft202012Validator.check_schema(schema)
    except Exception as error:  # jsonschema's own error, whatever its version calls it
        complain(path, f"is no JSON Schema: {error}")
        return 0
    for key in ("$schema", "$id", "title", "description"):
        if key not in schema:
            complain(path, f"has no {key}")
    validator = Draft202012Validator(schema)
    envelope = None
    if "envelope" in schema.get("$defs", {}):
        envelope = Draft202012Validator(schema["$defs"]["envelope"] | {"$defs": schema["$defs"]})
    name = path.name.removesuffix(".schema.json")
    table = examples.read(name)
    if len({example.is_valid for example in table}) != 2:
        complain(path, "needs valid and invalid examples")
    if len({(example.name, example.is_valid) for example in table}) != len(table):
        complain(path, "has two examples of the same name and kind")
    for example in table:
        where = f"{name}, example {example.name}"
        value = example.value
        wrong = first_error(validator, value)
        if example.is_valid and wrong:
            complain(where, f"should be valid, but {wrong}")
        if not example.is_valid and not wrong:
            complain(where, "should be invalid, but is not")
        if not example.is_valid and envelope:
            check_group(where, example.name, envelope.is_valid(value))
    return len(table)


def check_group(where: Path | str, name: str, has_valid_envelope: bool) -> None:
    match name.split("-")[0]:
        case "body" if has_valid_envelope:
            complain(where, "should break the envelope, but does not")
        case "item" if not has_valid_envelope:
            complain(where, "should keep to the envelope, but does not")
        case "body" | "item":
            pass
        case _:
            complain(where, "must begin with body- or item-")


# Rehearsals


def check_rehearsals(schema: Path, folder: Path) -> int:
    """Checks the ready rules files; returns how many there were."""
    validator = Draft202012Validator(load(schema))
    files = sorted(folder.glob("*.json"))
    for path in [SCHEMAS / "simulator-rules.example.json", *files]:
        if error := first_error(validator, load(path)):
            complain(path, f"should be valid, but {error}")
    table = folder / "README.md"
    rows = [line.split("]")[0].removeprefix("| [") for line in table.read_text().splitlines() if line.startswith("| [")]
    if sorted(rows) != [path.name for path in files]:
        complain(table, f"does not list each file once: {sorted(set(rows) ^ {path.name for path in files})}")
    return len(files)


# Test vectors


def derived_id(vector: dict[str, Any]) -> tuple[str, int | None, str]:
    digest = hashlib.sha256(vector["batch_id"].encode() + b"\0" + vector["body"].encode()).digest()[:16]
    data = bytearray((int.from_bytes(digest, "big") >> 20 << 20 | vector["index"]).to_bytes(16, "big"))
    milliseconds = own_time(vector)
    if milliseconds is not None:
        data[:6] = milliseconds.to_bytes(6, "big")
    data[6] = data[6] & 0x0F | 0x80
    data[8] = data[8] & 0x3F | 0x80
    return digest.hex(), milliseconds, str(uuid.UUID(bytes=bytes(data)))


def own_time(vector: dict[str, Any]) -> int | None:
    if vector["amqp_timestamp"] is not None:
        return vector["amqp_timestamp"] * 1000
    try:
        message_id = uuid.UUID(vector["message_id"] or "")
    except ValueError:
        return None
    return message_id.int >> 80 if message_id.version == 7 else None


def check_vectors(path: Path) -> int:
    vectors = load(path)
    for vector in vectors["apns_id"]:
        if derived_id(vector) != (vector["digest"], vector["milliseconds"], vector["apns_id"]):
            complain(path, f"{vector['name']}: should be {derived_id(vector)}")
    for vector in vectors["collapse_id"]:
        content = vector["message"] if "message" in vector else vector["payload"]
        digest = hashlib.sha256(vector["device_token"].lower().encode() + b"\0" + content.encode()).hexdigest()
        if digest != vector["collapse_id"]:
            complain(path, f"{vector['name']}: should be {digest}")
    for vector in vectors["collapse_id_of_notification"]:
        digest = hashlib.sha256(str(uuid.UUID(vector["apns_id"])).encode()).hexdigest()
        if digest != vector["collapse_id"]:
            complain(path, f"{vector['name']}: should be {digest}")
    for vector in vectors["receipt_capability"]:
        version, content = ("v2", f"{vector['content']}.") if "content" in vector else ("v1", "")
        head = f"{version}.{vector['key_id']}.{vector['expiry']}.{content}"
        code = hmac.digest(vector["secret"].encode(), (head + vector["apns_id"]).encode(), "sha256")[:16]
        capability = head + base64.urlsafe_b64encode(code).decode().rstrip("=")
        if capability != vector["wb_rcpt"]:
            complain(path, f"{vector['name']}: should be {capability}")
    return sum(len(each) for each in vectors.values() if isinstance(each, list))


# AsyncAPI


def follow(document: dict[str, Any], path: Path, reference: str) -> Any:
    """What a reference leads to; None if nowhere."""
    file, _, pointer = reference.partition("#")
    if file:
        target = path.parent / file
        if not target.is_file():
            return None
        document = load(target)
    for part in filter(None, pointer.split("/")):
        part = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(document, dict) or part not in document:
            return None
        document = document[part]
    return document


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def check_asyncapi(path: Path) -> None:
    document = load(path)
    if not str(document.get("asyncapi", "")).startswith("3.0."):
        complain(path, "is not AsyncAPI 3.0")
    for key in ("title", "version"):
        if key not in document.get("info", {}):
            complain(path, f"info has no {key}")
    for reference in references(document):
        if follow(document, path, reference) is None:
            complain(path, f"{reference} leads nowhere")
    used = set()
    for name, channel in document["channels"].items():
        if not channel.get("address") or not channel.get("messages"):
            complain(path, f"channel {name} needs an address and messages")
        placeholders = {part.split("}")[0] for part in channel["address"].split("{")[1:]}
        if placeholders != set(channel.get("parameters", {})):
            complain(path, f"channel {name}: parameters do not match the address")
        if channel.get("bindings", {}).get("amqp", {}).get("is") != "queue":
            complain(path, f"channel {name} has no AMQP queue binding")
    for name, operation in document["operations"].items():
        channel = operation["channel"]["$ref"]
        used.add(channel.split("/")[-1])
        if operation.get("action") not in ("send", "receive"):
            complain(path, f"operation {name} must send or receive")
        for message in operation["messages"]:
            if not message["$ref"].startswith(f"{channel}/messages/"):
                complain(path, f"operation {name}: {message['$ref']} is not of its channel")
    for name in set(document["channels"]) - used:
        complain(path, f"channel {name} has no operation")
    for name, message in document["components"]["messages"].items():
        if "schema" in message.get("payload", {}) and "schemaFormat" not in message["payload"]:
            complain(path, f"message {name}: a payload with a schema needs its format")
        if headers := message.get("headers"):
            Draft202012Validator.check_schema(headers)


def check_openapi(path: Path, version: str) -> None:
    document = load(path)
    if not str(document.get("openapi", "")).startswith("3.1."):
        complain(path, "is not OpenAPI 3.1")
    for error in OpenAPIV31SpecValidator(document).iter_errors():
        complain(path, f"{'/'.join(str(part) for part in error.absolute_path)}: {error.message[:200]}")
    if document["info"]["version"] != version:
        complain(path, f"its version is {document['info']['version']}, that of asyncapi.yaml {version}")


def main() -> None:
    schemas = sorted(SCHEMAS.glob("*.schema.json"))
    count = sum(check_schema(path) for path in schemas)
    rehearsals = check_rehearsals(SCHEMAS / "simulator-rules.schema.json", SCHEMAS / "rehearsals")
    vectors = check_vectors(SCHEMAS / "test-vectors.json")
    check_asyncapi(SCHEMAS / "asyncapi.yaml")
    check_openapi(SCHEMAS / "openapi.yaml", load(SCHEMAS / "asyncapi.yaml")["info"]["version"])
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(f"check-schemas: {len(problems)} problems")
    counts = f"{len(schemas)} schemas, {count} examples, {rehearsals} rehearsals, {vectors} vectors"
    print(f"check-schemas: {counts}, an AsyncAPI and an OpenAPI document: all right")


if __name__ == "__main__":
    main()
