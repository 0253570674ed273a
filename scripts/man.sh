#!/usr/bin/env bash
# Writes the manual pages and the completions for bash, zsh and fish, all of them from what the programs say of themselves in
# --help, and checks them: mandoc finds nothing to complain of, each shell reads its completions, and bash and fish complete a word.
#
#   scripts/man.sh [--programs DIR] [FOLDER]
#
# FOLDER (.waybill/share) is laid out as /usr/share. --programs uses the waybill and apns-simulator there, else both are built.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/share.sh
source "$ROOT/scripts/lib/share.sh"

programs=''
if [[ ${1:-} == --programs ]]; then
    programs=${2:?"--programs needs a folder"}
    shift 2
fi
share=$(realpath -m "${1:-$PRIVATE/share}")

cd "$ROOT"
scripts/install.sh mandoc zsh fish
if [[ -z $programs ]]; then
    for product in waybill apns-simulator; do swift build --product "$product" --quiet; done
    programs=$(swift build --show-bin-path)
fi

rm -rf "$share"
write_share "$share" "$programs/waybill" "$programs/apns-simulator"
(cd "$share/man/man1" && mandoc -Tlint ./*.1) || fail "mandoc complains of the manual pages, see above"
bash_completion="$share/bash-completion/completions/waybill"
fish_completion="$share/fish/vendor_completions.d/waybill.fish"
bash -n "$bash_completion"
zsh -n "$share/zsh/vendor-completions/_waybill"
fish --no-execute "$fish_completion"

# What a shell offers for `waybill rej`.
offered=$(bash -c 'source "$1"; COMP_WORDS=(waybill rej) COMP_CWORD=1 COMP_LINE="waybill rej" COMP_POINT=11
    _waybill waybill rej waybill; printf "%s" "${COMPREPLY[*]}"' - "$bash_completion")
[[ $offered == rejected ]] || fail "bash completes 'waybill rej' with '$offered'"
offered=$(fish --no-config -c "source '$fish_completion'; complete -C 'waybill rej'" | cut -f 1)
[[ $offered == rejected ]] || fail "fish completes 'waybill rej' with '$offered'"

pages=("$share"/man/man1/*.1)
say "man: ${#pages[@]} pages and the completions of three shells, in ${share#"$ROOT"/}"
