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
python3 scripts/lib/manual.py "$share/man/man1" "$programs/waybill" "$programs/apns-simulator" >/dev/null
(cd "$share/man/man1" && mandoc -Tlint ./*.1) || fail "mandoc complains of the manual pages, see above"

bash_folder="$share/bash-completion/completions"
zsh_folder="$share/zsh/vendor-completions"
fish_folder="$share/fish/vendor_completions.d"
mkdir -p "$bash_folder" "$zsh_folder" "$fish_folder"
for program in waybill apns-simulator; do
    complete() { "$programs/$program" --generate-completion-script "$1"; }
    complete bash >"$bash_folder/$program"
    complete zsh >"$zsh_folder/_$program"
    complete fish >"$fish_folder/$program.fish"
    bash -n "$bash_folder/$program"
    zsh -n "$zsh_folder/_$program"
    fish --no-execute "$fish_folder/$program.fish"
done

# What a shell offers for `waybill rej`.
offered=$(bash -c 'source "$1"; COMP_WORDS=(waybill rej) COMP_CWORD=1 COMP_LINE="waybill rej" COMP_POINT=11
    _waybill waybill rej waybill; printf "%s" "${COMPREPLY[*]}"' - "$bash_folder/waybill")
[[ $offered == rejected ]] || fail "bash completes 'waybill rej' with '$offered'"
offered=$(fish --no-config -c "source '$fish_folder/waybill.fish'; complete -C 'waybill rej'" | cut -f 1)
[[ $offered == rejected ]] || fail "fish completes 'waybill rej' with '$offered'"

pages=("$share"/man/man1/*.1)
say "man: ${#pages[@]} pages and the completions of three shells, in ${share#"$ROOT"/}"
