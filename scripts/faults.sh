#!/usr/bin/env bash
# Breaks the pipeline in every way that is promised to lose nothing, and compares four ledgers after each.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

usage() {
    cat <<'TEXT'
Usage: scripts/faults.sh [CASE…] [--group NAME] [--all] [--quick [--later|--rest]] [--repeat N] [--seed N] [--keep] [--json FILE]
                         [--jobs N] [--minutes N] [--rate N]
       scripts/faults.sh --list | --self-test

Starts private servers, a simulated APNs, dispatchers and the prune worker, with a chaos proxy on each way between them,
and runs cases, all of them unless some are named. An oracle in Python, which shares no code with the product, compares
what was issued, pushed, recorded and pruned, and prints one line for each case. Exit 1 when one fails.

  --group NAME   the cases of one group; repeatable
  --quick        seconds instead of minutes, each case once; without the cases that take longest or are not worth it
  --later        with --quick: the cases that take longest, and no others
  --rest         with --quick: the cases that are not worth it, and no others
  --repeat N     run each case N times
  --jobs N       how many cases run side by side (--quick: two for each core; else 1)
  --seed N       make random choices repeatable; run number K of a case uses seed N+K
  --minutes N    how long the case soak takes (60)
  --rate N       its notifications a second (70 % of what it measures first)
  --keep         leave servers, queues, databases and logs to be looked at
  --json FILE    write all figures and findings
  --list         name the cases
  --self-test    plant lies into the ledgers and see that the oracle finds each (done before every session, too)

Everything is under .waybill/faults. WAYBILL_PROGRAMS=DIR uses the waybill and apns-simulator there, else both are built.
TEXT
}

FOLDER="$PRIVATE/faults"

build() {
    local product
    note "Building waybill and apns-simulator (minutes the first time)"
    for product in waybill apns-simulator; do
        swift build --package-path "$ROOT" -c release --product "$product" >&2
    done
    PROGRAMS=$(swift build --package-path "$ROOT" -c release --show-bin-path)
}

needs_programs=yes
is_quick=''
is_rest=''
is_later=''
packages=(libfaketime nginx-light prometheus python3-seccomp systemd) # a wrong clock; a proxy; a scrape; a unit's filter
for argument in "$@"; do
    case $argument in
        -h | --help)
            usage
            exit
            ;;
        --list | --self-test) needs_programs=no ;;
        --quick) is_quick=yes ;;
        --rest) is_rest=yes ;;
        --later) is_later=yes ;;
    esac
done
if [[ -n $is_quick && -z $is_rest ]]; then
    packages=()
    [[ -z $is_later && " $* " != *" prometheus-scrapes "* && " $* " != *" scrape "* ]] || packages=(prometheus)
fi

PROGRAMS=${WAYBILL_PROGRAMS:-}
forget_settings
mkdir -p "$FOLDER"
fetch_python
# session ARGUMENTS…: the Python program; 64 when it does not understand them
session() { verify faults --folder "$FOLDER" "$@" 9>&-; }
code=0
session --check-arguments "$@" || code=$?
if [[ $code -ne 0 ]]; then
    usage >&2
    exit "$code"
fi
if [[ $needs_programs == yes ]]; then
    "$ROOT/scripts/install.sh" "${packages[@]}"
    [[ -n $PROGRAMS ]] || build
fi
exec 9>"$FOLDER/lock"
if [[ $needs_programs == yes ]]; then
    # One session at a time: they would end each other's servers.
    flock --nonblock 9 || fail "another session runs in ${FOLDER#"$ROOT"/}"
fi
session --programs "$PROGRAMS" "$@"
