#!/usr/bin/env python3
"""Writes docs/operations/settings.md from the configuration's schema.

scripts/settings-page.py            write the page
scripts/settings-page.py --check    say whether it is as this would write it
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "schemas/configuration.schema.json"
PAGE = ROOT / "docs/operations/settings.md"
HEAD = """# Settings

<!-- Written by scripts/settings-page.py from schemas/configuration.schema.json: change that, and run it again. -->

Every setting of the [configuration](configure.md), with its limits and default. `required` means that its section cannot be
without it. A list has one element for each; `NAME` is a name of yours. A scalar setting outside lists and names can also be
given by a variable: `broker.url` by `WAYBILL_BROKER_URL`.

A duration is a whole number with a unit: `500ms`, `30s`, `5m`, `1h`, `7d`, `2w`. The path of a file is taken from the folder
of the configuration.
"""
Schema = dict[str, Any]
# What the definitions of the schema are called for people.
DEFINITIONS = {
    "address": "address and port",
    "duration": "duration",
    "file": "file",
    "identifier": "ten letters and digits",
    "names": "list of names",
    "period": "`30d` (whole days) or `keep` (forever)",
}


def settings_of(node: Schema, definitions: Schema, path: str) -> Iterator[tuple[str, Schema, bool]]:
    """Each setting below a section: its path, what the schema says of it, whether it must be there."""
    required = node.get("required", [])
    for name, inner in node.get("properties", {}).items():
        below = f"{path}.{name}"
        if is_scalar(inner):
            yield below, inner, name in required
        else:
            yield from settings_below(inner, definitions, below)


def settings_below(node: Schema, definitions: Schema, path: str) -> Iterator[tuple[str, Schema, bool]]:
    """The settings of a section, of the elements of a list, or of what stands under names."""
    if items := node.get("items"):
        element = definitions[items["$ref"].rpartition("/")[2]] if "$ref" in items else items
        yield from settings_of(element, definitions, f"{path}[]")
    elif isinstance(inner := node.get("additionalProperties"), dict):
        if "properties" in inner:
            yield from settings_of(inner, definitions, f"{path}.NAME")
        else:
            yield f"{path}.NAME", {**inner, "description": node.get("description", "")}, False
    else:
        yield from settings_of(node, definitions, path)


def is_scalar(node: Schema) -> bool:
    """Whether it is one value, or a plain list of such."""
    if node.get("type") == "array":
        return "$ref" not in node["items"]
    return node.get("type") != "object"


def values_of(node: Schema) -> str:
    """What may be written."""
    if "$ref" in node:
        return DEFINITIONS[node["$ref"].rpartition("/")[2]]
    if alternatives := node.get("anyOf", node.get("oneOf")):
        return ", or ".join(values_of(alternative) for alternative in alternatives)
    if "const" in node:
        return f"`{node['const']}`"
    if "enum" in node:
        return ", ".join(f"`{word}`" for word in node["enum"])
    match node["type"]:
        case "integer":
            return f"{node['minimum']:,} to {node['maximum']:,}"
        case "boolean":
            return "`true`, `false`"
        case "object":
            return "one below each of " + ", ".join(f"`{name}`" for name in node["properties"])
        case "array":
            return f"list of {node['items'].get('title', 'texts')}"
        case _:
            return "text"


def default_of(node: Schema, is_required: bool) -> str:
    if "default" not in node:
        return "required" if is_required else ""
    value = node["default"]
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, int):
        return f"{value:,}"
    return f"`{', '.join(value) if isinstance(value, list) else value}`"


def page_of(schema: Schema) -> str:
    parts = [HEAD]
    for name, section in schema["properties"].items():
        parts.append(f"\n## {name}\n")
        # Where a section is its own list or map, the row below says what it is for.
        rows = list(settings_below(section, schema["$defs"], name))
        words = " ".join(filter(None, (section.get("title"), section.get("description"))))
        if "title" in section and "description" in section:
            words = f"{section['title']}. {section['description']}"
        if words:
            parts.append(f"\n{words.rstrip('.')}.\n")
        parts.append("\n| setting | means | values | default |\n|---|---|---|---|\n")
        for path, node, is_required in rows:
            if "description" not in node:
                raise SystemExit(f"settings-page: {path} has no description in {SCHEMA.name}")
            cells = (f"`{path}`", node["description"], values_of(node), default_of(node, is_required))
            parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    return "".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(prog="settings-page")
    parser.add_argument("--check", action="store_true")
    text = page_of(json.loads(SCHEMA.read_text()))
    if not parser.parse_args().check:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        print(f"settings-page: {PAGE.name} is not what the schema says: run scripts/settings-page.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
