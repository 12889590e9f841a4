#!/bin/sh
# anole-record - samples the RDMA and Ethernet counters of this host and its DCQCN settings into one file.
#
#     sh anole-record [-i SECONDS] [-n SAMPLES] [-o FILE]
#
# Reads only: it changes nothing. It needs no package. With ethtool installed it also records pauses and discards; as root
# it also records the settings of the kernel's own mlx5 driver (debugfs). Ctrl-C ends it early and keeps what it has.
#
# The file is a table, `time_s,device,name,value`: rows named info.* and setting.* once, counter.* at every sample.
# Read it with: anole advise FILE
set -u
LC_ALL=C
export LC_ALL

seconds=1
samples=60
out=anole-record.csv
root=${ANOLE_ROOT:-}

usage() {
    echo "usage: anole record [-i SECONDS] [-n SAMPLES] [-o FILE]" >&2
    exit 2
}

# check_number OPTION TEXT MAX
check_number() {
    case $2 in
    '' | *[!0-9]* | 0 | ????????*) ;;
    *) [ "$2" -gt "$3" ] || return 0 ;;
    esac
    echo "anole record: $1: '$2' is not a number from 1 to $3" >&2
    exit 2
}

while getopts i:n:o: option; do
    case $option in
    i) seconds=$OPTARG; check_number -i "$seconds" 3600 ;;
    n) samples=$OPTARG; check_number -n "$samples" 1000000 ;;
    o) out=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || usage

# clock : seconds since the start of the system; it never goes back.
clock() {
    read -r now _ <"$root/proc/uptime" || now=
    [ -n "$now" ] || { echo "anole record: $root/proc/uptime: cannot be read; is this Linux?" >&2; exit 1; }
}

# row DEVICE NAME VALUE
row() {
    printf '%s,%s,%s,%s\n' "$now" "$1" "$2" "$3"
}

# first_line FILE : its first line in $line; fails if there is none or it cannot be read.
first_line() {
    line=
    [ -r "$1" ] || return 1
    { read -r line <"$1"; } 2>/dev/null
    [ -n "$line" ]
}

# number_row DEVICE NAME FILE : a row, if the file holds a whole number.
number_row() {
    first_line "$3" || return 0
    case $line in
    *[!0-9]*) return 0 ;;
    esac
    row "$1" "$2" "$line"
}

# netdev_of DEVICE : the network interface of an RDMA device, in $netdev.
netdev_of() {
    netdev=
    for entry in "$root/sys/class/infiniband/$1/ports/1/gid_attrs/ndevs/"* "$root/sys/class/infiniband/$1/device/net/"*; do
        case $entry in
        */ndevs/*) first_line "$entry" && netdev=$line ;;
        *)         [ -d "$entry" ] && netdev=${entry##*/} ;;
        esac
        [ -z "$netdev" ] || return 0
    done
}

# knob_name FILE : our name of a file of the kernel's own driver (rp_ai_rate is rpg_ai_rate).
knob_name() {
    case $1 in
    rp_time_reset | rp_byte_reset | rp_threshold | rp_max_rate | rp_ai_rate | rp_hai_rate | rp_gd | rp_min_dec_fac | rp_min_rate)
        echo "rpg_${1#rp_}" ;;
    rp_clamp_tgt_rate_ati) echo clamp_tgt_rate_after_time_inc ;;
    np_cnp_prio)           echo cnp_802p_prio ;;
    *)                     echo "${1#[rn]p_}" ;;
    esac
}

# settings DEVICE : what DCQCN is set to.
settings() {
    folder=$root/sys/class/net/$netdev/ecn
    if [ -n "$netdev" ] && [ -d "$folder" ]; then
        row "$1" info.settings sysfs
        for file in "$folder"/roce_rp/* "$folder"/roce_np/*; do
            [ -f "$file" ] && number_row "$1" "setting.${file##*/}" "$file"
        done
        for prio in 0 1 2 3 4 5 6 7; do
            number_row "$1" "info.reaction_prio$prio" "$folder/roce_rp/enable/$prio"
            number_row "$1" "info.notification_prio$prio" "$folder/roce_np/enable/$prio"
        done
        return
    fi
    pci=$(readlink "$root/sys/class/infiniband/$1/device" 2>/dev/null)
    folder=$root/sys/kernel/debug/mlx5/${pci##*/}/cc_params
    if [ -n "$pci" ] && [ -d "$folder" ]; then
        row "$1" info.settings debugfs
        for file in "$folder"/*; do
            [ -f "$file" ] && number_row "$1" "setting.$(knob_name "${file##*/}")" "$file"
        done
        return
    fi
    row "$1" info.settings none
}

describe() {
    clock
    row host info.format 1
    first_line "$root/proc/sys/kernel/hostname" && row host info.host "$(echo "$line" | tr -d ',"')"
    row host info.started "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    first_line "$root/proc/sys/kernel/osrelease" && row host info.kernel "$(echo "$line" | tr -d ',"')"
    if [ -n "$ethtool" ]; then row host info.ethtool yes; else row host info.ethtool no; fi
    for device in $devices; do
        netdev_of "$device"
        row "$device" info.netdev "$netdev"
        [ -z "$netdev" ] || number_row "$device" info.speed_mbps "$root/sys/class/net/$netdev/speed"
        [ -z "$netdev" ] || number_row "$device" info.mtu "$root/sys/class/net/$netdev/mtu"
        settings "$device"
    done
}

# ethtool_rows DEVICE NETDEV : pauses, discards, storms and bytes of all traffic.
ethtool_rows() {
    [ -n "$ethtool" ] && [ -n "$2" ] || return 0
    "$ethtool" -S "$2" 2>/dev/null | while IFS=': ' read -r name value _; do
        case $name in
        *pause* | *discard* | *_bytes_phy | *pci_stalled* | *ecn* | *cnp* | *out_of_buffer*) ;;
        *) continue ;;
        esac
        case $value in
        '' | *[!0-9]*) continue ;;
        esac
        row "$1" "counter.$name" "$value"
    done
}

sample() {
    clock
    for device in $devices; do
        for file in "$root/sys/class/infiniband/$device/ports/1/counters/"* \
            "$root/sys/class/infiniband/$device/ports/1/hw_counters/"*; do
            [ "${file##*/}" = lifespan ] || number_row "$device" "counter.${file##*/}" "$file"
        done
        netdev_of "$device"
        ethtool_rows "$device" "$netdev"
    done
}

devices=
for device in "$root/sys/class/infiniband/"*; do
    [ -e "$device" ] && devices="$devices ${device##*/}"
done
[ -n "$devices" ] || { echo "anole record: $root/sys/class/infiniband: there is no RDMA device" >&2; exit 1; }
ethtool=$(command -v "${ETHTOOL:-ethtool}" || true)
[ -n "$ethtool" ] || echo "anole record: ethtool is not installed: pauses and discards are not recorded" >&2

part=$out.part
trap 'ended=yes' INT TERM
trap 'rm -f "$part"' EXIT
ended=
taken=0
{ echo time_s,device,name,value && describe; } >"$part" || exit 1
while [ -z "$ended" ]; do
    sample >>"$part" || exit 1
    taken=$((taken + 1))
    [ ! -t 2 ] || printf '\r%d of %d samples ' "$taken" "$samples" >&2
    [ "$taken" -lt "$samples" ] || break
    sleep "$seconds" || ended=yes
done
[ ! -t 2 ] || echo >&2
[ "$taken" -ge 2 ] || { echo "anole record: one sample says nothing about rates; nothing was written" >&2; exit 1; }
mv "$part" "$out" || exit 1
echo "$out: $taken samples of$devices"
echo "Next: anole advise $out"
