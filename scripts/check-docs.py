#!/usr/bin/env python3
"""Holds the pages for people against the repository.

    scripts/check-docs.py                      what needs no build
    scripts/check-docs.py --commands FOLDER    every command of every page against the help of the programs in FOLDER
    scripts/check-docs.py --self-test          plant one violation of each rule and see it found

The rules:
  - every relative link leads to a file, and its anchor to a heading;
  - every path in back quotes, and every script with its options, is there;
  - every setting, and every variable that stands for one, is in the configuration's schema;
  - docs/operations/events.md has every log event with its level, once, and no other; nothing is logged that is no event;
  - docs/operations/monitor.md has every metric with its type, once, and no other;
  - docs/producers.md has every outcome and every reason of a rejection, ours and the broker's;
  - the example configuration and the example messages pass their schemas;
  - the README has at most 150 lines, and its figures stand in docs/PERFORMANCE.md;
  - the counts in docs/PERFORMANCE.md are those of Verification/counts/counts.json;
  - the types and the tests that docs/security-review.md names are there;
  - the newest version of CHANGELOG.md and the version of the queues' contract are the program's; each version has its link.
"""

import argparse
import copy
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts/lib"))

from pages import Page, Repository, events_of, read_commands, read_repository, strays_of  # noqa: E402

EVENTS = "docs/operations/events.md"
METRICS = "docs/operations/monitor.md"
PRODUCERS = "docs/producers.md"
CONFIGURE = "docs/operations/configure.md"
PERFORMANCE = "docs/PERFORMANCE.md"
REVIEW = "docs/security-review.md"
COUNTS = "## Counts that do not depend on the hour"
MOST_LINES = 150
TYPE = re.compile(r"\b(?:struct|class|enum|actor|protocol) +(\w+)")
PLACE = re.compile(r"(?:scripts|docs|schemas|Sources|Tests|deploy|Verification|Examples)/[\w./*-]+")
SCRIPT = re.compile(r"^scripts/[\w-]+\.sh\b")
VARIABLE = re.compile(r"\bWAYBILL_((?:BROKER|STORE|LOG|LIMITS|DISPATCH|RETRY|ADMIN|RETENTION)_[A-Z_]+)\b")
PROGRAMS = ("waybill", "apns-simulator")
Findings = Iterator[str]


def check_links(repository: Repository) -> Findings:
    for name, page in repository.pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if "://" in target or link.startswith(("mailto:", "doc:")):
                continue
            path = (repository.root / name).parent / target if target else repository.root / name
            place = path.resolve()
            if not place.exists():
                yield f"{name}: the link {link} leads nowhere"
            elif anchor and place.suffix == ".md":
                other = repository.pages.get(str(place.relative_to(repository.root)))
                if other and anchor not in other.anchors:
                    yield f"{name}: {link}: there is no such heading"


def check_places(repository: Repository) -> Findings:
    for name, page in repository.pages.items():
        for text in (*page.spans, *lines_of(page)):
            for place in PLACE.findall(text if SCRIPT.match(text) else text.split(" ")[0]):
                # An article on somebody else's package speaks of that package's folders.
                folders = (repository.root, *repository.root.glob("Examples/*/"))
                if text.startswith(place) and not any(any(folder.glob(place.rstrip("/."))) for folder in folders):
                    yield f"{name}: there is no {place}"


def lines_of(page: Page) -> list[str]:
    """The lines of the page's blocks that could be commands, each whole, without comments."""
    joined = [re.sub(r"\\\n\s*", " ", text) for language, text in page.blocks if language in ("", "sh")]
    return [line.removeprefix("$ ").partition(" #")[0].strip() for text in joined for line in text.splitlines()]


def check_scripts(repository: Repository) -> Findings:
    """Every option of a script stands in the script, or in the verification program that it starts."""
    for name, page in repository.pages.items():
        for text in (*page.spans, *lines_of(page)):
            match = SCRIPT.match(text)
            if not match or not (repository.root / match[0]).is_file():
                continue
            sources = [repository.root / match[0], *repository.root.glob("Verification/*/*.py")]
            words = "".join(source.read_text() for source in sources)
            for option in re.findall(r"(?<=\s)--[a-z][a-z-]+", text):
                if option not in words:
                    yield f"{name}: {match[0]} has no {option}"


def check_settings(repository: Repository) -> Findings:
    sections = {setting.partition(".")[0] for setting in repository.settings}
    variables = {setting.upper().replace(".", "_") for setting in repository.settings}
    for name, page in repository.pages.items():
        for span in page.spans:
            match = re.match(r"([a-z]+)\.([a-z_.]+)(?=$|[:=])", span)
            if match and match[1] in sections and match[0] not in repository.settings | repository.events.keys():
                yield f"{name}: {match[0]} is no setting"
        for variable in VARIABLE.findall(page.text):
            if variable not in variables:
                yield f"{name}: WAYBILL_{variable} stands for no setting"


def check_table(repository: Repository, page: str, heading: str, facts: dict[str, str], what: str, verb: str) -> Findings:
    """Whether a table has each fact of the sources once, with its kind in the second column, and no other."""
    rows = repository.pages[page].rows(heading)
    written = {cells[0].strip("`"): cells[1] for cells in rows}
    if len(rows) != len(written):
        yield f"{page}: {what}: one has two rows"
    for name, kind in facts.items():
        if name not in written:
            yield f"{page}: lacks {name}"
        elif written[name] != kind:
            yield f"{page}: {name} {verb} {kind}, not {written[name]}"
    for name in written.keys() - facts.keys():
        yield f"{page}: {name} is no {what} of the sources"


def check_events(repository: Repository) -> Findings:
    yield from check_table(repository, EVENTS, "# Log events", repository.events, "event", "has the level")
    for name, page in repository.pages.items():
        for span in page.spans:
            if (
                re.fullmatch(r"(admin|api|dispatch|fanout|hooks|lease|prune|schedule|service)\.[a-z]+[A-Z]\w*", span)
                and span not in repository.events
            ):
                yield f"{name}: {span} is no log event"
    yield from (f"{file}: logs what is no event" for file in repository.strays)


def check_metrics(repository: Repository) -> Findings:
    yield from check_table(repository, METRICS, "## Metrics", repository.metrics, "metric", "is of the type")
    for name, page in repository.pages.items():
        for span in page.spans:
            if re.fullmatch(r"waybill_[a-z_]+", span) and span not in repository.metrics:
                yield f"{name}: {span} is no metric"


def check_words(repository: Repository) -> Findings:
    page = repository.pages[PRODUCERS]
    for heading, wanted in (("## Outcomes", repository.outcomes), ("### Rejected messages", repository.reasons)):
        rows = page.rows(heading)
        written = {word for cells in rows for word in re.findall(r"`(\w+)`", cells[0])}
        for word in sorted(written ^ wanted):
            yield f"{PRODUCERS}: {heading.strip('# ')}: {word} is {'missing' if word in wanted else 'not one of them'}"


def check_examples(repository: Repository) -> Findings:
    for name, language, schema in (
        (CONFIGURE, "yaml", "configuration.schema.json"),
        (PRODUCERS, "json", "dispatch-message.schema.json"),
        ("README.md", "json", "dispatch-message.schema.json"),
    ):
        validator = Draft202012Validator(repository.schemas[schema])
        texts = [text for found, text in repository.pages[name].blocks if found == language]
        if not texts:
            yield f"{name}: has no example in {language}"
        for text in texts:
            value = yaml.safe_load(text) if language == "yaml" else json.loads(text.replace("…", ""))
            if error := next(iter(validator.iter_errors(value)), None):
                yield f"{name}: an example breaks {schema}: {error.json_path}: {error.message[:100]}"


def check_readme(repository: Repository) -> Findings:
    page = repository.pages["README.md"]
    if (count := page.text.count("\n")) > MOST_LINES:
        yield f"README.md: has {count} lines, more than {MOST_LINES}"
    rows = page.rows("## Measured")
    if len(rows) < 3:
        yield "README.md: tells fewer than three figures"
    performance = repository.pages["docs/PERFORMANCE.md"].text
    for cells in rows:
        for figure in re.findall(r"\d[\d,]*\.?\d+", cells[1]):
            if figure not in performance:
                yield f"README.md: {figure} is no figure of docs/PERFORMANCE.md"


def check_counts(repository: Repository) -> Findings:
    told = {cells[0]: cells[1:] for cells in repository.pages[PERFORMANCE].rows(COUNTS)}
    known = {
        step: [f"{count['instructions']:,.0f}", f"{count['allocations']:.2f}", f"{count['bytes']:,.0f}"]
        for step, count in repository.counts.items()
    }
    for step in told.keys() | known.keys():
        if told.get(step) != known.get(step):
            yield f"{PERFORMANCE}: {step} is told as {told.get(step)}, counts.json has {known.get(step)}"


@cache
def declared(root: Path) -> tuple[set[str], dict[str, set[str]]]:
    """The types and modules of the sources; and the functions beside each suite of tests, in its file."""
    types = {path.name for path in root.glob("Sources/*")}
    for path in root.glob("Sources/**/*.swift"):
        types |= set(TYPE.findall(path.read_text()))
    suites: dict[str, set[str]] = {}
    for path in root.glob("Tests/**/*.swift"):
        text = path.read_text()
        functions = set(re.findall(r"\bfunc (\w+)\(", text))
        for name in TYPE.findall(text):
            suites.setdefault(name, set()).update(functions)
    return types, suites


def check_review(repository: Repository) -> Findings:
    """In its tables the third of four columns names types, and the last one tests: `Suite/test`, and others behind it."""
    types, suites_known = declared(repository.root)
    for line in re.findall(r"^\|(.*)\|$", repository.pages[REVIEW].text, re.MULTILINE):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 4:
            for name in re.findall(r"`([A-Z]\w+)(?:\.\w+)?`", cells[2]):
                if name not in types:
                    yield f"{REVIEW}: there is no {name}"
        tests: set[str] | None = None
        for suite, test in re.findall(r"`(?:([A-Z]\w*Tests)/?)?(\w*)`", cells[-1]):
            if suite:
                tests = suites_known.get(suite)
                if tests is None:
                    yield f"{REVIEW}: there is no {suite}"
            if test and tests is not None and test not in tests:
                yield f"{REVIEW}: there is no test {test}"


def check_version(repository: Repository) -> Findings:
    found = re.findall(r"^## \[(\d\S*)\]", repository.pages["CHANGELOG.md"].text, re.MULTILINE)
    if found[:1] != [repository.version]:
        yield f"CHANGELOG.md: its newest version is {', '.join(found[:1])}, the program's is {repository.version}"
    for version in ("Unreleased", *found):
        if f"\n[{version}]: " not in repository.pages["CHANGELOG.md"].text:
            yield f"CHANGELOG.md: [{version}] has no link at the end"
    if repository.contract_version != repository.version:
        yield f"schemas/asyncapi.yaml: its version is {repository.contract_version}, the program's is {repository.version}"


def check_commands(repository: Repository) -> Findings:
    for name, page in repository.pages.items():
        for text in (*page.spans, *lines_of(page)):
            for command in re.split(r"\s\|\s|;\s", text):
                if command.split(" ")[0] in PROGRAMS and " " in command:
                    yield from (f"{name}: {command}: {finding}" for finding in check_command(repository, command))


def check_command(repository: Repository, text: str) -> Findings:
    try:
        words = shlex.split(text.replace("…", ""))
    except ValueError as error:
        yield str(error)
        return
    path: tuple[str, ...] = (words.pop(0),)
    while words and (*path, words[0]) in repository.commands:
        path = (*path, words.pop(0))
    has_inner = any(len(other) > len(path) and other[: len(path)] == path for other in repository.commands)
    if has_inner and path not in repository.defaults and words and not words[0].startswith("-"):
        yield f"there is no command {words[0]}"
    path = repository.defaults.get(path, path)
    for word in words:
        if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in repository.commands[path]:
            yield f"{' '.join(path)} has no {word}"


RULES: list[Callable[[Repository], Findings]] = [
    check_links,
    check_places,
    check_scripts,
    check_settings,
    check_events,
    check_metrics,
    check_words,
    check_examples,
    check_readme,
    check_counts,
    check_review,
    check_version,
]


def check(repository: Repository, rules: list[Callable[[Repository], Findings]]) -> list[str]:
    return [finding for rule in rules for finding in rule(repository)]


def self_test(sound: Repository) -> None:
    """Plants one violation of each rule in the repository as it is."""
    sound.commands = {("waybill",): {"--help"}, ("waybill", "logs"): {"--token"}, ("waybill", "rejected"): set()}
    sound.commands[("waybill", "rejected", "list")] = {"--limit"}
    sound.defaults = {("waybill", "rejected"): ("waybill", "rejected", "list")}

    def expect(part: str, plant: Callable[[Repository], None]) -> None:
        planted = copy.deepcopy(sound)
        plant(planted)
        found = check(planted, RULES)
        assert any(part in finding for finding in found), f"not found: {part}; found: {found}"

    def write(name: str, old: str, new: str) -> Callable[[Repository], None]:
        def plant(repository: Repository) -> None:
            text = repository.pages[name].text
            assert old in text, f"{name} has no {old!r} to plant a violation in"
            repository.pages[name].text = text.replace(old, new, 1)

        return plant

    def append(text: str, name: str = CONFIGURE) -> Callable[[Repository], None]:
        return lambda repository: setattr(repository.pages[name], "text", repository.pages[name].text + text)

    expect("leads nowhere", append("\n[x](gone.md)\n"))
    expect("no such heading", append("\n[x](rights.md#gone)\n"))
    expect("no such heading", append("\n[x](#gone)\n"))
    expect("there is no Sources/Gone", append("\n`Sources/Gone`\n"))
    expect("there is no scripts/gone.sh", append("\n```\nscripts/gone.sh --all\n```\n"))
    expect("demo.sh has no --gone", append("\n`scripts/demo.sh --gone`\n"))
    expect("broker.gone is no setting", append("\n`broker.gone: 4`\n"))
    expect("WAYBILL_BROKER_GONE stands for no setting", append("\n```\nWAYBILL_BROKER_GONE=1\n```\n"))
    expect("lacks dispatch.planted", lambda r: r.events.update({"dispatch.planted": "info"}))
    expect("dispatch.started is no event", lambda r: r.events.__delitem__("dispatch.started"))
    expect("has the level error, not info", lambda r: r.events.update({"dispatch.started": "error"}))
    expect(
        "two rows", write(EVENTS, "\n| `prune.stopped`", "\n| `prune.progress` | info | twice | nothing |\n| `prune.stopped`")
    )
    expect("lacks waybill_planted", lambda r: r.metrics.update({"waybill_planted": "gauge"}))
    expect(
        "waybill_messages_total is of the type gauge, not counter",
        lambda r: r.metrics.update({"waybill_messages_total": "gauge"}),
    )
    expect("waybill_gone is no metric", append("\n`waybill_gone`\n"))
    expect("dispatch.goneAway is no log event", append("\n`dispatch.goneAway`\n"))
    expect("logs what is no event", lambda r: r.strays.append("Sources/x.swift"))
    expect("expired is missing", write(PRODUCERS, "| `expired` |", "| |"))
    expect("delivery_limit is missing", write(PRODUCERS, "| `delivery_limit` |", "| |"))
    expect("gone is not one of them", write(PRODUCERS, "| `unknown_lane` |", "| `unknown_lane`, `gone` |"))
    expect("breaks configuration.schema.json", write(CONFIGURE, "  queue_prefix: waybill\n", "  queue: waybill\n"))
    expect("breaks dispatch-message.schema.json", write(PRODUCERS, '"device_tokens": [', '"tokens": ['))
    expect("more than 150", append("\n" * MOST_LINES, "README.md"))
    expect("is no figure", write("README.md", "| 77.1 MB |", "| 7.71 MB |"))
    expect("exchange is told as", lambda r: r.counts["exchange"].update({"instructions": 1.0}))
    expect("planted is told as None", lambda r: r.counts.update({"planted": r.counts["exchange"]}))
    expect("there is no GoneTests", append("\n| a | b | `GoneTests/gone` |\n", REVIEW))
    expect("there is no test gone", append("\n| a | b | `TokenTests/noByteMayChange`, `gone` |\n", REVIEW))
    expect("there is no GoneType", append("\n| a | b | `GoneType.member` | – |\n", REVIEW))
    expect("its newest version is", lambda r: setattr(r, "version", "99.0.0"))
    expect("[Unreleased] has no link", write("CHANGELOG.md", "\n[Unreleased]: ", "\nUnreleased: "))
    expect("asyncapi.yaml: its version", lambda r: setattr(r, "contract_version", "99.0.0"))

    for command, wrong in {
        "waybill logs --token a1b2…": [],
        "waybill rejected --limit 3": [],
        "waybill gone": ["there is no command gone"],
        "waybill logs --gone=1": ["waybill logs has no --gone=1"],
        "waybill rejected list --token x": ["waybill rejected list has no --token"],
    }.items():
        assert list(check_command(sound, command)) == wrong, command

    source = """
    enum A: TelemetryEvent {
        case one(Int), two
        var name: String { switch self { case .one: "a.one"
            case .two: "a.two" } }
        var level: Logger.Level { switch self { case .one(let x),
            .two: .error } }
    }
    """
    single = (
        'struct B: Sendable, TelemetryEvent { var name: String { "b" } }\nextension B { var level: Logger.Level { .info } }'
    )
    events = events_of({"a.swift": source.replace("\n    ", "\n"), "b.swift": single})
    assert events == {"a.one": "error", "a.two": "error", "b": "info"}, events
    assert strays_of({"Sources/X/a.swift": 'logger.info("x")', "Sources/X/b.swift": "logger.emit(x)"}) == ["Sources/X/a.swift"]
    print("check-docs: every planted violation was found")


def main() -> int:
    parser = argparse.ArgumentParser(prog="check-docs")
    parser.add_argument("--commands", type=Path, metavar="FOLDER")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    repository = read_repository(ROOT)
    if options.commands:
        read_commands(repository, options.commands)
    findings = check(repository, [check_commands] if options.commands else RULES)
    if options.self_test and not findings:  # errors are planted into what is sound
        self_test(repository)
        return 0
    for finding in findings:
        print(f"check-docs: {finding}", file=sys.stderr)
    if not findings:
        what = "commands agree with the programs" if options.commands else "agree with the sources"
        print(f"check-docs: {len(repository.pages)} pages, {len(repository.events)} log events: {what}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
