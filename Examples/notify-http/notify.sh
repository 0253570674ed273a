#!/bin/sh
# Usage: WAYBILL_KEY=wbk_live_… notify.sh https://push.example.com NAME BODY
set -eu
# The key goes by a file that nobody else reads: command lines are seen by everybody on the machine.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'Authorization: Bearer %s\n' "$WAYBILL_KEY" > "$folder/header"
# What is between the quotation marks of a JSON text; control characters besides tabs and line feeds are left out.
text() {
  printf '%s' "$1" | tr -d '\000-\010\013-\037' | sed -e 's/[\\"]/\\&/g' -e "s/$(printf '\t')/\\\\t/g" |
    awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'
}
printf '{"level": "warning", "body": "%s"}' "$(text "$3")" > "$folder/body"
for pause in 1 2 4 8 16 32; do
  status=$(curl --silent --show-error --max-time 15 \
    --header "@$folder/header" \
    --header 'Content-Type: application/json' \
    --header "Idempotency-Key: \"$2\"" \
    --data-binary "@$folder/body" \
    --output "$folder/answer" --write-out '%{http_code} %header{retry-after}' \
    "$1/v1/notifications") || status=none
  case $status in
    202*) cat "$folder/answer"; exit ;;
    none | 409* | 429* | 5*) ;;
    *) cat "$folder/answer" >&2; exit 1 ;;
  esac
  case ${status#* } in
    none | '' | *[!0-9]*) sleep "$pause" ;;
    *) sleep "${status#* }" ;;
  esac
done
echo 'no answer' >&2
exit 1
