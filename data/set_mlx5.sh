#!/bin/sh
# DCQCN for NICs with the mlx5 driver (MLNX_OFED, DOCA). Needs root.
#     sh SCRIPT INTERFACE...           sets them, and saves the old values in /var/lib/anole
#     sh SCRIPT --undo INTERFACE...    puts the old values back
# Takes effect at once, for all flows of a port, until the driver is loaded again.
# @ABOUT@
set -eu
sys=${SYSFS:-/sys}
saved=${SAVED:-/var/lib/anole}
usage() { echo "usage: $0 [--undo] INTERFACE..." >&2; exit 2; }
undo=
[ "${1:-}" != --undo ] || { undo=yes; shift; }
[ $# -gt 0 ] || usage

rows() {
    cat <<'END'
@VALUES@
END
}

# read_number FILE : what is in it; a file without a number is an error.
read_number() {
    number=$(cat "$1") || return 1
    case $number in
    '' | *[!0-9]*) echo "$0: $1: '$number' is not a number" >&2; return 1 ;;
    esac
    echo "$number"
}

# save PORT : keeps the values that the port has now. Values of an earlier run are older and stay.
save() {
    [ ! -e "$saved/mlx5-$1" ] || return 0
    mkdir -p "$saved"
    rows | while read -r file _; do
        old=$(read_number "$sys/class/net/$1/ecn/$file") || exit 1
        echo "$file $old"
    done >"$saved/mlx5-$1.new" || { rm -f "$saved/mlx5-$1.new"; return 1; }
    mv "$saved/mlx5-$1.new" "$saved/mlx5-$1"
}

# write_rows PORT : writes the rows "FILE VALUE" of standard input and reads each value back.
write_rows() {
    while read -r file value _; do
        path=$sys/class/net/$1/ecn/$file
        is=$(read_number "$path") || return 1
        [ "$is" != "$value" ] || continue
        echo "$value" >"$path" || return 1
        is=$(read_number "$path") || return 1
        [ "$is" = "$value" ] || { echo "$0: $path is $is, not $value" >&2; return 1; }
    done
}

# restore PORT : puts the saved values back, all that can be.
restore() {
    failed=0
    while read -r row; do
        echo "$row" | write_rows "$1" || failed=1
    done <"$saved/mlx5-$1"
    [ "$failed" -eq 0 ] || { echo "$0: $1: not all old values could be restored; they are in $saved/mlx5-$1" >&2; return 1; }
    rm -f "$saved/mlx5-$1"
    echo "$1: old values restored"
}

if [ -n "$undo" ]; then
    status=0
    for port in "$@"; do
        if [ -e "$saved/mlx5-$port" ]; then restore "$port" || status=1
        else echo "$0: $port: there is nothing to undo in $saved" >&2; status=1; fi
    done
    exit "$status"
fi

for port in "$@"; do save "$port"; done
for port in "$@"; do
    rows | write_rows "$port" && { echo "$port: set; to undo: $0 --undo $port"; continue; }
    echo "$0: $port: a value was not accepted; putting back what was there" >&2
    for again in "$@"; do restore "$again" || true; done
    exit 1
done
