"""A private RabbitMQ and MongoDB for the cases, over scripts/services.sh."""

import shlex
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pika
import pymongo
from common.places import SERVICES


class Services:
    """One broker and one store in a folder of their own. Cases that break them must leave them running again."""

    def __init__(self, folder: Path) -> None:
        """Starts nothing; see start."""
        self.folder = folder

    def start(self) -> None:
        """Starts what does not run, and waits until it answers."""
        self._run("start")
        self._read_ports()

    def ensure_running(self) -> None:
        """Starts them again when a case before has left them stopped."""
        if not self.is_running():
            self.start()

    def control(self, command: str, *arguments: str) -> str:
        """Runs a command of services.sh: "kill-broker", "restart-store", "broker-control" with arguments, …"""
        return self._run(command, *arguments)

    def delete_users(self, names: Iterable[str]) -> None:
        """Deletes users of the broker in one visit: its tool takes seconds for each."""
        users = ", ".join(f'<<"{name}">>' for name in names)
        self._run(
            "broker-control", "eval", f'[rabbit_auth_backend_internal:delete_user(User, <<"faults">>) || User <- [{users}]].'
        )

    def _run(self, command: str, *arguments: str) -> str:
        done = subprocess.run(
            [str(SERVICES), command, str(self.folder), *arguments], capture_output=True, text=True, timeout=180
        )
        if done.returncode != 0:
            raise RuntimeError(f"services.sh {command}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def stop(self) -> None:
        """Ends them; what was never started is no error."""
        self._run("stop")

    def _read_ports(self) -> None:
        settings = {}
        for line in (self.folder / "env").read_text().splitlines():
            name, _, value = line.removeprefix("export ").partition("=")
            settings[name] = shlex.split(value)[0] if value else ""
        self.broker_url = settings["WAYBILL_TEST_BROKER"]
        self.broker_port = int(settings["WAYBILL_TEST_BROKER_PORT"])
        self.store_port = int(settings["WAYBILL_TEST_STORE_PORT"])

    def connect_broker(self) -> pika.BlockingConnection:
        """A connection of the oracle's own, past every proxy."""
        parameters = pika.URLParameters(self.broker_url)
        parameters.heartbeat = 0  # the oracle may be busy elsewhere for long
        return pika.BlockingConnection(parameters)

    def connect_store(self) -> pymongo.MongoClient:
        """The oracle's own client, past every proxy."""
        return pymongo.MongoClient(
            f"mongodb://127.0.0.1:{self.store_port}/?directConnection=true&readConcernLevel=majority",
            serverSelectionTimeoutMS=30_000,
            uuidRepresentation="standard",
        )

    def is_running(self) -> bool:
        done = subprocess.run([str(SERVICES), "status", str(self.folder)], capture_output=True, timeout=60)
        return done.returncode == 0


class SharedServices(Services):
    """The same for several cases at a time: none of them may stop the servers or set them up for all."""

    # What concerns a case's own users, or only looks.
    HARMLESS = (
        "add_user", "delete_user", "change_password", "set_permissions", "set_topic_permissions", "clear_permissions",
        "clear_topic_permissions", "set_user_tags", "authenticate_user", "import_definitions", "list_", "export_",
    )  # fmt: skip

    def control(self, command: str, *arguments: str) -> str:
        verb = next((word for word in arguments if not word.startswith("-")), "")
        if command != "broker-control" or not verb.startswith(self.HARMLESS):
            raise RuntimeError(f"services.sh {command} {' '.join(arguments)}: only a case with alone=True may do that")
        return super().control(command, *arguments)

    def ensure_running(self) -> None:
        """Nobody may stop them, so nobody starts them again: others would find them gone in the middle of a case."""


def start_all(*several: Services) -> None:
    """Starts them at the same time."""
    with ThreadPoolExecutor(len(several)) as pool:
        list(pool.map(Services.start, several))
