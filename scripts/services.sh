#!/usr/bin/env bash
# A private RabbitMQ and a private MongoDB for tests and the demonstration.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/broker.sh
source "$ROOT/scripts/lib/broker.sh"
# shellcheck source=scripts/lib/store.sh
source "$ROOT/scripts/lib/store.sh"

usage() {
    cat <<'TEXT'
Usage: scripts/services.sh COMMAND DIR

Everything lives in DIR and listens on loopback, on ports of its own. Ends only what it started.

  start      start both (what runs already is left alone), wait until each answers, write DIR/env
  stop       end both in an orderly way; the data stays in DIR
  status     one line for each; exit 0 when both run, 3 when not
  env        print shell assignments: eval "$(scripts/services.sh env DIR)"
  broker-control DIR ARGUMENTS…     rabbitmqctl on the private node
  broker-plugins DIR ARGUMENTS…     rabbitmq-plugins on the private node

  start-broker  stop-broker  kill-broker  restart-broker       RabbitMQ alone, on the same port and data
  start-store   stop-store   kill-store   restart-store        MongoDB alone
TEXT
}

# Chooses the ports once in the life of DIR, so that a service comes back where its clients look for it.
load_ports() {
    if [[ ! -f $DIR/ports ]]; then
        mkdir -p "$DIR"
        local ports
        mapfile -t ports < <(free_ports 4)
        printf 'BROKER_PORT=%s\nBROKER_DISTRIBUTION_PORT=%s\nBROKER_EPMD_PORT=%s\nSTORE_PORT=%s\n' "${ports[@]}" \
            >"$DIR/ports"
    fi
    # shellcheck source=/dev/null
    source "$DIR/ports"
}

write_env() {
    local broker="amqp://guest:guest@127.0.0.1:$BROKER_PORT/"
    local store="mongodb://127.0.0.1:$STORE_PORT/?replicaSet=rs0"
    local services="$ROOT/scripts/services.sh"
    cat >"$DIR/env.new" <<ENV
export MONGOC_DISABLE_SHM=1
export WAYBILL_TEST_BROKER=${broker@Q}
export WAYBILL_TEST_STORE=${store@Q}
export WAYBILL_TEST_SERVICES=${services@Q}
export WAYBILL_TEST_SERVICES_DIR=${DIR@Q}
WAYBILL_TEST_BROKER_PORT=$BROKER_PORT
WAYBILL_TEST_BROKER_PID=$(broker_pid)
WAYBILL_TEST_STORE_PORT=$STORE_PORT
WAYBILL_TEST_STORE_PID=$(store_pid)
ENV
    mv "$DIR/env.new" "$DIR/env"
}

start_services() {
    # Without it, RabbitMQ would be left running alone.
    find_mongod >/dev/null || fail "there is no mongod: run scripts/install.sh"
    configure_broker
    launch_broker
    launch_store
    await_store
    await_broker
    write_env
}

stop_services() {
    stop_broker &
    stop_store
    wait
    stop_epmd
    rm -f "$DIR/env"
}

show_status() {
    local code=0
    if broker_runs; then say "RabbitMQ  port $BROKER_PORT  pid $(broker_pid)"; else say "RabbitMQ  stopped" && code=3; fi
    if store_runs; then say "MongoDB   port $STORE_PORT  pid $(store_pid)"; else say "MongoDB   stopped" && code=3; fi
    return $code
}

control_broker() {
    describe_broker_environment
    env "${BROKER_ENVIRONMENT[@]}" "$RABBITMQ_BIN/$1" "${@:2}"
}

if [[ $# -lt 2 ]]; then
    usage >&2
    exit 64
fi
command=$1
DIR=$(realpath -m "$2")
shift 2
if [[ $command != start && $command != start-* && ! -f $DIR/ports ]]; then
    case $command in
        stop) exit 0 ;; # nothing was ever started there
        *) fail "no services in $DIR: run 'scripts/services.sh start $DIR' first" ;;
    esac
fi
load_ports

case $command in
    start) start_services ;;
    stop) stop_services ;;
    status) show_status ;;
    env) cat "$DIR/env" 2>/dev/null || fail "the services in $DIR are not running" ;;
    broker-control) control_broker rabbitmqctl "$@" ;;
    broker-plugins) control_broker rabbitmq-plugins "$@" ;;
    start-broker) configure_broker && launch_broker && await_broker && write_env ;;
    stop-broker) stop_broker ;;
    kill-broker) kill_broker ;;
    restart-broker) stop_broker && launch_broker && await_broker && write_env ;;
    start-store) launch_store && await_store && write_env ;;
    stop-store) stop_store ;;
    kill-store) kill_store ;;
    restart-store) stop_store && launch_store && await_store && write_env ;;
    *)
        usage >&2
        exit 64
        ;;
esac
