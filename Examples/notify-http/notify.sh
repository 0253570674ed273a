#!/bin/sh
# Usage: WAYBILL_KEY=wbk_live_… notify.sh https://push.example.com NAME BODY
set -eu
# The key goes by a file that nobody else reads: command lines are seen by everybody on the machine.
header=$(mktemp)
trap 'rm -f "$header"' EXIT
printf 'Authorization: Bearer %s\n' "$WAYBILL_KEY" > "$header"
# What is between the quotation marks of a JSON text; control characters besides tabs and line feeds are left out.
text() {
  printf '%s' "$1" | tr -d '\000-\010\013-\037' | sed -e 's/[\\"]/\\&/g' -e "s/$(printf '\t')/\\\\t/g" |
    awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'
}
curl --fail-with-body --silent --show-error --max-time 15 \
  --retry 5 --retry-all-errors \
  --header "@$header" \
  --header 'Content-Type: application/json' \
  --header "Idempotency-Key: \"$2\"" \
  --data-binary "{\"level\": \"warning\", \"body\": \"$(text "$3")\"}" \
  "$1/v1/notifications"
