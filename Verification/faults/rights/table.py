"""The table of docs/operations/rights.md, and every way to take one right of it away."""

import re
from collections.abc import Iterator

from common.places import ROOT

RIGHTS = ROOT / "docs/operations/rights.md"
NOTHING = "^$"


def rights(*made_of_others: str) -> dict[str, dict]:
    """The table of docs/operations/rights.md: what each command's users may do.

    made_of_others: the rows, of those that are made of others, that are wanted, too.
    """
    found = {}
    for row in re.findall(r"^\| `waybill ([\w, ]+)` \|(.*)\|$", RIGHTS.read_text(), re.MULTILINE):
        cells = re.split(r"(?<!\\)\|", row[1])
        configure, write, read, store = (cell.strip().strip("`").replace("\\|", "|") for cell in cells)
        privileges = {}
        for part in filter(None, store.replace("`", "").split(";")):
            collection, _, actions = part.partition(":")
            privileges[collection.strip()] = [action.strip() for action in actions.split(",")]
        # Made of others, against whose rows scripts/check-rights.py holds them.
        left_out = {"run", "top"} - set(made_of_others)
        for command in (name for name in row[0].split(",") if name.strip() not in left_out):
            found[command.strip()] = {"broker": (configure, write, read), "store": privileges}
    return found


def each_right_less(allowed: dict) -> Iterator[tuple[str, dict]]:
    """Every way to take one right away: its name, and what is left."""
    for place, name in enumerate(("configure", "write", "read")):
        if allowed["broker"][place] != NOTHING:
            patterns = tuple(NOTHING if n == place else pattern for n, pattern in enumerate(allowed["broker"]))
            yield f"{name} {allowed['broker'][place]}", {**allowed, "broker": patterns}
    for collection, actions in allowed["store"].items():
        for action in actions:
            left = {**allowed["store"], collection: [other for other in actions if other != action]}
            yield f"{action} on {collection}", {**allowed, "store": left}
