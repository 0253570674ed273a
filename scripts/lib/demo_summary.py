"""Adds up what the demonstration ended in: demo_summary.py FACTS COUNTS RECORDS

FACTS is facts.json of demo_batches.py; COUNTS and RECORDS hold what `waybill logs` printed with --count --json and with
--json. Prints the table and the rate. Ends with 1 when the outcomes are not those that were ordered.
"""

import json
import sys
from datetime import datetime

MEANING = {
    "accepted": "APNs answered 200",
    "token_invalid": "APNs answered 410: the token is dead",
    "invalid": "breaks a rule, so it was never sent",
    "rejected": "APNs refused the notification",
    "expired": "too late to be sent",
    "unknown": "sent, and no answer came",
    "deferred": "not final: another attempt follows",
}


def lines(path: str) -> list[dict]:
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def instant(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def main() -> int:
    with open(sys.argv[1]) as file:
        facts = json.load(file)
    counts = {entry["outcome"]: entry["count"] for entry in lines(sys.argv[2])}
    for outcome, meaning in MEANING.items():
        if outcome in counts:
            print(f"   {outcome:<14} {counts[outcome]:>9,}   {meaning}")
    total = sum(counts.values())
    print(f"   {'-' * 24}")
    print(f"   {'total':<14} {total:>9,}   of {facts['count']:,} sent: {facts['count'] - total:,} missing")

    answered = sorted(instant(record["date"]) for record in lines(sys.argv[3]) if record.get("status_code"))
    if len(answered) > 1 and answered[-1] > answered[0]:
        took = answered[-1] - answered[0]
        print(f"\n   {len(answered):,} answers of APNs in {took:.2f} s: {len(answered) / took:,.0f} notifications a second,")
        print("   with RabbitMQ, MongoDB, the simulator and the dispatcher on this one machine")

    if counts != facts["expected"]:
        print(f"\n   This is not what was ordered: {facts['expected']}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
