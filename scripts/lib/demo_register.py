"""Registers the demonstration's devices, as an app's own service would: demo_register.py DEVICES PORT

DEVICES is devices.json of demo_batches.py.
"""

import json
import sys
from datetime import UTC, datetime

from pymongo import MongoClient
from pymongo.errors import PyMongoError


def main() -> int:
    with open(sys.argv[1]) as file:
        devices = json.load(file)
    for device in devices:
        device["registered_at"] = datetime.fromtimestamp(device["registered_at"], UTC)
    try:
        client: MongoClient
        with MongoClient("127.0.0.1", int(sys.argv[2]), directConnection=True) as client:
            client.waybill.devices.insert_many(devices)
    except PyMongoError as error:
        print(f"the registry did not take the devices: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
