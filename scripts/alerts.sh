#!/usr/bin/env bash
# Tests the alert rules and the dashboard of deploy/ with Prometheus' own tool: every rule and every query of the dashboard is
# parsed, and each alert fires, and stays silent, when it should. Needs no build and no services; that the metrics are there
# is shown by the case prometheus-scrapes of scripts/faults.sh.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
takes_no_arguments "$@"

cd "$ROOT"
scripts/install.sh prometheus
queries=$(mktemp --suffix=.yml)
trap 'rm -f "$queries"' EXIT
verify alerts --as-rules "$queries"
verify alerts
promtool check config deploy/prometheus/prometheus.yml
promtool check rules "$queries"
promtool test rules Verification/alerts/rules.test.yml
