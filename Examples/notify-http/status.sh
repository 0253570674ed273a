#!/bin/sh
# Usage: WAYBILL_KEY=wbk_live_… status.sh https://push.example.com ID
set -eu
header=$(mktemp)
trap 'rm -f "$header"' EXIT
printf 'Authorization: Bearer %s\n' "$WAYBILL_KEY" > "$header"
# {"id": …, "state": "done", …, "outcomes": {"accepted": 2}}
curl --fail-with-body --silent --show-error --max-time 15 --retry 5 --header "@$header" "$1/v1/notifications/$2"
