#!/usr/bin/env bash
# Plays fault scenarios of an independent, strict APNs and FCM to the clients and compares what both say; 1 on any violation.
#
#   scripts/strict-client.sh [--seed N] [SCENARIO…]    all of them, or those that are named
#   scripts/strict-client.sh --list                    their names
#
# WAYBILL_PROGRAMS=DIR uses apns-probe and fcm-probe there, else they are built for release.
# The servers are Verification/strict, in Python over h2; the clients run in Sources/apns-probe and fcm-probe. What was seen stays in
# .waybill/strict/<scenario>: the plan, the probe's words, the server's ledger and the findings.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
programs=${WAYBILL_PROGRAMS:-}
forget_settings
fetch_python
if [[ -z $programs && " $* " != *" --list "* ]]; then
    for probe in apns-probe fcm-probe; do
        note "Building $probe"
        swift build -c release --product "$probe" >&2
    done
    programs=$(swift build -c release --show-bin-path)
fi
PYTHONPATH="$ROOT/Verification" exec "$PYTHON_HOME/bin/python3" -m strict --programs "$programs" \
    --folder "$PRIVATE/strict" "$@"
