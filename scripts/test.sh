#!/usr/bin/env bash
# Installs, builds, checks, starts private services, runs every test and stops the services.
#
#   scripts/test.sh                        all tests; prints how long each part took, and "N passed, N failed" last
#   scripts/test.sh --later                and then the tests and fault cases that take longest, documentation, dependencies, manual pages
#   scripts/test.sh --all                  and then everything else that takes longer
#   scripts/test.sh --filter FlowTests     other arguments go to `swift test`: these tests alone, one after the other
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
forget_settings
scripts/install.sh

say "== Build"
began=$SECONDS
swift build --build-tests
built=$((SECONDS - began))
programs=$(swift build --show-bin-path)

mkdir -p "$PRIVATE"
services=$(mktemp -d "$PRIVATE/test-XXXXXX")
# Silent, so that the last words are the test runner's own.
trap 'scripts/services.sh stop "$services" >/dev/null 2>&1 || true; rm -rf "$services"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
say "== Services"
began=$SECONDS
scripts/services.sh start "$services"
scripts/services.sh status "$services"
started=$((SECONDS - began))
# shellcheck source=/dev/null
source "$services/env"
export TMPDIR="$services/tmp" # what tests leave behind goes with the services
mkdir -p "$TMPDIR"

is_later=no
is_all=no
case ${1:-} in
    --later)
        is_later=yes
        shift
        ;;
    --all)
        is_later=yes
        is_all=yes
        shift
        ;;
esac
if [[ $# -gt 0 ]]; then
    say "== Checks without services"
    scripts/lint.sh
    say "== Tests"
    # Every test is a Swift Testing one; XCTest would only add "Executed 0 tests". One after the other, because many hold a
    # thread while a real server works: on two cores they would keep each other from their deadlines.
    swift test --skip-build --disable-xctest --no-parallel "$@"
    exit
fi

say "== Tests, and the faults in their quick form"
parts() { verify parts --folder "$services/parts" --sum "$services/sum" "$@"; }
parts --bundle "$programs/waybillPackageTests.xctest" --before "build=$built" --before "services=$started" \
    --and "faults=env WAYBILL_PROGRAMS=$programs scripts/faults.sh --quick" \
    --and "form, graph, schemas=scripts/lint.sh" \
    --last "benchmark, one tiny run=scripts/benchmark.sh --smoke --programs $programs"

# One after the other: each keeps both cores busy by itself. The sum counts the failures of all of them.
if [[ $is_later == yes ]]; then
    say "== What takes longer"
    parts --bundle "$programs/waybillPackageTests.xctest" --later || true
    parts --and "the faults that take longest=env WAYBILL_PROGRAMS=$programs scripts/faults.sh --quick --later" || true
    parts --and "documentation=scripts/docs.sh" || true
    parts --and "versions of dependencies=scripts/dependencies.sh" || true
    parts --and "manual pages=scripts/man.sh --programs $programs" || [[ $is_all == yes ]]
fi
if [[ $is_all == yes ]]; then
    parts --and "the page in a browser=env WAYBILL_PROGRAMS=$programs scripts/page.sh" || true
    parts --and "the library from outside=scripts/example.sh" || true
    parts --and "samples in every language=scripts/samples.sh" || true
    parts --and "units, chart, Compose file=scripts/deploy.sh" || true
    parts --and "alerts and dashboard=scripts/alerts.sh" || true
    parts --and "slow clients beside a probe=env WAYBILL_PROGRAMS=$programs scripts/slow-clients.sh --seconds 10" || true
    # The limit tells a search of the whole log, on a machine that does other things besides; 300 ms are for one that does not.
    parts --and "questions to a million records=env WAYBILL_PROGRAMS=$programs scripts/size.sh --records 1000000 --times 5 --limit 3000" || true
    parts --and "query plans on a million records=env WAYBILL_PLAN_RECORDS=1000000 swift test --skip-build --disable-xctest --no-parallel --filter QueryPlanTests" || true
    parts --and "the package, installed=scripts/package.sh --prove" || true
    parts --and "the image, built and run=scripts/image.sh" || true
    parts --and "the other faults=env WAYBILL_PROGRAMS=$programs scripts/faults.sh --quick --rest" || true
    parts --and "the client and a strict APNs=env WAYBILL_PROGRAMS=$programs scripts/strict-client.sh"
fi
