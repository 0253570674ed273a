#!/usr/bin/env bash
# Builds the image of deploy/docker by buildah, which needs no daemon, and runs it: as its own user, with a private broker and
# store, until its health check says that it works, and to its end. Root only; a gigabyte in .waybill/image for as long as it takes.
#
#   scripts/image.sh     with the package that scripts/package.sh has made, or makes now
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
takes_no_arguments "$@"
# shellcheck source=scripts/lib/debian.sh
source "$ROOT/scripts/lib/debian.sh"

cd "$ROOT"
forget_settings
scripts/install.sh buildah debootstrap
fetch_python
deb=$(ls "$PRIVATE"/package/waybill_*.deb 2>/dev/null || true)
if [[ -z $deb ]]; then
    scripts/package.sh
    deb=$(ls "$PRIVATE"/package/waybill_*.deb)
fi
make_debian_base

work="$PRIVATE/image"
pids=()
tidy() {
    local pid
    for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
    scripts/services.sh stop "$work/services" >/dev/null 2>&1 || true
    buildah rm --all >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap tidy EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
rm -rf "$work"
mkdir -p "$work/context" "$work/base" "$work/etc/passwords"
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s/storage"\nrunroot = "%s/run"\n' "$work" "$work" >"$work/storage.conf"
export STORAGE_DRIVER=vfs CONTAINERS_STORAGE_CONF="$work/storage.conf" BUILDAH_ISOLATION=chroot
builds() { buildah bud --pull-never --format docker "$@" >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log" >&2 && fail "buildah fails"; }; }

say "image: building"
ln "$DEBIAN_BASE" "$work/base/base.tar"
printf 'FROM scratch\nADD base.tar /\nCMD ["/bin/bash"]\n' >"$work/base/Dockerfile"
builds --tag docker.io/library/debian:bookworm-slim "$work/base"
cp "$deb" "$work/context/waybill.deb"
cp deploy/docker/healthy "$work/context/"
builds --tag waybill:test --file deploy/docker/Dockerfile "$work/context"

say "image: running"
scripts/services.sh start "$work/services"
# shellcheck source=/dev/null
source "$work/services/env"
programs=$(swift build --show-bin-path)
[[ -x $programs/apns-simulator ]] || swift build --product apns-simulator --quiet
mapfile -t ports < <(free_ports 4)
"$programs/apns-simulator" make-credentials "$work/credentials" >/dev/null 2>&1
"$programs/apns-simulator" --port "${ports[0]}" --certificate "$work/credentials/server.pem" \
    --private-key "$work/credentials/server-key.pem" --key-id ABC123DEFG --team-id ABCDE12345 \
    --public-key "$work/credentials/AuthKey_ABC123DEFG.pub.pem" >"$work/simulator.log" 2>&1 &
pids+=($!)
disown # its end is no news
python3 scripts/lib/fenced.py docs/operations/configure.md yaml 'retention:' >"$work/example.yaml"
python scripts/lib/configured.py "$work/example.yaml" "$WAYBILL_TEST_BROKER_PORT" "$WAYBILL_TEST_STORE_PORT" "${ports[@]}" \
    >"$work/etc/waybill.yaml"
cp "$work/credentials/ca.pem" "$work/credentials/AuthKey_ABC123DEFG.p8" "$work/etc/"
printf 'guest\n' >"$work/etc/passwords/waybill-dispatch-broker-password"
chown -R 10001:10001 "$work/etc"
chmod 600 "$work"/etc/AuthKey_* "$work"/etc/passwords/*

container=$(buildah from --pull-never waybill:test)
# inside COMMAND…: in the container, as its user, on this machine's network; the private broker has one user, guest.
inside() {
    buildah run --volume "$work/etc:/etc/waybill:ro" --env WAYBILL_ADMIN_LISTEN="127.0.0.1:${ports[1]}" \
        --env WAYBILL_BROKER_URL="amqp://guest@127.0.0.1:$WAYBILL_TEST_BROKER_PORT/" "$container" -- "$@"
}
[[ $(inside id -u) == 10001 ]] || fail "it does not run as its own user"
inside waybill version
if inside healthy 2>/dev/null; then fail "the health check is content where nothing runs"; fi
inside waybill init >"$work/init.log" 2>&1 || fail "init fails: $(cat "$work/init.log")"
inside waybill dispatch >"$work/dispatch.log" 2>&1 &
dispatch=$!
pids+=("$dispatch")
end=$((SECONDS + 60))
until inside healthy 2>/dev/null && curl -fsS "http://127.0.0.1:${ports[1]}/ready" >/dev/null 2>&1; do
    ((SECONDS < end)) || fail "it is not ready within a minute: $(tail -n 5 "$work/dispatch.log")"
    sleep 0.5
done
# Of several roles in one process, none may hang: something on the next port that says so.
python3 -c 'import socket, sys
place = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    peer = place.accept()[0]
    peer.recv(1000)
    peer.sendall(b"HTTP/1.0 503 Service Unavailable\r\n\r\n")
    peer.close()' "$((ports[1] + 1))" &
hanging=$!
pids+=("$hanging")
end=$((SECONDS + 20))
while inside healthy 2>/dev/null; do
    ((SECONDS < end)) || fail "the health check is content while one role hangs"
    sleep 0.5
done
kill "$hanging"
for number in $(seq 20); do printf '{"device_token":"%064x","message":"Hello"}\n' "$number"; done >"$work/etc/pushes.ndjson"
inside waybill send /etc/waybill/pushes.ndjson --batch-id image >"$work/send.log" 2>&1 || fail "send fails: $(cat "$work/send.log")"
end=$((SECONDS + 60))
until [[ $(inside waybill logs --batch image --outcome accepted --json | wc -l) == 20 ]]; do
    ((SECONDS < end)) || fail "not all are accepted within a minute: $(tail -n 5 "$work/dispatch.log")"
    sleep 0.5
done
# buildah passes no signal on; the pages know the number of the process, which is this machine's.
process=$(curl -fsS "http://127.0.0.1:${ports[1]}/status" | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')
is_ours "$process" "waybill dispatch" || fail "there is no dispatcher with the number $process"
kill -TERM "$process"
wait "$dispatch" || fail "the dispatcher ends with $?"
size=$(buildah images --format '{{.Size}}' waybill:test)
say "image: built and run; $size"
