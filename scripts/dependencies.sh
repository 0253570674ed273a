#!/usr/bin/env bash
# Compares the dependencies that SwiftPM resolves with the committed list: scripts/dependencies.sh [--write]
#
# Package.swift has lowest versions, because others import the libraries; dependencies.txt has the versions that were tested.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

LIST="$ROOT/dependencies.txt"

# Prints name and version of each package, one in a line.
resolved() {
    swift package --package-path "$ROOT" show-dependencies --format json --output-path "$work/graph.json" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        return 1
    }
    python3 - "$work/graph.json" <<'PYTHON'
import json, sys

found = set()

def visit(package):
    for dependency in package["dependencies"]:
        found.add(f"{dependency['identity']} {dependency['version']}")
        visit(dependency)

with open(sys.argv[1]) as file:
    visit(json.load(file))
print(*sorted(found), sep="\n")
PYTHON
}

[[ $# -eq 0 || $* == --write ]] || fail "unknown arguments $* (only --write)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
resolved >"$work/resolved" || fail "the dependencies cannot be resolved"
if [[ ${1-} == --write ]]; then
    cp "$work/resolved" "$LIST"
    say "dependencies: wrote ${LIST#"$ROOT"/}"
elif diff -u --label dependencies.txt --label resolved "$LIST" "$work/resolved"; then
    say "dependencies: $(wc -l <"$LIST") packages, as dependencies.txt has them"
else
    fail "other versions are resolved than dependencies.txt has: test them, then scripts/dependencies.sh --write"
fi
