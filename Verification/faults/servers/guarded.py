"""A mongod of a case's own that asks for passwords, as one in production does."""

import base64
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymongo
from common.places import mongod
from pymongo.errors import PyMongoError

from faults.process import Process, eventually
from faults.servers.ports import free_ports

ADMIN = "admin"
PASSWORD = "of-the-administrator"


class GuardedStore:
    """A replica set of one with access control. `client` is the administrator's."""

    def __init__(self, folder: Path) -> None:
        (folder / "data").mkdir(parents=True)
        key = folder / "key"
        key.write_bytes(base64.b64encode(os.urandom(96)))
        key.chmod(0o600)
        (self.port,) = free_ports(1)
        self._process = Process(
            "mongod",
            [mongod(), "--dbpath", str(folder / "data")]
            + ["--replSet", "rs0", "--bind_ip", "127.0.0.1", "--port", str(self.port), "--nounixsocket", "--auth"]
            + ["--keyFile", str(key), "--oplogSize", "990", "--wiredTigerCacheSizeGB", "0.25"],
            folder / "mongod.log",
        )
        self._begin()
        self.client = self._connect(username=ADMIN, password=PASSWORD)

    def url(self, user: str, password: str, database: str) -> str:
        return f"mongodb://{user}:{password}@127.0.0.1:{self.port}/{database}?replicaSet=rs0&serverSelectionTimeoutMS=3000"

    def add_user(self, name: str, password: str, database: str, privileges: dict[str, list[str]]) -> None:
        """A user of one database with exactly these actions on these collections."""
        self.client[database].command("createRole", name, privileges=_privileges(database, privileges), roles=[])
        self.client[database].command("createUser", name, pwd=password, roles=[name])

    def change_role(self, name: str, database: str, privileges: dict[str, list[str]]) -> None:
        """Gives a user of `add_user` other actions."""
        self.client[database].command("updateRole", name, privileges=_privileges(database, privileges))

    def stop(self) -> None:
        self.client.close()
        self._process.end(20)

    def _begin(self) -> None:
        """The first user may be made from this host without a password."""
        with self._connect() as client:
            eventually("mongod answers", lambda: self._succeeds(lambda: client.admin.command("ping")), 30)
            members = [{"_id": 0, "host": f"127.0.0.1:{self.port}"}]
            client.admin.command("replSetInitiate", {"_id": "rs0", "members": members})
            eventually("a primary", lambda: client.admin.command("hello")["isWritablePrimary"], 30)
            client.admin.command("createUser", ADMIN, pwd=PASSWORD, roles=["root"])

    def _connect(self, **credentials: Any) -> pymongo.MongoClient:
        return pymongo.MongoClient(
            f"mongodb://127.0.0.1:{self.port}/?directConnection=true", serverSelectionTimeoutMS=5000, **credentials
        )

    @staticmethod
    def _succeeds(action: Callable[[], object]) -> bool:
        try:
            action()
        except (PyMongoError, subprocess.SubprocessError):
            return False
        return True


def _privileges(database: str, actions: dict[str, list[str]]) -> list[dict]:
    return [
        {"resource": {"db": database, "collection": collection}, "actions": allowed}
        for collection, allowed in actions.items()
        if allowed
    ]
