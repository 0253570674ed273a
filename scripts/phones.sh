#!/usr/bin/env bash
# Plays the phones on which a simulator's pushes arrive: they answer `waybill serve` with receipts, as apps do. For tests and
# demonstrations.
#
#   scripts/phones.sh --serve http://127.0.0.1:8080 --record apns.ndjson --record fcm.ndjson [--opens 0.3] [--acknowledges 0.1]
#
# `apns-simulator --record apns.ndjson` writes what it reads; one that plays FCM, too. It ends when nothing has come for --idle
# seconds, and prints as JSON what arrived, what was answered and what the phones have said. --help has all options.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

fetch_python
verify phones "$@"
