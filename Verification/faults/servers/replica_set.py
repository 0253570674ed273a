"""A replica set of a case's own: as many members as it wants, each of which can be killed and come back."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pymongo
from common.places import mongod

from faults.process import eventually
from faults.servers.ports import free_ports
from faults.servers.services import Services

NAME = "rs0"


class ReplicaSet:
    """Members on loopback, in folders of their own. `options` go to every mongod.

    election: milliseconds without a primary after which the others choose one.
    """

    def __init__(self, folder: Path, members: int = 1, options: tuple = (), election: int = 10_000) -> None:
        self._folder, self._options = folder, options
        self._program = mongod()
        self.ports = free_ports(members)
        self._running: list[subprocess.Popen | None] = [None] * members
        try:
            for number in range(members):
                self.launch(number)
            self._initiate(election)
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        """For a program that finds the members by itself."""
        return f"mongodb://{','.join(f'127.0.0.1:{port}' for port in self.ports)}/?replicaSet={NAME}"

    @property
    def port(self) -> int:
        """The first member's."""
        return self.ports[0]

    def connect(self) -> pymongo.MongoClient:
        return pymongo.MongoClient(
            f"{self.url}&readConcernLevel=majority", serverSelectionTimeoutMS=30_000, uuidRepresentation="standard"
        )

    def launch(self, number: int = 0) -> None:
        """Starts a member; does not wait for it."""
        home = self._folder / f"store-{number}"
        (home / "data").mkdir(parents=True, exist_ok=True)
        arguments = [self._program, "--dbpath", str(home / "data"), "--replSet", NAME, "--bind_ip", "127.0.0.1"]
        arguments += ["--port", str(self.ports[number]), "--nounixsocket", "--oplogSize", "64"]
        arguments += ["--wiredTigerCacheSizeGB", "0.25", "--setParameter", "diagnosticDataCollectionEnabled=false"]
        with open(self._folder / f"store-{number}.log", "ab") as words:
            self._running[number] = subprocess.Popen(
                [*arguments, *self._options],
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                start_new_session=True,
            )

    def start(self, number: int = 0) -> None:
        """Starts a member and waits until the set has a primary."""
        self.launch(number)
        self.await_primary()

    def words(self, number: int = 0) -> str:
        """What a member has written into its log."""
        return (self._folder / f"store-{number}.log").read_text(errors="replace")

    def runs(self, number: int = 0) -> bool:
        return self._running[number].poll() is None

    def kill(self, number: int = 0) -> None:
        if self.runs(number):
            os.kill(self._running[number].pid, signal.SIGKILL)
        self._running[number].wait(30)

    def await_primary(self, within: float = 60) -> int:
        """Which member is the primary, once there is one that takes writes."""
        return eventually("the replica set has a primary", self._primary, within, 0.2) - 1

    def step_down(self, seconds: int = 5) -> None:
        """Has the primary step down; it will not stand for election for so long."""
        with self._direct(self.await_primary()) as client:
            try:
                client.admin.command("replSetStepDown", seconds, secondaryCatchUpPeriodSecs=min(seconds, 3))
            except pymongo.errors.AutoReconnect:
                pass  # the primary may close its connections
            except pymongo.errors.OperationFailure as error:
                if error.code not in (50, 189, 10107):  # nobody has caught up, or it is no primary any more
                    raise

    def stop(self) -> None:
        started = [process for process in self._running if process is not None]
        for process in started:
            process.kill()
        for process in started:
            process.wait(30)

    def _direct(self, number: int) -> pymongo.MongoClient:
        return pymongo.MongoClient(
            f"mongodb://127.0.0.1:{self.ports[number]}/?directConnection=true", serverSelectionTimeoutMS=20_000
        )

    def _initiate(self, election: int) -> None:
        members = [{"_id": number, "host": f"127.0.0.1:{port}"} for number, port in enumerate(self.ports)]
        settings = {"electionTimeoutMillis": election}
        for number in range(len(members)):  # every one must answer before they can be made a set
            with self._direct(number) as client:
                client.admin.command("ping")
        with self._direct(0) as client:
            client.admin.command("replSetInitiate", {"_id": NAME, "members": members, "settings": settings})
        self.await_primary()

    def _primary(self) -> int:
        """One more than the primary's number; 0 without one."""
        for number in range(len(self.ports)):
            try:
                with pymongo.timeout(2), self._direct(number) as client:
                    if client.admin.command("hello").get("isWritablePrimary"):
                        return number + 1
            except pymongo.errors.PyMongoError:
                pass
        return 0


class WithStore:
    """The session's broker beside another store: what Run.use takes."""

    def __init__(self, services: Services, store: ReplicaSet) -> None:
        self._services = services
        self.store_port = store.port
        self.connect_store = store.connect

    def __getattr__(self, name: str) -> Any:
        return getattr(self._services, name)
