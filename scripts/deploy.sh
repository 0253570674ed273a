#!/usr/bin/env bash
# Checks what is in deploy/ without running it: systemd reads the units, and finds little that they are exposed to; the Dockerfile
# is in form, the Compose file keeps to its schema, and the chart, rendered, to those of Kubernetes. Needs no build and no services.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
takes_no_arguments "$@"

cd "$ROOT"
scripts/install.sh systemd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for unit in deploy/systemd/*.service; do
    # Wherever the program is: that it is there is not the question.
    sed 's|^ExecStart=waybill|ExecStart=/bin/true|' "$unit" >"$work/$(basename "$unit")"
    words=$(systemd-analyze verify --man=no "$work/$(basename "$unit")" 2>&1) || fail "$unit: $words"
    [[ -z $words ]] || fail "$unit: $words"
    # 20 stands for an exposure of 2.0 of 10.
    systemd-analyze security --no-pager --offline=true --threshold=20 "$unit" >"$work/security" ||
        fail "$unit: $(tail -n 1 "$work/security")"
    say "deploy: $(tail -n 1 "$work/security" | sed 's/.*level for //')"
done

for timer in deploy/systemd/*.timer; do
    cp "$timer" "$work"
    words=$(systemd-analyze verify --man=no "$work/$(basename "$timer")" 2>&1) || fail "$timer: $words"
    [[ -z $words ]] || fail "$timer: $words"
done

fetch_python requirements-deploy
"$PYTHON_HOME/bin/hadolint" deploy/docker/Dockerfile
"$PYTHON_HOME/bin/check-jsonschema" --quiet --builtin-schema vendor.compose-spec deploy/docker/compose.yaml
say "deploy: the Dockerfile is in form, and the Compose file keeps to its schema"
verify deploy
