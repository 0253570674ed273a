#!/usr/bin/env bash
# Plays fault scenarios of an independent, strict APNs to the client and compares what both say; 1 on any violation.
#
#   scripts/strict-client.sh [--seed N] [SCENARIO…]    all of them, or those that are named
#   scripts/strict-client.sh --list                    their names
#
# WAYBILL_PROGRAMS=DIR uses the apns-probe there, else one is built for release.
# The server is Verification/strict, in Python over h2; the client runs in Sources/apns-probe. What was seen stays in
# .waybill/strict/<scenario>: the plan, the probe's words, the server's ledger and the findings.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
programs=${WAYBILL_PROGRAMS:-}
forget_settings
home="$PRIVATE/strict-python"
requirements=Verification/strict/requirements.txt
log="$PRIVATE/strict-install.log"
mkdir -p "$PRIVATE"
if ! cmp -s "$requirements" "$home/requirements.txt"; then
    note "Fetching $(grep -c . "$requirements") Python packages into ${home#"$ROOT"/}"
    python3 -m venv "$home"
    "$home/bin/python3" -m pip install --quiet --disable-pip-version-check --requirement "$requirements" \
        >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        fail "the packages cannot be installed (all of it is in $log)"
    }
    cp "$requirements" "$home/requirements.txt"
fi
if [[ -z $programs ]]; then
    note "Building apns-probe"
    swift build -c release --product apns-probe >&2
    programs=$(swift build -c release --show-bin-path)
fi
PYTHONPATH=Verification exec "$home/bin/python3" -m strict --probe "$programs/apns-probe" \
    --folder "$PRIVATE/strict" "$@"
