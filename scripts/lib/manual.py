#!/usr/bin/env python3
"""Writes manual pages (mdoc) from what a program says of itself.

manual.py FOLDER PROGRAM…    PROGRAM.1 and PROGRAM-COMMAND.1 for each command, into FOLDER; prints their names

The words are those of --help, read by --experimental-dump-help. What help does not say, each program's own environment and
files, stands below in EXTRA.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from textwrap import wrap
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
Command = dict[str, Any]
EXIT = re.compile(r"\s*Exit status: (0 .*?)\.(?=\s|$)", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[\"'A-Z0-9(-])")
EXTRA = {
    "waybill": {
        "ENVIRONMENT": {
            "WAYBILL_CONFIG": "The configuration file, where no --config names one.",
            "WAYBILL_SECTION_SETTING": "Stands for the setting section.setting: WAYBILL_BROKER_URL for broker.url.",
            "NO_COLOR": "When it is set and not empty, nothing is coloured.",
            "COLUMNS": "The width of tables; without it, the terminal's.",
        },
        "FILES": {"/etc/waybill/waybill.yaml": "The configuration, where neither option nor variable names one."},
    },
}


def released() -> date:
    """The day of the newest version of the changelog."""
    found = re.search(r"^## \[\d\S*\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert found, "CHANGELOG.md has no version"
    return date.fromisoformat(found[1])


def escaped(text: str) -> str:
    """Text that roff takes as it is, in ASCII."""
    text = text.replace("\\", r"\e").replace("…", "...").replace("–", r"\(en").replace("|", r"\(ba")
    assert text.isascii(), f"a character that a manual page cannot show everywhere: {text}"
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def prose(text: str) -> list[str]:
    """Paragraphs, each sentence on a line of its own, as mdoc wants it; what is indented stays as it is."""
    lines: list[str] = []
    for number, block in enumerate(re.split(r"\n\s*\n", text.strip("\n"))):
        if block.startswith("  "):
            lines += literal(block)
            continue
        if number:
            lines.append(".Pp")
        for sentence in SENTENCE.split(block.strip()):
            lines += wrap(escaped(sentence), 76, break_long_words=False, break_on_hyphens=False)
    return lines


def literal(text: str) -> list[str]:
    return [".Bd -literal -offset indent", *(escaped(line.removeprefix("  ")) for line in text.splitlines()), ".Ed"]


def flag(name: dict[str, str]) -> str:
    return ("Fl Fl " if name["kind"] != "short" else "Fl ") + escaped(name["name"]).replace("-", r"\-")


def value(argument: Command) -> str:
    return f"Ar {escaped(argument['valueName'])}"


def arguments(command: Command) -> list[Command]:
    return [one for one in command.get("arguments", []) if one["shouldDisplay"]]


def synopsis(path: tuple[str, ...], command: Command) -> list[str]:
    lines = [f".Nm {' '.join(path)}"]
    for one in arguments(command):
        preferred = one.get("preferredName", {}).get("name")
        if preferred in ("help", "version"):
            continue
        word = value(one) if one["kind"] == "positional" else flag(one["preferredName"])
        if one["kind"] == "option":
            word += f" {value(one)}"
        if one["isRepeating"]:
            word += " ..."
        lines.append(f".Op {word}" if one["isOptional"] else f".{word}")
    if command.get("subcommands"):
        lines.append(".Ar command ...")
    return lines


def described(command: Command) -> list[str]:
    """The arguments and options with what they do, below their sections' titles."""
    sections: dict[str, list[Command]] = {}
    for one in arguments(command):
        sections.setdefault(one.get("sectionTitle", ""), []).append(one)
    lines: list[str] = []
    for title, members in sorted(sections.items(), key=lambda item: item[0] == ""):
        if title:
            lines.append(f".Ss {title}")
        elif len(sections) > 1:
            lines.append(".Ss General")
        lines.append(".Bl -tag -width Ds")
        for one in members:
            names = [value(one)] if one["kind"] == "positional" else [flag(name) for name in one["names"]]
            if one["kind"] == "option":
                names[-1] += f" {value(one)}"
            lines.append(".It " + " , ".join(names))
            lines += prose(one.get("abstract", ""))
            if default := one.get("defaultValue"):
                lines.append(f"Default: {escaped(default)}.")
        lines.append(".El")
    return lines


def split(command: Command) -> tuple[str, str, str]:
    """The examples, the description and the exit statuses of a discussion."""
    text = re.sub(r"(?<=\S)\n(?=\S)", " ", command.get("discussion", ""))
    blocks = re.split(r"\n\s*\n", text)
    found = [block for block in blocks if block.startswith("Examples:")]
    rest = "\n\n".join(block for block in blocks if block not in found)
    exits = EXIT.search(rest)
    return (found[0].partition("\n")[2] if found else "", EXIT.sub("", rest), exits[1] if exits else "")


def page(path: tuple[str, ...], command: Command, whole: Command) -> str:
    name = "-".join(path)
    day = released()
    examples, description, exits = split(command)
    assert examples, f"{' '.join(path)}: its help has no examples"
    abstract = command["abstract"].rstrip(".")
    lines = [f".Dd {day:%B} {day.day}, {day.year}", f".Dt {name.upper()} 1", ".Os"]
    lines += [
        ".Sh NAME",
        f".Nm {name}",
        f".Nd {escaped(abstract[:1].lower() + abstract[1:] if abstract[1:2].islower() else abstract)}",
    ]
    lines += [".Sh SYNOPSIS", *synopsis(path, command)]
    inner = [one for one in command.get("subcommands", []) if one["shouldDisplay"] and one["commandName"] != "help"]
    own_pages = len(path) == 1 and path[0] == whole["commandName"]
    for one in inner if not own_pages else ():
        lines += synopsis((*path, one["commandName"]), one)
    lines += [".Sh DESCRIPTION", *prose(description or command["abstract"])]
    if inner and own_pages:
        lines += [".Pp", "The commands, each with a page of its own:", ".Bl -tag -width Ds"]
        for one in inner:
            lines += [f".It Xr {name}-{one['commandName']} 1", *prose(one["abstract"])]
        lines.append(".El")
    lines += [".Sh OPTIONS", *described(command)] if not (inner and not own_pages) else []
    for one in inner if not own_pages else ():
        more, text, _ = split(one)
        is_default = one["commandName"] == command.get("defaultSubcommand")
        lines += [f".Sh {' '.join((*path[1:], one['commandName'])).upper()}", *prose(one["abstract"])]
        lines += ["This is what is done where no command is named."] if is_default else []
        lines += [".Pp", *prose(text)] if text.strip() else []
        lines += described(one)
        examples += f"\n{more}" if more and more not in examples else ""
    extra = EXTRA.get(whole["commandName"], {}) if own_pages else {}
    for title in ("ENVIRONMENT", "FILES"):
        if entries := extra.get(title):
            lines += [f".Sh {title}", ".Bl -tag -width Ds"]
            for what, words in entries.items():
                lines += [f".It {'Ev' if title == 'ENVIRONMENT' else 'Pa'} {what}", *prose(words)]
            lines.append(".El")
    if exits:
        lines += [".Sh EXIT STATUS", ".Bl -tag -width Ds"]
        for entry in " ".join(exits.split()).split(", "):
            code, _, words = entry.partition(" ")
            lines += [f".It {code}", escaped(words)]
        lines.append(".El")
    lines += [".Sh EXAMPLES", *literal(examples)]
    others = (
        [f"{whole['commandName']}-{one['commandName']}" for one in subcommands(whole)] if own_pages else [whole["commandName"]]
    )
    references = [f".Xr {other} 1" for other in sorted(others) if other != name]
    lines += [".Sh SEE ALSO", *(f"{reference} ," for reference in references[:-1]), *references[-1:]]
    return "\n".join(line for line in lines if line) + "\n"


def subcommands(command: Command) -> list[Command]:
    return [one for one in command.get("subcommands", []) if one["shouldDisplay"] and one["commandName"] != "help"]


def pages(program: Path) -> Iterator[tuple[str, str]]:
    """The file's name and the text of every page."""
    done = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True, timeout=60)
    whole = json.loads(done.stdout)["command"]
    name = whole["commandName"]
    yield f"{name}.1", page((name,), whole, whole)
    for command in subcommands(whole):
        path = (name, command["commandName"])
        yield f"{'-'.join(path)}.1", page(path, command, whole)


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for program in sys.argv[2:]:
        for name, text in pages(Path(program)):
            (folder / name).write_text(text)
            print(folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
