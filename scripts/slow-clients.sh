#!/usr/bin/env bash
# Attacks `waybill serve` with slowhttptest while a probe asks it: its API with TLS and without, and its admin listener. Slow heads,
# slow bodies, slow readers and many ranges, from more connections than the server takes. No request of the probe may fail, and
# its median must stay in the range that it has without an attack. Takes about six minutes.
#
#   scripts/slow-clients.sh [--seconds N] [--connections N] [--json FILE]
#
# WAYBILL_PROGRAMS=DIR uses waybill and apns-simulator there, else both are built for release.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

FOLDER="$PRIVATE/slow"
SERVICES="$FOLDER/services"

programs=${WAYBILL_PROGRAMS:-}
forget_settings
"$ROOT/scripts/install.sh" slowhttptest
fetch_python
if [[ -z $programs ]]; then
    note "Building waybill and apns-simulator (minutes the first time)"
    for product in waybill apns-simulator; do
        swift build --package-path "$ROOT" -c release --product "$product" >&2
    done
    programs=$(swift build --package-path "$ROOT" -c release --show-bin-path)
fi
"$ROOT/scripts/services.sh" stop "$SERVICES" # of a run that was killed
rm -rf "$FOLDER"
mkdir -p "$FOLDER"
trap '"$ROOT/scripts/services.sh" stop "$SERVICES"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$ROOT/scripts/services.sh" start "$SERVICES"
mapfile -t ports < <(free_ports 3)
verify bench.slow --programs "$programs" --folder "$FOLDER" --port "${ports[0]}" --protected-port "${ports[1]}" \
    --admin-port "${ports[2]}" "$@"
