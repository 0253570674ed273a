"""A steady load from a producer on a thread."""

import threading
import time
from collections.abc import Callable

from pika.exceptions import AMQPError

from faults.producer import Producer


class Load:
    """Calls `publish` about as often as makes `rate` notifications a second, on a thread, until `stop()`.

    publish: publishes one message of `size` notifications with the producer. is_stubborn: goes on when the broker cannot
    be reached; what it did not confirm is uncertain, and the ledgers call it so.
    """

    def __init__(
        self, producer: Producer, rate: float, size: int, publish: Callable[[], object], is_stubborn: bool = False
    ) -> None:
        self._producer, self._pause, self._publish = producer, size / rate, publish
        self._is_stubborn = is_stubborn
        self._end = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._work, name="load", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        due = time.monotonic()
        while not self._end.wait(max(0.0, due - time.monotonic())):
            try:
                self._publish()
            except Exception as error:
                if not (self._is_stubborn and isinstance(error, AMQPError)):
                    self._failure = error
                    return
                self._end.wait(0.2)
            due = max(due + self._pause, time.monotonic() - 1)

    def stop(self) -> None:
        """Ends the load; raises what ended it early."""
        self._end.set()
        self._thread.join(60)
        self._producer.close()
        if self._failure:
            raise self._failure
