#!/usr/bin/env bash
# Runs the samples of docs/notify.md and docs/operations/webhooks.md in all of their languages: installs Go, Node.js and Ruby
# first where they are missing. What can be run without them is a part of scripts/test.sh.
#
#   scripts/samples.sh
#
# Uses the services of the environment (WAYBILL_TEST_STORE, WAYBILL_TEST_BROKER), else private ones.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
takes_no_arguments "$@"

cd "$ROOT"
packages=()
for program in go:golang-go node:nodejs ruby:ruby; do
    command -v "${program%%:*}" >/dev/null || packages+=("${program##*:}")
done
scripts/install.sh "${packages[@]}"
swift build --build-tests --quiet
if [[ -z ${WAYBILL_TEST_STORE:-} || -z ${WAYBILL_TEST_BROKER:-} ]]; then
    start_services samples
fi
swift test --skip-build --disable-xctest --no-parallel --filter 'NoticeSampleTests|WebhookSampleTests'
