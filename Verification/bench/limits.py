"""The bare libraries beside ours, in the same session: what nobody who uses them can go below."""

import json
import os
import re
import subprocess
from pathlib import Path

from common.usage import cpu_seconds

from bench import pipeline
from bench.pipeline import Plan
from bench.processes import wait_until_idle
from bench.rig import PREFIX, TOPIC, Rig

SOURCES = Path(__file__).resolve().parent
STREAMS = 1000


def compiled(rig: Rig, source: Path, library: str) -> Path:
    """A small C program of the project's own, compiled where the run lives."""
    program = rig.folder / source.stem
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", library], check=True, capture_output=True, text=True)
    command = ["cc", "-O2", "-pthread", "-o", str(program), str(source), *flags.stdout.split()]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"cc {source.name}:\n{done.stderr[-2000:]}")
    return program


def output(command: list) -> dict:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with status {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def client(rig: Rig, count: int, connections: int) -> dict:
    """Our client alone against the constant simulator."""
    simulator, port = rig.start_simulator("--constant")
    before = cpu_seconds(simulator.pid)
    report = json.loads(
        rig.tool(
            "waybill-bench",
            "client",
            "--port",
            port,
            "--ca",
            rig.credentials / "ca.pem",
            "--key-file",
            rig.credentials / "AuthKey_ABC123DEFG.p8",
            "--count",
            count,
            "--connections",
            connections,
        )  # fmt: skip
    )
    simulator_cpu = cpu_seconds(simulator.pid) - before
    simulator.end()
    return {"rate": report["rate"], "cpu_us": {"client": report["cpu_us"], "simulator": simulator_cpu / report["sent"] * 1e6}}


def h2load(rig: Rig, count: int, connections: int) -> dict:
    """nghttp2's own load generator, with one constant request of the same headers and size."""
    simulator, port = rig.start_simulator("--constant")
    before = cpu_seconds(simulator.pid)
    body = rig.folder / "payload.json"
    body.write_text('{"aps":{"alert":"' + "x" * (200 - 20) + '"}}')
    headers = {
        "authorization": "bearer " + "x" * 200,
        "apns-id": "123e4567-e89b-12d3-a456-426614174000",
        "apns-push-type": "alert",
        "apns-topic": TOPIC,
        "apns-priority": "10",
        "apns-expiration": "0",
        "apns-collapse-id": "c" * 64,
    }
    command = ["h2load", "-n", str(count), "-c", str(connections), "-m", str(STREAMS), "-t", "1", "-d", str(body)]
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}"]
    command.append(f"https://localhost:{port}/3/device/{'ab' * 32}")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout, "it was asked for"
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    found = re.search(r"finished in ([\d.]+)(m?s), ([\d.]+) req/s", text)
    if process.returncode != 0 or not found or f" {count} succeeded" not in text:
        raise RuntimeError(f"h2load did not succeed:\n{text[-1500:]}")
    simulator_cpu = cpu_seconds(simulator.pid) - before
    simulator.end()
    cpu = usage.ru_utime + usage.ru_stime
    return {
        "rate": float(found[3]),
        "cpu_us": {"client": cpu / count * 1e6, "simulator": simulator_cpu / count * 1e6},
    }


def store(rig: Rig, count: int) -> dict:
    """libmongoc's unordered bulks of documents like our records, into a collection with our indexes."""
    program = compiled(rig, SOURCES / "store/store_insert.c", "libmongoc-1.0")
    rig.clear(1)
    wait_until_idle([rig.services.store_pid])
    before = cpu_seconds(rig.services.store_pid)
    report = output([program, "--uri", rig.services.store_url, "--database", PREFIX, "--count", count, "--writers", 2])
    mongod = cpu_seconds(rig.services.store_pid) - before
    records = rig.records()
    if records.count() != count:
        raise RuntimeError(f"store_insert left {records.count()} of {count} documents")
    records.close()
    return {
        "rate": count / report["seconds"],
        "cpu_us": {"client": report["client_cpu"] / count * 1e6, "mongod": mongod / count * 1e6},
    }


def broker(rig: Rig, count: int) -> dict:
    """rabbitmq-c taking and acknowledging messages of 100 without looking into them."""
    program = compiled(rig, SOURCES / "limit_broker.c", "librabbitmq")
    rig.clear(1)
    pipeline.fill(rig, Plan(count), rig.next_seed())
    wait_until_idle([rig.services.broker_pid])
    before = cpu_seconds(rig.services.broker_pid)
    host, _, port = rig.services.broker_url.rpartition("@")[2].rstrip("/").partition(":")
    report = output([program, host, port, f"{PREFIX}.dispatch", count // 100])
    beam = cpu_seconds(rig.services.broker_pid) - before
    return {
        "rate": count / report["seconds"],
        "cpu_us": {"client": report["client_cpu"] / count * 1e6, "broker": beam / count * 1e6},
    }
