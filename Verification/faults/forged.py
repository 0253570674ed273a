"""Retries as a dispatcher publishes them (schemas/asyncapi.yaml), made by hand."""

import json
from collections.abc import Iterable
from typing import Any

from faults.oracle.identity import digest_text
from faults.producer import Batch, Producer
from faults.run import Run


class RetryQueue:
    """Publishes retries of a producer's batches to the retry queue, the only queue where their headers count."""

    def __init__(self, run: Run) -> None:
        self._producer: Producer = run.new_producer()
        self._producer.exchange, self._producer.queue = "", f"{run.prefix}.retry"
        run.at_close(self._producer.close)

    def put(self, batch: Batch, positions: Iterable[int], attempt: int = 2, **flags: bool) -> None:
        """Publishes a retry of some positions. flags: copy or bulk, as in the headers."""
        positions = sorted(positions)
        headers: dict[str, Any] = {
            "x-waybill-attempt": attempt,
            "x-waybill-items": ",".join(map(str, positions)),
            "x-waybill-digest": digest_text(batch.name, batch.text),
            "x-waybill-time": batch.seconds * 1000,
            "x-waybill-first-seen": batch.seconds * 1000,
        }
        headers |= {f"x-waybill-{flag}": True for flag, is_set in flags.items() if is_set}
        body = json.dumps(_part(batch, positions)).encode()
        self._producer.publish(body, message_id=batch.name, timestamp=batch.seconds, headers=headers)


def _part(batch: Batch, positions: list[int]) -> dict[str, Any]:
    """The batch with these notifications alone, and its name."""
    body = json.loads(batch.text)
    if isinstance(body, list):
        body = {"notifications": body}
    items = "notifications" if "notifications" in body else "device_tokens"
    return {**body, "batch_id": batch.name, items: [body[items][position] for position in positions]}
