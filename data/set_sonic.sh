#!/bin/sh
# ECN for switches with SONiC: a WRED profile of its own. Needs root.
#     sh SCRIPT                        loads the profile
#     sh SCRIPT --undo OLD_PROFILE     gives OLD_PROFILE (often AZURE_LOSSLESS) back to queues that use it,
#                                      and removes it
# Nothing uses the profile before a queue is bound to it:
#     sonic-db-cli CONFIG_DB HSET 'QUEUE|Ethernet0|3' wred_profile ANOLE_LOSSLESS
# in the same way for queue 4 and for all ports, or in config_db.json
#     "QUEUE": {"Ethernet0|3-4": {"wred_profile": "ANOLE_LOSSLESS"}}
# Gone at the next config reload unless it is saved. PFC must begin to pause at
# longer queues than these.
# @ABOUT@
# What belongs to NICs (the rest of the setting): anole tune --as mlx5.
set -eu

# undo OLD_PROFILE : binds it to every queue that has the profile of this script, and removes the latter.
undo() {
    [ -n "$(sonic-db-cli CONFIG_DB KEYS "WRED_PROFILE|$1")" ] || { echo "$0: there is no profile '$1'" >&2; exit 1; }
    for queue in $(sonic-db-cli CONFIG_DB KEYS 'QUEUE|*'); do
        is=$(sonic-db-cli CONFIG_DB HGET "$queue" wred_profile)
        [ "$is" = ANOLE_LOSSLESS ] || continue
        sonic-db-cli CONFIG_DB HSET "$queue" wred_profile "$1" >/dev/null
        echo "$queue: $1"
    done
    sonic-db-cli CONFIG_DB DEL 'WRED_PROFILE|ANOLE_LOSSLESS' >/dev/null
}

case ${1:-} in
--undo) undo "${2:?name the profile that queues had before}"; exit ;;
?*) echo "usage: $0 [--undo OLD_PROFILE]" >&2; exit 2 ;;
esac

file=$(mktemp)
trap 'rm -f "$file"' EXIT
cat >"$file" <<'END'
{
    "WRED_PROFILE": {
        "ANOLE_LOSSLESS": {
@VALUES@
            "ecn": "ecn_all"
        }
    }
}
END
config load -y "$file"
