#!/usr/bin/env bash
# Shows all of Waybill on private servers: sends notifications to a simulated APNs and a simulated FCM, and tells what became of them.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

DEMO="$PRIVATE/demo"
SERVICES="$DEMO/services"
CONFIG="$DEMO/waybill.yaml"
PROGRAMS="$ROOT/.build/release"
FINAL=(--outcome accepted --outcome rejected --outcome token_invalid --outcome invalid --outcome expired --outcome unknown --outcome cancelled --outcome superseded)
count=10000
keep=no
is_built=no

usage() {
    cat <<'TEXT'
Usage: scripts/demo.sh [--count N] [--keep] [--programs DIR]
       scripts/demo.sh --stop

  --count N        notifications to send (10000; 1000 at the least)
  --keep           leave everything running, to try the commands it names
  --programs DIR   show the programs there in place of building them
  --stop           end what --keep left running

Everything is private: under .waybill/demo, on loopback. Nothing is sent to Apple or Google.
TEXT
}

heading() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
number() { sed ':again; s/\B[0-9]\{3\}\>/,&/; t again' <<<"$1"; }

# waybill COMMAND OPTIONS…: with the demonstration's configuration
waybill() { "$PROGRAMS/waybill" "$1" --config "$CONFIG" "${@:2}"; }

# typed COMMAND OPTIONS…: as a person would type it
typed() { printf '\n   %s$ %s%s\n' "$bold" "$(printf '%s ' "${@@Q}" | sed -E "s/'([^' \$]+)'/\1/g; s/ $//")" "$plain"; }

# shown COMMAND OPTIONS…: the command as a person would type it, and its output as it comes, which fits the terminal
shown() {
    typed waybill "$@"
    waybill "$@"
}

# shown_part COMMAND SUBCOMMAND OPTIONS…: the same of a command that has commands of its own
shown_part() {
    typed waybill "$@"
    "$PROGRAMS/waybill" "$@" --config "$CONFIG"
}

# in_background NAME PROGRAM ARGUMENTS…: starts it with its words in NAME.log; the arguments must name a file in DEMO
in_background() {
    setsid "$PROGRAMS/$2" "${@:3}" </dev/null >"$DEMO/$1.log" 2>&1 &
    local pid=$! tick
    printf '%s\n' "$pid" >"$DEMO/$1.pid"
    # Between fork and exec it has this script's command line, and `runs` would not know it.
    for ((tick = 0; tick < 100; tick++)); do
        if runs "$1" || ! kill -0 "$pid" 2>/dev/null; then return; fi
        sleep 0.05
    done
}

runs() { is_ours "$(cat "$DEMO/$1.pid" 2>/dev/null)" "$DEMO"; }

give_up() {
    note ""
    note "The demonstration failed: $1"
    local name
    for name in run simulator fcm; do
        [[ -s $DEMO/$name.log ]] || continue
        note "-- the end of .waybill/demo/$name.log"
        tail -n 8 "$DEMO/$name.log" >&2
    done
    exit 1
}

stop_everything() {
    local name
    for name in run simulator fcm; do
        end_process "$(cat "$DEMO/$name.pid" 2>/dev/null)" "$DEMO" 40
        rm -f "$DEMO/$name.pid"
    done
    "$ROOT/scripts/services.sh" stop "$SERVICES"
}

build() {
    "$ROOT/scripts/install.sh" libjs-chart.js # the charts of the page
    [[ $is_built == no ]] || return 0
    say "   Building (minutes the first time, seconds later) …"
    local product output=/dev/stdout
    [[ -t 1 ]] || output="$DEMO/build.log" # swift's own progress is for a terminal
    for product in waybill apns-simulator; do
        swift build --package-path "$ROOT" -c release --product "$product" >"$output" 2>&1 || {
            [[ -t 1 ]] || cat "$output" >&2
            fail "the build failed"
        }
    done
    say "   Built: .build/release/waybill, .build/release/apns-simulator"
}

start_simulators() {
    "$PROGRAMS/apns-simulator" make-credentials "$DEMO/credentials" >"$DEMO/credentials.log" 2>&1 ||
        fail "no credentials: $(cat "$DEMO/credentials.log")"
    start_simulator simulator 0 "$DEMO/received.ndjson" --rules "$DEMO/batches/rules.json" --topic com.example.parcels \
        --key-id ABC123DEFG --team-id ABCDE12345 --public-key "$DEMO/credentials/AuthKey_ABC123DEFG.pub.pem"
    # The account's key says where access tokens are bought: from the simulator itself.
    local port account=$DEMO/credentials/service-account.json
    port=$(free_ports 1)
    sed -i -E "s#(\"token_uri\" ?: ?)\"[^\"]*\"#\\1\"https://localhost:$port/token\"#" "$account"
    start_simulator fcm "$port" "$DEMO/received-fcm.ndjson" --service-account "$account"
}

# start_simulator NAME PORT RECORD OPTIONS…
start_simulator() {
    in_background "$1" apns-simulator --port "$2" --port-file "$DEMO/$1.port" --record "$3" "${@:4}" \
        --certificate "$DEMO/credentials/server.pem" --private-key "$DEMO/credentials/server-key.pem"
    local tick
    for ((tick = 0; tick < 100; tick++)); do
        [[ -s $DEMO/$1.port ]] && return
        runs "$1" || break
        sleep 0.1
    done
    give_up "apns-simulator did not start"
}

write_configuration() {
    local address project
    address="127.0.0.1:$(free_ports 1)"
    project=$(sed -n -E 's/.*"project_id" ?: ?"([^"]*)".*/\1/p' "$DEMO/credentials/service-account.json")
    (umask 077 && mkdir "$DEMO/mails" && head -c 32 /dev/urandom >"$DEMO/root-secret")
    (umask 077 && echo "k1 $(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')" >"$DEMO/receipt-keys")
    cat >"$CONFIG" <<YAML
broker:
  url: $WAYBILL_TEST_BROKER
store:
  url: $WAYBILL_TEST_STORE
retention:
  default: 30d
  clients: {acme: 90d, contoso: keep}
clients:
  acme: {apps: [com.example.parcels, $project]}
serve:
  listen: $address
  accounts:
    base_url: http://$address
    root_secret_file: "$DEMO/root-secret"
  notifire:
    services:
      app: com.example.parcels
      lane: parcels
receipts:
  key_file: "$DEMO/receipt-keys"
  keep_for: 30d
mail:
  from: Waybill <no-reply@example.com>
  folder: "$DEMO/mails"
lanes:
  - name: parcels
    environment: production
    bundle_id: com.example.parcels
    team_id: ABCDE12345
    key_id: ABC123DEFG
    key_file: "$DEMO/credentials/AuthKey_ABC123DEFG.p8"
    endpoint: https://localhost:$(cat "$DEMO/simulator.port")
    trust_file: "$DEMO/credentials/ca.pem"
  - name: android
    provider: fcm
    service_account_file: "$DEMO/credentials/service-account.json"
    endpoint: https://localhost:$(cat "$DEMO/fcm.port")
    trust_file: "$DEMO/credentials/ca.pem"
YAML
}

# publish OPTIONS… FILE: waybill send; speaks only when it fails
publish() {
    waybill send "$@" >"$DEMO/send.log" 2>&1 || give_up "waybill send $*: $(cat "$DEMO/send.log")"
}

# drain LABEL TOTAL COMMAND OPTIONS…: a bar until the counts that the command prints add up to TOTAL
drain() {
    python "$ROOT/scripts/lib/demo_progress.py" 60 "$2" "$1" \
        "$PROGRAMS/waybill" "$3" --config "$CONFIG" "${@:4}" --json ||
        give_up "not all of $2 $1 are there"
}

demonstrate() {
    stop_everything # of a demonstration that was killed
    rm -rf "$DEMO"
    mkdir -p "$DEMO"
    trap 'stop_everything' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM

    heading "1. Tools"
    build

    heading "2. Private servers"
    STORE_EXPIRES=true "$ROOT/scripts/services.sh" start "$SERVICES"
    # shellcheck source=/dev/null
    source "$SERVICES/env"
    python "$ROOT/scripts/lib/demo_batches.py" "$DEMO/batches" "$count"
    # shellcheck source=/dev/null
    source "$DEMO/batches/facts.env"
    start_simulators
    write_configuration
    say "   RabbitMQ   $WAYBILL_TEST_BROKER"
    say "   MongoDB    $WAYBILL_TEST_STORE"
    say "   APNs       a simulator, https://localhost:$(cat "$DEMO/simulator.port"), with a certificate and a key made just now"
    say "   FCM        another one, https://localhost:$(cat "$DEMO/fcm.port")"

    heading "3. Set up: queues and indexes, then a look at everything"
    shown init || give_up "waybill init"
    shown check || give_up "waybill check"
    python "$ROOT/scripts/lib/demo_register.py" "$DEMO/batches/devices.json" "$WAYBILL_TEST_STORE_PORT" ||
        give_up "the devices could not be registered"
    printf '\n'
    say "   Registered $(number "$REGISTERED") devices in the collection devices, as an app's own service would"
    in_background run waybill run --config "$CONFIG"
    say "   Started in the background: waybill run, with the roles dispatch, prune, fanout, schedule, serve and hooks"

    heading "4. Send $(number "$count") notifications in the three forms of a message"
    say "   $(number "$IN_ARRAY") as an array, $(number "$IN_ENVELOPE") in an envelope, $(number "$IN_CAMPAIGN") tokens sharing one payload."
    say "   Among them $(number "$DEAD") dead tokens and $INVALID invalid items. Besides, $UNREADABLE bodies that nobody can read."
    local file
    for file in "$DEMO"/batches/array-*; do publish "$file"; done
    publish --batch-size 100 --client acme --batch-id demo-parcels "$DEMO/batches/envelope.ndjson"
    for file in "$DEMO"/batches/campaign-*; do publish --batch-size 100 "$file"; done
    for file in "$DEMO"/batches/raw-*; do publish --raw "$file"; done
    drain "final records" "$count" logs --count "${FINAL[@]}"
    drain "dead tokens disabled" "$DISABLED" devices --disabled --count

    heading "5. What became of them: one record for each"
    waybill logs --count --json >"$DEMO/counts.ndjson"
    waybill logs --json --limit $((count + 1)) >"$DEMO/records.ndjson"
    python "$ROOT/scripts/lib/demo_summary.py" "$DEMO/batches/facts.json" "$DEMO/counts.ndjson" "$DEMO/records.ndjson" ||
        give_up "the outcomes are not those that were ordered"

    shown logs --outcome invalid --limit 1 --story
    heading "The story of one dead token"
    shown logs --token "$DEAD_TOKEN" --story
    heading "Tokens that the registry has disabled: $DISABLED; five of them"
    shown devices --disabled --limit 5
    printf '\n'
    say "   $CAME_BACK more were registered again after APNs' time of death, so they stay enabled."
    heading "Bodies that nobody could read: kept, with the reason, until somebody replays or drops them"
    shown rejected
    shown_part rejected drop --all --yes || give_up "waybill rejected drop"
    campaign
    people
    both_kinds
    healthy
}

# Nothing is left to do: what the processes say of themselves comes a few seconds after it has happened
healthy() {
    local tick
    heading "9. Does everything work?"
    for ((tick = 0; tick < 100; tick++)); do
        waybill status >/dev/null 2>&1 && break
        sleep 0.3
    done
    shown status || give_up "waybill status"
}

# A thousand more devices, and a campaign to them
campaign() {
    local devices=$DEMO/batches/autumn.ndjson number
    heading "6. A campaign to a thousand devices more"
    for ((number = 0; number < 1000; number++)); do
        printf '{"app":"com.example.parcels","environment":"production","token":"%064x","device":"autumn-%d","tags":["autumn"]}\n' \
            $((0xa0000000 + number)) "$number"
    done >"$devices"
    "$PROGRAMS/waybill" devices import "$devices" --config "$CONFIG" >"$DEMO/import.log" 2>&1 ||
        give_up "waybill devices import: $(cat "$DEMO/import.log")"
    say "   Imported 1,000 devices with the tag autumn"
    shown_part campaign create autumn --app com.example.parcels --tag autumn --client acme \
        --title "Autumn" --body "New colours" --per-minute 30000 || give_up "waybill campaign create"
    shown_part campaign preview autumn || give_up "waybill campaign preview"
    shown_part campaign start autumn --at-most 1000 || give_up "waybill campaign start"
    drain "pushes of the campaign" 1000 logs --batch autumn --count "${FINAL[@]}"
    local tick
    for ((tick = 0; tick < 100; tick++)); do # what it knows of its pushes comes a moment after the log has them
        "$PROGRAMS/waybill" campaign show autumn --config "$CONFIG" --json | grep -q '"accepted":1000' && break
        sleep 0.2
    done
    shown_part campaign show autumn || give_up "waybill campaign show"
}

# Somebody with an account and two phones, whom a service tells something from a command line
people() {
    local key=.waybill/demo/service.key address tokens
    address="http://$(listening)"
    mapfile -t tokens < <(printf '%064x\n' $((0xb0000000)) $((0xb0000001)))
    heading "7. People with accounts: a service tells two phones something"
    python "$ROOT/scripts/lib/demo_people.py" enter "$address" "$DEMO/mails" "$ROOT/$key" "${tokens[@]}" ||
        give_up "nobody could sign up"
    typed waybill notify --apiurl "$address" --key-file "$key" --level error --body "Disk full"
    "$PROGRAMS/waybill" notify --apiurl "$address" --key-file "$ROOT/$key" --level error --body "Disk full" ||
        give_up "waybill notify"
    python "$ROOT/scripts/lib/demo_people.py" phones "$DEMO/received.ndjson" 30 "${tokens[@]}" || give_up "the phones"
}

# Somebody with a phone of each kind, who is told that there is smoke, and says that they know
both_kinds() {
    local phones=$DEMO/batches/kim.ndjson content=$DEMO/batches/smoke.json android=demo-android:APA91bEXAMPLEexample id project
    project=$(sed -n -E 's/.*"project_id" ?: ?"([^"]*)".*/\1/p' "$DEMO/credentials/service-account.json")
    heading "8. A phone of each kind: one alert, and somebody who acknowledges it"
    printf '{"app":"com.example.parcels","environment":"production","token":"%064x","user":"kim"}\n' $((0xc0000000)) >"$phones"
    printf '{"provider":"fcm","app":"%s","token":"%s","user":"kim"}\n' "$project" "$android" >>"$phones"
    "$PROGRAMS/waybill" devices import "$phones" --config "$CONFIG" >"$DEMO/import.log" 2>&1 ||
        give_up "waybill devices import: $(cat "$DEMO/import.log")"
    printf '{"title":"Hall 3","message":"Smoke","delivery_type":"critical","receipt":true,"expiration":%d}\n' \
        $(($(date +%s) + 300)) >"$content"
    say "   Registered an iPhone and an Android phone of Kim's. What both are told:"
    say "   $(cat "$content")"
    typed waybill audience send --id smoke --client acme --app com.example.parcels --app "$project" --user kim --content smoke.json
    "$PROGRAMS/waybill" audience send --id smoke --client acme --app com.example.parcels --app "$project" --user kim \
        --content "$content" --config "$CONFIG" || give_up "waybill audience send"
    drain "phones told" 2 logs --batch smoke --count "${FINAL[@]}"
    "$ROOT/scripts/phones.sh" --serve "http://$(listening)" --record "$DEMO/received.ndjson" --record "$DEMO/received-fcm.ndjson" \
        --idle 2 --opens 0 --acknowledges 1 --offline 0 >"$DEMO/phones.json" || give_up "scripts/phones.sh: $(cat "$DEMO/phones.json")"
    id=$(waybill logs --batch smoke --json | sed -n -E '/"lane":"android"/s/.*"_id":"([^"]*)".*/\1/p')
    say "   Kim presses the button on both. What is known of the alert on the Android phone:"
    shown logs --story --apns-id "$id"
}

# Where the HTTP API is: host and port
listening() { sed -n '/^serve:/{n;s/.*listen: //p}' "$CONFIG"; }

# Of what --keep leaves running
say_what_next() {
    local program=${PROGRAMS#"$ROOT"/}/waybill config=.waybill/demo/waybill.yaml key=.waybill/demo/page.key address
    address="http://$(listening)"
    (umask 077 && "$PROGRAMS/waybill" keys create --name demo --role steward --all-clients --config "$CONFIG" \
        >"$ROOT/$key" 2>"$DEMO/keys.log") || give_up "no key: $(cat "$DEMO/keys.log")"
    heading "All of it is still running (its words are in .waybill/demo/*.log). Try"
    cat <<TEXT
   alias waybill=$program; export WAYBILL_CONFIG=$config
   waybill status
   waybill explain demo-parcels
   waybill logs --outcome invalid
   waybill logs --client acme --since 10m --limit 20
   waybill logs --batch demo-campaign.1 --count
   echo '[{"device_token": "$(printf 'c0ffee00%.0s' 1 2 3 4 5 6 7 8)", "message": "Hello"}]' |
      waybill send - --format json
   curl -H "Authorization: Bearer \$(cat $key)" $address/v1/status
   scripts/demo.sh --stop      # ends all of it
TEXT
    heading "The page for operators: $address/"
    say "   Log in with the key in $key, which is for this demonstration alone."
    heading "The page for people: $address/app"
    say "   Log in as ada.l with the password 'correct horse battery'."
}

while [[ $# -gt 0 ]]; do
    case $1 in
        --count)
            count=${2-}
            shift
            ;;
        --count=*) count=${1#*=} ;;
        --keep) keep=yes ;;
        --programs)
            PROGRAMS=$(realpath -- "${2-}")
            is_built=yes
            shift
            ;;
        --stop)
            stop_everything
            say "Everything that the demonstration started is stopped."
            exit
            ;;
        -h | --help)
            usage
            exit
            ;;
        *)
            usage >&2
            exit 64
            ;;
    esac
    shift
done
[[ $count =~ ^[0-9]+$ && $count -ge 1000 && $count -le 10000000 ]] || {
    note "demo.sh: --count takes 1000 to 10000000"
    exit 64
}
if runs run; then fail "a demonstration is still running; end it with scripts/demo.sh --stop"; fi
bold='' plain=''
if [[ -t 1 && -z ${NO_COLOR-} ]]; then bold=$'\e[1m' plain=$'\e[0m'; fi

forget_settings
demonstrate
if [[ $keep == yes ]]; then
    say_what_next
else
    stop_everything
    heading "Everything is stopped again. scripts/demo.sh --keep leaves it running, and says what to try."
fi
trap - EXIT # of a failure until here, nothing is left running
