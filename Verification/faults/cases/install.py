"""The steps of docs/operations/service.md, pasted as they stand, against servers that demand the rights of the table."""

import os
import re
import secrets
import subprocess
from collections.abc import Iterable
from pathlib import Path

from common.places import ROOT, SERVICES

from faults.cases import case
from faults.cases.trust import forget_pushes, write_config
from faults.process import Process, eventually
from faults.rights.table import rights
from faults.run import Run
from faults.servers.guarded import GuardedStore
from faults.servers.ports import free_ports

PAGE = ROOT / "docs/operations/service.md"
UNITS = ROOT / "deploy/systemd"
FILTERED = ROOT / "scripts/lib/filtered.py"
EXAMPLE_BROKER = "amqps://waybill-{}@rabbit-1,rabbit-2,rabbit-3/"
EXAMPLE_STORE = "mongodb://waybill-{}@store.example.com/waybill?replicaSet=rs0"
ROLES = ("dispatch", "prune", "serve", "fanout", "schedule", "hooks")
# What each says in its log when it works.
WORDS = {
    "dispatch": "dispatch.started",
    "prune": "prune.consuming",
    "serve": "api.listening",
    "fanout": "fanout.consuming",
    "schedule": "schedule.started",
    "hooks": "hooks.webhooksStarted",
}
# What only root may do, on a machine of one's own. The files must be there all the same.
STAND_INS = """
set -eu
chown() { shift; ls "$@"; }
"""


class Host:
    """A machine on which somebody installs: its /etc/waybill, its programs, its users at broker and store."""

    def __init__(self, run: Run, store: GuardedStore) -> None:
        self.run, self.store = run, store
        self.prefix = f"{run.prefix}i"
        self.folder = run.folder / "etc"
        self.passwords = self.folder / "passwords"
        self.key = run.programs.credentials / "AuthKey_ABC123DEFG.p8"

    def prepare(self) -> None:
        """What the pages have one do before: configuration, certificates, users."""
        self.make_broker_users()
        self.make_store_users()
        broker, store = self.urls("dispatch")
        config = write_config(
            self.run,
            "installed",
            broker={
                "url": broker,
                "queue_prefix": self.prefix,
                "password_file": f"{self.passwords}/{self.prefix}-dispatch-broker-password",
            },
            store={
                "url": store,
                "database": self.prefix,
                "password_file": f"{self.passwords}/{self.prefix}-dispatch-store-password",
            },
            lanes={"key_file": f"{self.folder}/AuthKey_ABC123DEFG.p8"},
            serve={"listen": f"127.0.0.1:{free_ports(1)[0]}"},
            webhooks={},
        )
        config.rename(self.folder / "waybill.yaml")
        (self.folder / "ca.pem").write_text("no TLS here")
        (self.folder / "AuthKey_ABC123DEFG.p8").write_bytes(self.key.read_bytes())

    def make_broker_users(self) -> None:
        """By the script that the page on rights names."""
        control = self.run.folder / "rabbitmqctl"
        control.write_text(f'#!/bin/sh\nexec {SERVICES} broker-control {self.run.services.folder} "$@"\n')
        control.chmod(0o755)
        subprocess.run(
            [ROOT / "deploy/users/rabbitmq.sh", self.passwords, "/", self.prefix],
            env=os.environ | {"RABBITMQCTL": str(control)},
            stdout=subprocess.DEVNULL,
            check=True,
            timeout=180,
        )

    def make_store_users(self) -> None:
        """As the script would that needs mongosh; check-rights holds its rights against the same table."""
        for command, allowed in rights("run").items():
            if allowed["store"]:
                password = secrets.token_urlsafe(24)
                self.store.add_user(f"{self.prefix}-{command}", password, self.prefix, allowed["store"])
                (self.passwords / f"{self.prefix}-{command}-store-password").write_text(f"{password}\n")

    def urls(self, command: str) -> tuple[str, str]:
        """Where a command finds broker and store, without passwords."""
        return (
            f"amqp://{self.prefix}-{command}@127.0.0.1:{self.run.services.broker_port}/",
            f"mongodb://{self.prefix}-{command}@127.0.0.1:{self.store.port}/{self.prefix}?replicaSet=rs0",
        )

    def here(self, text: str) -> str:
        """A text of the page with this machine's places in it."""
        for command in ("$1", "run", *ROLES):
            for example, own in zip((EXAMPLE_BROKER, EXAMPLE_STORE), self.urls(command), strict=True):
                text = text.replace(example.format(command), own)
        return text.replace("/etc/waybill", str(self.folder)).replace("waybill-", f"{self.prefix}-")

    def paste(self, block: str, status: int = 0) -> None:
        """Runs a block of the page to its end."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("WAYBILL_")}
        programs = Path(self.run.programs.waybill).parent
        done = subprocess.run(
            ["bash", "-c", STAND_INS + self.here(block)],
            env=own | {"WAYBILL_CONFIG": str(self.folder / "waybill.yaml"), "PATH": f"{programs}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == status, f"exit {done.returncode}: {block}\n{done.stdout}{done.stderr}"

    def unit(self, role: str, variables_file: str = "") -> Process:
        """Starts what a unit starts, under its filter of system calls, with its variables and those of the file that it names,
        as the page has it."""
        file = UNITS / ("waybill.service" if role == "run" else f"waybill-{role}.service")
        text = file.read_text()
        assert not variables_file or f"EnvironmentFile=-/etc/waybill/{role}.env" in text, "the unit reads another file"
        (command,) = re.findall(r"^ExecStart=waybill (.*)$", self.here(text), re.MULTILINE)
        lines = re.findall(r"^Environment=(.*)$", text, re.MULTILINE)
        lines += re.findall(r"^\w+=.*$", self.here(variables_file), re.MULTILINE)
        variables = dict(line.split("=", 1) for line in lines)
        filtered = ["/usr/bin/python3", str(FILTERED), str(file)]
        arguments = [*filtered, self.run.programs.waybill, *command.split()]
        return Process(command, arguments, self.run.folder / f"{command.split()[0]}-unit.log", variables)

    def remove(self) -> None:
        users = (f"{self.prefix}-{command}" for command in rights("run"))
        self.run.services.delete_users(user for user in users if (self.passwords / f"{user}-broker-password").exists())
        connection = self.run.services.connect_broker()
        channel = connection.channel()
        for queue in ("dispatch", "bulk", "retry", "rejected", "invalid-tokens", "audience", "delay.1s", "delay.3s"):
            channel.queue_delete(f"{self.prefix}.{queue}")
        channel.exchange_delete(f"{self.prefix}.in")
        channel.exchange_delete(f"{self.prefix}.replay")
        connection.close()


def variables_of(role: str, prune_variables: str) -> str:
    """The variables of another role's users, which stand in a file of the same form as those of prune; hooks has no broker."""
    lines = prune_variables.replace("prune", role).splitlines()
    return "\n".join(line for line in lines if role != "hooks" or "BROKER" not in line)


def await_words(service: Process, words: Iterable[str]) -> None:
    def works() -> bool:
        return not service.runs or all(word in service.words for word in words)

    eventually(f"{service.name} works", works, 30)
    assert service.runs, service.words[-800:]


@case("install", quick=False)
def the_steps_of_the_page(run: Run) -> None:
    """the steps of docs/operations/service.md, pasted as they stand, lead to a running service of each unit"""
    run.open()
    page = PAGE.read_text()
    shell = re.findall(r"^```\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (ownership,) = (block for block in shell if "chmod 600" in block)
    (commands,) = (block for block in shell if "as init" in block)
    (prune_variables,) = re.findall(r"^```ini\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    store = GuardedStore(run.folder / "guarded")
    host = Host(run, store)
    services: list[Process] = []
    try:
        host.prepare()
        host.paste(ownership)
        host.paste("waybill init", status=77)  # the dispatcher's users may declare nothing
        host.paste(commands)
        host.paste(f"{commands.partition('as init')[0]}\nas logs --since 1h\nas devices\nas rejected")
        for role in ROLES:
            services.append(host.unit(role, "" if role == "dispatch" else variables_of(role, prune_variables)))
            await_words(services[-1], [WORDS[role]])
        for service in services:
            assert service.end() == 0, service.words[-500:]
        together = host.unit("run", variables_of("run", prune_variables))
        services.append(together)
        await_words(together, WORDS.values())
        assert together.end() == 0, together.words[-500:]
    finally:
        for service in services:
            service.kill()
        host.remove()
        store.stop()
    forget_pushes(run)
    run.start()
