#!/usr/bin/env bash
# Runs the tests of the client and of what stands below it under a sanitizer, and fails on its first report.
#   scripts/sanitize.sh thread             data races
#   scripts/sanitize.sh address            memory errors and leaks
# Further arguments go to `swift test`. Needs no services; builds into folders of its own, which takes minutes.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
sanitizer=${1:-}
[[ $sanitizer == thread || $sanitizer == address ]] || fail "usage: scripts/sanitize.sh thread|address [ARGUMENT…]"
shift
[[ $# -gt 0 ]] || set -- --filter 'ThreadsTests|TLSTests|HTTP2Tests|WaybillAPNSTests|APNSSimulatorTests'

mkdir -p "$PRIVATE"
log="$PRIVATE/sanitize-$sanitizer.log"
# The tests start openssl and curl by Foundation's Process, which keeps a weak reference to itself for ever.
printf 'leak:Foundation.Process\nleak:libFoundation.so\n' >"$PRIVATE/leaks.txt"
export TSAN_OPTIONS="halt_on_error=0 exitcode=66"
export ASAN_OPTIONS="detect_leaks=1"
export LSAN_OPTIONS="suppressions=$PRIVATE/leaks.txt print_suppressions=0"

swift build --build-tests --sanitize="$sanitizer" --scratch-path ".build-$sanitizer"
say "== Tests under the $sanitizer sanitizer"
status=0
swift test --skip-build --disable-xctest --no-parallel --sanitize="$sanitizer" --scratch-path ".build-$sanitizer" "$@" \
    2>&1 | tee "$log" || status=$?
reports=$(grep -cE 'WARNING: ThreadSanitizer|ERROR: (Address|Leak)Sanitizer' "$log" || true)
say "sanitize: $reports reports of the $sanitizer sanitizer; the run is in ${log#"$ROOT"/}"
[[ $status -eq 0 && $reports -eq 0 ]]
