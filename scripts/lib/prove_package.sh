#!/usr/bin/env bash
# prove_package.sh DEB: installs the package in a Debian of its own, configures it, runs services as their units say, sends, asks,
# upgrades, runs all roles in one process, and purges. Broker, store and APNs are private ones on loopback. scripts/package.sh --prove starts it; root only.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/lib/debian.sh
source "$ROOT/scripts/lib/debian.sh"

[[ $EUID -eq 0 ]] || fail "only root can install into a folder"
# What is mounted goes with this process.
[[ -n ${WAYBILL_PRIVATE_MOUNTS:-} ]] || exec env WAYBILL_PRIVATE_MOUNTS=yes unshare --mount "$0" "$@"

deb=$(realpath "$1")
cd "$ROOT"
forget_settings
work=$(mktemp -d "$PRIVATE/proof-XXXXXX")
root="$work/root"
pids=()
tidy() {
    local pid
    for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
    scripts/services.sh stop "$work/services" >/dev/null 2>&1 || true
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap tidy EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

step() { say "proof: $*"; }
# inside COMMAND…: in the Debian, as root, with nothing of this environment.
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
# as COMMAND ARGUMENTS…: a command of waybill as docs/operations/service.md has it, with the users of its own.
as() {
    inside env WAYBILL_BROKER_URL="amqp://waybill-$1@127.0.0.1:$WAYBILL_TEST_BROKER_PORT/" \
        WAYBILL_BROKER_PASSWORD_FILE="/etc/waybill/passwords/waybill-$1-broker-password" waybill "$@"
}
# within SECONDS WHAT COMMAND…: waits until a command succeeds.
within() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        if ((SECONDS > end)); then
            tail -n 5 "$work"/*.log >&2 || true
            fail "$what: not within the time"
        fi
        sleep 0.3
    done
}
# installs ARGUMENTS…: apt-get inside, quiet unless it fails.
installs() { inside apt-get -qy "$@" >"$work/apt.out" 2>&1 || { tail -n 20 "$work/apt.out" >&2 && fail "apt-get $* failed"; }; }

swift build --product apns-simulator --quiet
make_debian_base
mkdir -p "$root"
tar -C "$root" -xf "$DEBIAN_BASE"
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/"
printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
cp "$deb" "$root/tmp/waybill.deb"
scripts/services.sh start "$work/services"
# shellcheck source=/dev/null
source "$work/services/env"

step "installing"
installs update
installs install --no-install-recommends /tmp/waybill.deb
inside getent passwd waybill >/dev/null || fail "there is no user waybill"
[[ -z $(find "$root/etc/systemd/system" -name 'waybill*') ]] || fail "a service is enabled before it is configured"
inside waybill version
if inside waybill check --offline >"$work/check.log" 2>&1; then fail "check finds a configuration where there is none"; fi

step "configuring"
simulator=$(swift build --show-bin-path)/apns-simulator
mapfile -t ports < <(free_ports 5)
"$simulator" make-credentials "$work/credentials" >/dev/null 2>&1
"$simulator" --port "${ports[0]}" --certificate "$work/credentials/server.pem" \
    --private-key "$work/credentials/server-key.pem" --key-id ABC123DEFG --team-id ABCDE12345 \
    --public-key "$work/credentials/AuthKey_ABC123DEFG.pub.pem" >"$work/simulator.log" 2>&1 &
pids+=($!)
disown # its end is no news
control="$work/rabbitmqctl"
printf '#!/bin/sh\nexec %q broker-control %q "$@"\n' "$ROOT/scripts/services.sh" "$work/services" >"$control"
chmod 755 "$control"
RABBITMQCTL=$control "$root/usr/share/doc/waybill/deploy/users/rabbitmq.sh" "$root/etc/waybill/passwords" >/dev/null
cp "$work/credentials/ca.pem" "$work/credentials/AuthKey_ABC123DEFG.p8" "$root/etc/waybill/"
fetch_python
python scripts/lib/configured.py "$root/usr/share/doc/waybill/examples/waybill.yaml" "$WAYBILL_TEST_BROKER_PORT" \
    "$WAYBILL_TEST_STORE_PORT" "${ports[@]:0:4}" >"$root/etc/waybill/waybill.yaml"
# variables ROLE: what the page has a unit read, for the users of its own.
variables() {
    printf 'WAYBILL_BROKER_URL=amqp://waybill-%s@127.0.0.1:%s/\nWAYBILL_BROKER_PASSWORD_FILE=%s\n' "$1" "$WAYBILL_TEST_BROKER_PORT" \
        "/etc/waybill/passwords/waybill-$1-broker-password"
}
variables prune >"$root/etc/waybill/prune.env"
for role in serve run; do
    { variables "$role" && printf 'WAYBILL_SERVE_LISTEN=127.0.0.1:%s\n' "${ports[4]}"; } >"$root/etc/waybill/$role.env"
done
# The page's own commands for who may read what; there are no passwords of the store here, and the user is there already.
touch "$root"/etc/waybill/passwords/waybill-{dispatch,prune}-store-password
python3 scripts/lib/fenced.py docs/operations/service.md '' 'chmod 600 AuthKey' >"$root/tmp/ownership"
inside sh -e /tmp/ownership
inside chown waybill: /etc/waybill/passwords/waybill-{serve,run}-broker-password
as init >"$work/init.log" 2>&1 || fail "init failed: $(cat "$work/init.log")"
inside waybill check --as dispatch >"$work/check.log" 2>&1 || fail "check complains: $(cat "$work/check.log")"

step "running"
# start ROLE: what the unit starts, as its user, with its variables.
start() {
    local unit="$root/lib/systemd/system/waybill-$1.service" command variables=() file
    if [[ $1 == run ]]; then unit="$root/lib/systemd/system/waybill.service"; fi
    mapfile -t variables < <(sed -n 's/^Environment=//p' "$unit")
    file="$root$(sed -n 's/^EnvironmentFile=-//p' "$unit")"
    if [[ -f $file ]]; then mapfile -t -O "${#variables[@]}" variables <"$file"; fi
    read -ra command < <(sed -n 's/^ExecStart=//p' "$unit")
    chroot --userspec="$(sed -n 's/^User=//p' "$unit")" "$root" env -i PATH=/usr/bin:/bin "${variables[@]}" "${command[@]}" \
        >"$work/$1.log" 2>&1 &
    pids+=($!)
}
await_ready() {
    within 60 "the dispatcher is ready" curl -fsS "http://127.0.0.1:${ports[1]}/ready"
    within 60 "the prune worker is ready" curl -fsS "http://127.0.0.1:${ports[2]}/ready"
    within 60 "the HTTP API is ready" curl -fsS "http://127.0.0.1:${ports[3]}/ready"
}
[[ $(inside notifire-cli --help) == *"OVERVIEW: Tell a service's people something"* ]] || fail "notifire-cli is no link to the program"
start dispatch
start prune
start serve
services=("${pids[@]:1}")
await_ready
metrics=$(curl -fsS "http://127.0.0.1:${ports[1]}/metrics")
[[ $metrics == *$'\nwaybill_ready 1\n'* ]] || fail "the metrics do not say that it is ready"
for number in $(seq 100); do printf '{"device_token":"%064x","message":"Hello"}\n' "$number"; done >"$root/tmp/pushes.ndjson"
as send /tmp/pushes.ndjson --batch-id proof >"$work/send.log" 2>&1 || fail "send failed: $(cat "$work/send.log")"
# accepted BATCH: whether all of it is.
accepted() { [[ $(as logs --batch "$1" --json --limit 1000 --outcome accepted | wc -l) == 100 ]]; }
within 60 "all 100 are accepted" accepted proof
healthy() { as status --json >"$work/status.log"; }
within 60 "status says that all is well" healthy
key=$(as keys create --name proof --role reader --all-clients 2>"$work/keys.log")
answer=$(curl -fsS -H @- "http://127.0.0.1:${ports[4]}/v1/deliveries?batch=proof&limit=5" <<<"Authorization: Bearer $key")
[[ $answer == *'"outcome":"accepted"'* ]] || fail "the HTTP API answers $answer"

step "upgrading"
installs install --reinstall /tmp/waybill.deb
for pid in "${services[@]}"; do kill -0 "$pid" || fail "an upgrade has ended what ran"; done
kill -TERM "${services[@]}"
for pid in "${services[@]}"; do wait "$pid" || fail "a service has ended with $?"; done

step "running all roles in one process"
start run
together=${pids[-1]}
await_ready
as send /tmp/pushes.ndjson --batch-id together >"$work/send.log" 2>&1 || fail "send failed: $(cat "$work/send.log")"
within 60 "all 100 are accepted by waybill run" accepted together
kill -TERM "$together"
wait "$together" || fail "waybill run has ended with $?"

step "removing"
installs purge waybill
[[ ! -e $root/usr/bin/waybill && -s $root/etc/waybill/waybill.yaml ]] || fail "purging leaves the program, or takes the configuration"
step "installed, configured, run, upgraded and purged"
