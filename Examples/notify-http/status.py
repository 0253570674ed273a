"""Usage: WAYBILL_KEY=wbk_live_… status.py https://push.example.com ID"""

import json
import os
import sys
import urllib.error
import urllib.request


def status(base: str, key: str, id: str) -> dict:
    request = urllib.request.Request(f"{base}/v1/notifications/{id}", headers={"Authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request, timeout=15) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as problem:
        sys.exit(json.load(problem)["detail"])


said = status(sys.argv[1], os.environ["WAYBILL_KEY"], sys.argv[2])
print(said["state"])
for outcome, count in said["outcomes"].items():
    print(outcome, count)
