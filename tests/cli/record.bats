#!/usr/bin/env bats
# tests/cli/record.bats - anole record on a copy of Linux's file tree.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# make_host : two RDMA devices; mlx5_1 has the settings of the kernel's own driver.
make_host() {
    export ANOLE_ROOT=$dir/root
    for i in 0 1; do
        port=$ANOLE_ROOT/sys/class/infiniband/mlx5_$i/ports/1
        mkdir -p "$port/counters" "$port/hw_counters" "$port/gid_attrs/ndevs" "$ANOLE_ROOT/sys/class/net/eth$i"
        echo "eth$i" >"$port/gid_attrs/ndevs/0"
        echo 100000 >"$ANOLE_ROOT/sys/class/net/eth$i/speed"
        echo 1000 >"$port/counters/port_xmit_data"
        echo 'N/A (no PMA)' >"$port/counters/port_xmit_wait"
        echo 5 >"$port/hw_counters/rp_cnp_handled"
        echo 10 >"$port/hw_counters/lifespan"
    done
    mkdir -p "$ANOLE_ROOT/sys/class/net/eth0/ecn/roce_rp/enable" "$ANOLE_ROOT/sys/class/net/eth0/ecn/roce_np"
    echo 5 >"$ANOLE_ROOT/sys/class/net/eth0/ecn/roce_rp/rpg_ai_rate"
    echo 1 >"$ANOLE_ROOT/sys/class/net/eth0/ecn/roce_rp/enable/3"
    echo 4 >"$ANOLE_ROOT/sys/class/net/eth0/ecn/roce_np/min_time_between_cnps"
    mkdir -p "$ANOLE_ROOT/sys/kernel/debug/mlx5/0000:03:00.1/cc_params"
    echo 50 >"$ANOLE_ROOT/sys/kernel/debug/mlx5/0000:03:00.1/cc_params/rp_ai_rate"
    echo 96 >"$ANOLE_ROOT/sys/kernel/debug/mlx5/0000:03:00.1/cc_params/np_min_time_between_cnps"
    ln -s ../../../0000:03:00.1 "$ANOLE_ROOT/sys/class/infiniband/mlx5_1/device"
    mkdir -p "$ANOLE_ROOT/proc/sys/kernel"
    echo node7 >"$ANOLE_ROOT/proc/sys/kernel/hostname"
    ln -s /proc/uptime "$ANOLE_ROOT/proc/uptime"
    mkdir "$dir/bin"
    cat >"$dir/bin/ethtool" <<'END'
#!/bin/sh
echo 'NIC statistics:'
echo '     rx_packets: 77'
echo '     rx_prio3_pause: 12'
echo '     outbound_pci_stalled_wr: 0'
END
    chmod +x "$dir/bin/ethtool"
    export ETHTOOL=$dir/bin/ethtool
}

# value DEVICE NAME - prints its last value.
value() {
    awk -F, -v device="$1" -v name="$2" '$2 == device && $3 == name { last = $4 } END { print last }' "$dir/r.csv"
}

@test "record: counters at every sample, settings once, with the names of knobs" {
    make_host
    "$ANOLE" record --every 1 --samples 2 --out "$dir/r.csv" >"$dir/out"
    [ "$(head -n 1 "$dir/r.csv")" = time_s,device,name,value ]
    [ "$(grep -c 'mlx5_0,counter.port_xmit_data,1000' "$dir/r.csv")" -eq 2 ]
    [ "$(value mlx5_0 info.netdev)" = eth0 ]
    [ "$(value mlx5_0 info.speed_mbps)" = 100000 ]
    [ "$(value mlx5_0 setting.rpg_ai_rate)" = 5 ]
    [ "$(value mlx5_0 setting.min_time_between_cnps)" = 4 ]
    [ "$(value mlx5_0 info.reaction_prio3)" = 1 ]
    [ "$(value mlx5_1 info.settings)" = debugfs ]
    [ "$(value mlx5_1 setting.rpg_ai_rate)" = 50 ]
    [ "$(value mlx5_1 setting.min_time_between_cnps)" = 96 ]
    [ "$(value mlx5_0 counter.rx_prio3_pause)" = 12 ]
    [ "$(value host info.host)" = node7 ]
    refute grep -qE 'port_xmit_wait|lifespan|rx_packets' "$dir/r.csv"
    # times increase
    awk -F, '$3 == "counter.port_xmit_data" && $2 == "mlx5_0" { if (n++ && $1 <= last) exit 1; last = $1 }' "$dir/r.csv"
    grep -q "^Next: anole advise $dir/r.csv" "$dir/out"
}

@test "record: the script needs no other files, also in dash and busybox" {
    make_host
    "$ANOLE" record --script >"$dir/record.sh"
    for shell in dash bash 'busybox sh'; do
        command -v "${shell% *}" >/dev/null || continue
        rm -f "$dir/r.csv"
        # shellcheck disable=SC2086  # words
        $shell "$dir/record.sh" -n 2 -o "$dir/r.csv"
        [ "$(value mlx5_1 setting.rpg_ai_rate)" = 50 ]
    done
}

@test "record: a signal ends it and keeps its data" {
    make_host
    "$ANOLE" record --samples 100 --out "$dir/r.csv" >"$dir/out" &
    wait_for grep -q counter "$dir/r.csv.part"
    sleep 1.5
    kill -TERM $!
    wait $!
    [ "$(grep -c 'mlx5_0,counter.port_xmit_data' "$dir/r.csv")" -ge 2 ]
    [ ! -e "$dir/r.csv.part" ]
}

@test "record: errors are one line, and nothing is written" {
    make_host
    while IFS='|' read -r args message; do
        # shellcheck disable=SC2086  # words
        run_apart "$ANOLE" record $args
        [ "$status" -ne 0 ]
        [ "$(cat "$dir/err")" = "$message" ]
    done <<END
--samples 0|anole record: -n: '0' is not a number from 1 to 1000000
--every soon|anole record: -i: 'soon' is not a number from 1 to 3600
file.csv|anole: 'file.csv' is one argument too many
END
    run_apart "$ANOLE" record --samples 2 --out "$dir/nosuch/r.csv"
    [ "$status" -ne 0 ]
    rm -r "$ANOLE_ROOT/sys/class/infiniband"
    run_apart "$ANOLE" record --samples 2 --out "$dir/r.csv"
    [ "$status" -eq 1 ]
    grep -q 'there is no RDMA device' "$dir/err"
    [ ! -e "$dir/r.csv" ]
}
