#!/usr/bin/env bash
# Follows the documentation of WaybillAPNS and WaybillFCM as an outsider would, word for word: makes a package beside the
# repository from the blocks of "Send your first notification", or message, runs it against the simulator, then does the same
# with Examples/send-notification and send-message, in a package that has modules of its own with every name that ours would
# have without their prefix. Needs no services; the first run builds each library anew, which takes about a minute.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

# What other people call their modules, too.
NAMES=(AMQP Accounts Audience Compression Encoding Gzip HTTP2 Messages Mongo Providers Settings TLS Telemetry Threads Transfer)
port=$(free_ports 1)
simulator=

# begin LIBRARY PACKAGE ARTICLE: what the functions below are about, from here on.
begin() {
    library=$1 package_name=$2
    articles="$ROOT/Sources/$library/$library.docc"
    article="$articles/$3"
    example="$ROOT/Examples/$package_name"
    outside="$PRIVATE/example/$package_name" # where the outsider works
    builds="$PRIVATE/example-build/$package_name" # stays, for the next run
    package="$outside/$package_name"
    sources="$package/Sources/$package_name"
}

# block FILE LANGUAGE TEXT: a block of a page, with a port that is free in place of the documented one.
block() {
    python3 "$ROOT/scripts/lib/fenced.py" "$1" "$2" "$3" | sed "s/844[34]/$port/g"
}

stop_simulator() {
    [[ -z $simulator ]] || end_process "$simulator" apns-simulator 5
    simulator=
}

# start_simulator FOLDER COMMAND: runs a command of the documentation until it listens.
start_simulator() {
    stop_simulator
    (cd "$1" && exec bash -c "exec $2") 2>"$outside/simulator.log" &
    simulator=$!
    local tick
    for ((tick = 0; tick < 200; tick++)); do
        grep -q "listening on" "$outside/simulator.log" && return
        kill -0 "$simulator" 2>/dev/null || break
        sleep 0.05
    done
    fail "the simulator does not listen: $(cat "$outside/simulator.log")"
}

# expect NAME PATTERN...: the last output has these lines, in this order, and no more.
expect() {
    local name=$1 line pattern
    shift
    while IFS= read -r line <&3 || [[ -n $line ]]; do
        [[ $# -gt 0 ]] || fail "$name printed more than expected: $line"
        pattern=$1
        shift
        [[ $line =~ ^$pattern$ ]] || fail "$name printed: $line"
    done 3<"$outside/output"
    [[ $# -eq 0 ]] || fail "$name printed less than expected: $(cat "$outside/output")"
}

# follow_article: makes the article's package, word for word, and runs it against the simulator.
follow_article() {
    say "example: the package of the article on $library"
    cd "$ROOT"
    rm -rf "$outside"
    mkdir -p "$outside" "$builds"
    ln -s "$ROOT" "$outside/waybill"
    (
        cd "$outside"
        eval "set -e; $(block "$article" sh make-credentials)"
    ) >"$outside/build.log" 2>&1 || fail "the first steps fail: $(tail -n 20 "$outside/build.log")"
    mkdir -p "$sources"
    ln -s "$builds" "$package/.build"
    block "$article" swift "import PackageDescription" >"$package/Package.swift"
    block "$article" swift "import $library" >"$sources/main.swift"
    start_simulator "$outside" "$(block "$article" sh "--port")"
    cd "$outside"
    eval "$(block "$article" sh "swift run")" >"$outside/output" 2>"$outside/build.log" ||
        fail "the article's program fails: $(tail -n 20 "$outside/build.log")"
}

# follow_example ARTICLE OPTIONS: runs the example beside modules of its own, against a simulator with the article's rules;
# the command that sends is then in `send`.
follow_example() {
    say "example: Examples/$package_name, beside modules named ${NAMES[*]}"
    cd "$package"
    cp "$example/Sources/$package_name"/*.swift "$sources/"
    local name
    for name in "${NAMES[@]}"; do
        mkdir -p "Sources/$name"
        printf 'public let is%s = true\n' "$name" >"Sources/$name/$name.swift"
        printf 'import %s\nlet has%s = is%s\n' "$name" "$name" "$name" >"$sources/Uses$name.swift"
    done
    cat >>Package.swift <<SWIFT

let names = "${NAMES[*]}".split(separator: " ").map(String.init)
package.targets += names.map { Target.target(name: \$0) }
package.targets[0].dependencies += names.map { Target.Dependency.target(name: \$0) }
SWIFT
    # From the folder that the article on the simulator is about: a checkout with credentials in it.
    mkdir "$outside/checkout"
    ln -s "$ROOT/.build" "$ROOT/schemas" "$package/credentials" "$outside/checkout/"
    start_simulator "$outside/checkout" "$(block "$articles/$1" sh "--rules") $2"
    send=$(block "$example/README.md" sh "swift run")
    eval "$send" >"$outside/output" 2>"$outside/build.log" || fail "the example fails: $(tail -n 20 "$outside/build.log")"
}

# refuses COMMAND WRONG…: the command ends with 1 for what is refused, and the program with 64 for wrong usage.
refuses() {
    local status=0
    eval "$1" >"$outside/output" 2>"$outside/build.log" || status=$?
    [[ $status -eq 1 ]] || fail "the example ended with $status after a refusal"
    shift
    status=0
    "$package/.build/debug/$package_name" "$@" >"$outside/usage" 2>&1 || status=$?
    [[ $status -eq 64 ]] || fail "the example ended with $status after wrong usage"
    stop_simulator
}

trap stop_simulator EXIT

begin WaybillAPNS send-notification SendYourFirstNotification.md
follow_article
id='[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
expect "the article's program" "$id: accepted" "$id: accepted"
follow_example TestWithTheSimulator.md "--record $outside/pushes"
expect "the example" "typed $id: accepted; nothing to do" "opaque $id: accepted; nothing to do"
refuses "${send/a1b2c3d4/deadc3d4}" --endpoint nowhere
gone="$id: refused, 410 Unregistered; stop sending to this device token"
expect "the example, to a dead token," "typed $gone" "opaque $gone"
opaque='\"aps\":{\"alert\":\"Parcel 7 is at your door\"},\"parcel\":7'
[[ $(grep -cF "$opaque" "$outside/pushes") -eq 2 ]] || fail "the opaque payload did not arrive as it was"

begin WaybillFCM send-message SendYourFirstMessage.md
follow_article
name='projects/waybill-demo/messages/[0-9a-z:%]+'
expect "the article's program" "$name: accepted" "$name: accepted"
follow_example TestAgainstTheSimulator.md ""
expect "the example" "typed $name: accepted; nothing to do" "ready $name: accepted; nothing to do"
refuses "${send/cXyZ/deadcXyZ}" --host nowhere
gone="refused, 404 UNREGISTERED; stop sending to this token"
expect "the example, to a dead token," "typed $gone" "ready $gone"

say "example: an outsider's packages build, and their programs say what the documentation says"
