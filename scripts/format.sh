#!/usr/bin/env bash
# Formats the Swift sources in place, or only says what is not in form: scripts/format.sh [--check]
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
case ${1-} in
    "") swift format --in-place --parallel --recursive Package.swift Sources Tests Examples ;;
    --check) swift format lint --strict --parallel --recursive Package.swift Sources Tests Examples ;;
    *) fail "unknown option $1 (only --check)" ;;
esac
