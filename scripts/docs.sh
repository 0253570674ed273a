#!/usr/bin/env bash
# Builds the documentation of WaybillAPNS into .waybill/docs, and fails on any warning, any link that leads nowhere and
# any public symbol that no topic group names. Needs no services.
#   scripts/docs.sh            to read it afterwards: python3 -m http.server --directory .waybill/docs
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
build="$PRIVATE/docs-build" # apart from .build, because the flags differ
# Inside the build, so that both go together: a module that has not changed is not asked again.
graphs="$build/symbol-graphs"
output="$PRIVATE/docs"

# The toolchain's own; where `swift` is a link or a shim, it stands beside the real one.
find_docc() {
    command -v docc || command -v "$(dirname "$(readlink -f "$(command -v swift)")")/docc" ||
        fail "there is no docc in this Swift toolchain"
}

say "docs: asking the compiler for the public symbols"
mkdir -p "$graphs"
swift build --scratch-path "$build" --target WaybillAPNS --quiet \
    -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs"
# The modules below it have nothing public; their empty graphs would become modules of the documentation.
rm -rf "$output" "$build/public-symbols"
mkdir -p "$build/public-symbols"
cp "$graphs"/WaybillAPNS*.symbols.json "$build/public-symbols/"

"$(find_docc)" convert Sources/WaybillAPNS/WaybillAPNS.docc --additional-symbol-graph-dir "$build/public-symbols" \
    --output-dir "$output" --fallback-default-module-kind Library --analyze --warnings-as-errors

# What no topic group names, docc puts into groups of its own making.
python3 - "$output/data/documentation/waybillapns.json" <<'PYTHON'
import json, sys

groups = json.load(open(sys.argv[1]))["topicSections"]
loose = [name.rsplit("/", 1)[-1] for group in groups if group.get("generated") for name in group["identifiers"]]
if loose:
    sys.exit(f"docs: no topic group of WaybillAPNS.md names {', '.join(loose)}")
print(f"docs: {sum(len(group['identifiers']) for group in groups)} articles and symbols in {len(groups)} groups")
PYTHON
say "docs: written to ${output#"$ROOT"/}"
