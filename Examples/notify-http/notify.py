"""Usage: WAYBILL_KEY=wbk_live_… notify.py https://push.example.com NAME BODY"""

import json
import os
import sys
import time
import urllib.error
import urllib.request


def notify(base: str, key: str, name: str, body: str) -> str:
    request = urllib.request.Request(
        f"{base}/v1/notifications",
        data=json.dumps({"level": "warning", "body": body}).encode(),
        headers={
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Idempotency-Key": f'"{name}"',
        },
    )
    for attempt in range(6):
        try:
            with urllib.request.urlopen(request, timeout=15) as answer:
                return json.load(answer)["id"]
        except urllib.error.HTTPError as problem:
            if problem.code not in (409, 429) and problem.code < 500:
                sys.exit(json.load(problem)["detail"])
            time.sleep(int(problem.headers.get("Retry-After", 2**attempt)))
        except OSError:
            time.sleep(2**attempt)
    sys.exit("no answer")


print(notify(sys.argv[1], os.environ["WAYBILL_KEY"], sys.argv[2], sys.argv[3]))
