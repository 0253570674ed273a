"""Users with the rights of the table and no others, for commands on a broker and a store."""

import json
from pathlib import Path

from common.receipts import settings

from faults.cases.trust import waybill, write_config
from faults.frontdoor import accounts
from faults.process import Process
from faults.product import BUNDLE
from faults.run import Run
from faults.servers.guarded import GuardedStore


class Installation:
    """A user for each command, with the rights of the table and no others."""

    def __init__(self, run: Run, store: GuardedStore) -> None:
        self.run, self.store = run, store
        self.prefix = f"{run.prefix}r"
        self.configs: dict[str, Path] = {}
        self._permitted: dict[str, tuple[str, ...]] = {}

    def add(self, table: dict[str, dict]) -> None:
        """A user for each row of the table, in one visit to the broker: its tool takes seconds for each."""
        users = {f"{self.prefix}-{command}": self._patterns(allowed["broker"]) for command, allowed in table.items()}
        names = ("configure", "write", "read")
        definitions = {
            "users": [{"name": user, "password": "right", "tags": []} for user in users],
            "permissions": [
                {"user": user, "vhost": "/", **dict(zip(names, patterns, strict=True))} for user, patterns in users.items()
            ],
        }
        file = self.run.folder / "rights-users.json"
        file.write_text(json.dumps(definitions))
        self.run.services.control("broker-control", "import_definitions", str(file))
        for command, allowed in table.items():
            self._permitted[f"{self.prefix}-{command}"] = allowed["broker"]
            self._add(command, allowed)

    def _add(self, command: str, allowed: dict) -> None:
        user, password = f"{self.prefix}-{command}", "right"
        self.store.add_user(user, password, self.prefix, allowed["store"])
        self.configs[command] = write_config(
            self.run,
            f"rights-{command}",
            **(self._outgoing if command in ("hooks", "webhooks") else {}),
            broker={"url": f"amqp://{user}:{password}@127.0.0.1:{self.run.services.broker_port}/", "queue_prefix": self.prefix},
            store={"url": self.store.url(user, password, self.prefix), "database": self.prefix},
            retention={"clients": {"acme": "1d"}},  # check looks for others in the log
            receipts=settings(self.run.folder),
            prune={"fuse": {"count": 20, "percent": 20}},  # off elsewhere, and what it needs would be needed by nobody
            **({"serve": {"listen": "127.0.0.1:8080"} | accounts(self.run.folder)} if command in ("serve", "schedule") else {}),
            # With serve, a client reaches the apps of its list alone.
            **({"clients": {"notifications": {"apps": [BUNDLE]}}} if command == "schedule" else {}),
        )

    @property
    def _outgoing(self) -> dict[str, dict]:
        """Mail to a folder, and webhooks to this machine."""
        return {
            "mail": {"from": "no-reply@example.com", "folder": str(self.run.folder)},
            "webhooks": {"allow_http": True, "allow_networks": ["127.0.0.1/32"]},
        }

    def change(self, command: str, allowed: dict) -> None:
        """Gives a command's user other rights; they hold for what connects from now on."""
        user = f"{self.prefix}-{command}"
        self._permit(user, allowed["broker"])
        self.store.change_role(user, self.prefix, allowed["store"])

    def _permit(self, user: str, patterns: tuple[str, ...]) -> None:
        if self._permitted.get(user) == patterns:
            return  # the broker's tool takes seconds
        self.run.services.control("broker-control", "set_permissions", "-p", "/", user, *self._patterns(patterns))
        self._permitted[user] = patterns

    def _patterns(self, patterns: tuple[str, ...]) -> list[str]:
        return [pattern.replace("waybill", self.prefix) for pattern in patterns]

    def remove(self) -> None:
        self.run.services.delete_users(f"{self.prefix}-{command}" for command in self.configs)
        self.delete_queues()

    def delete_queues(self) -> None:
        connection = self.run.services.connect_broker()
        channel = connection.channel()
        for queue in ("dispatch", "bulk", "audience", "retry", "rejected", "invalid-tokens", "delay.1s", "delay.3s"):
            channel.queue_delete(f"{self.prefix}.{queue}")
        channel.exchange_delete(f"{self.prefix}.in")
        channel.exchange_delete(f"{self.prefix}.replay")
        connection.close()

    def command(self, command: str, *arguments: str, input: bytes = b"") -> str:
        done = waybill(self.run, self.configs[command], command, *arguments, input=input)
        assert done.returncode == 0, f"{command}: {done.returncode}: {(done.stdout + done.stderr).decode()}"
        return done.stdout.decode()

    def service(self, command: str, *options: str) -> Process:
        arguments = [self.run.programs.waybill, command, "--config", str(self.configs[command]), *options]
        return Process(f"waybill {command}", arguments, self.run.folder / f"rights-{command}.log")


def a_key(installation: Installation) -> str:
    """Makes a key that may ask everything, with the rights of `keys`."""
    return installation.command("keys", "create", "--name", "trial", "--role", "steward", "--all-clients").strip()
