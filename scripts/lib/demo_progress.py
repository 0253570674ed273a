"""Shows a bar while the demonstration drains: demo_progress.py SECONDS TOTAL LABEL COMMAND…

COMMAND prints JSON objects, one in a line; their members "count" add up to what is done. Ends with 0 when TOTAL is reached,
with 1 when COMMAND fails or SECONDS go by without any progress.
"""

import json
import signal
import subprocess
import sys
import time

WIDTH = 30


def draw(label: str, done: int, total: int) -> str:
    filled = WIDTH * min(done, total) // total
    return f"   [{'#' * filled}{'.' * (WIDTH - filled)}] {done:>9,} of {total:,} {label}"


def main() -> int:
    patience, total, label, command = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    terminal = sys.stdout.isatty()
    done, last_progress = -1, time.monotonic()
    while True:
        asked = time.monotonic()
        answer = subprocess.run(command, capture_output=True, text=True)
        if answer.returncode != 0:
            print(f"\n{answer.stderr}", file=sys.stderr)
            return 1
        now, seen = time.monotonic(), sum(json.loads(line)["count"] for line in answer.stdout.splitlines())
        if seen > done:
            quarters = max(done, 0) * 4 // total
            done, last_progress = seen, now
            if terminal:
                print("\r" + draw(label, done, total), end="", flush=True)
            elif done * 4 // total > quarters:
                print(draw(label, done, total), flush=True)
        if done >= total or now - last_progress > patience:
            if terminal:
                print()
            return 0 if done >= total else 1
        time.sleep(max(0.2, 4 * (now - asked)))  # the looking must not slow down what is looked at


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the wait without a traceback
    sys.exit(main())
