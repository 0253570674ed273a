#!/usr/bin/env bash
# Counts instructions and allocations of single steps and compares them with Verification/counts/counts.json; 1 when one has grown.
#
# Such counts are the same at every run and on every x86-64 machine with the same libraries, where times are not.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

usage() {
    cat <<'TEXT'
Usage: scripts/counts.sh [--update] [--program FILE] [CASE…]

  --update        write what was counted to Verification/counts/counts.json
  --program FILE  a waybill-bench built for release, instead of building one
  CASE…           only these; waybill-bench micro --exact --list names them all

Each case runs twice under valgrind, with 5,000 notifications and with 10,000: the difference is the step alone.
Nothing is sent anywhere. A count that has grown by more than 3 % in instructions, or by 0.05 allocations for each
notification, ends the script with 1; one that has shrunk is worth --update.
TEXT
}

program=
options=()
cases=()
while (($#)); do
    case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --update) options+=(--update) ;;
        --program)
            [[ -x ${2-} ]] || {
                note "--program needs a program"
                exit 64
            }
            program=$(realpath "$2")
            shift
            ;;
        -*)
            note "unknown option $1"
            usage >&2
            exit 64
            ;;
        *) cases+=("$1") ;;
    esac
    shift
done

cd "$ROOT"
forget_settings
command -v valgrind >/dev/null || scripts/install.sh valgrind
command -v strip >/dev/null || scripts/install.sh binutils
if [[ -z $program ]]; then
    note "Building waybill-bench"
    swift build -c release --product waybill-bench >&2
    program="$(swift build -c release --show-bin-path)/waybill-bench"
fi
fetch_python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Valgrind cannot read Swift's debugging information, and needs none to count.
strip --strip-debug -o "$work/waybill-bench" "$program"
verify counts --program "$work/waybill-bench" --baseline Verification/counts/counts.json "${options[@]}" "${cases[@]}"
