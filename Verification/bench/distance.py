"""Round-trip time: what a distant APNs with a small window costs, against what arithmetic says."""

import sys
import time
from pathlib import Path

from bench import pipeline
from bench.pipeline import Plan
from bench.processes import Program
from bench.rig import Rig

STREAMS, WINDOW, PAYLOAD = 1000, 65_535, 200


def predicted(milliseconds: float, connections: int) -> float:
    """Requests a second: what each connection may have under way, for one round trip each.

    The sink opens its window again whenever half of it is used, as nghttp2 does: a burst that fills the window gets one
    such update, and what is left of it is less than a half and gets none. So half a window goes in each round trip.
    """
    return min(STREAMS, WINDOW // 2 // PAYLOAD) * connections / (milliseconds / 1000)


def run(rig: Rig, milliseconds: float, connections: int, seconds: float) -> dict:
    """Sends for some seconds after the last connection has come; the rate is the one that the sink saw then."""
    expected = predicted(milliseconds, connections)
    count = int(expected * (connections * 0.75 + seconds)) // 100 * 100
    plan = Plan(
        count, payload=PAYLOAD, connections=connections,
        sink_options=("--streams", STREAMS, "--connection-window", WINDOW),
    )  # fmt: skip
    sink, target = pipeline.start_simulator(rig, plan)
    proxy, port = start_proxy(rig, target, milliseconds)
    rig.clear(port, connections)
    pipeline.fill(rig, plan, rig.next_seed())
    records = rig.records()
    dispatchers = pipeline.start_dispatchers(rig, plan)
    pipeline.follow(records, count, [*dispatchers, sink, proxy])
    for program in dispatchers:
        program.end()
    pipeline.verify(rig, records, {"accepted": count})
    records.close()
    sink.end()
    proxy.kill()
    report = pipeline.sink_report(sink)
    rate = report["late_rate"]
    return {"rate": rate, "predicted": expected, "ratio": rate / expected, "connections": report["connections"]}


def start_proxy(rig: Rig, target: int, milliseconds: float) -> tuple[Program, int]:
    """A proxy that adds half of the round trip each way."""
    port_file = rig.folder / "proxy.port"
    port_file.unlink(missing_ok=True)
    script = Path(__file__).resolve().parent / "delay_proxy.py"
    command = [sys.executable, script, port_file, target, milliseconds / 2]
    proxy = Program.start("proxy", command, rig.folder / "proxy.log")
    rig.started.append(proxy)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        proxy.check()
        if port_file.exists() and (text := port_file.read_text().strip()):
            return proxy, int(text)
        time.sleep(0.02)
    raise RuntimeError("the delay proxy did not start")
