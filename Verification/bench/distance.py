"""Round-trip time: what a distant APNs with a small window costs, against what arithmetic says."""

from proxy.link import Profile
from proxy.server import Proxy

from bench import pipeline
from bench.pipeline import Plan
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
    proxy = Proxy("distance", target)
    proxy.profile = Profile(latency=milliseconds / 2 / 1000)
    rig.clear(proxy.port, connections)
    pipeline.fill(rig, plan, rig.next_seed())
    records = rig.records()
    dispatchers = pipeline.start_dispatchers(rig, plan)
    pipeline.follow(records, count, [*dispatchers, sink])
    for program in dispatchers:
        program.end()
    pipeline.verify(rig, records, {"accepted": count})
    records.close()
    sink.end()
    proxy.close()
    report = pipeline.sink_report(sink)
    rate = report["late_rate"]
    return {"rate": rate, "predicted": expected, "ratio": rate / expected, "connections": report["connections"]}
