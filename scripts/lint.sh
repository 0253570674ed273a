#!/usr/bin/env bash
# Every check that needs neither a build nor a service: form, module graph, schemas, shell and Python syntax.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
for script in scripts/*.sh scripts/lib/*.sh deploy/users/*.sh .ci/run; do
    bash -n "$script"
done
if command -v shellcheck >/dev/null; then
    shellcheck -x scripts/*.sh scripts/lib/*.sh deploy/users/*.sh .ci/run
fi
for program in scripts/*.py scripts/lib/*.py; do
    python -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$program"
done
say "lint: shell and Python scripts parse"
verify parts --self-test
python scripts/check-imports.py --self-test
python scripts/check-imports.py
python scripts/check-schemas.py
python scripts/check-rights.py
scripts/format.sh --check
say "lint: the Swift sources are in form"
