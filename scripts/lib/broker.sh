# A private RabbitMQ node on loopback. Sourced by services.sh, which sets DIR and the ports. Sourced, never run.
# shellcheck shell=bash
#
# The node has its own HOME (the Erlang cookie), name, ports, data, logs and name server (epmd), so it neither sees nor
# disturbs a system's RabbitMQ. The wrapper on the PATH is not used: it changes to the user `rabbitmq`.

RABBITMQ_BIN=/usr/lib/rabbitmq/bin

broker_home() { printf '%s/broker' "$DIR"; }

# Fills BROKER_ENVIRONMENT: the assignments that make a RabbitMQ program belong to the private node.
describe_broker_environment() {
    local home
    home=$(broker_home)
    BROKER_ENVIRONMENT=(
        -u RABBITMQ_NODE_PORT -u RABBITMQ_USE_LONGNAME -u ERL_LIBS -u ERL_FLAGS
        "HOME=$home"
        "ERL_EPMD_ADDRESS=127.0.0.1"
        "ERL_EPMD_PORT=$BROKER_EPMD_PORT"
        "RABBITMQ_CONF_ENV_FILE=$home/environment"
        "RABBITMQ_NODENAME=waybill-$BROKER_PORT@localhost"
        "RABBITMQ_DIST_PORT=$BROKER_DISTRIBUTION_PORT"
        "RABBITMQ_CONFIG_FILE=$home/rabbitmq.conf"
        "RABBITMQ_CONFIG_FILES=$home/conf.d/*.conf"
        "RABBITMQ_ADVANCED_CONFIG_FILE=$home/advanced.config"
        "RABBITMQ_ENABLED_PLUGINS_FILE=$home/enabled_plugins"
        "RABBITMQ_MNESIA_BASE=$home/data"
        "RABBITMQ_LOG_BASE=$home/log"
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}"
    )
}

configure_broker() {
    local home
    home=$(broker_home)
    mkdir -p "$home/data" "$home/log"
    : >"$home/environment" # stands in for /etc/rabbitmq/rabbitmq-env.conf
    [[ -f $home/enabled_plugins ]] || printf '[].\n' >"$home/enabled_plugins"
    cat >"$home/rabbitmq.conf" <<CONF
listeners.tcp.1 = 127.0.0.1:$BROKER_PORT
disk_free_limit.absolute = 50MB
raft.wal_max_size_bytes = 67108864
log.file.level = warning
CONF
}

broker_pid() { cat "$(broker_home)/pid" 2>/dev/null || true; }
epmd_pid() { cat "$(broker_home)/epmd.pid" 2>/dev/null || true; }
broker_runs() { is_ours "$(broker_pid)" "$(broker_home)"; }
epmd_runs() { is_ours "$(epmd_pid)" "epmd -port $BROKER_EPMD_PORT"; }

# Starts epmd and the node; does not wait for it.
launch_broker() {
    local home
    home=$(broker_home)
    [[ -x $RABBITMQ_BIN/rabbitmq-server ]] || fail "RabbitMQ is not installed: run scripts/install.sh"
    if ! epmd_runs; then
        ERL_EPMD_ADDRESS=127.0.0.1 setsid epmd -port "$BROKER_EPMD_PORT" </dev/null >"$home/epmd.out" 2>&1 &
        printf '%s\n' $! >"$home/epmd.pid"
    fi
    broker_runs && return
    describe_broker_environment
    # With RABBITMQ_ALLOW_INPUT the launcher becomes the Erlang VM by exec, so this pid is the node's.
    setsid env -C "$home" "${BROKER_ENVIRONMENT[@]}" RABBITMQ_ALLOW_INPUT=1 \
        "$RABBITMQ_BIN/rabbitmq-server" -noinput </dev/null >"$home/start.out" 2>&1 &
    printf '%s\n' $! >"$home/pid"
}

await_broker() {
    if ! python3 "$ROOT/scripts/lib/await_broker.py" "$BROKER_PORT" "$(broker_pid)"; then
        tail -n 20 "$(broker_home)/start.out" >&2
        fail "RabbitMQ did not answer on port $BROKER_PORT; its words are above and in $(broker_home)/log"
    fi
}

# SIGTERM is the orderly way: the node stops its applications and closes its data.
stop_broker() { end_process "$(broker_pid)" "$(broker_home)" 30; }
kill_broker() { kill_process "$(broker_pid)" "$(broker_home)"; }
stop_epmd() { end_process "$(epmd_pid)" "epmd -port $BROKER_EPMD_PORT" 5; }
