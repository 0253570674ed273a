"""Waits for a server that was just started: the part that its kind does not matter for."""

import os
import signal
import sys
import time
from collections.abc import Callable


def wait_for(answers: Callable[[int], bool]) -> int:
    """Asks the server again and again; the arguments of the command are PORT PID [SECONDS].

    0 when it answers, 1 when the process PID is gone or the time is over.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the wait without a traceback
    port, pid = int(sys.argv[1]), sys.argv[2]
    deadline = time.monotonic() + float(sys.argv[3] if len(sys.argv) > 3 else 60)
    while time.monotonic() < deadline:
        if answers(port):
            return 0
        if not os.path.exists(f"/proc/{pid}"):
            return 1
        time.sleep(0.1)
    return 1
