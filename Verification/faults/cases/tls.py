"""Broker and store that speak TLS only, and ask who comes: a whole flow with client certificates on both."""

import json
import signal
import ssl
import subprocess
from pathlib import Path

import pika
import pymongo
from common.certificates import Authority
from common.places import SERVICES, mongod

from faults.cases import case
from faults.cases.trust import forget_pushes, waybill, write_config
from faults.process import Process, eventually
from faults.run import Run
from faults.servers.ports import free_ports


class ProtectedServers:
    """A RabbitMQ and a mongod of a case's own that refuse whoever shows no certificate of the authority."""

    def __init__(self, run: Run, authority: Authority) -> None:
        self.run, self.authority = run, authority
        certificate, key = authority.issue("server")
        self.client = authority.issue("client")
        plain, distribution, names, no_store, self.broker_port, self.store_port = free_ports(6)
        self._home = run.servers_folder / "tls-broker"
        (self._home / "broker/conf.d").mkdir(parents=True)
        (self._home / "ports").write_text(
            f"BROKER_PORT={plain}\nBROKER_DISTRIBUTION_PORT={distribution}\nBROKER_EPMD_PORT={names}\nSTORE_PORT={no_store}\n"
        )
        (self._home / "broker/conf.d/tls.conf").write_text(
            f"listeners.ssl.1 = 127.0.0.1:{self.broker_port}\n"
            f"ssl_options.cacertfile = {authority.certificate}\nssl_options.certfile = {certificate}\n"
            f"ssl_options.keyfile = {key}\nssl_options.verify = verify_peer\n"
            "ssl_options.fail_if_no_peer_cert = true\nssl_options.versions.1 = tlsv1.2\n"
        )
        _services("start-broker", self._home)
        data = run.servers_folder / "tls-store"
        data.mkdir()
        both = authority.folder / "server-both.pem"
        both.write_bytes(certificate.read_bytes() + key.read_bytes())
        self._mongod = Process(
            "mongod",
            [mongod(), "--dbpath", str(data), "--replSet", "rs0"]
            + ["--bind_ip", "127.0.0.1", "--port", str(self.store_port), "--nounixsocket", "--oplogSize", "990"]
            + ["--wiredTigerCacheSizeGB", "0.25", "--tlsMode", "requireTLS", "--tlsCertificateKeyFile", str(both)]
            + ["--tlsCAFile", str(authority.certificate)],
            run.folder / "tls-mongod.log",
        )
        self.store = self._connect_store()

    def _connect_store(self) -> pymongo.MongoClient:
        mine = self.authority.folder / "client-both.pem"
        mine.write_bytes(self.client[0].read_bytes() + self.client[1].read_bytes())
        client: pymongo.MongoClient = pymongo.MongoClient(
            f"mongodb://localhost:{self.store_port}/?directConnection=true",
            tls=True,
            tlsCAFile=str(self.authority.certificate),
            tlsCertificateKeyFile=str(mine),
            serverSelectionTimeoutMS=30000,
        )
        members = [{"_id": 0, "host": f"localhost:{self.store_port}"}]
        client.admin.command("replSetInitiate", {"_id": "rs0", "members": members})
        eventually("a primary", lambda: client.admin.command("hello")["isWritablePrimary"], 30)
        return client

    def connect_broker(self) -> pika.BlockingConnection:
        context = ssl.create_default_context(cafile=str(self.authority.certificate))
        context.load_cert_chain(*map(str, self.client))
        parameters = pika.ConnectionParameters(
            "localhost", self.broker_port, ssl_options=pika.SSLOptions(context, "localhost"), heartbeat=0
        )
        return pika.BlockingConnection(parameters)

    def stop(self) -> None:
        self.store.close()
        self._mongod.end(20)
        _services("kill-broker", self._home)
        _services("stop", self._home)  # its name server

    def settings(self, certificate: Path | None = None, key: Path | None = None) -> dict:
        """The sections `broker` and `store` for whoever shows this certificate, or none."""
        shown = {"certificate_file": str(certificate), "private_key_file": str(key)} if certificate else {}
        trusted = {"ca_file": str(self.authority.certificate), **shown}
        return {
            "broker": {"url": f"amqps://guest:guest@localhost:{self.broker_port}/", **trusted},
            "store": {"url": f"mongodb://localhost:{self.store_port}/?replicaSet=rs0&serverSelectionTimeoutMS=3000", **trusted},
        }


def _services(command: str, home: Path) -> None:
    done = subprocess.run([str(SERVICES), command, str(home)], capture_output=True, text=True, timeout=180)
    if done.returncode != 0:
        raise RuntimeError(f"services.sh {command}: {done.stderr.strip() or done.stdout.strip()}")


@case("trust", long=True, later=True)
def client_certificates(run: Run) -> None:
    """a broker and a store that want certificates: a batch passes through both; without, or with a foreign one, nothing does"""
    run.open()
    authority = Authority(run.folder / "tls-authority")
    servers = ProtectedServers(run, authority)
    run.at_close(servers.stop)
    foreign = Authority(run.folder / "tls-foreign").issue("client")
    for name, shown in (("nobody", ()), ("stranger", foreign)):
        refused = waybill(run, write_config(run, f"tls-{name}", **servers.settings(*shown)), "check")
        words = refused.stdout.decode()
        assert refused.returncode != 0, f"{name}: {words}"
        assert any(line.startswith("error broker:") for line in words.splitlines()), f"{name}: {words}"
        assert any(line.startswith("error store:") for line in words.splitlines()), f"{name}: {words}"
    config = write_config(run, "tls", **servers.settings(*servers.client))
    for command in ("init", "check"):
        done = waybill(run, config, command)
        assert done.returncode == 0, f"{command}: {(done.stdout + done.stderr).decode()}"
    tokens = [run.producer.token("aa") for _ in range(100)]
    batch = {"device_tokens": tokens, "message": "hello", "batch_id": "tls"}
    done = waybill(run, config, "send", "-", "--format", "json", input=json.dumps(batch).encode())
    assert done.returncode == 0, done.stderr.decode()
    dispatcher = Process(
        "waybill dispatch", [run.programs.waybill, "dispatch", "--config", str(config)], run.folder / "tls-dispatch.log"
    )
    try:
        deliveries = servers.store[run.prefix].deliveries
        eventually("all are accepted", lambda: deliveries.count_documents({"outcome": "accepted"}) == len(tokens), 30)
        connection = servers.connect_broker()
        channel = connection.channel()
        queue = f"{run.prefix}.dispatch"
        eventually("the queue is empty", lambda: channel.queue_declare(queue, passive=True).method.message_count == 0, 10)
        connection.close()
        assert dispatcher.end() == 0, dispatcher.words[-500:]
    finally:
        dispatcher.signal(signal.SIGKILL)
    # A private key that others can read is refused before anything is connected.
    servers.client[1].chmod(0o644)
    refused = waybill(run, config, "check")
    assert refused.returncode == 77, refused.stdout.decode()
    forget_pushes(run)
