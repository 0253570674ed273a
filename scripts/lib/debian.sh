# A Debian of one's own, in a folder, for tests of what is installed. Sourced, never run; needs root.
# shellcheck shell=bash

DEBIAN_BASE="$PRIVATE/debian/base.tar"

# The suite of the machine and the mirror that its apt uses: two words.
debian_source() {
    local suite mirror
    # shellcheck source=/dev/null
    suite=$(source /etc/os-release && printf '%s' "$VERSION_CODENAME")
    # shellcheck disable=SC2016 # the words are apt's
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' | grep -m 1 " $suite main\$") ||
        fail "apt names no mirror of Debian's $suite"
    printf '%s %s\n' "$suite" "${mirror%% *}"
}

# Makes DEBIAN_BASE, a minimal Debian as a tar file, unless it is there. Half a minute and 200 MB.
make_debian_base() {
    local suite mirror work
    [[ ! -f $DEBIAN_BASE ]] || return 0
    [[ $EUID -eq 0 ]] || fail "only root can make a Debian in a folder"
    read -r suite mirror < <(debian_source)
    mkdir -p "$(dirname "$DEBIAN_BASE")"
    work=$(mktemp -d "$(dirname "$DEBIAN_BASE")/base-XXXXXX")
    note "Making a minimal Debian ($suite) in ${DEBIAN_BASE#"$ROOT"/}"
    if ! debootstrap --variant=minbase --include=ca-certificates "$suite" "$work/root" "$mirror" >"$work/log" 2>&1; then
        tail -n 20 "$work/log" >&2
        fail "debootstrap failed; all of its words are in $work/log"
    fi
    rm -rf "$work"/root/var/cache/apt/archives/*.deb
    tar -C "$work/root" -cf "$work/base.tar" .
    mv "$work/base.tar" "$DEBIAN_BASE"
    rm -rf "$work"
}
