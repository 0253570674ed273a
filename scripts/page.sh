#!/usr/bin/env bash
# Opens the pages, of operators and of people, in Chromium and tries what they promise, on private servers with data of its own.
#
#   scripts/page.sh [CHECK…]             all checks, or those that are named
#   scripts/page.sh --list               their names
#   scripts/page.sh --screenshots DIR    pictures of every view instead, light and dark, wide and narrow
#   scripts/page.sh --readme             the pictures of the README anew (docs/images)
#   scripts/page.sh --stay               start it all, say where, until the input ends: to look at it
#
# WAYBILL_PROGRAMS=DIR uses the programs there, else they are built. What was said stays in .waybill/page.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
programs=${WAYBILL_PROGRAMS:-}
forget_settings
scripts/install.sh chromium libjs-chart.js
fetch_python requirements-page
if [[ -z $programs && " $* " != *" --list "* ]]; then
    note "Building waybill and apns-simulator"
    swift build --product waybill >&2
    swift build --product apns-simulator >&2
    programs=$(swift build --show-bin-path)
fi
if [[ " $* " == *" --list "* ]]; then
    verify page --list
    exit
fi
start_services page
verify page --programs "$programs" --folder "$PRIVATE/page" "$@"
