"""What the trials of all commands have in common."""

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pika
from bson import Binary

from faults.cases.trust import drain, waybill
from faults.process import eventually
from faults.product import BUNDLE
from faults.rights.installation import Installation
from faults.run import Run

COMPLAINTS = ("refused", "not authorized")


class Trial:
    """What the trials of all commands need: an installation, what was said last, and things that a command finds."""

    def __init__(self, run: Run, installation: Installation) -> None:
        self.run, self.installation = run, installation
        self.database = installation.store.client[installation.prefix]
        self.number = 0
        self.words = ""

    def people(self, *names: str) -> None:
        now = datetime.now(UTC)
        for name in names:
            account = {"_id": f"acc_{name}", "username": name, "username_key": name, "password": "$", "failures": 0}
            email = {"email": f"{name}@example.com", "email_key": f"{name}@example.com"}
            self.database["accounts"].insert_one(account | email | {"password_changed_at": now, "created_at": now})

    def a_service(self, owner: str) -> str:
        name, now = f"{uuid.uuid4()}", datetime.now(UTC)
        dates = {"key_created_at": now, "created_at": now, "updated_at": now}
        self.database["services"].insert_one({"_id": name, "name": "trial", **dates})
        membership = {"role": "owner", "levels": 7, "joined_at": now}
        self.database["memberships"].insert_one({"service": name, "account": owner, **membership})
        return name

    def nobody(self) -> None:
        for name in ("accounts", "services", "memberships"):
            self.database[name].delete_many({})

    @contextmanager
    def endpoint(self) -> Iterator[None]:
        """Where there is one that is told, it is asked whether something is late for it."""
        now = datetime.now(UTC)
        endpoint = {"client": "acme", "url": "http://127.0.0.1:9/", "active": True, "created_at": now, "active_since": now}
        self.database.webhook_endpoints.insert_one({"_id": "we_waits"} | endpoint)
        try:
            yield
        finally:
            self.database.webhook_endpoints.delete_many({"_id": "we_waits"})

    def reject(self) -> None:
        """Puts a message into the rejected queue."""
        self.publish("rejected", b"nonsense")

    def publish(self, queue: str, body: bytes) -> None:
        connection = self.run.services.connect_broker()
        channel = connection.channel()
        channel.basic_publish("", f"{self.installation.prefix}.{queue}", body, pika.BasicProperties(delivery_mode=2))
        connection.close()

    def name(self, what: str) -> str:
        self.number += 1
        return f"trial-{what}-{self.number}"

    def phone(self) -> None:
        """A phone that is linked to somebody."""
        token = self.run.producer.token("aa")
        phone = {"provider": "apns", "app": BUNDLE, "environment": "production", "token": token, "kind": "token"}
        now = datetime.now(UTC)
        self.database.devices.insert_one(phone | {"device": "phone-1", "enabled": True, "registered_at": now})
        self.database.device_links.insert_one(
            {"app": BUNDLE, "device": "phone-1", "user": "ben", "enabled": True, "since": now}
        )

    def forget_phone(self) -> None:
        self.database.devices.delete_many({"device": "phone-1"})
        for name in ("device_links", "audiences", "notifications", "campaigns", "processes"):
            self.database[name].delete_many({})
        for queue in ("audience", "bulk", "dispatch", "retry", "rejected"):
            drain(self.run, f"{self.installation.prefix}.{queue}")

    def works_until(self, command: str, is_done: Callable[[], object]) -> bool:
        """Runs a service until something is done, and its lease is renewed. False as soon as it complains."""
        service = self.installation.service(command)
        before = len(service.words)

        def complains() -> bool:
            self.words = service.words[before:]
            return not service.runs or any(word in self.words.lower() for word in COMPLAINTS)

        try:
            eventually(f"{command} has worked or complains", lambda: complains() or is_done(), 30)
            lease = {"role": command, "ended": {"$exists": False}}
            eventually("its lease is renewed", lambda: complains() or self.database.processes.count_documents(lease), 10)
            return not complains() and service.end() == 0
        except TimeoutError:
            return False
        finally:
            service.kill()

    def record(self, apns_id: uuid.UUID, token: str, now: datetime, topic: str, **more: str | bool) -> None:
        """The record of a refused token."""
        self.database.deliveries.insert_one(
            {
                "_id": Binary(apns_id.bytes, 4),
                "device_token": token,
                "outcome": "token_invalid",
                "status_code": 410,
                "reason": "Unregistered",
                "date": now,
                "day": int(now.timestamp() // 86400),
                "invalid_since": now,
                "lane": "parcels",
                "topic": topic,
                "batch_id": "trial",
                "attempts": 1,
            }
            | more
        )

    def receipt(self, apns_id: uuid.UUID) -> None:
        """What a device has said of a push."""
        key, now = Binary(apns_id.bytes + b"\x01", 0), datetime.now(UTC)
        receipt = {"_id": key, "notification": Binary(apns_id.bytes, 4), "event": "received", "received_at": now}
        self.database.delivery_receipts.insert_one(receipt)

    @contextmanager
    def family(self) -> Iterator[None]:
        """A notification that was to be sent again, which somebody has acknowledged, and at which nobody has looked since."""
        name, now = uuid.uuid4(), datetime.now(UTC)
        family = {"_id": Binary(name.bytes, 4), "lane": "parcels", "begins": now, "interval": 60, "limit": 3, "number": 0}
        self.database.unacknowledged.insert_one(family | {"due": now})
        acknowledged = {"notification": Binary(name.bytes, 4), "event": "acknowledged", "received_at": now}
        self.database.delivery_receipts.insert_one({"_id": Binary(name.bytes + b"\x04", 0)} | acknowledged)
        try:
            yield
        finally:
            for collection in ("unacknowledged", "delivery_receipts"):
                self.database[collection].delete_many({})

    @contextmanager
    def posted(self) -> Iterator[None]:
        """A notification in the store at which nobody has looked."""
        self.database.notifications.insert_one({"_id": "trial-new", "app": BUNDLE, "body": "hello"})
        try:
            yield
        finally:
            self.database.notifications.delete_many({"_id": "trial-new"})

    def misses_schedule(self, command: str) -> bool:
        """Whether a command says that what waits in the store needs a schedule."""
        with self.posted():
            self.succeeds(command)
        return "are under way or new: 1" in " ".join(self.words.split())

    @contextmanager
    def fuse(self, state: str) -> Iterator[None]:
        """A fuse that has blown, and about which somebody has decided or not."""
        now = datetime.now(UTC)
        cause = {"at": now, "since": now, "answers": 100, "invalid": 100, "limit": 200, "words": "trial"}
        fuse = {"_id": "7/parcels/com.example.app", "lane": "parcels", "app": "com.example.app", "state": state, "cause": cause}
        self.database.fuses.insert_one(fuse | ({} if state == "blown" else {"decided": {"by": "trial", "at": now}}))
        try:
            yield
        finally:
            self.database.fuses.delete_many({})

    def batch(self, *prefixes: str) -> bytes:
        self.number += 1
        tokens = [self.run.producer.token(prefix) for prefix in prefixes]
        return json.dumps({"device_tokens": tokens, "message": "hello", "batch_id": f"trial-{self.number}"}).encode()

    def succeeds(self, command: str, *arguments: str, input: bytes = b"") -> bool:
        done = waybill(self.run, self.installation.configs[command], command, *arguments, input=input)
        self.words = (done.stdout + done.stderr).decode(errors="replace")
        return done.returncode == 0

    def serves(self, command: str, queue: str, message: bytes, is_done: Callable[[], object]) -> bool:
        """Runs a service over a message, the same again, and nonsense. False as soon as it complains."""
        connection = self.run.services.connect_broker()
        channel = connection.channel()
        for name in ("dispatch", "retry", "invalid-tokens", "rejected"):
            channel.queue_purge(f"{self.installation.prefix}.{name}")
        service = self.installation.service(command)
        before = len(service.words)

        def complains() -> bool:
            self.words = service.words[before:]
            return not service.runs or any(word in self.words.lower() for word in COMPLAINTS)

        def publish(body: bytes) -> None:
            channel.basic_publish("", f"{self.installation.prefix}.{queue}", body, pika.BasicProperties(delivery_mode=2))

        def is_rejected() -> bool:
            return channel.queue_declare(f"{self.installation.prefix}.rejected", passive=True).method.message_count == 1

        try:
            publish(message)
            eventually(f"{command} has worked or complains", lambda: complains() or is_done(), 30)
            publish(message)
            publish(b"nonsense")
            eventually(f"{command} has rejected or complains", lambda: complains() or is_rejected(), 30)
            return (
                not complains()
                and service.end() == 0
                and not any(word in service.words[before:].lower() for word in COMPLAINTS)
            )
        except TimeoutError:
            return False
        finally:
            service.kill()
            connection.close()
