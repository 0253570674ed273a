"""Fills a log and measures every question that an operator asks of it. Command line: scripts/size.sh.

python -m bench.size --programs DIR --folder DIR --records N [--days N] fill
python -m bench.size --programs DIR --folder DIR --records N --port N [--times N] [--limit MS] [--json FILE] [--only WORD]
    [--page] ask
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from pymongo import MongoClient

from bench.processes import Program
from bench.rig import Services
from bench.size.ask import KEYS, Caller, Shell, cost, measure
from bench.size.fill import fill
from bench.size.questions import Ask, Question, by_command, by_page, over_http
from bench.size.shape import Shape

DATABASE = "size"


class Installation:
    """A store with a log in it, its configuration, and a `waybill serve`."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder, self.program = folder, programs / "waybill"
        self.services = Services.read(folder / "services/env")
        self.config = folder / "waybill.yaml"

    def configure(self) -> None:
        store, broker = json.dumps(self.services.store_url), json.dumps(self.services.broker_url)
        self.config.write_text(
            f"store:\n  url: {store}\n  database: {DATABASE}\n"
            f"broker:\n  url: {broker}\n  queue_prefix: size\nretention:\n  default: keep\n"
        )

    def run(self, *arguments: str) -> str:
        command = [str(self.program), *arguments, "--config", str(self.config)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"waybill {arguments[0]} ended with {done.returncode}: {done.stderr[-1000:]}")
        return done.stdout.strip()

    def keys(self) -> list[str]:
        create = ("keys", "create", "--role", "investigator", "--all-clients", "--name")
        return [self.run(*create, f"size {number}") for number in range(KEYS)]

    def serve(self, port: int) -> Program:
        """Starts it and waits until it listens."""
        command = [self.program, "serve", "--config", self.config, "--set", f"serve.listen=127.0.0.1:{port}"]
        server = Program.start("serve", command, self.folder / "serve.log")
        end = time.monotonic() + 60
        while "api.listening" not in server.words():
            server.check()
            if time.monotonic() > end:
                server.kill()
                raise SystemExit(f"waybill serve does not listen:\n{server.words()}")
            time.sleep(0.1)
        return server


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--records", type=int, required=True)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--port", type=int, default=0, help="where waybill serve listens")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--limit", type=float, default=300, help="milliseconds that no median may exceed")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", default="", help="the questions whose name has this")
    parser.add_argument("--page", action="store_true", help="opens the page in a browser, too")
    parser.add_argument("what", choices=["fill", "ask"])
    options = parser.parse_args()
    installation = Installation(options.folder, options.programs)
    installation.configure()
    noted = options.folder / "shape.json"
    if options.what == "fill":
        shape = Shape(options.records, options.days, int(time.time() * 1000) - 60_000)
        noted.write_text(json.dumps(vars(shape)))
        made(installation, shape)
        return 0
    return ask(installation, Shape(**json.loads(noted.read_text())), options)


def made(installation: Installation, shape: Shape) -> None:
    began = time.monotonic()
    fill(installation.services.store_url, DATABASE, shape)
    filled = time.monotonic()
    installation.run("init")
    client: MongoClient
    with MongoClient(installation.services.store_url) as client:
        size = client[DATABASE].command({"collStats": "deliveries"})
    print(
        f"{size['count']:,} records in {filled - began:.0f} s, their indexes in {time.monotonic() - filled:.0f} s; "
        f"{size['storageSize'] / 1e9:.1f} GB, indexes {size['totalIndexSize'] / 1e9:.1f} GB"
    )


def ask(installation: Installation, shape: Shape, options: argparse.Namespace) -> int:
    keys = installation.keys()
    server = installation.serve(options.port)
    print(f"{shape.count:,} records over {shape.days} days; milliseconds, {options.times} times; load {os.getloadavg()[0]:.1f}")
    print(f"{'':44}{'median':>8}{'worst':>8}{'first':>8}{'queries':>9}{'keys':>9}{'records':>9}")
    rows = []
    client: MongoClient
    try:
        with MongoClient(installation.services.store_url) as client, ExitStack() as opened:
            caller, shell = Caller(options.port, keys), Shell(installation.program, installation.config)
            asked: list[tuple[Callable[[Ask], tuple[float, dict]], list[Question]]] = [
                (caller, over_http(shape, options.times)),
                (shell, by_command(shape, options.times)),
            ]
            if options.page:
                # Playwright is asked for here alone.
                from bench.size.browser import reader  # noqa: PLC0415

                asked.append((opened.enter_context(reader(options.port, keys)), by_page(shape, options.times)))
            for call, questions in asked:
                for question in questions:
                    if options.only in question.name:
                        seconds = measure(question, call, options.times)
                        spent = cost(client[DATABASE], lambda: call(question.asks[-1]))
                        rows.append(row(question, seconds) | vars(spent))
                        show(rows[-1], options.limit)
    finally:
        server.end()
    if options.json:
        options.json.write_text(json.dumps({"records": shape.count, "days": shape.days, "questions": rows}, indent=1))
    slow = [one["question"] for one in rows if one["median_ms"] > options.limit]
    print(f"{len(rows)} questions, {len(slow)} above {options.limit:g} ms" + "".join(f"\n  {name}" for name in slow))
    return 1 if slow else 0


def row(question: Question, seconds: list[float]) -> dict:
    times = [1000 * one for one in seconds]
    return {"question": question.name, "median_ms": median(times), "worst_ms": max(times), "first_ms": times[0]}


def show(one: dict, limit: float) -> None:
    mark = " !" if one["median_ms"] > limit else ""
    print(
        f"{one['question']:44}{one['median_ms']:8.1f}{one['worst_ms']:8.1f}{one['first_ms']:8.1f}"
        f"{one['queries']:9}{one['keys']:9,}{one['documents']:9,}{mark}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
