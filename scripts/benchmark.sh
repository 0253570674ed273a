#!/usr/bin/env bash
# Measures Waybill on private servers: rate, CPU per notification of every process, memory; and accounts for every record.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

BENCH="$PRIVATE/bench"
PRODUCTS=(waybill apns-simulator waybill-bench)
repeat=3
scale=1
json=''
revision=''
programs=''
data=''
scenarios=()
more=()

usage() {
    cat <<'TEXT'
Usage: scripts/benchmark.sh [OPTIONS] [SCENARIO…]

  SCENARIO         pipeline, if none is named; all of them with "all"
  --list           the scenarios and what each measures
  --repeat N       runs for each figure (3); the table shows medians
  --full           the long form of memory (ten million notifications) and of history (twenty million records)
  --quick          small runs, one each: whether it works, not how fast
  --smoke          one tiny run of the pipeline, and planted errors that the account finds
  --json FILE      the figures of every run (schemas/benchmark.schema.json)
  --compare REV    the same with another revision's waybill, in alternation, and the ratio
  --programs DIR   measure the programs there in place of building them
  --data DIR       where the private servers keep their data, such as another disk (.waybill/bench)

Everything is private: under .waybill/bench, on loopback. Every run ends with a count by an independent reader: each
notification has its record, the queues are empty. A run that fails this ends with status 1.
TEXT
}

misused() {
    note "benchmark.sh: $1"
    exit 64
}

list() {
    fetch_python
    PYTHONPATH="$ROOT/Verification" python -c '
from bench.scenarios import SCENARIOS
for name, scenario in SCENARIOS.items(): print(f"{name:10} {scenario.summary}")'
}

# build PACKAGE PRODUCT…: in release form; prints the folder of the programs
build() {
    local package=$1 product
    shift
    for product in "$@"; do
        note "Building $product …"
        swift build --package-path "$package" -c release --product "$product" >"$BENCH/build.log" 2>&1 || {
            tail -n 30 "$BENCH/build.log" >&2
            fail "the build failed"
        }
    done
    swift build --package-path "$package" -c release --show-bin-path
}

# Checks the other revision out beside this one, builds its waybill, and adds it to the arguments of the measurement.
prepare_comparison() {
    local commit tree
    commit=$(git -C "$ROOT" rev-parse --short --verify "$revision^{commit}" 2>/dev/null) ||
        misused "--compare: there is no revision $revision"
    tree="$BENCH/revisions/$commit"
    if [[ ! -d $tree ]]; then
        git -C "$ROOT" worktree prune
        git -C "$ROOT" worktree add --quiet --detach "$tree" "$commit"
    fi
    arguments+=(--compare-revision "$revision" --compare-programs "$(build "$tree" waybill)")
}

while [[ $# -gt 0 ]]; do
    case $1 in
        --list)
            list
            exit
            ;;
        --repeat | --json | --compare | --programs | --data)
            [[ -n ${2-} ]] || misused "$1 takes a value"
            case $1 in
                --repeat) repeat=$2 ;;
                --json) json=$(realpath -m "$2") ;;
                --compare) revision=$2 ;;
                --programs) programs=$(realpath "$2") ;;
                --data) data=$(realpath -m "$2") ;;
            esac
            shift
            ;;
        --full) more+=(--full) ;;
        --quick) repeat=1 scale=0.02 ;;
        --smoke) repeat=1 scale=0.01 scenarios=(pipeline account) ;;
        -h | --help)
            usage
            exit
            ;;
        -*)
            usage >&2
            exit 64
            ;;
        *) scenarios+=("$1") ;;
    esac
    shift
done
[[ $repeat =~ ^[1-9][0-9]?$ ]] || misused "--repeat takes 1 to 99"
known=$(list | cut -d' ' -f1)
[[ ${#scenarios[@]} -gt 0 ]] || scenarios=(pipeline)
[[ ${scenarios[0]} != all ]] || mapfile -t scenarios <<<"$known"
for scenario in "${scenarios[@]}"; do
    grep -qx -- "$scenario" <<<"$known" || misused "there is no scenario $scenario; --list names them"
done

forget_settings
needs=()
for scenario in "${scenarios[@]}"; do
    case $scenario in
        client | limits | history) needs+=(nghttp2-client gcc libc6-dev) ;; # h2load, and a compiler for Verification/bench
        profile) needs+=(linux-perf) ;;
    esac
done
"$ROOT/scripts/install.sh" "${needs[@]}"
mkdir -p "$BENCH"
[[ -n $programs ]] || programs=$(build "$ROOT" "${PRODUCTS[@]}")
arguments=(
    --programs "$programs" --repeat "$repeat" --scale "$scale"
    --revision "$(git -C "$ROOT" describe --always --dirty 2>/dev/null || printf 'here')"
)
[[ -z $json ]] || arguments+=(--json "$json")
[[ -z $revision ]] || prepare_comparison

mkdir -p "${data:=$BENCH}"
services=$(mktemp -d "$data/services-XXXXXX")
export STORE_CACHE_GB=4
# Silent, so that the figures are the last words.
trap '"$ROOT/scripts/services.sh" stop "$services" >/dev/null 2>&1 || true; rm -rf "$services"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$ROOT/scripts/services.sh" start "$services"
verify bench --folder "$BENCH/run" --services "$services/env" "${arguments[@]}" "${more[@]}" "${scenarios[@]}"
