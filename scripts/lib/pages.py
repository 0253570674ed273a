"""What scripts/check-docs.py reads: the pages for people, and the facts of the sources that they must agree with."""

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)
SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^()\s]+)\)")
ROW = re.compile(r"^\| (.+) \|$", re.MULTILINE)
CONFORMER = re.compile(r"\b(?:enum|struct) (\w+)\s*:[^{]*\bTelemetryEvent\b")
METRIC = re.compile(r'\bMetric\(\s*"([^"]+)",\s*\.(\w+)')
CASES = re.compile(r'\bcase\s+(\.[^:"]+?):\s*(?:"([^"]+)"|\.(\w+))')


@dataclass
class Page:
    """A Markdown file, by its path in the repository."""

    text: str

    @property
    def blocks(self) -> list[tuple[str, str]]:
        """The fenced blocks: language and text."""
        return FENCE.findall(self.text)

    @property
    def prose(self) -> str:
        """Everything but the fenced blocks."""
        return FENCE.sub("", self.text)

    @property
    def spans(self) -> list[str]:
        """What stands in back quotes."""
        return [" ".join(span.split()) for span in SPAN.findall(self.prose)]

    @property
    def links(self) -> list[str]:
        return LINK.findall(SPAN.sub("``", self.prose))

    @property
    def anchors(self) -> set[str]:
        """The headings, as GitHub names them in links."""
        found: set[str] = set()
        for heading in HEADING.findall(self.prose):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
            found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
        return found

    def rows(self, heading: str) -> list[list[str]]:
        """The cells of the tables below a heading, up to the next one; heads of tables are left out."""
        section = re.split(r"^#", self.text.partition(f"{heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
        section = re.sub(r"^\|.*\|\n(?=\|-)", "", section, flags=re.MULTILINE)
        return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)] for row in ROW.findall(section)]


@dataclass
class Repository:
    """root: where paths and links lead. events: level by name. commands: options by command, as in ("waybill", "send")."""

    root: Path
    pages: dict[str, Page]
    settings: set[str]
    schemas: dict[str, Any]
    reasons: set[str]
    outcomes: set[str]
    version: str
    contract_version: str
    events: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, str] = field(default_factory=dict)  # the type of each by its name
    counts: dict[str, dict[str, float]] = field(default_factory=dict)  # instructions, allocations and bytes by step
    strays: list[str] = field(default_factory=list)  # log lines that are no event, by file
    commands: dict[tuple[str, ...], set[str]] = field(default_factory=dict)
    defaults: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)  # what runs where none is named


def markdown(root: Path) -> list[Path]:
    """All pages; nothing under a hidden folder is even looked at, where other checks may be writing."""
    found = []
    for path in root.iterdir():
        if path.name.startswith("."):
            continue
        if path.is_dir():
            found += markdown(path)
        elif path.suffix == ".md":
            found.append(path)
    return sorted(found)


def read_repository(root: Path) -> Repository:
    pages = {str(path.relative_to(root)): Page(path.read_text()) for path in markdown(root)}
    schemas = {path.name: json.loads(path.read_text()) for path in (root / "schemas").glob("*.schema.json")}
    queues = yaml.safe_load((root / "schemas/asyncapi.yaml").read_text())
    messages = queues["components"]["messages"]
    ours = messages["rejectedBody"]["headers"]["properties"]["x-waybill-reason"]["enum"]
    brokers = messages["deadLetter"]["headers"]["properties"]["x-death"]["items"]["properties"]["reason"]["enum"]
    version = re.search(r'current = "([^"]+)"', (root / "Sources/waybill/Version/ProductVersion.swift").read_text())
    sources = {str(path.relative_to(root)): path.read_text() for path in sorted((root / "Sources").rglob("*.swift"))}
    return Repository(
        root=root,
        pages=pages,
        settings=settings_of(schemas["configuration.schema.json"]),
        schemas=schemas,
        reasons={*ours, *brokers, reason_of_none(sources)},
        outcomes=set(schemas["delivery-record.schema.json"]["properties"]["outcome"]["enum"]),
        version=version[1] if version else "",
        contract_version=queues["info"]["version"],
        events=events_of(sources),
        metrics={name: kind for text in sources.values() for name, kind in METRIC.findall(text)},
        counts=json.loads((root / "Verification/counts/counts.json").read_text())["cases"],
        strays=strays_of(sources),
    )


def reason_of_none(sources: dict[str, str]) -> str:
    """What `waybill rejected` says of a message without any reason."""
    found = re.search(r'lastDeath\?\.reason \?\? "(\w+)"', sources["Sources/WaybillMessages/Rejected/Rejection.swift"])
    if not found:
        raise SystemExit("check-docs: cannot find what a message without a reason is called")
    return found[1]


def settings_of(schema: dict[str, Any]) -> set[str]:
    """The paths of all settings: broker.url; for what stands in lists and below names, clients.max_age."""
    found: set[str] = set()

    def walk(node: dict[str, Any], path: tuple[str, ...]) -> None:
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rpartition("/")[2]]
        for name, inner in node.get("properties", {}).items():
            found.add(".".join((*path, name)))
            walk(inner, (*path, name))
        for inner in (node.get("items"), node.get("additionalProperties"), *node.get("oneOf", [])):
            if isinstance(inner, dict):
                walk(inner, path)

    walk(schema, ())
    return found


# Log events


def body_of(text: str, start: int) -> str:
    """What stands between the first brace from `start` on and the one that closes it."""
    first = text.index("{", start)
    depth = 0
    for position in range(first, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return text[first + 1 : position]
    return text[first + 1 :]


def words_by_case(declaration: str, variable: str) -> dict[str, str]:
    """What a variable is in each case: of a switch, or "" for what is the same in all."""
    found: dict[str, str] = {}
    match = re.search(rf"\bvar {variable}\b[^{{=]*\{{", declaration)
    if not match:
        return found
    body = re.sub(r"\([^()]*\)", "", body_of(declaration, match.start()))
    for cases, text, word in CASES.findall(body):
        for case in re.findall(r"\.(\w+)", cases):
            found[case] = text or word
    if not found and (single := re.fullmatch(r'\s*(?:return )?(?:"([^"]+)"|\.(\w+))\s*', body)):
        found[""] = single[1] or single[2]
    return found


def events_of(sources: dict[str, str]) -> dict[str, str]:
    """The level of every log event by its name, out of the types that are TelemetryEvents."""
    types = {name for text in sources.values() for name in CONFORMER.findall(text)}
    events: dict[str, str] = {}
    for name in sorted(types):
        names: dict[str, str] = {}
        levels: dict[str, str] = {}
        for text in sources.values():
            for match in re.finditer(rf"^(?:\w+ )*(?:enum|struct|extension) {name}\b[^{{]*\{{", text, re.MULTILINE):
                declaration = body_of(text, match.start())
                names |= words_by_case(declaration, "name")
                levels |= words_by_case(declaration, "level")
        if not names:
            raise SystemExit(f"check-docs: cannot read the names of the events of {name}")
        for case, event in names.items():
            events[event] = levels.get(case) or levels.get("", "?")
    return events


def strays_of(sources: dict[str, str]) -> list[str]:
    """Files that log without an event; the handlers themselves may."""
    line = re.compile(r"\b[lL]ogger\.(?:trace|debug|info|notice|warning|error|critical|log)\(")
    return [file for file, text in sources.items() if "/WaybillTelemetry/" not in file and line.search(text)]


# Programs


def read_commands(repository: Repository, programs: Path) -> None:
    """Asks the programs which commands and options they have."""
    for program in ("waybill", "apns-simulator"):
        dump = subprocess.run([programs / program, "--experimental-dump-help"], check=True, capture_output=True, text=True)
        add_command(repository, json.loads(dump.stdout)["command"], ())


def add_command(repository: Repository, command: dict[str, Any], above: tuple[str, ...]) -> None:
    path = (*above, command["commandName"])
    names = [name for argument in command.get("arguments", []) for name in argument.get("names", [])]
    repository.commands[path] = {"-" * (1 if name["kind"] == "short" else 2) + name["name"] for name in names}
    if default := command.get("defaultSubcommand"):
        repository.defaults[path] = (*path, default)
    for inner in command.get("subcommands", []):
        add_command(repository, inner, path)
