"""Measures what each index, field and way of writing costs in mongod: CPU, bytes, rate.

    python -m bench.store.economy --port PORT --pid PID --program STORE_INSERT [--records N] [--rounds N]
                                 [--json FILE] [GROUP …]

The variants of a group take turns, a fresh collection each time, and the median of the rounds counts. A run ends with
a checkpoint, whose CPU and bytes belong to it: what is only deferred is not saved.
"""

import argparse
import json
import subprocess
import sys
import time
from statistics import median

from bench.store.server import DATABASE, Server
from bench.store.variants import GROUPS, Variant

COLLECTION = "variant"


def measure(server: Server, program: str, variant: Variant, records: int) -> dict:
    """One run of one variant, per record: microseconds of CPU, bytes; and records per second."""
    server.set_parameters(variant.parameters)
    server.make(COLLECTION, variant.collection, variant.indexes)
    server.checkpoint()
    time.sleep(0.3)
    url = f"mongodb://127.0.0.1:{server.port}/?replicaSet=rs0&{variant.url}"
    command = [program, "--uri", url, "--database", DATABASE, "--collection", COLLECTION, "--count", str(records)]
    cpu, written = server.cpu(), server.written()
    done = subprocess.run([*command, *variant.insert], check=True, capture_output=True, text=True)
    client = json.loads(done.stdout)
    inserted = server.cpu()
    server.checkpoint()
    settled, total = server.cpu(), server.written()
    sizes = server.sizes(COLLECTION)
    server.drop(COLLECTION)
    server.set_parameters(variant.afterwards)
    return {
        "rate": records / client["seconds"],
        "mongod_us": (settled - cpu) / records * 1e6,
        "mongod_insert_us": (inserted - cpu) / records * 1e6,
        "client_us": client["client_cpu"] / records * 1e6,
        "document_bytes": client["document_bytes"],
        "stored_bytes": sizes.stored,
        "index_bytes": sum(sizes.indexes.values()),
        "written_bytes": (total - written) / records,
        **{f"index {name}": size for name, size in sizes.indexes.items()},
    }


def measure_group(server: Server, program: str, variants: list[Variant], records: int, rounds: int) -> list[dict]:
    runs: dict[str, list[dict]] = {variant.name: [] for variant in variants}
    for number in range(rounds):
        # Another neighbour each time: what one run leaves behind must not always meet the same next one.
        turn = variants[number:] + variants[:number]
        for variant in turn if number % 2 == 0 else reversed(turn):
            runs[variant.name].append(measure(server, program, variant, records))
    return [summary(name, results) for name, results in runs.items()]


def summary(name: str, results: list[dict]) -> dict:
    """The medians of a variant's runs, and how far its CPU figures lie apart."""
    cpu = [run["mongod_us"] for run in results]
    medians = {key: median(run[key] for run in results) for key in results[0]}
    return {"variant": name, "runs": len(results), "spread_us": max(cpu) - min(cpu)} | medians


def table(group: str, rows: list[dict]) -> str:
    """The medians, with mongod's CPU against the first row's."""
    head = f"{group:<40}{'mongod µs':>10}{'spread':>7}{'± first':>9}{'inserting':>10}{'client µs':>10}{'rate /s':>9}"
    head += f"{'document':>9}{'stored':>8}{'indexes':>8}{'written':>8}"
    lines = [head]
    for row in rows:
        lines.append(
            f"{row['variant']:<40}{row['mongod_us']:>10.2f}{row['spread_us']:>7.2f}"
            f"{row['mongod_us'] - rows[0]['mongod_us']:>+9.2f}"
            f"{row['mongod_insert_us']:>10.2f}{row['client_us']:>10.2f}{row['rate']:>9,.0f}"
            f"{row['document_bytes']:>9,.0f}{row['stored_bytes']:>8,.0f}{row['index_bytes']:>8,.0f}"
            f"{row['written_bytes']:>8,.0f}"
        )
    for name in sorted({key for row in rows[:1] for key in row if key.startswith("index ")}):
        lines.append(f"  {name}: {rows[0][name]:.0f} bytes per record")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", help="append one JSON object for each row to this file")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    options = parser.parse_args()
    if strange := set(options.groups) - set(GROUPS):
        parser.error(f"no such group: {', '.join(sorted(strange))}")
    server = Server(options.port, options.pid)
    measure(server, options.program, GROUPS["indexes"][0], options.records)  # warms caches and files
    for group in options.groups or GROUPS:
        rows = measure_group(server, options.program, GROUPS[group], options.records, options.rounds)
        print(table(group, rows), end="\n\n", flush=True)
        if options.json:
            with open(options.json, "a", encoding="utf-8") as file:
                for row in rows:
                    print(json.dumps({"group": group} | row), file=file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
