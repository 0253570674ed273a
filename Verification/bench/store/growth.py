"""Measures what a record costs as the log grows: mongod CPU, bytes written and read, rate.

    python -m bench.store.growth --port PORT --pid PID --program STORE_INSERT [--until MILLIONS] [--window N] [--seconds N]
                    [--per-day N] [--engine SETTINGS] [--former-token] [--no-history] [--json FILE]

Inserts without a pause, records in time order with random tokens, and prints one line for each window. What mongod does
in the background (checkpoints each minute, eviction) falls into the window where it happens. A log that is there already
goes on growing from where it is.
"""

import argparse
import json
import subprocess
import sys
import time

from bench.store.server import Server
from bench.store.variants import ALL, FORMER_TOKEN, HISTORY, NO_HISTORY, TOKEN, engine, instead

COLLECTION = "deliveries"


def insert(server: Server, program: str, first: int, count: int, per_day: int) -> dict:
    url = f"mongodb://127.0.0.1:{server.port}/?replicaSet=rs0&retryWrites=false"
    command = [program, "--uri", url, "--database", "economy", "--collection", COLLECTION]
    command += ["--first", str(first), "--count", str(count), "--per-day", str(per_day)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def held(server: Server) -> int:
    return server.run({"collStats": COLLECTION})["count"]


def measure(server: Server, program: str, first: int, records: int, per_day: int) -> dict:
    """Inserts one window; everything per record."""
    cpu, written, read = server.cpu(), server.written(), server.fetched()
    client = insert(server, program, first, records, per_day)
    sizes = server.sizes(COLLECTION)
    return {
        "held": first,
        "rate": records / client["seconds"],
        "mongod_us": (server.cpu() - cpu) / records * 1e6,
        "client_us": client["client_cpu"] / records * 1e6,
        "written_bytes": (server.written() - written) / records,
        "read_bytes": (server.fetched() - read) / records - client["document_bytes"],
        "stored_bytes": sizes.stored,
        "token_index_bytes": sizes.indexes.get("day_device_token") or sizes.indexes["device_token_date"],
        "index_bytes": sum(sizes.indexes.values()),
    }


def print_row(row: dict) -> None:
    print(
        f"{row['held']:>12,}{row['rate']:>10,.0f}{row['mongod_us']:>11.2f}{row['client_us']:>11.2f}"
        f"{row['written_bytes']:>9,.0f}{row['read_bytes']:>7,.0f}{row['stored_bytes']:>8,.0f}"
        f"{row['token_index_bytes']:>9,.0f}{row['index_bytes']:>9,.0f}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--until", type=int, default=20, help="millions of records to stop at")
    parser.add_argument("--window", type=int, default=500_000)
    parser.add_argument("--seconds", type=int, default=3600, help="stop after the window in which they are over")
    parser.add_argument("--engine", default="cache_size=1GB", help="settings of WiredTiger, such as cache_size=4GB")
    parser.add_argument("--former-token", action="store_true", help="the token index of 0.2.0, without the day")
    parser.add_argument("--per-day", type=int, default=1_000_000, help="records of a day; 0: all of today")
    parser.add_argument("--no-history", action="store_true", help="minSnapshotHistoryWindowInSeconds=0")
    parser.add_argument("--json", help="append one JSON object for each window to this file")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    server = Server(options.port, options.pid)
    server.set_parameters(engine(options.engine))
    server.set_parameters(NO_HISTORY if options.no_history else HISTORY)
    if not server.has(COLLECTION):
        server.run({"create": COLLECTION})
    indexes = instead(TOKEN, FORMER_TOKEN) if options.former_token else ALL
    server.run({"createIndexes": COLLECTION, "indexes": indexes})
    setting = {"engine": options.engine, "day": not options.former_token, "history": not options.no_history}
    print("growth:", ", ".join(f"{name} {value}" for name, value in setting.items()))
    print("        held   rate /s  mongod µs  client µs  written   read  stored token ix  indexes")
    while (first := held(server)) < options.until * 1_000_000 and time.monotonic() < end:
        row = measure(server, options.program, first, options.window, options.per_day)
        print_row(row)
        if options.json:
            with open(options.json, "a", encoding="utf-8") as file:
                print(json.dumps(setting | row), file=file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
