#!/usr/bin/env bash
# What each index, each field and each way of writing the delivery log costs in MongoDB.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

HOME_FOLDER="$PRIVATE/economy"
SERVICES="$HOME_FOLDER/services"
SOURCES="$ROOT/Verification/bench/store"
records=200000
rounds=3
millions=20
more=()

usage() {
    cat <<'TEXT'
Usage: scripts/index-economy.sh [--records N] [--rounds N] [GROUP …]
       scripts/index-economy.sh --growth [--until MILLIONS] [-- OPTIONS…]

Starts a private mongod, inserts records that have the fields of Waybill's own, and prints for each variant what it costs
for one record: CPU of mongod and of the client, bytes written and kept, and the rate. Results also go, as JSON, to
.waybill/economy/results.ndjson. The log's indexes, fields, names and durability are the product's; one thing changes at
a time.

  --records N     records for each run (200000)
  --rounds N      runs of each variant, which take turns; the median counts (3)
  --growth        instead: what a record costs when the log holds millions already
  --until N       those millions (20): about 10 minutes and 15 GB of disk
  -- OPTIONS      for a growing log: --engine SETTINGS, --no-history, --former-token, --per-day N, --window N

Groups: indexes token batch expiry storage writes bulks ids fields message (all of them: about 20 minutes)
TEXT
}

usage_error() {
    note "index-economy.sh: $1"
    usage >&2
    exit 64
}

build() {
    # shellcheck disable=SC2046 # the flags are words
    cc -O2 -Wall -Wextra -Werror -o "$HOME_FOLDER/store_insert" "$SOURCES/store_insert.c" \
        $(pkg-config --cflags --libs libmongoc-1.0) -pthread
}

mode=economy
groups=()
while [[ $# -gt 0 ]]; do
    case $1 in
        --records | --rounds | --until)
            [[ ${2-} =~ ^[1-9][0-9]{0,8}$ ]] || usage_error "$1 takes a number from 1 on"
            case $1 in
                --records) records=$2 ;;
                --rounds) rounds=$2 ;;
                --until) millions=$2 ;;
            esac
            shift
            ;;
        --growth) mode=growth ;;
        --)
            more=("${@:2}")
            break
            ;;
        -h | --help)
            usage
            exit
            ;;
        indexes | token | batch | expiry | storage | writes | bulks | ids | fields | message) groups+=("$1") ;;
        *) usage_error "what is '$1'?" ;;
    esac
    shift
done
[[ $mode == economy || ${#groups[@]} -eq 0 ]] || usage_error "--growth takes no group"
[[ $mode == growth || ${#more[@]} -eq 0 ]] || usage_error "only --growth takes further options"

"$ROOT/scripts/install.sh"
"$ROOT/scripts/services.sh" stop "$SERVICES" # of a run that was killed
rm -rf "$HOME_FOLDER"
mkdir -p "$HOME_FOLDER"
build
trap '"$ROOT/scripts/services.sh" stop "$SERVICES"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$ROOT/scripts/services.sh" start-store "$SERVICES"
# shellcheck source=/dev/null
source "$SERVICES/env"

common=(
    --port "$WAYBILL_TEST_STORE_PORT" --pid "$WAYBILL_TEST_STORE_PID" --program "$HOME_FOLDER/store_insert"
    --json "$HOME_FOLDER/results.ndjson"
)
if [[ $mode == growth ]]; then
    verify bench.store.growth "${common[@]}" --until "$millions" "${more[@]}"
else
    verify bench.store.economy "${common[@]}" --records "$records" --rounds "$rounds" "${groups[@]}"
fi
