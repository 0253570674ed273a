#!/usr/bin/env bash
# Builds the documentation of WaybillAPNS and WaybillFCM into .waybill/docs, a folder each, and fails on any warning, any link
# that leads nowhere and any public symbol that no topic group names. Then holds every command of every page against the programs' own help;
# scripts/lint.sh has the checks of the pages that need no build. Needs no services.
#   scripts/docs.sh            to read it afterwards: python3 -m http.server --directory .waybill/docs/WaybillAPNS
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
takes_no_arguments "$@"

cd "$ROOT"
graphs="$PRIVATE/docs-graphs"
output="$PRIVATE/docs"

# beside_swift NAME: a program of the toolchain; where `swift` is a link or a shim, it stands beside the real one.
beside_swift() {
    command -v "$1" || command -v "$(dirname "$(readlink -f "$(command -v swift)")")/$1" ||
        fail "there is no $1 in this Swift toolchain"
}

# What the modules stand on is loaded with them: the C libraries' module maps have to be found.
maps=()
for map in Sources/C*/module.modulemap; do
    maps+=(-I "$(dirname "$map")")
done
target=$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')
rm -rf "$output"
mkdir -p "$output"
for library in WaybillAPNS WaybillFCM; do
    say "docs: asking the compiler for the public symbols of $library"
    swift build --target "$library" --quiet # nothing to do after a build of everything
    rm -rf "$graphs"
    mkdir -p "$graphs"
    "$(beside_swift swift-symbolgraph-extract)" -module-name "$library" -I "$(swift build --show-bin-path)/Modules" \
        "${maps[@]}" -target "$target" -minimum-access-level public -output-dir "$graphs"

    "$(beside_swift docc)" convert "Sources/$library/$library.docc" --additional-symbol-graph-dir "$graphs" \
        --output-dir "$output/$library" --fallback-default-module-kind Library --analyze --warnings-as-errors

    # What no topic group names, docc puts into groups of its own making.
    python3 - "$output/$library/data/documentation/${library,,}.json" "$library" <<'PYTHON'
import json, sys

groups = json.load(open(sys.argv[1]))["topicSections"]
loose = [name.rsplit("/", 1)[-1] for group in groups if group.get("generated") for name in group["identifiers"]]
if loose:
    sys.exit(f"docs: no topic group of {sys.argv[2]}.md names {', '.join(loose)}")
print(f"docs: {sum(len(group['identifiers']) for group in groups)} articles and symbols in {len(groups)} groups")
PYTHON
done

fetch_python
for product in waybill apns-simulator; do
    swift build --product "$product" --quiet
done
python scripts/check-docs.py --commands "$(swift build --show-bin-path)"
say "docs: written to ${output#"$ROOT"/}"
