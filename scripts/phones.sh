#!/usr/bin/env bash
# Plays the phones on which a simulator's pushes arrive: they answer `waybill serve` with receipts, as apps do. For tests and
# demonstrations.
#
#   scripts/phones.sh --serve http://127.0.0.1:8080 --record pushes.ndjson [--workers N] [--opens 0.3] [--help]
#
# `apns-simulator --record pushes.ndjson` writes what it reads. It ends when nothing has come for --idle seconds, and prints how
# many arrived, and what was answered.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

fetch_python
verify phones "$@"
