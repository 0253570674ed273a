"""Plays phones of both kinds against `waybill serve`: they answer what simulators have recorded, as it comes.

When nothing has come for a while it prints what arrived, what was answered, and what the phones have said. It ends with 1 if a
receipt was given up, or a record is not there.
"""

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from common.phones import Habits, Phones, follow


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/phones.sh", description=__doc__)
    parser.add_argument(
        "--serve", required=True, metavar="URL", help="where waybill serve listens, such as http://127.0.0.1:8080"
    )
    parser.add_argument(
        "--record", required=True, action="append", type=Path, help="what apns-simulator --record writes; repeatable"
    )
    parser.add_argument("--workers", type=int, default=16, help="how many phones speak at once")
    parser.add_argument("--idle", type=float, default=5, help="seconds without a push after which it ends")
    parser.add_argument("--opens", type=float, default=0.3, help="share of notifications that people open")
    parser.add_argument("--acknowledges", type=float, default=0.1, help="share that they acknowledge")
    parser.add_argument("--offline", type=float, default=0.1, help="share of phones that post later, in one array")
    parser.add_argument(
        "--jitter", type=float, default=0, help="seconds that phones wait at the most before they say that something has come"
    )
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    url = urlsplit(asked.serve)
    if url.scheme != "http" or not url.hostname:
        parser.error("--serve takes http:// and a host: phones come through the proxy in front of it elsewhere")
    habits = Habits(opens=asked.opens, acknowledges=asked.acknowledges, offline=asked.offline, jitter=asked.jitter)
    phones = Phones(url.hostname, url.port or 80, habits, workers=asked.workers, seed=asked.seed)
    kinds: Counter[str] = Counter()
    last, began = time.monotonic(), time.monotonic()
    for arrived in follow(asked.record, lambda: time.monotonic() - last > asked.idle):
        last = time.monotonic()
        kinds[arrived.kind] += 1
        phones.arrive([arrived])
    phones.finish()
    missing = [record for record in asked.record if not record.exists()]
    for record in missing:
        print(f"phones.sh: {record}: there is no such record", file=sys.stderr)
    events = Counter(event for said in phones.said.values() for event in said)
    result = {
        "arrived": dict(kinds),
        "answers": {str(status): count for status, count in sorted(phones.statuses.items())},
        "said": dict(sorted(events.items())),
        "given_up": len(phones.lost),
        "seconds": round(time.monotonic() - began, 1),
    }
    print(json.dumps(result))
    return 1 if phones.lost or missing else 0


if __name__ == "__main__":
    sys.exit(main())
