"""The scenarios by name: what each measures, and how."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bench import (
    audience,
    distance,
    footprint,
    history,
    lies,
    limits,
    live,
    notify,
    pipeline,
    recall,
    receipts,
    sampling,
    startup,
)
from bench.pipeline import Plan
from bench.results import Row
from bench.rig import Rig


@dataclass
class Effort:
    """How much is done for a figure."""

    repeat: int
    scale: float  # of every scenario's number of notifications
    full: bool = False

    @property
    def is_quick(self) -> bool:
        return self.scale < 0.5

    def count(self, notifications: int, least: int = 1000) -> int:
        """A scenario's number of notifications at this scale, in whole thousands."""
        return max(least, int(notifications * self.scale) // 1000 * 1000)


@dataclass
class Scenario:
    summary: str
    measure: Callable[[Rig, Effort], list[Row]]
    # What --compare runs with the programs of two revisions in turn; None where that makes no sense.
    plan: Callable[[Effort], Plan] | None = None


def repeated(effort: Effort, label: str, once: Callable[[], dict]) -> Row:
    row = Row(label)
    for _ in range(effort.repeat):
        row.add(once())
    return row


def plain(label: str, plan: Callable[[Effort], Plan], summary: str) -> Scenario:
    """A scenario that is one row of equal runs."""
    return Scenario(
        summary,
        lambda rig, effort: [repeated(effort, label, lambda: pipeline.run(rig, plan(effort)))],
        plan,
    )


def measure_client(rig: Rig, effort: Effort) -> list[Row]:
    rows = []
    for connections in (1, 2):
        ours, limit = Row(f"our client, connections: {connections}"), Row(f"h2load, connections: {connections}")
        for _ in range(effort.repeat):  # in turn, so that a drift of the machine meets both
            ours.add(limits.client(rig, effort.count(500_000, 20_000), connections))
            limit.add(limits.h2load(rig, effort.count(500_000, 20_000), connections))
        rows += [ours, limit, quotient(ours, limit)]
    return rows


def measure_limits(rig: Rig, effort: Effort) -> list[Row]:
    """Beside the whole pipeline, so that the sum of the bare libraries can be held against the dispatcher."""
    count = effort.count(300_000)
    bare = {
        "nghttp2 (h2load)": lambda: limits.h2load(rig, effort.count(500_000, 20_000), 2),
        "libmongoc": lambda: limits.store(rig, count),
        "rabbitmq-c": lambda: limits.broker(rig, count),
    }
    ours = Row("Waybill, the whole way")
    rows = {name: Row(name) for name in bare}
    for _ in range(effort.repeat):
        for name, once in bare.items():
            rows[name].add(once())
        ours.add(pipeline.run(rig, Plan(count)))
    total = sum(row.medians["cpu_us.client"] for row in rows.values())
    together = Row("the libraries together")
    together.add({"cpu_us": {"client": total}})
    ratio = Row("Waybill / the libraries")
    ratio.add({"ratio": ours.medians["cpu_us.dispatcher"] / total if total else 0})
    return [*rows.values(), together, ours, ratio]


def measure_fcm(rig: Rig, effort: Effort) -> list[Row]:
    """One load to each provider in turn: a text, of which the dispatcher makes a critical alert; FCM's tokens are longer."""
    count = effort.count(200_000)
    plans = {
        "FCM, 10 connections": Plan(count, content="message", is_critical=True, provider="fcm", connections=10),
        "APNs, 2 connections": Plan(count, content="message", is_critical=True),
    }
    rows = {label: Row(label) for label in plans}
    for _ in range(effort.repeat):
        for label, plan in plans.items():
            rows[label].add(pipeline.run(rig, plan))
    return [*rows.values(), quotient(*rows.values())]


def measure_receipts(rig: Rig, effort: Effort) -> list[Row]:
    count, seconds = effort.count(100_000, 10_000), 2 if effort.is_quick else 15
    cases = {
        f"{receipts.RATE:,} a second, one by one": (receipts.RATE, 1),
        f"{receipts.RATE:,} a second, arrays of 20": (receipts.RATE, 20),
        "as fast as it goes, one by one": (None, 1),
    }
    return [
        repeated(effort, label, lambda: receipts.run(rig, count, seconds, rate, together))
        for label, (rate, together) in cases.items()
    ]


def measure_latency(rig: Rig, effort: Effort) -> list[Row]:
    most = pipeline.run(rig, Plan(effort.count(200_000)))["rate"]
    half = round(most / 2, -2)
    seconds = 3 if effort.is_quick else 20
    cases = [("1,000/s, messages of 1", 1000, 1), ("1,000/s, messages of 100", 1000, 100)]
    cases.append((f"{half:,.0f}/s (half of the {most:,.0f}/s measured just now), messages of 100", half, 100))
    return [repeated(effort, label, lambda: live.run(rig, rate, per_message, seconds)) for label, rate, per_message in cases]


def measure_distance(rig: Rig, effort: Effort) -> list[Row]:
    cases = [(40, 1), (150, 2)] if effort.is_quick else [(40, 1), (40, 2), (40, 4), (150, 1), (150, 4), (150, 8)]
    seconds = 2 if effort.is_quick else 6
    return [
        repeated(
            replace(effort, repeat=1),
            f"{milliseconds} ms, up to {connections} connections",
            lambda: distance.run(rig, milliseconds, connections, seconds),
        )
        for milliseconds, connections in cases
    ]


def measure_audience(rig: Rig, effort: Effort) -> list[Row]:
    devices = 10_000_000 if effort.full else effort.count(1_000_000, 50_000)
    # While at most two thirds of the audience can have gone, at any rate that one dispatcher reaches.
    seconds = devices / 90_000
    alone = Row(f"{audience.RATE} single notifications a second, alone")
    beside = Row(f"beside an audience of {devices:,} devices")
    for _ in range(effort.repeat):  # in turn, so that a drift of the machine meets both
        alone.add(live.run(rig, audience.RATE, 1, min(seconds, 20)))
        beside.add(audience.run(rig, devices, seconds))
    return [alone, beside]


def measure_notify(rig: Rig, effort: Effort) -> list[Row]:
    devices, seconds, age = effort.count(300_000, 100_000), 3 if effort.is_quick else 30, 0 if effort.is_quick else 65
    rows = [
        Row(f"a campaign to {devices:,} devices alone, as fast as it goes"),
        Row(f"{notify.RATE} requests a second, alone"),
        Row("beside such a campaign at half of that rate"),
    ]
    for _ in range(effort.repeat):
        for row, result in zip(rows, notify.run(rig, devices, seconds, age)):
            row.add(result)
    return rows


def measure_start(rig: Rig, effort: Effort) -> list[Row]:
    started = repeated(replace(effort, repeat=max(effort.repeat, 5)), "cold start", lambda: startup.run(rig))
    sizes, names = startup.binary(rig.programs / "waybill")
    binary = Row("the program", note=f"libraries: {', '.join(names)}")
    binary.add(sizes)
    return [started, binary]


def measure_memory(rig: Rig, effort: Effort) -> list[Row]:
    count = 10_000_000 if effort.full else effort.count(1_000_000)
    once = replace(effort, repeat=1)
    rows = [repeated(once, f"{count:,} notifications", lambda: footprint.run(rig, count))]
    for bound in (2_000, 50_000):
        label = f"at most {bound:,} in flight"
        rows.append(repeated(effort, label, lambda: footprint.run(rig, effort.count(200_000, 60_000), bound)))
    small, large = rows[1].medians, rows[2].medians
    each = Row("bytes for each in flight")
    grown = (large["rss_peak_mb"] - small["rss_peak_mb"]) * 1e6
    each.add({"bytes": grown / (large["max_in_flight"] - small["max_in_flight"])})
    return [*rows, each]


def measure_growth(rig: Rig, effort: Effort) -> list[Row]:
    rows = []
    payloads = (200,) if effort.is_quick else (100, 1000, 4000)
    # A body may have 1 MiB (DecodingLimits): a thousand large payloads do not go into one.
    sizes = [(payload, n) for payload in payloads for n in (1, 10, 100, 1000) if payload * n < 900_000]
    cases = [Plan(0, per_message=n, payload=payload) for payload, n in sizes]
    cases += [Plan(0, connections=n) for n in (1, 4, 16)]
    cases += [Plan(0, dispatchers=n) for n in (1, 2, 4)]
    for case in cases:
        count = effort.count(20_000 if case.per_message == 1 else 40_000 if case.payload > 1000 else 100_000)
        label = f"messages of {case.per_message}, {case.payload} B, {case.connections} c, {case.dispatchers} d"
        rows.append(repeated(effort, label, lambda: pipeline.run(rig, replace(case, count=count))))
    return rows


def measure_history(rig: Rig, effort: Effort) -> list[Row]:
    most = (0, 1_000_000, 5_000_000, 10_000_000, 20_000_000) if effort.full else (0, 1_000_000)
    once = replace(effort, repeat=effort.repeat if not effort.full else 1)
    return [
        repeated(
            once,
            f"{held:,} records held",
            lambda: history.run(rig, held, effort.count(300_000)),
        )
        for held in (int(held * min(1, effort.scale)) for held in most)
    ]


def measure_recall(rig: Rig, effort: Effort) -> list[Row]:
    rows = []
    for per_message in (100, 1):
        asked = Row(f"messages of {per_message}, in the first minute: each looked up")
        trusted = Row(f"messages of {per_message}, after it: none looked up")
        for _ in range(effort.repeat):  # in turn, so that a drift of the machine meets both
            for row, is_first_minute in ((asked, True), (trusted, False)):
                row.add(recall.run(rig, effort.count(300_000), is_first_minute, per_message))
        rows += [asked, trusted, quotient(asked, trusted)]
    return rows


def measure_profile(rig: Rig, effort: Effort) -> list[Row]:
    count = effort.count(500_000, 100_000)
    plans = {
        "sampled": Plan(count),
        "the same to FCM": Plan(count, content="message", is_critical=True, provider="fcm", connections=10),
    }
    rows = []
    for label, plan in plans.items():
        result = sampling.run(rig, plan)
        samples = result.pop("samples")
        row = Row(label, note=f"{label}:\n" + sampling.words(samples, result["cpu_us"]["dispatcher"]).replace("\n", "\n  "))
        row.add(result)
        rows.append(row)
    return rows


def measure_account(rig: Rig, effort: Effort) -> list[Row]:
    return [repeated(replace(effort, repeat=1), "planted errors", lambda: lies.run(rig, 1000))]


def measure_micro(rig: Rig, effort: Effort) -> list[Row]:
    """The table of waybill-bench micro, as it prints it."""
    servers = ["--store", rig.services.store_url, "--broker", rig.services.broker_url]
    done = subprocess.run([rig.programs / "waybill-bench", "micro", *servers], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"waybill-bench micro ended with status {done.returncode}:\n{done.stderr[-2000:]}")
    return [Row("micro", note=done.stdout.rstrip())]


SCENARIOS = {
    "pipeline": plain(
        "messages of 100, array form",
        lambda effort: Plan(effort.count(300_000)),
        "the whole way, queue filled beforehand: array form, messages of 100, payloads of 200 bytes",
    ),
    "campaign": plain(
        "messages of 100, one payload",
        lambda effort: Plan(effort.count(300_000), form="campaign"),
        "the same with one payload for the hundred tokens of a message",
    ),
    "single": plain(
        "messages of 1",
        lambda effort: Plan(effort.count(60_000), per_message=1),
        "the same with a message for each notification",
    ),
    "dead": plain(
        "5 % dead tokens",
        lambda effort: Plan(
            effort.count(200_000),
            dead_share=0.05,
            sink_options=("--dead-prefix", "dead"),
        ),
        "the same with 5 % dead tokens, the prune worker running and every dead token disabled at the end",
    ),
    "client": Scenario("the APNs client alone, and h2load with the same headers and size", measure_client),
    "limits": Scenario("the bare libraries beside the whole pipeline: CPU of the one process", measure_limits),
    "latency": Scenario("from publication to the request on the wire, at steady rates", measure_latency),
    "audience": Scenario(
        "an audience of a million devices (--full: ten million), and 200 single notifications a second alone and beside it",
        measure_audience,
    ),
    "notify": Scenario(
        "from a service's request to its push at APNs, 200 a second, alone and beside a campaign at half of the machine's rate",
        measure_notify,
    ),
    "fcm": Scenario("the same texts to FCM and to APNs: what a notification costs the dispatcher", measure_fcm),
    "receipts": Scenario(
        "what phones say, taken by a `waybill serve` with one core: at 5,000 a second, and as fast as it goes",
        measure_receipts,
    ),
    "rtt": Scenario("a distant APNs with a window of 64 KiB: the rate against arithmetic", measure_distance),
    "cold": Scenario("process start to the first push; the program's size and libraries", measure_start),
    "memory": Scenario("resident size over a long run (--full: ten million), and by what is in flight", measure_memory),
    "growth": Scenario("sizes of messages and payloads, connections (c), dispatchers (d)", measure_growth),
    "history": Scenario(
        "into a log that holds much already (--full: twenty million), and waybill logs --token on it", measure_history
    ),
    "recall": Scenario("what looking every message up in the log costs, which none of them is in", measure_recall),
    "profile": Scenario("where the dispatcher's time goes: samples by thread, library and function", measure_profile),
    "account": Scenario("errors planted into a finished run: the count at its end finds each", measure_account),
    "micro": Scenario("single steps: time and allocations", measure_micro),
}


def quotient(one: Row, other: Row) -> Row:
    """The ratios of two rows' medians."""
    row = Row("  the first / the second", is_ratio=True)
    row.add({name: value / other.medians[name] for name, value in one.medians.items() if other.medians.get(name)})
    return row


def compare(rig: Rig, plan: Plan, repeat: int, other: Path, names: tuple[str, str]) -> list[Row]:
    """Runs a plan with the programs here and with others in turn, so that a drift of the machine meets both."""
    rows = [Row(name) for name in names]
    for _ in range(repeat):
        for row, programs in zip(rows, (None, other)):
            row.add(pipeline.run(rig, replace(plan, programs=programs)))
    return [*rows, quotient(*rows)]
