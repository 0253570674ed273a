"""How slowly this machine works just now, measured by what every process here feels: the wait for a core.

A limit in seconds says how long something takes on a machine that does nothing else. Beside other load it is multiplied by
the pace of that time, so that a verdict says something about the product and not about its neighbours.
"""

import multiprocessing
import os
import time

UNIT = 0.01  # seconds of work, on a core
PAUSE = 0.4  # seconds between two of them: a fortieth of a core is spent on this
WINDOW = 10  # units; one alone may have met a moment without others, or with all of them
KEPT = 16_384  # units, the last of them: about two hours


class Pace:
    """A process that does a little work twice a second and compares what it took with what it needed.

    A process and not a thread: a thread waits for the interpreter, too. Make it before the workers are forked; they can
    read it. It ends with the process that made it.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("fork")
        self._count = context.Value("L", 0, lock=False)
        self._ended = context.Array("d", KEPT, lock=False)  # time.monotonic(), which is the same for all processes
        self._slowness = context.Array("d", KEPT, lock=False)  # wall time for each second of work
        context.Process(target=self._work, args=(os.getpid(),), name="pace", daemon=True).start()

    def since(self, began: float) -> float:
        """The slowest stretch since a moment (time.monotonic()): 1 is a machine of our own, 3 is a third of its speed."""
        count = self._count.value
        kept = (number % KEPT for number in range(max(0, count - KEPT + 1), count))
        samples = [self._slowness[at] for at in kept if self._ended[at] >= began]
        windows = [samples[at : at + WINDOW] for at in range(max(1, len(samples) - WINDOW + 1))]
        return max([1.0] + [sum(window) / len(window) for window in windows if window])

    def _work(self, parent: int) -> None:
        while os.getppid() == parent:
            began, used = time.monotonic(), time.process_time()
            while time.process_time() - used < UNIT:
                sum(range(500))
            ended, needed = time.monotonic(), time.process_time() - used
            at = self._count.value % KEPT
            self._ended[at], self._slowness[at] = ended, (ended - began) / needed
            self._count.value += 1
            time.sleep(PAUSE)
