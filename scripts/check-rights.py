#!/usr/bin/env python3
"""Whether the scripts that make users give each command exactly the rights of the table in docs/operations/rights.md."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Commands that are made of others; no fault case tries them by themselves.
SAME = {"run": ["dispatch", "prune", "fanout", "schedule", "serve", "hooks"], "top": ["status"]}


def table() -> dict[str, tuple]:
    """command: (configure, write, read, rights on collections)"""
    page = (ROOT / "docs/operations/rights.md").read_text()
    found = {}
    for row in re.findall(r"^\| `waybill (.+?)` \|(.*)\|$", page, re.MULTILINE):
        cells = [cell.strip().strip("`").replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row[1])]
        store = {}
        for part in filter(None, cells[3].split(";")):
            collection, _, actions = part.partition(":")
            store[collection.strip()] = sorted(action.strip() for action in actions.split(","))
        for command in row[0].split(","):
            found[command.strip()] = (*cells[:3], store)
    return found


def broker() -> dict[str, tuple]:
    text = (ROOT / "deploy/users/rabbitmq.sh").read_text()
    lines = text.partition("<<'TABLE'\n")[2].partition("TABLE\n")[0].splitlines()
    return {command: tuple(patterns) for command, *patterns in (line.split() for line in lines)}


def store() -> dict[str, dict]:
    text = (ROOT / "deploy/users/mongodb.js").read_text()
    found = re.search(r"const RIGHTS = (\{.*?\n\});", text, re.DOTALL)
    rights = json.loads(found[1]) if found else {}
    return {command: {name: sorted(actions) for name, actions in of.items()} for command, of in rights.items()}


def together(rows: list[tuple]) -> tuple:
    """The rights of several commands in one; the patterns as sets, for they can be written in more ways than one."""
    collections: dict[str, set[str]] = {}
    for row in rows:
        for name, actions in row[3].items():
            collections.setdefault(name, set()).update(actions)
    patterns = [set().union(*(parts(row[place]) for row in rows)) for place in range(3)]
    return (*patterns, {name: sorted(actions) for name, actions in collections.items()})


def parts(pattern: str) -> set[str]:
    """What a pattern allows: ^waybill\\.(a|b)$ the names a and b, ^$ nothing."""
    inner = pattern.removeprefix("^").removesuffix("$").removeprefix("waybill\\.")
    names = inner.removeprefix("(").removesuffix(")").split("|")
    return {name.removeprefix("waybill\\.") for name in names if name}


def by_hand() -> dict[str, list[str]]:
    """What the page's own example gives the dispatcher: collection: actions."""
    page = (ROOT / "docs/operations/rights.md").read_text()
    example = page.partition('role: "waybillDispatch"')[2].partition("```")[0]
    rows = re.findall(r'collection: "(\w+)"\}, actions: (\[.*?\])', example)
    return {collection: sorted(json.loads(actions)) for collection, actions in rows}


def main() -> int:
    nothing = ("^$", "^$", "^$")
    complaints = []
    rights, brokers, stores = table(), broker(), store()
    for command, others in SAME.items():
        if together([rights[command]]) != together([rights[other] for other in others]):
            complaints.append(f"rights.md: {command} needs what {', '.join(others)} need")
    for command in sorted(rights.keys() | brokers.keys() | stores.keys()):
        wanted = rights.get(command, (*nothing, {}))
        if brokers.get(command, nothing) != wanted[:3]:
            complaints.append(f"rabbitmq.sh: {command}: {brokers.get(command)}, the table says {wanted[:3]}")
        if stores.get(command, {}) != wanted[3]:
            complaints.append(f"mongodb.js: {command}: {stores.get(command)}, the table says {wanted[3]}")
    if by_hand() != rights["dispatch"][3]:
        complaints.append(f"rights.md, by hand: {by_hand()}, the table says {rights['dispatch'][3]}")
    for complaint in complaints:
        print(f"check-rights: {complaint}", file=sys.stderr)
    if not complaints:
        print(f"check-rights: {len(rights)} commands: all right")
    return 1 if complaints or len(rights) < 8 else 0


if __name__ == "__main__":
    sys.exit(main())
