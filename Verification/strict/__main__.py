"""Runs scenarios of the strict server against the client and prints a line for each.

python -m strict --probe PROGRAM --folder DIRECTORY [--seed N] [--list] [SCENARIO…]
"""

import argparse
import asyncio
import json
import random
import shutil
import sys
import time
import traceback
from pathlib import Path

from strict import check, plan
from strict.keys import BUNDLE, TEAM, Keys
from strict.ledger import Ledger
from strict.probe import DEADLINES, Probe
from strict.scenarios import SCENARIOS
from strict.server import Behaviour, Server
from strict.tokens import TokenBook

FRESH = 100


class Run:
    """One scenario: its server, its probe, its plan."""

    def __init__(self, name, keys, folder, program, seed):
        self.name, self.keys, self.folder, self.program = name, keys, folder, program
        self.random = random.Random(f"{name}/{seed}")
        self.ledger = Ledger()
        self.probe = Probe()
        self.server = None
        self.items = []
        self.extra = []  # findings of the scenario itself
        self.replaced = None
        self.closing = False
        self.position = 0
        self.orders = []
        self.expected_exit = 0
        self.environment = {}
        self.here = Path(__file__).resolve().parent
        self.replace_within = 1.5
        self.done_at = float("inf")

    async def start(self, count, behaviour=None, *, options=(), deadlines=None, certificate="server",
                    certificates=False, connections=3, spacing=100, reconnect="50,400", host="127.0.0.1",
                    port=None, **making):  # fmt: skip
        self.count = count
        self.items = plan.make(self.random, count + FRESH, **making)
        tokens = TokenBook(self.keys.public, TEAM)
        context = self.keys.context(certificate, certificates)
        self.server = Server(
            self.ledger, context, tokens, self.items, certificates=certificates, host=host, random=self.random
        )
        if behaviour is not None:
            self.server.behaviour = behaviour
        self.server.listen()
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "plan.tsv").write_text("".join(item.line() for item in self.items))
        arguments = ["--host", host, "--port", str(self.server.port), "--plan", str(self.folder / "plan.tsv")]
        arguments += ["--trust", str(self.keys.trust), "--bundle", BUNDLE, "--connections", str(connections)]
        arguments += ["--spacing", str(spacing), "--reconnect", reconnect]
        self.deadlines = {**DEADLINES, **(deadlines or {})}
        for name, value in self.deadlines.items():
            arguments += ["--deadline", f"{name}={value}"]
        if certificates:
            arguments += ["--certificate", str(self.keys.folder / "client.pem")]
            arguments += ["--private-key", str(self.keys.folder / "client-key.pem")]
        else:
            arguments += ["--key-id", "KEYAAAAAAA", "--team-id", TEAM, "--key", str(self.keys.folder / "KEYAAAAAAA.p8")]
        arguments += options  # the last one counts
        self.arguments = arguments
        await self.probe.start(self.program, arguments, self.folder / "probe.ndjson", self.environment)

    async def again(self, options=()):
        """Another probe in the first one's place; nothing was sent yet."""
        self.probe = Probe()
        self.server.listen()
        await self.probe.start(self.program, [*self.arguments, *options], self.folder / "probe.ndjson")

    def send(self, count=None, way=None, width=400):
        """Orders the next part of the plan to be sent; in all three ways unless one is named."""
        if count is None:
            count = self.count - self.position
        if way is None:
            third = count // 3
            self.send(third, "single", width)
            self.send(third, "feed", width)
            return self.send(count - 2 * third, "batch")
        part = f"{self.position} {self.position + count}"
        self.position += count
        order = f"{way} {part}" if way == "batch" else f"{way} {part} {width}"
        self.orders.append(self.probe.order(order))
        return order

    async def finish(self, seconds):
        """Waits for the outcome of everything that was sent."""
        for order in self.orders:
            await self.probe.finished(order, seconds)
        self.done_at = time.monotonic()

    async def fresh(self, seconds=15):
        """A healthy server takes a fresh batch of 100."""
        self.server.behaviour = Behaviour()
        for connection in self.server.open:
            connection.behaviour = self.server.behaviour
        if self.server.listener is None:
            self.server.listen()
        order = self.send(FRESH, "batch")
        await self.probe.finished(order, seconds)
        fresh = {item.id for item in self.items[-FRESH:]}
        accepted = sum(1 for line in self.probe.outcomes if line["id"] in fresh and line.get("status") == 200)
        if accepted != FRESH:
            rest = [line for line in self.probe.outcomes if line["id"] in fresh and line.get("status") != 200]
            self.find(f"of the fresh batch {accepted} were accepted; the rest: {[brief(line) for line in rest[:5]]}")

    async def gone(self, connections, seconds, what):
        """Connections that carry nothing any more are given up within their deadline."""
        deadline = time.monotonic() + seconds
        while any(not connection.dead for connection in connections):
            if time.monotonic() > deadline:
                self.find(f"a connection was kept for more than {seconds:.1f} s: {what}")
                return
            await asyncio.sleep(0.02)

    def find(self, text):
        self.extra.append(text)

    def require(self, condition, text):
        if not condition:
            self.find(text)

    async def close(self, grace=3000, seconds=None):
        order = self.probe.order(f"close {grace}")
        await self.probe.finished(order, seconds or grace / 1000 + 3)


def brief(line):
    return " ".join(str(line[name]) for name in ("id", "fate", "status", "reason", "code", "text") if line.get(name))


async def run_one(name, scenario, keys, folder, program, seed):
    """Returns (printed line, findings)."""
    run = Run(name, keys, folder, program, seed)
    began = time.monotonic()
    check_after = None
    try:
        check_after = await asyncio.wait_for(scenario(run), 150)
        if not run.closing:
            run.probe.measure()
            await run.close()
    except (TimeoutError, asyncio.TimeoutError) as error:
        run.find(f"stuck: {error or 'the scenario took too long'}")
    except Exception:
        run.find(f"the scenario broke: {traceback.format_exc()}")
    run.probe.measure()
    status = await run.probe.end()
    if status != run.expected_exit:
        run.find(f"the probe's exit status is {status}")
    await asyncio.sleep(0.05)
    if run.server is not None:
        run.server.end()
    took = time.monotonic() - began
    sent = run.items[: run.position]
    tally = check.compare(sent, run.probe.outcomes, run.ledger, replaced=run.replaced, closing=run.closing)
    if run.server is not None:
        tally.violations += run.server.tokens.too_many()
    tally.violations += [f"probe: {problem}" for problem in run.probe.problems]
    tally.violations += [f"server: {error}" for error in run.ledger.errors]
    tally.violations += check.check_replacements(run.ledger, run.replace_within, run.done_at)
    if check_after is not None:
        check_after(tally)
    tally.violations += run.extra
    cpu, size = run.probe.usage
    # Waiting costs nothing: whoever burns a core is polling.
    if cpu > 0.5 + 0.1 * took + 0.0003 * tally.sent:
        tally.violations.append(f"the probe took {cpu:.1f} s of CPU in {took:.1f} s")
    if size > 400:
        tally.violations.append(f"the probe grew to {size} MiB")
    verdict = "ok" if not tally.violations else "VIOLATED"
    line = (
        f"{name:28} {tally.sent:6} {tally.accepted:8} {tally.rejected:8} {tally.unknown:7} {tally.not_sent:8}"
        f" {tally.repeats:7}/{tally.forbidden:<4} {len(tally.violations):5}  {verdict:8}"
        f" {took:5.1f} s {cpu:4.1f} cpu {size:3} MiB {len(run.ledger.connections):4} conn"
    )
    write_report(folder, run, tally)
    return line, tally


def write_report(folder, run, tally):
    """The ledger and the findings, for whoever looks closer."""
    with open(folder / "ledger.ndjson", "w") as file:
        for log in run.ledger.connections:
            value = {
                "connection": log.number,
                "accepted": log.accepted,
                "secured": log.secured,
                "requests": len(log.attempts),
                "settings": log.settings,
                "hurt": log.hurt,
                "unusable": log.unusable,
                "ended": log.ended,
                "client_goaway": log.client_goaway,
                "spoiled": log.spoiled,
                "note": log.note,
                "goaways": [(at, last, code, debug.decode("latin-1")) for at, last, code, debug in log.goaways],
            }
            file.write(json.dumps(value) + "\n")
            for attempt in log.attempts:
                value = {
                    "on": log.number, "stream": attempt.stream, "id": attempt.id, "begun": attempt.begun,
                    "complete": attempt.complete, "answered": attempt.answered, "status": attempt.status,
                    "reason": str(attempt.reason), "reset": attempt.reset, "excluded": attempt.excluded,
                    "client_reset": attempt.client_reset, "note": attempt.note, "body": len(attempt.body),
                    "headers": [list(pair) for pair in attempt.headers if pair[0] not in ("authorization", ":path")],
                    "kinds": attempt.kinds,
                }  # fmt: skip
                file.write(json.dumps(value) + "\n")
    with open(folder / "findings.txt", "w") as file:
        file.write(f"{dict(tally.reasons)}\n{run.ledger.counters}\n")
        file.writelines(f"{text}\n" for text in tally.violations)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--probe", required=True)
    parser.add_argument("--folder", required=True, type=Path)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("scenarios", nargs="*")
    arguments = parser.parse_args()
    if arguments.list:
        for name, scenario in SCENARIOS.items():
            print(f"{name:28} {scenario.__doc__.splitlines()[0]}")
        return 0
    names = arguments.scenarios or list(SCENARIOS)
    for name in names:
        if name not in SCENARIOS:
            print(f"there is no scenario {name}: {' '.join(SCENARIOS)}", file=sys.stderr)
            return 64
    for name in names:
        shutil.rmtree(arguments.folder / name, ignore_errors=True)
    keys = Keys(arguments.folder / "keys")
    print(f"{'scenario':28} {'sent':>6} {'accepted':>8} {'rejected':>8} {'unknown':>7} {'not sent':>8}"
          f" {'repeats/forbidden':>12} {'violations':>5}  verdict", flush=True)  # fmt: skip
    failed = 0
    for name in names:
        line, tally = asyncio.run(
            run_one(name, SCENARIOS[name], keys, arguments.folder / name, arguments.probe, arguments.seed)
        )
        print(line, flush=True)
        if tally.violations:
            failed += 1
            for text in tally.violations[:8]:
                print(f"    {text}", flush=True)
            if len(tally.violations) > 8:
                print(f"    … and more, in {arguments.folder / name / 'findings.txt'}", flush=True)
    print(f"{len(names)} scenarios, {failed} violated", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
