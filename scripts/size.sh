#!/usr/bin/env bash
# Fills a log with millions of records and measures every question that an operator asks of it.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

FOLDER="$PRIVATE/size"
SERVICES="$FOLDER/services"
records=10000000
days=30
times=20
limit=300
keep=no
page=no
more=()

usage() {
    cat <<'TEXT'
Usage: scripts/size.sh [--records N] [--days N] [--times N] [--limit MS] [--only WORD] [--json FILE] [--page] [--keep]

Starts a private MongoDB and RabbitMQ, fills a log with skewed records (one client has nine of ten, one device and two batches
100,000 each, three of a hundred failed) and their statistics, starts `waybill serve`, and takes the time of what the API and
the commands answer: median, worst and first, and what MongoDB examined for one answer. Exits with 1 when a median is above the
limit.

  --records N     how many (10000000: about 15 minutes and 15 GB of disk)
  --days N        the time that they are spread over (30)
  --times N       how often each question is asked (20)
  --limit MS      milliseconds that no median may exceed (300)
  --only WORD     the questions whose name has this
  --json FILE     also writes the figures there
  --page          also how long the page takes in Chromium, from a link to the whole view
  --keep          leave the log for the next run, which then asks at once

WAYBILL_PROGRAMS=DIR uses the waybill there, else one is built for release.
TEXT
}

usage_error() {
    note "size.sh: $1"
    usage >&2
    exit 64
}

while [[ $# -gt 0 ]]; do
    case $1 in
        --records | --days | --times | --limit)
            [[ ${2-} =~ ^[1-9][0-9]{0,8}$ ]] || usage_error "$1 takes a number from 1 on"
            case $1 in
                --records) records=$2 ;;
                --days) days=$2 ;;
                --times) times=$2 ;;
                --limit) limit=$2 ;;
            esac
            shift
            ;;
        --only | --json)
            [[ -n ${2-} ]] || usage_error "$1 takes a value"
            more+=("$1" "$2")
            shift
            ;;
        --page)
            page=yes
            more+=(--page)
            ;;
        --keep) keep=yes ;;
        -h | --help)
            usage
            exit
            ;;
        *) usage_error "what is '$1'?" ;;
    esac
    shift
done
((records >= 1000000)) || usage_error "--records takes 1000000 at the least: a device has 100,000 of them"

programs=${WAYBILL_PROGRAMS:-}
forget_settings
if [[ $page == yes ]]; then
    "$ROOT/scripts/install.sh" chromium libjs-chart.js
    fetch_python requirements-page
else
    "$ROOT/scripts/install.sh"
    fetch_python
fi
if [[ -z $programs ]]; then
    note "Building waybill (minutes the first time)"
    swift build --package-path "$ROOT" -c release --product waybill >&2
    programs=$(swift build --package-path "$ROOT" -c release --show-bin-path)
fi
finish() {
    "$ROOT/scripts/services.sh" stop "$SERVICES"
    [[ $keep == yes ]] || rm -rf "$FOLDER"
}
size() { verify bench.size --programs "$programs" --folder "$FOLDER" --records "$records" "$@"; }

mkdir -p "$FOLDER"
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export STORE_CACHE_GB=${STORE_CACHE_GB:-4}
"$ROOT/scripts/services.sh" start "$SERVICES"
if [[ $(cat "$FOLDER/filled" 2>/dev/null) != "$records $days" ]]; then
    [[ ! -e $FOLDER/shape.json ]] || fail "another log is in ${FOLDER#"$ROOT"/}: remove that folder first"
    size --days "$days" fill
    printf '%s %s\n' "$records" "$days" >"$FOLDER/filled"
    # What comes now meets a store that has just been started.
    "$ROOT/scripts/services.sh" restart-store "$SERVICES"
fi
size --port "$(free_ports 1)" --times "$times" --limit "$limit" "${more[@]}" ask
