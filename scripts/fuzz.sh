#!/usr/bin/env bash
# Runs libFuzzer on the decoders of everything that comes from outside.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

cd "$ROOT"
forget_settings
FUZZ="$PRIVATE/fuzz"
export SWIFT_BACKTRACE=enable=no # libFuzzer prints its own, and the two would meet in each other's stacks
KEPT=Tests/FuzzTests/Corpus
FUZZERS_OWN=(-regextype posix-extended -regex '.*/[0-9a-f]{40}') # libFuzzer names an input by its digest

usage() {
    cat <<'TEXT'
Usage: scripts/fuzz.sh [TARGET…] [--seconds S] [--keep]
       scripts/fuzz.sh --list

Builds the fuzzers (AddressSanitizer on, minutes the first time) and runs every target, or those named, for S seconds
each (60). New inputs are collected in .waybill/fuzz; a finding is written there, and its path and the way to repeat it
are printed. Exit 1 when there is a finding.

  --list    the targets
  --keep    afterwards, put the fewest inputs that reach everything beside the named ones of Tests/FuzzTests/Corpus, which
            the tests replay
TEXT
}

misuse() {
    note "fuzz.sh: $*"
    usage >&2
    exit 64
}

known_targets() { sed -n 's/.*= FuzzTarget("\([a-z-]*\)".*/\1/p; s/^        "\([a-z-]*\)",$/\1/p' Tests/FuzzTests/Targets/*Target*.swift; }

seconds=60
keeps=false
targets=()
mapfile -t known < <(known_targets | sort)
while [[ $# -gt 0 ]]; do
    case $1 in
        --help | -h) usage && exit 0 ;;
        --list) printf '%s\n' "${known[@]}" && exit 0 ;;
        --seconds)
            [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || misuse "--seconds wants a number"
            seconds=$2
            shift
            ;;
        --keep) keeps=true ;;
        -*) misuse "there is no option $1" ;;
        *)
            [[ " ${known[*]} " == *" $1 "* ]] || misuse "there is no target $1"
            targets+=("$1")
            ;;
    esac
    shift
done
[[ ${#targets[@]} -gt 0 ]] || targets=("${known[@]}")

# Of two -sanitize options Swift 6.3 keeps the last, and forgets the coverage that the other stands for; without it libFuzzer
# sees nothing of what its inputs reach.
COVERAGE=(-Xswiftc "-sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp")

# A package of its own beside the real one: its modules must be built with coverage, and its program has no main.
build() {
    local package="$FUZZ/package" name
    mkdir -p "$package"
    cat Package.swift Verification/fuzz/targets.swift >"$package/Package.swift.new"
    cmp -s "$package/Package.swift.new" "$package/Package.swift" || mv "$package/Package.swift.new" "$package/Package.swift"
    rm -f "$package/Package.swift.new"
    [[ ! -f Package.resolved ]] || cp Package.resolved "$package/"
    for name in Sources Tests; do ln -sfn "$ROOT/$name" "$package/$name"; done
    ln -sfn "$ROOT/Verification/fuzz/Driver" "$package/Driver"
    swift build --package-path "$package" --scratch-path "$FUZZ/build" --product waybill-fuzz \
        --sanitize=fuzzer --sanitize=address -Xswiftc -O "${COVERAGE[@]}"
    PROGRAM="$(swift build --package-path "$package" --scratch-path "$FUZZ/build" --show-bin-path)/waybill-fuzz"
}

# Private keys are made, not kept: a repository with keys in it teaches the wrong thing.
make_keys() {
    openssl ecparam -name prime256v1 -genkey -noout -out "$1/ec-key.pem"
    openssl pkcs8 -topk8 -nocrypt -in "$1/ec-key.pem" -out "$1/key.p8"
    openssl req -x509 -key "$1/key.p8" -subj /CN=fuzz -days 1 -out "$1/certificate.pem"
    cat "$1/certificate.pem" "$1/key.p8" >"$1/both.pem"
    openssl pkcs12 -export -in "$1/both.pem" -passout pass:secret -out "$1/both.p12"
}

fuzz() {
    local target=$1 work="$FUZZ/$1" folders dictionary examples=
    mkdir -p "$work/inputs" "$work/findings"
    folders=("$work/inputs" "$KEPT/$target")
    case $target in
        dispatch-body | json-file) examples=dispatch-message ;;
        fcm-body) examples=dispatch-message-fcm ;;
        invalid-token-event | simulator-rules | configuration) examples=$target ;;
        key-file | certificate-container)
            mkdir -p "$work/keys"
            make_keys "$work/keys" 2>>"$work/log"
            folders+=("$work/keys")
            ;;
    esac
    if [[ -n $examples ]]; then
        verify fuzz.seeds "$examples" "$work/examples"
        folders+=("$work/examples")
    fi
    dictionary=$(dictionary_of "$target")
    say "== $target, $seconds s"
    local status=0
    WAYBILL_FUZZ_TARGET=$target "$PROGRAM" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=1024 -max_len=8192 \
        -artifact_prefix="$work/findings/" -print_final_stats=1 ${dictionary:+"-dict=$dictionary"} \
        "${folders[@]}" >"$work/log" 2>&1 || status=$?
    if grep -qa 'Is the code instrumented for coverage' "$work/log"; then
        say "no input reaches anything that another one does not: $target is not instrumented"
        return 1
    fi
    if [[ $status -ne 0 ]]; then
        grep -aE 'waybill-fuzz:|Fatal error|ERROR:|SUMMARY|Test unit written' "$work/log" | head -n 8
        say "repeat: WAYBILL_FUZZ_TARGET=$target $PROGRAM FILE; the whole run: ${work#"$ROOT"/}/log"
        return 1
    fi
    sed -nE 's/^stat::(number_of_executed_units|new_units_added|peak_rss_mb): *([0-9]+)/   \1 \2/p' "$work/log"
}

dictionary_of() {
    local name
    name=$(grep -hA4 "\"$1\"" Tests/FuzzTests/Targets/*.swift | sed -n 's/.*dictionary: "\([a-z0-9]*\)".*/\1/p' | head -n 1)
    [[ -z $name ]] || printf 'Tests/FuzzTests/Dictionaries/%s.dict\n' "$name"
}

# What was kept under a name of its own stays. Beside it, the fewest inputs that reach what it does not reach, out of those kept
# before and the new ones; no more than 40, and none of more than 2 KiB.
keep() {
    local target=$1 work="$FUZZ/$1" named rest
    case $target in key-file | certificate-container) return ;; esac # they have grown from private keys
    rm -rf "$work/minimal"
    mkdir -p "$work/minimal"
    mapfile -t named < <(find "$KEPT/$target" -type f ! \( "${FUZZERS_OWN[@]}" \))
    cp "${named[@]}" "$work/minimal/"
    WAYBILL_FUZZ_TARGET=$target "$PROGRAM" -merge=1 -max_len=2048 -artifact_prefix="$work/findings/" \
        "$work/minimal" "$KEPT/$target" "$work/inputs" >"$work/merge.log" 2>&1
    find "$KEPT/$target" -type f "${FUZZERS_OWN[@]}" -delete
    mapfile -t rest < <(find "$work/minimal" -type f "${FUZZERS_OWN[@]}" -printf '%s %p\n' | sort -n | cut -d' ' -f2-)
    [[ ${#rest[@]} -eq 0 ]] || cp "${rest[@]:0:40}" "$KEPT/$target/"
}

fetch_python
build
failed=()
for target in "${targets[@]}"; do
    fuzz "$target" || failed+=("$target")
    if $keeps && [[ " ${failed[*]} " != *" $target "* ]]; then keep "$target"; fi
done
[[ ${#failed[@]} -eq 0 ]] || fail "findings in: ${failed[*]}"
say "fuzz: ${#targets[@]} targets, $seconds s each, no finding"
