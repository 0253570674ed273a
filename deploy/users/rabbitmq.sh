#!/usr/bin/env bash
# Makes one RabbitMQ user for each command of Waybill, with exactly the rights of the table in docs/operations/rights.md.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: deploy/users/rabbitmq.sh FOLDER [VIRTUAL-HOST [QUEUE-PREFIX]]

Run it where rabbitmqctl reaches the broker. The virtual host (/ by default) must be there; the prefix is waybill by
default, as broker.queue_prefix. For each command a user PREFIX-COMMAND is made, with a password of its own in
FOLDER/PREFIX-COMMAND-broker-password, readable by whoever runs this only: give each file to the user that runs the command.
Safe to repeat: a user that is there keeps its password, and gets its rights again; a password file that is there is never
written again, and a user who is missing gets what it holds. RABBITMQCTL names another rabbitmqctl.
TEXT
}

# command, then what it may configure, write and read; "waybill" stands for the prefix.
rights() {
    cat <<'TABLE'
init     ^waybill\.  ^(amq\.default|waybill\.(dispatch.*|bulk|audience|retry|invalid-tokens))$  ^waybill\.
check    ^$          ^$                                    ^$
dispatch ^$          ^amq\.default$                        ^waybill\.(dispatch.*|bulk|retry)$
prune    ^$          ^amq\.default$                        ^waybill\.invalid-tokens$
fanout   ^$          ^amq\.default$                        ^waybill\.audience$
schedule ^$          ^(amq\.default|waybill\.in)$           ^$
send     ^$          ^waybill\.in$                         ^$
audience ^$          ^waybill\.in$                         ^$
run      ^$          ^(amq\.default|waybill\.in|waybill\.replay)$  ^waybill\.(dispatch.*|bulk|retry|invalid-tokens|audience|rejected)$
status   ^$          ^$                                    ^$
top      ^$          ^$                                    ^$
serve    ^$          ^waybill\.(in|replay)$                ^waybill\.rejected$
explain  ^$          ^$                                    ^waybill\.rejected$
rejected ^$          ^waybill\.replay$                     ^waybill\.rejected$
TABLE
}

[[ $# -ge 1 && $# -le 3 && $1 != -* ]] || { usage; exit 64; }
folder=$1 virtual_host=${2:-/} prefix=${3:-waybill}
[[ $prefix =~ ^[A-Za-z0-9._-]+$ ]] || { echo "not a queue prefix: $prefix" >&2; exit 64; }
control=${RABBITMQCTL:-rabbitmqctl}
# In a pattern a dot means any character.
pattern_prefix=${prefix//./\\.}
umask 077
mkdir -p "$folder"
users=$("$control" --silent list_users | cut -f 1)
while read -r command configure write read; do
    user="$prefix-$command"
    if ! grep -qxF "$user" <<<"$users"; then
        password="$folder/$user-broker-password"
        [[ -e $password ]] || head -c 24 /dev/urandom | base64 | tr '+/' '-_' >"$password"
        "$control" --silent add_user "$user" <"$password"
        echo "made $user, its password is in $password"
    fi
    configure=${configure//waybill/$pattern_prefix} write=${write//waybill/$pattern_prefix}
    read=${read//waybill/$pattern_prefix}
    "$control" --silent set_permissions -p "$virtual_host" "$user" "$configure" "$write" "$read" </dev/null
    echo "$user: configure $configure, write $write, read $read"
done < <(rights)
