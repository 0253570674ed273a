"""The producer: issues batches of every form, with confirms, and writes down what the broker has taken."""

import json
import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import AMQPError

from faults.oracle.identity import derive_apns_id
from faults.oracle.ledger import Issued, Ledgers
from faults.product import BUNDLE, DEAD_PREFIX

SENT = frozenset({"accepted"})
DEAD = frozenset({"token_invalid"})
Target = tuple[str, frozenset[str]]  # a device token, and the outcomes that are right for it
FORMS = ("envelope", "array", "campaign")


@dataclass(frozen=True)
class Batch:
    """A message as the broker has it."""

    name: str
    text: bytes
    seconds: int  # its own time
    ids: list[str]


class Producer:
    """One producer's connection; one thread at a time may use it."""

    def __init__(self, connect: Callable[[], pika.BlockingConnection], queue: str, ledgers: Ledgers, seed: str) -> None:
        """queue: a dispatch queue; the exchange before it has the same prefix."""
        self._connect, self.queue, self._ledgers = connect, queue, ledgers
        self.exchange = queue.partition(".dispatch")[0] + ".in"
        self._random = random.Random(seed)
        self._name = uuid.UUID(int=self._random.getrandbits(128)).hex[:8]
        self.fcm_lanes: set[str] = set()  # by name; the first is called parcels
        self.last: Batch | None = None  # the batch that was published last
        self._batches = 0
        self._tokens = 0
        self._connection: pika.BlockingConnection | None = None
        self._channel: BlockingChannel | None = None

    def token(self, prefix: str = "aa") -> str:
        """A device token that nobody else has; the prefix chooses the simulator's rule."""
        self._tokens += 1
        return (prefix + self._name + f"{self._tokens:x}".rjust(12, "0")).ljust(64, "0")

    def issue(
        self,
        messages: int = 1,
        size: int = 50,
        *,
        dead: float = 0.04,
        later: float = 0.0,
        prefix: str = "aa",
        form: str | None = None,
        allowed: frozenset = SENT,
        defaults: dict | None = None,
        lane: str | None = None,
        client: str | None = None,
        filler: int = 0,
        given: bool = False,
    ) -> list[str]:
        """Publishes batches and returns their ids.

        dead: share of tokens that APNs calls dead. later: share that APNs puts off twice (503). prefix: of all other
        tokens. allowed: the outcomes that are right for them. form: one of FORMS; all in turn by default. defaults:
        fields for every item.
        lane, client, filler, given: see issue_to.
        """
        ids = []
        for _ in range(messages):
            prefixes = self._random.choices([DEAD_PREFIX, "5030", prefix], [dead, later, 1 - dead - later], k=size)
            tokens = [self.token(prefix) for prefix in prefixes]
            if dead and not any(token.startswith(DEAD_PREFIX) for token in tokens):
                tokens[0] = self.token(DEAD_PREFIX)
            items = [(token, DEAD if token.startswith(DEAD_PREFIX) else allowed) for token in tokens]
            ids += self.issue_to(items, form=form, defaults=defaults, lane=lane, client=client, filler=filler, given=given)
        return ids

    def issue_to(
        self,
        items: list[tuple[str, frozenset]],
        *,
        form: str | None = None,
        defaults: dict | None = None,
        lane: str | None = None,
        client: str | None = None,
        filler: int = 0,
        given: bool = False,
        seconds: int | None = None,
    ) -> list[str]:
        """Publishes one batch to these tokens, each with the outcomes that are right for it, and returns its ids.

        lane: absent means the first; the array form cannot name one. filler: bytes that the body has beyond what is
        needed, in a field that nobody reads; the array form has no room for them. given: each item has an id of ours,
        which the campaign form has no room for. client: whose they are; the array form cannot name one. seconds: the
        message's own time, by default now.
        """
        forms = FORMS if lane is None and client is None and not filler else ("envelope", "campaign")
        form = "envelope" if given else form or forms[self._batches % len(forms)]
        defaults = defaults or {}
        tokens = [token for token, _ in items]
        self._batches += 1
        name = f"{self._name}-{self._batches}"
        words = f"Parcel {name}"
        body: Any
        if form == "array":
            body = [{"device_token": token, "message": words, **defaults} for token in tokens]
        elif form == "campaign":
            is_fcm = (lane or "parcels") in self.fcm_lanes
            payload = {"notification": {"body": words}} if is_fcm else {"aps": {"alert": words}}
            body = {"batch_id": name, "payload": payload, "device_tokens": tokens}
            if defaults:
                body["defaults"] = defaults
        else:
            body = {
                "batch_id": name,
                "defaults": {"sound": "default", **defaults},
                "notifications": [{"device_token": token, "message": words} for token in tokens],
            }
        own = [str(uuid.UUID(int=self._random.getrandbits(128), version=4)) for _ in tokens] if given else []
        for item, apns_id in zip(body["notifications"] if given else [], own, strict=True):
            item["apns_id"] = apns_id
        if lane is not None:
            body["lane"] = lane
        if client is not None:
            body["client"] = client
        if filler:
            body["x-filler"] = "x" * filler
        text = json.dumps(body).encode()
        seconds = int(time.time()) if seconds is None else seconds
        issued = {}
        for index, (token, allowed) in enumerate(items):
            apns_id = own[index] if given else derive_apns_id(name, text, index, seconds * 1000)
            too_late = seconds + defaults["max_age"] if defaults.get("max_age") else 0
            issued[apns_id] = Issued(apns_id, token, allowed, BUNDLE, defaults.get("expiration") or 0, too_late)
        self._ledgers.batches[name] = list(issued)
        # Until the confirm is there, nobody can tell whether the broker has the message.
        self._ledgers.uncertain.update(issued)
        self.publish(text, message_id=name, timestamp=seconds)
        self._ledgers.issued.update(issued)
        self.last = Batch(name, text, seconds, list(issued))
        return list(issued)

    def publish(self, body: bytes, **properties: Any) -> None:
        """Publishes a body as it is, and waits for the confirm. Connects anew after a failure."""
        try:
            if self._channel is None:
                self._connection = self._connect()
                self._channel = self._connection.channel()
                self._channel.confirm_delivery()
            self._channel.basic_publish(
                self.exchange,
                self.queue,
                body,
                pika.BasicProperties(delivery_mode=2, content_type="application/json", **properties),
                mandatory=True,
            )
        except AMQPError:
            self.close()
            raise

    def close(self) -> None:
        """Ends the connection, whatever state it is in."""
        connection, self._connection, self._channel = self._connection, None, None
        try:
            if connection is not None and connection.is_open:
                connection.close()
        except AMQPError:
            pass
