# Shared by every script: where things are, how to talk, how to watch a process. Sourced, never run.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PRIVATE="$ROOT/.waybill" # everything the scripts make; ignored by git, safe to delete while nothing runs
TOOLS="$PRIVATE/tools"
PYTHON_HOME="$PRIVATE/python"
export PYTHONDONTWRITEBYTECODE=1
# libmongoc would leave its counters in /dev/shm, a file for each process that is killed.
export MONGOC_DISABLE_SHM=1

say() { printf '%s\n' "$*"; }
note() { printf '%s\n' "$*" >&2; }
fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# takes_no_arguments "$@": for scripts without options, so that --help does not do an hour's work.
takes_no_arguments() {
    [[ $# -eq 0 ]] || fail "takes no arguments; what it does stands in its first lines"
}

# Runs the private Python, which has what Verification/requirements.txt lists; fetch_python has made it.
python() { "$PYTHON_HOME/bin/python3" "$@"; }

# verify MODULE ARGUMENTS…: runs one of the programs under Verification.
verify() { PYTHONPATH="$ROOT/Verification" python -m "$@"; }

# start_services NAME: starts private services, which end with the script, and puts their addresses into the environment. Their
# folder is $services.
start_services() {
    mkdir -p "$PRIVATE"
    services=$(mktemp -d "$PRIVATE/$1-XXXXXX")
    trap '"$ROOT/scripts/services.sh" stop "$services" >/dev/null 2>&1 || true; rm -rf "$services"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    "$ROOT/scripts/services.sh" start "$services" >&2
    # shellcheck source=/dev/null
    source "$services/env"
}

# fetch_python [LIST]: gives the private Python what Verification/LIST.txt lists (requirements). Needs the network only when
# the list has changed. Several scripts may ask at the same time.
fetch_python() {
    local name=${1:-requirements}
    local wanted="$ROOT/Verification/$name.txt" held="$PYTHON_HOME/$name.txt" log="$PRIVATE/python-install.log"
    ! cmp -s "$wanted" "$held" || return 0
    mkdir -p "$PRIVATE"
    (
        flock 8
        ! cmp -s "$wanted" "$held" || exit 0
        note "Fetching the Python packages of Verification/$name.txt from PyPI into ${PYTHON_HOME#"$ROOT"/}"
        python3 -c 'import ensurepip, venv' 2>/dev/null || fail "there is no python3-venv: run scripts/install.sh first"
        {
            [[ -x $PYTHON_HOME/bin/python3 ]] || python3 -m venv "$PYTHON_HOME"
            python -m pip install --quiet --disable-pip-version-check --requirement "$wanted"
        } >"$log" 2>&1 </dev/null || {
            tail -n 20 "$log" >&2
            fail "the packages cannot be installed (all of it is in $log)"
        }
        cp "$wanted" "$held"
    ) 8>"$PRIVATE/python.lock"
}

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

# await_exit PID: returns when a process that is ending holds nothing any more. Its command line goes first, and its sockets
# only after its memory: a large one still has its port for a while.
await_exit() {
    local tick
    for ((tick = 0; tick < 200; tick++)); do
        grep -qs '^State:[[:space:]]*[^ZX[:space:]]' /proc/"$1"/task/*/status || return 0
        sleep 0.05
    done
}

# end_process PID WORD SECONDS: asks with SIGTERM, insists with SIGKILL after SECONDS, returns when the process is gone.
end_process() {
    local tick
    is_ours "$1" "$2" || return 0
    kill -TERM "$1" 2>/dev/null || return 0
    for ((tick = 0; tick < $3 * 20; tick++)); do
        if ! is_ours "$1" "$2"; then
            await_exit "$1"
            return
        fi
        sleep 0.05
    done
    kill_process "$1" "$2"
}

# kill_process PID WORD: SIGKILL, returns when the process is gone.
kill_process() {
    is_ours "$1" "$2" || return 0
    kill -KILL "$1" 2>/dev/null || return 0
    while is_ours "$1" "$2"; do sleep 0.02; done
    await_exit "$1"
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
