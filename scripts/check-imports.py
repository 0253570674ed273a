#!/usr/bin/env python3
"""Holds the sources and ARCHITECTURE.md against the module graph of Package.swift.

    scripts/check-imports.py               check this package
    scripts/check-imports.py --self-test   plant one violation of each rule and see it found

The rules:
  - a file imports only what its own target lists, and a target lists only what some file of it imports;
  - a C module is listed by exactly one target, its wrapper;
  - the simulator, a second reading of the protocol, never reaches the client;
  - wire and client modules do without Foundation; WaybillAPNS encodes its callers' values with FoundationEssentials;
  - a target's name begins as the package's does: SwiftPM wants names that are unique among all packages of a build, so
    any other name could keep somebody from using the library;
  - names that others could come to depend on stand in one module each: headers (the broker's, too) and queues of messages in
    WaybillMessages, collections, fields and indexes of the log in WaybillDeliveryLog, those of devices in
    WaybillDeviceRegistry, of processes in WaybillFleet, of keys and their audit in WaybillAccounts, of audiences in
    WaybillAudience, of what services say in WaybillNotifications, of what waits to go out in WaybillOutbox, of what devices
    say in WaybillReceipts. Nobody else opens a
    collection, and who reads from MongoDB spells no field of theirs;
  - the table "Module graph" in ARCHITECTURE.md has the same edges;
  - a program under Verification imports itself, common and proxy, and no other: above all, the strict APNs stands alone.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLATFORM = {"Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Synchronization"}
TESTING = {"Testing"}
CLIENT = ("WaybillPushTransport", "WaybillAPNS", "WaybillFCM")
NEVER_REACHES = {"WaybillSimulator": CLIENT, "apns-simulator": CLIENT}
WITHOUT_FOUNDATION = {
    "WaybillThreads",
    "WaybillEncoding",
    "WaybillTLS",
    "WaybillHTTP2",
    "WaybillCompression",
    "WaybillPassword",
    "WaybillPushTransport",
    "WaybillAPNS",
    "WaybillFCM",
    "WaybillAMQP",
    "WaybillMongo",
    "WaybillCore",
}
WITH_ESSENTIALS = {"WaybillAPNS"}

# Names that stand in one module: what to look for, where it may stand, and what it is.
NAMES = [
    (
        re.compile(r'"x-(?:waybill-|death\b|delivery-count|(?:first|last)-death-)'),
        {"WaybillMessages"},
        "a header of ours, or one that the broker writes",
    ),
    # A log's label is no queue.
    (
        re.compile(r'(?<!label: )"(?:waybill)?\.(?:in|dispatch|retry|rejected|invalid-tokens?|delay)\b[^"]*"'),
        {"WaybillMessages"},
        "a queue of ours",
    ),
    (
        re.compile(r"\.collection\(\s*database:"),
        # The benchmark measures a bulk that goes nowhere.
        {
            "WaybillMongo",
            "WaybillAccounts",
            "WaybillAudience",
            "WaybillDeliveryLog",
            "WaybillDeviceRegistry",
            "WaybillFleet",
            "WaybillNotifications",
            "WaybillOutbox",
            "WaybillReceipts",
            "waybill-bench",
        },
        "a collection",
    ),
]
STORED = ("WaybillDeliveryLog", "WaybillDeviceRegistry")
# What processes say of themselves, and what services say, are collections of their own, with plain words for names.
PLAIN_NAMES = {*STORED, "WaybillAudience", "WaybillFleet", "WaybillNotifications", "WaybillReceipts", "WaybillMongo"}
STORED_NAME = re.compile(r'static let \w+(?:: StaticString)? = "(\w+)"|name: "(\w+)"')
# What everybody may write: MongoDB's own word, RFC 9457's, and what a command is called, too.
COMMON_WORDS = {"_id", "detail", "devices"}

OURS = re.compile(r"C?Waybill[A-Z]|waybill|(?:apns|fcm)-")

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|typealias|func|var|let)\s+)?(\w+)",
    re.MULTILINE,
)
SHARED = {"common", "proxy"}  # of the packages under Verification
BORROWED = {"faults": {"strict"}}  # its servers, to which a lane of the product leads there
PYTHON_IMPORT = re.compile(r"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)
GRAPH_ROW = re.compile(r"^\|[^|]*\|\s*`([\w-]+)`\s*\|([^|]*)\|", re.MULTILINE)
NAME = re.compile(r"`([\w-]+)`")


@dataclass
class Target:
    kind: str  # regular, executable, system, test
    dependencies: set[str]
    imports: dict[str, set[str]] = field(default_factory=dict)  # file -> modules
    texts: dict[str, str] = field(default_factory=dict)  # file -> its text

    @property
    def imported(self) -> set[str]:
        return set().union(*self.imports.values())


# Changes the targets of a sound package, or answers with another document.
Plant = Callable[[dict[str, Target], str], str | None]


def read_package(root: Path) -> dict[str, Target]:
    """The targets of Package.swift with the imports of their files."""
    dump = subprocess.run(["swift", "package", "dump-package"], cwd=root, check=True, capture_output=True, text=True)
    targets = {}
    for entry in json.loads(dump.stdout)["targets"]:
        names = {next(iter(dependency.values()))[0] for dependency in entry["dependencies"]}
        target = Target(entry["type"], names)
        folder = root / (entry.get("path") or Path("Tests" if target.kind == "test" else "Sources") / entry["name"])
        for file in sorted(folder.rglob("*.swift")):
            text = file.read_text()
            target.imports[str(file.relative_to(root))] = set(IMPORT.findall(text))
            target.texts[str(file.relative_to(root))] = text
        targets[entry["name"]] = target
    return targets


def reachable(targets: dict[str, Target], name: str) -> set[str]:
    found, waiting = set(), [name]
    while waiting:
        for dependency in targets[waiting.pop()].dependencies & targets.keys():
            if dependency not in found:
                found.add(dependency)
                waiting.append(dependency)
    return found


def check_imports(targets: dict[str, Target]) -> list[str]:
    findings = []
    for name, target in targets.items():
        allowed = target.dependencies | PLATFORM | (TESTING if target.kind == "test" else set())
        for file, modules in target.imports.items():
            for module in sorted(modules - allowed):
                findings.append(f"{file}: imports {module}, which the target {name} does not list")
            for module in sorted(modules & {"Foundation", "FoundationEssentials"}):
                essentials = module == "FoundationEssentials" and name in WITH_ESSENTIALS
                if name in WITHOUT_FOUNDATION and not essentials:
                    findings.append(f"{file}: imports {module}; {name} does without it")
        if target.kind in ("regular", "executable"):
            for module in sorted(target.dependencies - target.imported):
                findings.append(f"Package.swift: {name} lists {module}, and no file of it imports that")
    return findings


def check_borders(targets: dict[str, Target]) -> list[str]:
    findings = []
    for name in sorted(name for name, target in targets.items() if target.kind == "system"):
        wrappers = sorted(other for other, target in targets.items() if name in target.dependencies and target.kind != "test")
        if len(wrappers) != 1:
            findings.append(f"Package.swift: {name} needs exactly one wrapper, not {', '.join(wrappers) or 'none'}")
    for name in NEVER_REACHES.keys() & targets.keys():
        for forbidden in reachable(targets, name).intersection(NEVER_REACHES[name]):
            findings.append(f"Package.swift: {name} reaches {forbidden}")
    return findings


def check_names(targets: dict[str, Target]) -> list[str]:
    return [
        f"Package.swift: the name {name} could clash with another package's: it does not begin with Waybill"
        for name, target in sorted(targets.items())
        if target.kind != "test" and not OURS.match(name)
    ]


def without_comments(text: str) -> str:
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


def stored_names(targets: dict[str, Target]) -> set[str]:
    """The names of collections, fields and indexes, as the modules that own them spell them."""
    # Statistics are a collection of their own, with plain words for names.
    files = [
        item for name in STORED if name in targets for item in targets[name].texts.items() if "/Statistics/" not in item[0]
    ]

    def names(texts: list[str]) -> set[str]:
        return {first or second for text in texts for first, second in STORED_NAME.findall(text)}

    # Of a device, what is one plain word (user, token, enabled) is everybody's word, too.
    devices = names([text for file, text in files if "WaybillDeviceRegistry/Layout/" in file])
    others = names([text for file, text in files if "WaybillDeviceRegistry/Layout/" not in file])
    return (others | {name for name in devices if "_" in name}) - COMMON_WORDS


def check_spelling(targets: dict[str, Target]) -> list[str]:
    """Names of one module that another one spells; tests do that on purpose."""
    findings = []
    stored = stored_names(targets)
    for name, target in targets.items():
        if target.kind not in ("regular", "executable") or name.endswith("TestSupport"):
            continue
        for file, commented in target.texts.items():
            text = without_comments(commented)
            for pattern, owners, what in NAMES:
                if name not in owners and (match := pattern.search(text)):
                    findings.append(f"{file}: {match.group().strip()} is {what}: only {', '.join(sorted(owners))} may")
            if name in PLAIN_NAMES or "WaybillMongo" not in target.imports.get(file, ()):
                continue
            for word in sorted(stored & set(re.findall(r'"(\w+)"', text))):
                findings.append(f"{file}: spells {word}, a name of the store that only {' and '.join(STORED)} know")
    return findings


def check_document(targets: dict[str, Target], text: str) -> list[str]:
    section = text.partition("## Module graph")[2].partition("\n## ")[0]
    written = {name: set(NAME.findall(cell)) for name, cell in GRAPH_ROW.findall(section)}
    real = {name: target.dependencies for name, target in targets.items() if target.kind in ("regular", "executable")}
    findings = []
    for name in sorted(real.keys() | written.keys()):
        if name not in real:
            findings.append(f"ARCHITECTURE.md: {name} is no module of Package.swift")
        elif name not in written:
            findings.append(f"ARCHITECTURE.md: the module graph lacks {name}")
        else:
            for module in sorted(real[name] ^ written[name]):
                verb = "does not say" if module in real[name] else "says, and Package.swift does not,"
                findings.append(f"ARCHITECTURE.md: {verb} that {name} imports {module}")
    return findings


def check_verification(imports: dict[str, set[str]]) -> list[str]:
    """imports: by file, "program/…/module.py"."""
    programs = {file.partition("/")[0] for file in imports}
    return [
        f"Verification/{file}: imports {module}, another program"
        for file, modules in sorted(imports.items())
        for program in [file.partition("/")[0]]
        for module in sorted(modules & (programs - SHARED) - {program} - BORROWED.get(program, set()))
    ]


def read_verification(root: Path) -> dict[str, set[str]]:
    folder = root / "Verification"
    files = sorted(folder.rglob("*.py"))
    return {str(file.relative_to(folder)): set(PYTHON_IMPORT.findall(file.read_text())) for file in files}


def check(targets: dict[str, Target], document: str) -> list[str]:
    return (
        check_imports(targets)
        + check_borders(targets)
        + check_names(targets)
        + check_spelling(targets)
        + check_document(targets, document)
    )


def self_test() -> None:
    """Plants one violation of each rule in a small sound package."""

    def sound() -> tuple[dict[str, Target], str]:
        targets = {
            "CWaybillThing": Target("system", set()),
            "WaybillTLS": Target("regular", {"CWaybillThing"}, {"a.swift": {"CWaybillThing", "Glibc"}}),
            "WaybillAPNS": Target("regular", {"WaybillTLS"}, {"b.swift": {"WaybillTLS"}}),
            "WaybillSimulator": Target("regular", {"WaybillTLS"}, {"c.swift": {"WaybillTLS"}}),
        }
        rows = (
            "| wire | `WaybillTLS` | `CWaybillThing` |\n"
            "| client | `WaybillAPNS` | `WaybillTLS` |\n"
            "| test | `WaybillSimulator` | `WaybillTLS` |\n"
        )
        return targets, f"## Module graph\n\n{rows}\n## Next\n"

    def expect(part: str, plant: Plant) -> None:
        targets, document = sound()
        document = plant(targets, document) or document
        found = check(targets, document)
        assert any(part in finding for finding in found), f"not found: {part}; found: {found}"

    def add(name: str, dependency: str, file: str = "x.swift") -> Plant:
        def plant(targets: dict[str, Target], _: str) -> None:
            targets[name].dependencies.add(dependency)
            targets[name].imports[file] = {dependency}

        return plant

    def spell(text: str) -> Plant:
        """Text in a file that reads from the store, beside the module that owns the store's names."""

        def plant(targets: dict[str, Target], _: str) -> None:
            own = 'static let expiresAt: StaticString = "expires_at"; MongoIndex(name: "failures")'
            targets["WaybillDeliveryLog"] = Target("regular", set(), texts={"f.swift": own})
            targets["WaybillAPNS"].imports["x.swift"] = {"WaybillMongo"}
            targets["WaybillAPNS"].texts["x.swift"] = text

        return plant

    assert check(*sound()) == [], check(*sound())
    expect("which the target WaybillTLS does not list", lambda t, _: t["WaybillTLS"].imports.update({"x.swift": {"Logging"}}))
    expect("no file of it imports", lambda t, _: t["WaybillTLS"].dependencies.add("Logging"))
    expect("exactly one wrapper", add("WaybillAPNS", "CWaybillThing"))
    expect("could clash", lambda t, _: t.update({"Gzip": Target("regular", set())}))
    expect("reaches WaybillAPNS", add("WaybillSimulator", "WaybillAPNS"))
    expect("does without it", lambda t, _: t["WaybillTLS"].imports.update({"x.swift": {"Foundation"}}))
    expect("does without it", lambda t, _: t["WaybillTLS"].imports.update({"x.swift": {"FoundationEssentials"}}))
    expect("does without it", lambda t, _: t["WaybillAPNS"].imports.update({"x.swift": {"Foundation"}}))
    for text, part in [
        ('let name = "x-waybill-items"', "a header of ours"),
        ('let queue = "waybill.retry"', "a queue of ours"),
        ('let queue = prefix + ".dispatch"', "a queue of ours"),
        ('client.collection(database: "d", name: "n")', "is a collection"),
        ('filter.append("expires_at", date: now)', "spells expires_at"),
        ('let index = "failures"', "spells failures"),
    ]:
        expect(part, spell(text))
    for text in ['// "x-waybill-items"', 'Logger(label: "waybill.dispatch")', 'let file = "waybill.yaml"']:
        targets, document = sound()
        targets["WaybillTLS"].texts["x.swift"] = text
        assert check(targets, document) == [], check(targets, document)
    expect("does not say that WaybillTLS imports", lambda _, d: d.replace("`CWaybillThing`", ""))
    expect("lacks WaybillTLS", lambda _, d: d.replace("`WaybillTLS` | `CWaybillThing`", "none"))
    expect("is no module", lambda _, d: d.replace("`WaybillTLS` | `CWaybillThing`", "`Gone` | `CWaybillThing`"))

    programs = {"strict/run.py": {"common", "strict", "json"}, "proxy/link.py": {"proxy"}, "faults/run.py": {"proxy", "strict"}}
    assert check_verification(programs) == [], check_verification(programs)
    assert check_verification(programs | {"strict/wire.py": {"faults"}}) == [
        "Verification/strict/wire.py: imports faults, another program"
    ]

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "imports.swift"
        file.write_text("package import A\n@preconcurrency import B\nimport struct C.D\n// import E\nlet importF = 1\n")
        assert set(IMPORT.findall(file.read_text())) == {"A", "B", "C"}
    print("check-imports: every planted violation was found")


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    targets = read_package(ROOT)
    findings = check(targets, (ROOT / "ARCHITECTURE.md").read_text()) + check_verification(read_verification(ROOT))
    for finding in findings:
        print(finding)
    if not findings:
        files = sum(len(target.imports) for target in targets.values())
        print(f"check-imports: {files} files of {len(targets)} targets keep to the module graph")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
