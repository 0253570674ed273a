"""Notifications that a program puts into the store which knows nothing of Waybill, and schedules that are killed meanwhile."""

import json
import time
from functools import partial
from pathlib import Path
from typing import Any

from proxy.link import CUT, Link, Match, is_method
from proxy.wires import Unit

from faults.cases import case
from faults.cases.audiences import fanout, register
from faults.cases.trust import write_config
from faults.process import Process, eventually
from faults.product import BUNDLE
from faults.run import Run


@case("posted", later=True)
def inserted_by_a_foreign_program(run: Run) -> None:
    """a document is pushed to every device of its app and says so; one that is wrong says why; without change streams, too"""
    run.open()
    run.start_dispatcher()
    tokens = [run.producer.token() for _ in range(20)]
    register(run, tokens)
    config = write_config(run, "posted")
    way = run.new_path()
    trap = way.store.trap(is_change_stream, decision=CUT)
    workers = [fanout(run, config, 0), schedule(run, way.config, "watchless")]
    good = post(run, title="Parcel", subtitle="Today", body="It is on its way", category="parcel", sent=0)
    eventually("its change stream was cut", lambda: trap.fired, 30)
    eventually("it is sent", lambda: state(run, good) == "sent", 30)
    found = document(run, good)
    assert (found["sent"], found["handed_over"], found["outcomes"]) == (True, 20, {"accepted": 20}), f"{found}"
    workers.append(schedule(run, config, "watching"))
    bad = post(run, body="x", at="tomorrow")
    eventually("it is refused", lambda: state(run, bad) == "refused", 30)
    assert document(run, bad)["reason"] == "at: must be a date", f"{document(run, bad)}"
    later = post(run, body="It is there")
    eventually("the next one is sent", lambda: state(run, later) == "sent", 30)
    assert records(run, later) == 20
    finish(run, workers, tokens, 40)


@case("posted", repeat=5, long=True)
def schedule_killed_at_each_step(run: Run) -> None:
    """kill -9 before and after the claim, before and after the broker has it, and before the document says so: once each"""
    run.open()
    run.start_dispatcher()
    tokens = [run.producer.token()]
    register(run, tokens)
    config = write_config(run, "posted")
    workers = [fanout(run, config, 0)]
    ids = []
    for number, (server, match) in enumerate(STEPS):
        way = run.new_path()
        victim = schedule(run, way.config, f"victim-{number}")
        trap = getattr(way, server).trap(match, victim.kill)
        ids.append(post(run, body=f"step {number}"))
        eventually(f"step {number} is reached", partial(has_sprung, trap), 30)
        victim.wait()
        way.heal()
    workers += [schedule(run, config, f"heir-{number}") for number in range(2)]
    for number, one in enumerate(ids):
        eventually(f"step {number} is sent", partial(is_sent, run, one), 60)
        found = document(run, one)
        assert (found["handed_over"], records(run, one)) == (1, 1), f"step {number}: {found}"
    finish(run, workers, tokens, len(ids))


@case("posted", alone=True, long=True, later=True)
def alarm_is_told(run: Run) -> None:
    """a memory alarm: fanout and schedule say so once, and that it is over; audience send says what it waits for"""
    run.open()
    run.start_dispatcher()
    tokens = [run.producer.token()]
    register(run, tokens)
    config = write_config(run, "alarm")
    workers = {"fanout": fanout(run, config, 0), "schedule": schedule(run, config, "alarm")}
    for name, begun in (("fanout", "fanout.consuming"), ("schedule", "schedule.started")):
        eventually(f"{name} works", partial(says, workers[name], begun), 30)
    audience = {"audience_id": "waits", "client": "acme", "content": {"message": "hello"}, "select": {"app": BUNDLE}}
    file = run.folder / "waits.json"
    file.write_text(json.dumps(audience))
    memory = ("broker-control", "set_vm_memory_high_watermark")
    run.at_close(lambda: run.services.control(*memory, "0.4"))
    run.services.control(*memory, "0.0001")
    for name, worker in workers.items():
        eventually(f"{name} says so", partial(says, worker, f"{name}.brokerBlocked"), 30)
    command = [run.programs.waybill, "audience", "send", str(file), "--config", str(config)]
    sender = Process("waybill audience", command, run.folder / "alarm-send.log")
    eventually("who publishes says that it waits", partial(says, sender, "the broker takes nothing: it has an alarm"), 10)
    # Two more questions to the broker, which are no news.
    time.sleep(9)
    run.services.control(*memory, "0.4")
    assert sender.wait(30) == 0, sender.words[-500:]
    for name, worker in workers.items():
        eventually(f"{name} says that it is over", partial(says, worker, f"{name}.brokerUnblocked"), 30)
        for word in ("brokerBlocked", "brokerUnblocked"):
            told = worker.words.count(f"{name}.{word}")
            assert told == 1, f"{name}.{word} is told {told} times: {worker.words[-1000:]}"
    eventually("it is sent", lambda: run.deliveries.count_documents({"batch_id": "waits", "outcome": "accepted"}) == 1, 60)
    run.devices.database.audiences.delete_many({})
    finish(run, list(workers.values()), tokens, 1)


def says(process: Process, words: str) -> bool:
    return words in process.words


def is_change_stream(link: Link, direction: str, unit: Unit) -> bool:
    return direction == "up" and unit.kind == "aggregate" and b"$changeStream" in unit.data


def is_claim(way: str, command: str) -> Match:
    """The change that claims, or its answer."""
    return lambda link, direction, unit: direction == way and unit.kind == command and b"handing_over" in unit.data


def is_note(link: Link, direction: str, unit: Unit) -> bool:
    """The change that says that the broker has it."""
    return direction == "up" and unit.kind == "update" and b"handing_over" in unit.data


STEPS = (
    ("store", is_claim("up", "findAndModify")),
    ("store", is_claim("down", "reply:findAndModify")),
    ("broker", is_method("basic.publish", "schedule", "up")),
    ("broker", is_method("basic.ack", "schedule", "down")),
    ("store", is_note),
)


def has_sprung(trap: Any) -> bool:
    return bool(trap.fired)


def schedule(run: Run, config: Path, name: str) -> Process:
    command = [run.programs.waybill, "schedule", "--config", str(config)]
    return Process("waybill schedule", command, run.folder / f"schedule-{name}.log")


def post(run: Run, **fields: Any) -> Any:
    return run.devices.database.notifications.insert_one({"app": BUNDLE} | fields).inserted_id


def document(run: Run, one: Any) -> dict[str, Any]:
    return run.devices.database.notifications.find_one({"_id": one}) or {}


def state(run: Run, one: Any) -> str:
    return document(run, one).get("state", "")


def is_sent(run: Run, one: Any) -> bool:
    return state(run, one) == "sent"


def records(run: Run, one: Any) -> int:
    return run.deliveries.count_documents({"batch_id": str(one)})


def finish(run: Run, workers: list[Process], tokens: list[str], pushes: int) -> None:
    for process in workers:
        assert process.end() == 0, process.words[-500:]
    # What follows is judged by itself.
    assert run.dispatchers.pop().end() == 0, "the dispatcher did not end in order"
    run.simulator.stop()  # its record is complete then
    lines = [line for record in run.simulator.records for line in record.read_text().splitlines()]
    found = sum(json.loads(line).get("device_token") in tokens for line in lines)
    assert found == pushes, f"{found} pushes, not {pushes}"
    run.simulator.start()
    for record in run.simulator.records:
        record.write_text("")
    run.devices.delete_many({})
    run.devices.database.notifications.delete_many({})
    run.forget_records()
    run.start()
