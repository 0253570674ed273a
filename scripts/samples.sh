#!/usr/bin/env bash
# Runs the samples of docs/notify.md and docs/operations/webhooks.md in all of their languages: installs Go, Node.js and Ruby
# first where they are missing. What can be run without them is a part of scripts/test.sh. A language that cannot be installed is
# named as skipped, last of all.
#
#   scripts/samples.sh
#
# Uses the services of the environment (WAYBILL_TEST_STORE, WAYBILL_TEST_BROKER), else private ones.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
takes_no_arguments "$@"

cd "$ROOT"
# The program, its Debian package, and what people call it.
languages=(go:golang-go:Go node:nodejs:Node.js ruby:ruby:Ruby)
scripts/install.sh
skipped=()
# By these the tests know what must have been run: one that is there is not left out by mistake.
WAYBILL_SAMPLES="sh python3 swift"
for language in "${languages[@]}"; do
    IFS=: read -r program package name <<<"$language"
    command -v "$program" >/dev/null || scripts/install.sh "$package" || true
    if command -v "$program" >/dev/null; then
        WAYBILL_SAMPLES+=" $program"
    else
        skipped+=("$name")
    fi
done
export WAYBILL_SAMPLES
swift build --build-tests --quiet
if [[ -z ${WAYBILL_TEST_STORE:-} || -z ${WAYBILL_TEST_BROKER:-} ]]; then
    start_services samples
fi
swift test --skip-build --disable-xctest --no-parallel --filter 'NoticeSampleTests|WebhookSampleTests'
say "Run with: $WAYBILL_SAMPLES"
for name in ${skipped[@]+"${skipped[@]}"}; do say "SKIPPED: the samples in $name; it cannot be installed here"; done
