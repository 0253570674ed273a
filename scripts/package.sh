#!/usr/bin/env bash
# Builds the Debian package: the program with the Swift runtime inside, stripped (its debug symbols are a package of their
# own), units, manual pages, completions, documents and examples. Fails on any word of lintian's.
#
#   scripts/package.sh             prints the package's path; it is in .waybill/package
#   scripts/package.sh --prove     and then installs, configures, runs, upgrades and purges it in a Debian of its own (root only)
#
# DEBFULLNAME and DEBEMAIL name whoever makes it; without them, whoever made the last commit.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/share.sh
source "$ROOT/scripts/lib/share.sh"

cd "$ROOT"
proves=no
case ${1:-} in
    '') ;;
    --prove)
        proves=yes
        scripts/install.sh debootstrap
        ;;
    *) fail "unknown option $1 (only --prove)" ;;
esac
package="$PRIVATE/package"
version=$(sed -n 's/.*current = "\(.*\)".*/\1/p' Sources/waybill/Version/ProductVersion.swift)
maintainer="${DEBFULLNAME:-$(git log -1 --format=%an)} <${DEBEMAIL:-$(git log -1 --format=%ae)}>"

scripts/install.sh debhelper lintian
note "Building waybill with the Swift runtime inside (minutes the first time)"
build=(swift build -c release --static-swift-stdlib --scratch-path .build-package --product waybill)
"${build[@]}" >&2
program=$("${build[@]}" --show-bin-path)/waybill

tree="$package/waybill-$version"
rm -rf "$package"
mkdir -p "$tree/bin" "$tree/examples" "$tree/debian/source"
cp "$program" "$tree/bin/waybill"
cp -r README.md docs schemas deploy "$tree/"
mv "$tree/deploy/debian/"* "$tree/debian/"
rmdir "$tree/deploy/debian"
python3 scripts/lib/fenced.py docs/operations/configure.md yaml 'retention:' >"$tree/examples/waybill.yaml"
write_share "$tree/share" "$tree/bin/waybill"

sed -i "s|@MAINTAINER@|$maintainer|" "$tree/debian/control"
printf '3.0 (quilt)\n' >"$tree/debian/source/format"
cp CHANGELOG.md "$tree/CHANGELOG.md"
printf 'waybill (%s-1) unstable; urgency=medium\n\n  * What is new: changelog.gz.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(git log -1 --format=%cD)" >"$tree/debian/changelog"

if ! (cd "$tree" && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) >"$package/build.log" 2>&1; then
    tail -n 30 "$package/build.log" >&2
    fail "the package cannot be built; all of its words are in $package/build.log"
fi
deb="$package/waybill_$version-1_$(dpkg --print-architecture).deb"
lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$deb" || fail "lintian complains of the package, see above"
say "package: ${deb#"$ROOT"/}, $(du -h "$deb" | cut -f 1)"
if [[ $proves == yes ]]; then scripts/lib/prove_package.sh "$deb"; fi
