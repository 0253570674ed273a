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
fetch_python
if [[ -z $programs && " $* " != *" --list "* ]]; then
    note "Building apns-probe"
    swift build -c release --product apns-probe >&2
    programs=$(swift build -c release --show-bin-path)
fi
PYTHONPATH="$ROOT/Verification" exec "$PYTHON_HOME/bin/python3" -m strict --probe "$programs/apns-probe" \
    --folder "$PRIVATE/strict" "$@"
