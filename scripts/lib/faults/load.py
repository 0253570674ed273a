"""A steady load from a producer on a thread."""

import threading
import time

import pika

from faults.producer import Producer


class Load:
    """A producer at work on a thread."""

    def __init__(self, producer: Producer, rate: float, size: int, how: dict, stubborn: bool = False):
        """stubborn: goes on when the broker cannot be reached; what it did not confirm is uncertain."""
        self._producer, self._rate, self._size, self._how = producer, rate, size, how
        self._is_stubborn = stubborn
        self._end = threading.Event()
        self.failure: Exception | None = None
        self._thread = threading.Thread(target=self._work, name="load", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        due = time.monotonic()
        while not self._end.wait(max(0.0, due - time.monotonic())):
            try:
                self._producer.issue(1, self._size, **self._how)
            except pika.exceptions.AMQPError as error:
                if not self._is_stubborn:
                    self.failure = error
                    return
                self._end.wait(0.2)
            except Exception as error:  # noqa: BLE001 — told by stop(), on the thread that can do something about it
                self.failure = error
                return
            due = max(due + self._size / self._rate, time.monotonic() - 1)

    def stop(self) -> None:
        """Ends the load; raises what ended it early."""
        self._end.set()
        self._thread.join(30)
        self._producer.close()
        if self.failure:
            raise self.failure
