# What of the programs goes below /usr/share: manual pages, and completions for three shells. Sourced, never run.
# shellcheck shell=bash

# write_share FOLDER PROGRAM…: writes both for each program into FOLDER, which is laid out as /usr/share.
write_share() {
    local folder=$1 program name
    shift
    python3 "$ROOT/scripts/lib/manual.py" "$folder/man/man1" "$@" >/dev/null
    mkdir -p "$folder/bash-completion/completions" "$folder/zsh/vendor-completions" "$folder/fish/vendor_completions.d"
    for program in "$@"; do
        name=$(basename "$program")
        # It is read by a shell that runs already: the first line, #!, says nothing.
        "$program" --generate-completion-script bash | sed 1d >"$folder/bash-completion/completions/$name"
        "$program" --generate-completion-script zsh >"$folder/zsh/vendor-completions/_$name"
        "$program" --generate-completion-script fish >"$folder/fish/vendor_completions.d/$name.fish"
    done
}
