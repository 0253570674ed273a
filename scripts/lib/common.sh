# Shared by every script: where things are, how to talk, how to watch a process. Sourced, never run.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PRIVATE="$ROOT/.waybill" # everything the scripts make; ignored by git, safe to delete while nothing runs
TOOLS="$PRIVATE/tools"
PYTHON_HOME="$PRIVATE/python"
export PYTHONDONTWRITEBYTECODE=1

say() { printf '%s\n' "$*"; }
note() { printf '%s\n' "$*" >&2; }
fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Prints the Python to use: the private one that install.sh made, else the system's.
python() {
    if [[ -x $PYTHON_HOME/bin/python3 ]]; then
        "$PYTHON_HOME/bin/python3" "$@"
    else
        python3 "$@"
    fi
}

# verify MODULE ARGUMENTS…: runs one of the programs under Verification.
verify() { PYTHONPATH="$ROOT/Verification" python -m "$@"; }

# Prints the path of mongod: the one on the PATH, else the one that install.sh unpacked. Fails without one.
find_mongod() {
    command -v mongod || { [[ -x $TOOLS/mongod ]] && printf '%s\n' "$TOOLS/mongod"; }
}

# is_ours PID WORD: the process runs and its command line holds WORD. A recorded pid may have been given to a stranger.
is_ours() {
    local arguments
    [[ -n $1 && -r /proc/$1/cmdline ]] || return 1
    arguments=$(tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline") || return 1
    [[ $arguments == *"$2"* ]]
}

# Forgets the caller's own settings: they would go over the file's, and lead a demonstration or a test to a real server.
forget_settings() {
    local name
    for name in "${!WAYBILL_@}"; do unset "$name"; done
}

# end_process PID WORD SECONDS: asks with SIGTERM, insists with SIGKILL after SECONDS, returns when the process is gone.
end_process() {
    local tick
    is_ours "$1" "$2" || return 0
    kill -TERM "$1" 2>/dev/null || return 0
    for ((tick = 0; tick < $3 * 20; tick++)); do
        is_ours "$1" "$2" || return 0
        sleep 0.05
    done
    kill_process "$1" "$2"
}

# kill_process PID WORD: SIGKILL, returns when the process is gone.
kill_process() {
    is_ours "$1" "$2" || return 0
    kill -KILL "$1" 2>/dev/null || return 0
    while is_ours "$1" "$2"; do sleep 0.02; done
}

# free_ports COUNT: prints loopback TCP ports, one per line. They lie below the range that the kernel gives to outgoing
# connections, so that a service can be stopped and come back on its port.
free_ports() {
    python3 - "$1" <<'PYTHON'
import random, socket, sys

held = []
while len(held) < int(sys.argv[1]):
    candidate = socket.socket()
    try:
        candidate.bind(("127.0.0.1", random.randrange(20000, 32000)))
    except OSError:
        candidate.close()
        continue
    held.append(candidate)
for candidate in held:
    print(candidate.getsockname()[1])
PYTHON
}
