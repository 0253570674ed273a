"""What it costs to ask the log about every message, as a dispatcher does in the first minute after its first delivery."""

import time

from common.usage import cpu_seconds

from bench.pipeline import Plan, fill, follow, start_dispatchers, start_simulator, verify
from bench.processes import wait_until_idle
from bench.rig import Rig

FIRST_MINUTE = 62  # seconds, with something to spare
WARM_UP = 1000  # notifications


def run(rig: Rig, count: int, is_first_minute: bool, per_message: int = 100) -> dict:
    """Fills the queue of a running dispatcher within its first minute, or after it.

    Nothing that is asked about is in the log: what is measured is the look-up of new messages.
    """
    plan = Plan(WARM_UP, per_message=per_message)
    simulator, port = start_simulator(rig, plan)
    rig.clear(port, plan.connections, plan.max_in_flight)
    records = rig.records()
    (dispatcher,) = start_dispatchers(rig, plan)
    fill(rig, plan, rig.next_seed())
    follow(records, WARM_UP, [dispatcher, simulator])
    if not is_first_minute:
        time.sleep(FIRST_MINUTE)
    wait_until_idle([rig.services.broker_pid, rig.services.store_pid])

    watched = {"dispatcher": dispatcher.pid, "mongod": rig.services.store_pid}
    before = {name: cpu_seconds(pid) for name, pid in watched.items()}
    plan.count = count
    fill(rig, plan, rig.next_seed())
    progress = follow(records, count, [dispatcher, simulator], held=WARM_UP)
    cpu = {name: cpu_seconds(pid) - before[name] for name, pid in watched.items()}
    dispatcher.end()
    verify(rig, records, {"accepted": WARM_UP + count})
    records.close()
    simulator.end()
    return {"rate": progress.rate, "cpu_us": {name: seconds / count * 1e6 for name, seconds in cpu.items()}}
