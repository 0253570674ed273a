#!/usr/bin/env bash
# Runs every test under a sanitizer and fails on its first report.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

usage() {
    cat <<'TEXT'
Usage: scripts/sanitize.sh thread|address [ARGUMENT…]

  thread     data races
  address    memory errors and leaks

Builds everything with the sanitizer into a folder of its own (minutes), starts private services, runs all tests one after
the other, the programs that they start included, and stops the services. Arguments go to `swift test`:
scripts/sanitize.sh thread --filter WaybillTLSTests. Exit 1 when a test fails or the sanitizer reports something; the whole run
is in .waybill/sanitize-*.log, what the sanitizer reported in .waybill/sanitize-*.reports. The tests keep their deadlines and
the programs are many times slower: let the machine do nothing else meanwhile.
TEXT
}

case ${1:-} in
    -h | --help) usage && exit 0 ;;
    thread | address) sanitizer=$1 ;;
    *) usage >&2 && exit 64 ;;
esac
shift

cd "$ROOT"
forget_settings
scripts/install.sh
log="$PRIVATE/sanitize-$sanitizer.log"
reports="$PRIVATE/sanitize-$sanitizer.reports"
build=".build-$sanitizer"

say "== Build with the $sanitizer sanitizer"
swift build --build-tests --sanitize="$sanitizer" --scratch-path "$build"

say "== Services"
start_services test
export TMPDIR="$services/tmp"
mkdir -p "$TMPDIR"

# Programs that the tests start write their reports where nobody looks at their words, so all reports go to files.
rm -rf "$reports"
mkdir -p "$reports"
export TSAN_OPTIONS="halt_on_error=0 exitcode=66 log_path=$reports/report"
export ASAN_OPTIONS="detect_leaks=1 log_path=$reports/report"
export SWIFT_BACKTRACE=enable=no # it would read over the sanitizer's red zones
export LSAN_OPTIONS="suppressions=$ROOT/Verification/sanitize/leaks.txt print_suppressions=0"

say "== Tests under the $sanitizer sanitizer"
status=0
swift test --skip-build --disable-xctest --no-parallel --sanitize="$sanitizer" --scratch-path "$build" "$@" \
    2>&1 | tee "$log" || status=$?
count=$(find "$reports" -type f | wc -l)
find "$reports" -type f -exec grep -hE '^SUMMARY:' {} + | sort | uniq -c || true
say "sanitize: $count processes with reports of the $sanitizer sanitizer; the run is in ${log#"$ROOT"/}"
[[ $status -eq 0 && $count -eq 0 ]]
