"""A cluster of three RabbitMQ nodes of a case's own, on loopback, by node name and port."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pika
from common.places import SERVICES

from faults.process import eventually
from faults.servers.ports import free_ports
from faults.servers.services import Services

SIZE = 3


class Cluster:
    """Nodes in folders of their own, over scripts/services.sh; they share a name server (epmd) and a cookie."""

    def __init__(self, folder: Path) -> None:
        ports = free_ports(2 * SIZE + 2)
        self.ports, distribution, (name_port, no_store) = ports[:SIZE], ports[SIZE : 2 * SIZE], ports[2 * SIZE :]
        self._folders = [folder / f"node-{number}" for number in range(SIZE)]
        # In a session of its own, so that only we end it.
        self._names = subprocess.Popen(
            ["epmd", "-port", str(name_port)],
            env={**os.environ, "ERL_EPMD_ADDRESS": "127.0.0.1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        members = "".join(
            f"cluster_formation.classic_config.nodes.{number + 1} = waybill-{port}@localhost\n"
            for number, port in enumerate(self.ports)
        )
        for number, home in enumerate(self._folders):
            broker = home / "broker"
            (broker / "conf.d").mkdir(parents=True)
            (home / "ports").write_text(
                f"BROKER_PORT={self.ports[number]}\nBROKER_DISTRIBUTION_PORT={distribution[number]}\n"
                f"BROKER_EPMD_PORT={name_port}\nSTORE_PORT={no_store}\n"
            )
            (broker / "epmd.pid").write_text(f"{self._names.pid}\n")
            (broker / "conf.d/cluster.conf").write_text(f"cluster_formation.peer_discovery_backend = classic_config\n{members}")
            cookie = broker / ".erlang.cookie"
            cookie.write_text("WAYBILLFAULTS")
            cookie.chmod(0o400)
        try:
            self._start_all()
        except BaseException:
            self.stop()
            raise

    def _start_all(self) -> None:
        # The first alone, so that the others find a cluster to join and do not each begin one.
        for numbers in ([0], range(1, SIZE)):
            for process in [self._start(number) for number in numbers]:
                _, words = process.communicate(timeout=180)
                if process.returncode != 0:
                    raise RuntimeError(f"a node did not start: {words.strip()}")
        self.await_members(SIZE)

    def _start(self, number: int) -> subprocess.Popen:
        return subprocess.Popen(
            [str(SERVICES), "start-broker", str(self._folders[number])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def control(self, number: int, command: str, *arguments: str) -> str:
        """Runs a command of services.sh on one node: "kill-broker", "broker-control" with arguments, …"""
        done = subprocess.run(
            [str(SERVICES), command, str(self._folders[number]), *arguments], capture_output=True, text=True, timeout=180
        )
        if done.returncode != 0:
            raise RuntimeError(f"services.sh {command}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def forward_again_after(self, milliseconds: int) -> None:
        """How long a dead-lettering queue waits for its target's confirm before it sends a message again.

        Three minutes by default. Holds for queues that are declared afterwards.
        """
        code = f"application:set_env(rabbit, dead_letter_worker_publisher_confirm_timeout, {milliseconds})."
        for number in range(SIZE):
            self.control(number, "broker-control", "eval", code)

    def kill(self, number: int) -> None:
        self.control(number, "kill-broker")

    def start(self, number: int) -> None:
        """Starts a node again and waits until it is a member."""
        self.control(number, "start-broker")
        self.await_members(SIZE, number)

    def await_members(self, count: int, asked: int = 0) -> None:
        """Waits until a node sees so many members running."""
        question = "length(rabbit_mnesia:cluster_nodes(running))."

        def joined() -> bool:
            try:
                return self.control(asked, "broker-control", "eval", question).strip() == str(count)
            except RuntimeError:
                return False

        eventually(f"{count} nodes form a cluster", joined, 120, 0.5)

    def leader(self, queue: str, asked: int = 0) -> int:
        """The node that leads a quorum queue."""
        lines = self.control(asked, "broker-control", "--silent", "list_queues", "name", "leader").splitlines()
        found = dict(line.split("\t") for line in lines if "\t" in line)
        return self.ports.index(int(found[queue].removeprefix("waybill-").partition("@")[0]))

    def stop(self) -> None:
        """Kills every node: nothing of it is needed any more."""
        for number in range(SIZE):
            self.control(number, "kill-broker")
        os.kill(self._names.pid, signal.SIGTERM)
        self._names.wait(10)

    def connect_broker(self) -> pika.BlockingConnection:
        """A connection of the oracle's own to any node that answers."""
        choices = []
        for port in self.ports:
            parameters = pika.URLParameters(f"amqp://guest:guest@127.0.0.1:{port}/")
            parameters.heartbeat = 0
            choices.append(parameters)
        return pika.BlockingConnection(choices)


class WithCluster:
    """The session's store beside a cluster: what Run.use takes."""

    def __init__(self, services: Services, cluster: Cluster) -> None:
        self._services = services
        self.broker_port = cluster.ports[0]
        self.broker_url = f"amqp://guest:guest@127.0.0.1:{self.broker_port}/"
        self.connect_broker = cluster.connect_broker

    def __getattr__(self, name: str) -> Any:
        return getattr(self._services, name)
