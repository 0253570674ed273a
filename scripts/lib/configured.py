#!/usr/bin/env python3
"""Prints the example configuration with this machine's private servers in it.

configured.py EXAMPLE BROKER-PORT STORE-PORT APNS-PORT DISPATCH-PORT PRUNE-PORT SERVE-PORT

The last three are for metrics and health.
"""

import sys
from pathlib import Path

import yaml


def main() -> int:
    settings = yaml.safe_load(Path(sys.argv[1]).read_text())
    broker, store, apns, dispatch, prune, serve = map(int, sys.argv[2:])
    for section in ("broker", "store"):
        del settings[section]["ca_file"]  # no TLS on loopback
    settings["broker"]["url"] = f"amqp://waybill-dispatch@127.0.0.1:{broker}/"
    settings["store"]["url"] = f"mongodb://127.0.0.1:{store}/?replicaSet=rs0"
    del settings["store"]["password_file"]
    del settings["producers"]
    (lane,) = (lane for lane in settings["lanes"] if "provider" not in lane)  # Apple's; there is no FCM here
    settings["lanes"] = [lane]
    lane |= {"endpoint": f"https://localhost:{apns}", "trust_file": "/etc/waybill/ca.pem"}
    pages = {"dispatch": dispatch, "prune": prune, "serve": serve}
    settings["admin"] = {"listen": {role: f"127.0.0.1:{port}" for role, port in pages.items()}}
    yaml.safe_dump(settings, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
