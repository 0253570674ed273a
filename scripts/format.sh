#!/usr/bin/env bash
# Formats the Swift and Python sources in place, or only says which Swift is not in form: scripts/format.sh [--check]
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
case ${1-} in
    "")
        swift format --in-place --parallel --recursive Package.swift Sources Tests Examples
        fetch_python requirements-lint
        python -m ruff check --quiet --fix --select I --config Verification/pyproject.toml Verification scripts
        python -m ruff format --quiet --config Verification/pyproject.toml Verification scripts
        ;;
    --check) swift format lint --strict --parallel --recursive Package.swift Sources Tests Examples ;;
    *) fail "unknown option $1 (only --check)" ;;
esac
