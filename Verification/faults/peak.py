"""Watches a process's memory and descriptors from a thread."""

import threading
import time

from faults.process import Process


class Peak:
    """Samples a process every 100 ms until `stop()`. samples: (seconds, resident bytes, descriptors)."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._end = threading.Event()
        self.samples: list[tuple[float, int, int]] = []
        self._thread = threading.Thread(target=self._work, name="peak", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        began = time.monotonic()
        while True:
            memory = self._process.memory()
            if memory:
                self.samples.append((time.monotonic() - began, memory, self._process.descriptors()))
            if self._end.wait(0.1):
                return

    def stop(self) -> tuple[int, int]:
        """The memory at first and at the most."""
        self._end.set()
        self._thread.join(5)
        sizes = [memory for _, memory, _ in self.samples] or [0]
        return sizes[0], max(sizes)
