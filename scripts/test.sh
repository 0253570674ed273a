#!/usr/bin/env bash
# Installs, builds, checks, starts private services, runs every test and stops the services.
# Arguments go to `swift test`: scripts/test.sh --filter FlowTests
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
forget_settings
scripts/install.sh

say "== Build"
swift build --build-tests
say "== Checks without services"
scripts/lint.sh
if [[ $# -eq 0 ]]; then # not when only some tests are asked for
    say "== Documentation of the library, and the library from outside"
    scripts/docs.sh
    scripts/example.sh
    say "== Faults, in their quick form"
    WAYBILL_PROGRAMS="$(swift build --show-bin-path)" scripts/faults.sh --quick
fi

say "== Services"
mkdir -p "$PRIVATE"
services=$(mktemp -d "$PRIVATE/test-XXXXXX")
# Silent, so that the last words are the test runner's own.
trap 'scripts/services.sh stop "$services" >/dev/null 2>&1 || true; rm -rf "$services"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
scripts/services.sh start "$services"
scripts/services.sh status "$services"
# shellcheck source=/dev/null
source "$services/env"
export TMPDIR="$services/tmp" # what tests leave behind goes with the services
mkdir -p "$TMPDIR"

say "== Tests"
# Every test is a Swift Testing one; XCTest would only add "Executed 0 tests". One after the other, because many hold a
# thread while a real server works: on two cores they would keep each other from their deadlines.
swift test --skip-build --disable-xctest --no-parallel "$@"

if [[ $# -eq 0 ]]; then
    say "== The whole pipeline, by the benchmark's account"
    scripts/benchmark.sh --smoke --programs .build/debug
fi
