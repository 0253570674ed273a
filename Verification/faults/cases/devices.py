"""The registry, written by several at once."""

import csv
import json
import subprocess
from collections import Counter
from functools import partial
from pathlib import Path

from faults.cases import case
from faults.cases.trust import write_config
from faults.process import Process, eventually
from faults.run import Run

LONG_BEFORE, BEFORE, LATER = "2023-01-01T00:00:00Z", "2023-02-01T00:00:00Z", "2024-06-01T00:00:00Z"
PHONES = 6_000


@case("devices", later=True)
def import_killed_beside_prune(run: Run) -> None:
    """an import is killed twice while dead tokens are pruned, and goes on: every device is there once, in its right state"""
    run.open()
    run.start()
    dead = [run.producer.token("dead") for _ in range(400)]
    phones = {f"phone-{number}": (run.producer.token(), run.producer.token()) for number in range(PHONES)}
    rows = [("", token, LONG_BEFORE) for token in dead]
    for phone, (old, new) in phones.items():
        rows += [(phone, old, BEFORE), (phone, new, LATER)]
    run.random.shuffle(rows)
    rows[100:100] = [("", "no token", LATER)] * 3
    file = run.folder / "devices.csv"
    write(file, rows)
    config = write_config(run, "import")
    command = [run.programs.waybill, "devices", "import", str(file), "--config", str(config)]
    found = run.devices.count_documents({})
    for kill in range(2):
        resume = ["--resume"] if Path(f"{file}.import-state").exists() else []
        importing = Process("waybill devices import", command + resume, run.folder / f"import-{kill}.log")
        enough = found + len(rows) * (kill + 1) // 4 + run.random.randrange(len(rows) // 8)
        eventually("a part is imported", partial(has, run, enough), 30, 0.005)
        importing.kill()
        importing.wait()
        issue(run, dead[kill * 200 : kill * 200 + 200])
    assert run.prune is not None
    run.prune.kill()
    run.prune.wait()
    run.start_prune()
    resume = ["--resume"] if Path(f"{file}.import-state").exists() else []
    done = subprocess.run([*command, *resume, "--json"], capture_output=True, timeout=120)
    assert done.returncode == 65, f"the import ended with {done.returncode}: {done.stderr.decode()[-300:]}"
    counts = json.loads(done.stdout)
    assert (counts["lines"], counts["rejected"]) == (len(rows), 3), f"{counts}"
    rejected = [json.loads(line) for line in Path(f"{file}.rejects").read_text().splitlines()]
    assert [(one["line"], one["field"]) for one in rejected] == [(line, "token") for line in (102, 103, 104)], f"{rejected}"
    run.await_final()
    run.await_prune()
    check(run, dead, phones)
    # What no push was sent to is nobody's business.
    run.devices.delete_many({"device": {"$exists": True}})
    run.recover()


def has(run: Run, count: int) -> bool:
    return run.devices.count_documents({}) >= count


def write(file: Path, rows: list[tuple[str, str, str]]) -> None:
    with file.open("w", newline="") as output:
        table = csv.writer(output)
        table.writerow(["app", "environment", "device", "token", "registered_at"])
        table.writerows(["com.example.parcels", "production", *row] for row in rows)


def issue(run: Run, tokens: list[str]) -> None:
    for start in range(0, len(tokens), 50):
        run.producer.issue_to([(token, frozenset({"token_invalid"})) for token in tokens[start : start + 50]])


def check(run: Run, dead: list[str], phones: dict[str, tuple[str, str]]) -> None:
    """Each token has one document, each phone its later token, and no dead token may be pushed to."""
    documents = list(run.devices.find({}))
    times = Counter(document["token"] for document in documents)
    assert max(times.values()) == 1, f"a token has several documents: {times.most_common(3)}"
    state = {document["token"]: document for document in documents}
    for token in dead:
        assert state[token]["enabled"] is False, f"a dead token is enabled: {state[token]}"
        assert state[token]["disabled_reason"] == "Unregistered", f"{state[token]}"
    for old, new in phones.values():
        assert state[new]["enabled"] is True, f"a phone's token is disabled: {state[new]}"
        assert state[old]["enabled"] is False, f"a replaced token is enabled: {state[old]}"
        successors = [event["successor"] for event in state[old]["history"] if event["event"] == "replaced_by"]
        assert successors == [new[-8:]], f"{state[old]}"
