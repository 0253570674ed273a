#!/usr/bin/env bash
# Every check that needs neither a build nor a service: form, module graph, schemas, pages for people, shell syntax, types of
# the Python.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
for script in scripts/*.sh scripts/lib/*.sh deploy/users/*.sh deploy/docker/healthy .ci/run; do
    bash -n "$script"
done
if command -v shellcheck >/dev/null; then
    # SC2119: a function whose argument may be left out is called without one on purpose.
    shellcheck -x -e SC2119 scripts/*.sh scripts/lib/*.sh deploy/users/*.sh deploy/docker/healthy .ci/run
fi
fetch_python
fetch_python requirements-lint
programs=(Verification scripts)
python -m ruff check --quiet --config Verification/pyproject.toml "${programs[@]}"
python -m ruff format --quiet --check --config Verification/pyproject.toml "${programs[@]}"
python -m mypy --config-file Verification/pyproject.toml --no-error-summary --cache-dir "$PRIVATE/mypy" \
    Verification scripts/*.py scripts/lib/*.py
say "lint: shell scripts parse; Python is in form, and its types agree"
verify parts --self-test
python scripts/check-imports.py --self-test
python scripts/check-imports.py
python scripts/check-schemas.py
python scripts/check-rights.py
python scripts/settings-page.py --check
python scripts/page-files.py --check
verify alerts
python scripts/check-docs.py --self-test
python scripts/check-docs.py
if grep -rnE '(^|[^.[:alnum:]_])print\(|FileHandle\.standardOutput' Sources/waybill; then
    fail "lint: standard output is written by Output alone, which tells what is lost"
fi
if grep -rnE '\b([a-z]+C|c)lients\??: (Set<String>|\[String: )|\b(users|apps)\??: (Set<String>|\[String: )' Sources; then
    fail "lint: names from outside are keys by their bytes alone, as ExactName"
fi
scripts/format.sh --check
say "lint: the Swift sources are in form"
