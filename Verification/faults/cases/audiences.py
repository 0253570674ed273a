"""Audiences: devices of the registry, handed over by processes that are killed meanwhile."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from proxy.link import Match, is_method, writes, written

from faults.cases import case
from faults.cases.trust import waybill, write_config
from faults.process import Process, eventually
from faults.product import BUNDLE
from faults.run import Run

MESSAGE = {"audience_id": "killed", "client": "acme", "content": {"message": "News"}, "select": {"app": BUNDLE}}


@case("audiences", quick=False)
def fanout_killed_again_and_again(run: Run) -> None:
    """two fan-outs, killed twenty times at random while a dispatcher is, too: every device once, and repeats with their mark"""
    run.open()
    run.start_dispatcher()
    config = write_config(run, "fanout")
    devices = 100_000 if not run.quick else 40_000
    tokens = [run.producer.token() for _ in range(devices)]
    register(run, tokens)
    fanouts = [fanout(run, config, number) for number in range(2)]
    waybill_sends(run, config, MESSAGE)
    for kill in range(20):
        enough = devices * (kill + 1) // 24 + run.random.randrange(devices // 48)
        eventually("it goes on", partial(has_expanded, run, enough), 120, 0.005)
        if ended(run):
            break
        victim = run.random.randrange(2)
        fanouts[victim].kill()
        fanouts[victim].wait()
        fanouts[victim] = fanout(run, config, 2 + kill)
        if kill % 7 == 3:
            dispatcher = run.dispatchers.pop()
            dispatcher.kill()
            dispatcher.wait()
            run.start_dispatcher()
    await_all(run, devices)
    for process in fanouts:
        assert process.end() == 0, process.words[-500:]
    judge(run, tokens)


ENTRY, STEP, END = (
    ("insert", "audiences", b"created_at"),
    ("update", "audiences", b"without_lane"),
    ("update", "audiences", b"finished_at"),
)
# By name: the moment, the proxy that sees it, what it sees, and how many of these there are at least.
CRASHES: dict[str, tuple[str, str, Callable[[], Match], int]] = {
    "entry-withheld": ("the audience is about to be entered", "store", lambda: writes(*ENTRY), 1),
    "entry-unanswered": ("the audience is entered, with its first page", "store", lambda: written(*ENTRY), 1),
    "message-kept": ("its message is about to be acknowledged", "broker", lambda: is_method("basic.ack", "fanout", "up"), 1),
    "page-withheld": ("a page is about to be published", "broker", lambda: is_method("basic.publish", "fanout", "up"), 4),
    "page-unconfirmed": ("the broker has a page and says so", "broker", lambda: is_method("basic.ack", "fanout", "down"), 4),
    "step-withheld": ("the next page is about to take the place of one", "store", lambda: writes(*STEP), 3),
    "step-unanswered": ("the next page has taken the place of one", "store", lambda: written(*STEP), 3),
    "end-withheld": ("its end is about to be written", "store", lambda: writes(*END), 1),
    "end-unanswered": ("its end is written", "store", lambda: written(*END), 1),
}


def fanout_killed_at(point: str) -> Callable[[Run], None]:
    """A case: the fan-out is killed exactly there, and another one goes on."""
    moment, proxy, match, most = CRASHES[point]

    def killed(run: Run) -> None:
        run.open()
        run.start_dispatcher()
        devices = 4_500
        tokens = [run.producer.token() for _ in range(devices)]
        register(run, tokens)
        path = run.new_path()
        first = fanout(run, path.config, 0)
        trap = getattr(path, proxy).trap(match(), first.kill, skip=run.random.randrange(most))
        config = write_config(run, "fanout")
        waybill_sends(run, config, MESSAGE)
        assert trap.wait(30), "the crash point was never reached"
        first.wait()
        path.heal()
        nothing_is_understated(run, config)
        second = fanout(run, config, 1)
        await_all(run, devices)
        assert second.end() == 0, second.words[-500:]
        judge(run, tokens, is_once=True)

    killed.__name__ = f"fanout_killed_{point}".replace("-", "_")
    killed.__doc__ = f"kill -9 of the fan-out when {moment}; another one goes on, every device once, repeats with their mark"
    return killed


def nothing_is_understated(run: Run, config: Path) -> None:
    """While nobody expands it, the audience is not told to have handed over less than the log has."""
    recorded = run.deliveries.count_documents({"batch_id": "killed"})
    shown = waybill(run, config, "audience", "show", "killed", "--json")
    if shown.returncode == 66:
        assert recorded == 0, f"{recorded} have records, and the audience is unknown"
        return
    told = json.loads(shown.stdout)
    assert told["handed_over"] >= recorded, f"{told['handed_over']} are told, {recorded} have records"
    page = audience(run).get("page")
    if page:
        # The first page is in the record before anything is counted as handed over.
        possible = audience(run).get("handed_over", 0) + sum(message["count"] for message in page["messages"])
        known = told["handed_over"] + told["unconfirmed"]
        assert known == possible, f"{known} may be with the broker by what is told, {possible} by the record"


for name in CRASHES:
    case("audiences", repeat=5, quick=name in ("page-unconfirmed", "step-unanswered"), long=True)(fanout_killed_at(name))


def await_all(run: Run, devices: int) -> None:
    """Waits until the audience has ended with all of its devices, and each has its record."""
    eventually("it has ended", partial(ended, run), 180)
    one = audience(run)
    assert (one["state"], one["handed_over"], one["expanded"]) == ("done", devices, devices), f"{one}"
    final = {"batch_id": "killed", "outcome": {"$ne": "deferred"}}
    eventually("every device has its record", lambda: run.deliveries.count_documents(final) >= devices, 180)


def judge(run: Run, tokens: list[str], batch: str = "killed", is_once: bool = False) -> None:
    """Ends the dispatcher, looks at what was sent, and leaves a run that begins anew. is_once: nothing was pushed twice."""
    assert run.dispatchers.pop().end() == 0, "the dispatcher did not end in order"
    run.simulator.stop()  # its record is complete then
    check(run, set(tokens), batch, is_once)
    run.simulator.start()
    # What follows is judged by itself.
    for record in run.simulator.records:
        record.write_text("")
    run.devices.delete_many({})
    run.forget_records()
    run.start()


def check(run: Run, tokens: set[str], batch: str, is_once: bool = False) -> None:
    """Every device has one record, which says so if it was pushed twice. is_once: none was."""
    repeats = {}
    for record in run.deliveries.find({"batch_id": batch}, {"device_token": 1, "repeat": 1}):
        token = record["device_token"]
        assert token not in repeats, f"two records of {token}"
        repeats[token] = record.get("repeat", False)
    assert repeats.keys() == tokens, f"{len(tokens - repeats.keys())} devices have no record"
    pushes: dict[str, int] = {}
    for record in run.simulator.records:
        for line in record.read_text().splitlines():
            token = json.loads(line).get("device_token")
            if token in tokens:
                pushes[token] = pushes.get(token, 0) + 1
    silent = [token for token, count in pushes.items() if count > 1 and not repeats[token]]
    assert not silent, f"{len(silent)} were pushed twice, and their records do not say so"
    twice = sum(count > 1 for count in pushes.values())
    assert not (is_once and twice), f"{twice} were pushed twice, and the dispatcher lives"
    run.notes.append(f"{sum(repeats.values())} marked, {twice} pushed twice")


def fanout(run: Run, config: Path, number: int) -> Process:
    command = [run.programs.waybill, "fanout", "--config", str(config)]
    return Process("waybill fanout", command, run.folder / f"fanout-{number}.log")


def waybill_sends(run: Run, config: Path, message: dict[str, Any]) -> None:
    sent = waybill(run, config, "audience", "send", "-", input=json.dumps(message).encode())
    assert sent.returncode == 0, f"audience send: {sent.stderr.decode()}"


def register(run: Run, tokens: list[str]) -> None:
    now = datetime.now(UTC)
    address = {"provider": "apns", "app": BUNDLE, "environment": "production", "kind": "token"}
    run.devices.insert_many(
        [address | {"token": token, "enabled": True, "registered_at": now} for token in tokens], ordered=False
    )


def audience(run: Run) -> dict[str, Any]:
    return run.devices.database.audiences.find_one({"name": "killed"}) or {}


def has_expanded(run: Run, count: int) -> bool:
    return ended(run) or audience(run).get("expanded", 0) >= count


def ended(run: Run) -> bool:
    return audience(run).get("state") in ("done", "failed", "cancelled")
