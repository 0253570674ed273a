"""The HTTP API, held against its contract by somebody who tries everything."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

from common.places import ROOT

from faults.cases import case
from faults.cases.trust import waybill
from faults.process import Process, eventually
from faults.run import Run
from faults.servers.ports import free_ports

CONTRACT = ROOT / "schemas/openapi.yaml"
# Values that are well-formed and still mean nothing: a cursor of no search, a time after the other one.
NOT_ASKED = "positive_data_acceptance"


def listens(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


@case("api", long=True)
def api_contract(run: Run) -> None:
    """schemathesis finds no answer of waybill serve that schemas/openapi.yaml does not allow"""
    run.open()
    run.start()
    ids = run.issue(4, 25)
    run.await_final()
    config = run.path.config
    made = waybill(run, config, "keys", "create", "--name", "contract", "--role", "steward", "--all-clients")
    assert made.returncode == 0, made.stderr.decode()
    (port,) = free_ports(1)
    arguments = [run.programs.waybill, "serve", "--config", str(config), "--set", f"serve.listen=127.0.0.1:{port}"]
    server = Process("waybill serve", arguments, run.folder / "serve.log")
    run.at_close(server.kill)
    eventually("it listens", lambda: listens(port), 30)
    settings = run.folder / "schemathesis.toml"
    settings.touch(mode=0o600)
    headers = json.dumps(f"Bearer {made.stdout.decode().strip()}")
    examples = 8 if run.quick else 150
    settings.write_text(
        f'headers = {{ Authorization = {headers} }}\nrate-limit = "9/s"\ncontinue-on-failure = true\n'
        f"[generation]\nmax-examples = {examples}\ndatabase = 'none'\n"
    )
    tool = Path(sys.executable).parent / "schemathesis"
    done = subprocess.run(
        [
            *(tool, "--config-file", settings, "run", CONTRACT, "--url", f"http://127.0.0.1:{port}", "--no-color"),
            *("--exclude-checks", NOT_ASKED, "--phases", "examples,fuzzing" if run.quick else "examples,coverage,fuzzing"),
            *("--seed", str(run.random.randrange(1 << 32)), "--warnings", "off"),
        ],
        capture_output=True,
        cwd=run.folder,
        timeout=120 if run.quick else 1800,
    )
    words = done.stdout.decode(errors="replace")
    assert done.returncode == 0, f"schemathesis: {words[-3000:]} {done.stderr.decode()[-500:]}"
    assert server.end() == 0
    assert '"api.failed"' not in server.words, server.words[-1000:]
    run.notes.append(f"{len(ids)} messages; {words.strip().splitlines()[-1].strip('= ')}")
