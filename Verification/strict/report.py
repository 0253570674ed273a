"""What a scenario leaves behind for whoever looks closer."""

import json
from pathlib import Path

from strict.check import Tally
from strict.run import Run


def write_report(folder: Path, run: Run, tally: Tally) -> None:
    """The ledger and the findings, for whoever looks closer."""
    with open(folder / "ledger.ndjson", "w") as file:
        for log in run.ledger.connections:
            value = {
                "connection": log.number,
                "accepted": log.accepted,
                "secured": log.secured,
                "requests": len(log.attempts),
                "settings": log.settings,
                "hurt": log.hurt,
                "unusable": log.unusable,
                "ended": log.ended,
                "client_goaway": log.client_goaway,
                "spoiled": log.spoiled,
                "note": log.note,
                "goaways": [(at, last, code, debug.decode("latin-1")) for at, last, code, debug in log.goaways],
            }
            file.write(json.dumps(value) + "\n")
            for attempt in log.attempts:
                value = {
                    "on": log.number, "stream": attempt.stream, "id": attempt.id, "begun": attempt.begun,
                    "complete": attempt.complete, "answered": attempt.answered, "status": attempt.status,
                    "reason": str(attempt.reason), "reset": attempt.reset, "excluded": attempt.excluded,
                    "client_reset": attempt.client_reset, "note": attempt.note, "body": len(attempt.body),
                    "headers": [list(pair) for pair in attempt.headers if pair[0] not in ("authorization", ":path")],
                    "kinds": attempt.kinds,
                }  # fmt: skip
                file.write(json.dumps(value) + "\n")
    with open(folder / "findings.txt", "w") as file:
        file.write(f"{dict(tally.reasons)}\n{run.ledger.counters}\n")
        file.writelines(f"{text}\n" for text in tally.violations)
