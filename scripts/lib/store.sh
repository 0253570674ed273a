# A private mongod on loopback, a replica set of one. Sourced by services.sh, which sets DIR and STORE_PORT.
# shellcheck shell=bash

# How much a benchmark gives mongod to work in: with a cache that is too small for the log's indexes, it measures how
# often their pages are written again.
STORE_CACHE_GB=${STORE_CACHE_GB:-1}
# Whether mongod removes what has expired. For tests it does not: their clocks are their own, and records that are years old by the
# machine's would go away within a minute, while they are read.
STORE_EXPIRES=${STORE_EXPIRES:-false}

store_home() { printf '%s/store' "$DIR"; }
store_pid() { cat "$(store_home)/pid" 2>/dev/null || true; }
store_runs() { is_ours "$(store_pid)" "$(store_home)"; }

# Starts mongod; does not wait for it.
launch_store() {
    local home program
    home=$(store_home)
    program=$(find_mongod) || fail "there is no mongod: run scripts/install.sh"
    store_runs && return
    fetch_python # for await_store.py
    mkdir -p "$home/data"
    setsid "$program" --dbpath "$home/data" --replSet rs0 --bind_ip 127.0.0.1 --port "$STORE_PORT" --nounixsocket \
        --oplogSize 990 --wiredTigerCacheSizeGB "$STORE_CACHE_GB" --setParameter diagnosticDataCollectionEnabled=false \
        --setParameter minSnapshotHistoryWindowInSeconds=0 --setParameter ttlMonitorEnabled="$STORE_EXPIRES" \
        --logpath "$home/mongod.log" --logappend </dev/null >"$home/start.out" 2>&1 &
    printf '%s\n' $! >"$home/pid"
}

await_store() {
    if ! python "$ROOT/scripts/lib/await_store.py" "$STORE_PORT" "$(store_pid)"; then
        tail -n 20 "$(store_home)/start.out" "$(store_home)/mongod.log" >&2
        fail "mongod did not become writable on port $STORE_PORT; its words are above"
    fi
}

stop_store() { end_process "$(store_pid)" "$(store_home)" 30; }
kill_store() { kill_process "$(store_pid)" "$(store_home)"; }
