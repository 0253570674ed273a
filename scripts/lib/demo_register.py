"""Registers the demonstration's devices, as an app's own service would: demo_register.py DEVICES PORT

DEVICES is devices.json of demo_batches.py.
"""

import json
import sys
from datetime import datetime, timezone

from mongo_wire import run


def main() -> int:
    with open(sys.argv[1]) as file:
        devices = json.load(file)
    for device in devices:
        device["registered_at"] = datetime.fromtimestamp(device["registered_at"], timezone.utc)
    for start in range(0, len(devices), 1000):
        answer = run(int(sys.argv[2]), {"insert": "devices", "documents": devices[start : start + 1000]}, "waybill")
        if answer.get("ok") != 1 or answer.get("n") != len(devices[start : start + 1000]):
            print(f"the registry did not take the devices: {answer}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
