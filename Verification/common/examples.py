"""Reads the tables of examples beside the schemas; schemas/examples/README.md says how they are written."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from common.places import ROOT

FOLDER = ROOT / "schemas/examples"
LINE = re.compile(r'\{"name": "([a-z0-9-]+)", "valid": (true|false), "example": (.*)\}')
SEPARATOR = re.compile(r"^--- # (valid|invalid): ([a-z0-9-]+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """text: as it stands in the table."""

    name: str
    is_valid: bool
    text: str

    @property
    def value(self) -> Any:
        return yaml.safe_load(self.text)


class JSONExample(Example):
    @property
    def value(self) -> Any:
        return json.loads(self.text)


def read(schema: str) -> list[Example]:
    """The examples of a schema in their order; empty when it has none. Raises ValueError for a table written otherwise."""
    table = FOLDER / f"{schema}.ndjson"
    if table.exists():
        return [json_example(table, line) for line in table.read_text(encoding="utf-8").split("\n")[:-1]]
    table = table.with_suffix(".yaml")
    return yaml_examples(table) if table.exists() else []


def json_example(table: Path, line: str) -> Example:
    found = LINE.fullmatch(line)
    if not found:
        raise ValueError(f"{table.name}: a line is not written as the others are: {line[:60]}")
    return JSONExample(found[1], found[2] == "true", found[3])


def yaml_examples(table: Path) -> list[Example]:
    before, *parts = SEPARATOR.split(table.read_text(encoding="utf-8"))
    if before:
        raise ValueError(f"{table.name} does not begin with a separator: {before[:60]}")
    groups = zip(parts[0::3], parts[1::3], parts[2::3], strict=True)
    return [Example(name, kind == "valid", text) for kind, name, text in groups]
