# shellcheck shell=bash disable=SC2154
# tests/cli/fabric.bash - functions shared by the live tests: NICs as file trees, agents, a controller,
# certificates.

# Skips tests in builds without the live part.
needs_live() {
    "$ANOLE" agent --help >/dev/null 2>&1 || skip 'built without its live part'
    cd "$dir" || return 1
    # Users other than root may lack this folder, which has the controller's socket.
    [ "$(id -u)" -eq 0 ] || export XDG_RUNTIME_DIR=$dir
    take_ports
}

# take_ports - reserves $port and the next nineteen ports for this test and the processes it starts. They lie
# below the kernel's ephemeral range, where any outgoing connection may take a free port.
take_ports() {
    for _ in $(seq 200); do
        port=$((10000 + 20 * (RANDOM % 1100)))
        ports_file=${TMPDIR:-/tmp}/anole-test-ports-$port
        exec 250>"$ports_file"
        if flock -n 250 && ! listens_among "$port"; then
            echo "$ports_file" >"$dir/ports_file"
            return 0
        fi
    done
    return 1
}

# listens_among PORT - whether one of these twenty ports is in use.
listens_among() {
    awk -v from="$1" '
    function value(hex,   i, sum) { for (i = 1; i <= length(hex); i++) sum = sum * 16 + index("0123456789ABCDEF", substr(hex, i, 1)) - 1; return sum }
    FNR > 1 { split($2, part, ":"); n = value(part[length(part)]); if (n >= from && n < from + 20) found = 1 }
    END { exit !found }' /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

teardown() {
    kill_started
    [ ! -f "$dir/ports_file" ] || xargs -r rm -f <"$dir/ports_file"
}

# start LOG COMMAND... - runs the command in the background; $pid is its process id.
start() {
    log=$1
    shift
    "$@" 2>"$log" 3>&- &
    pid=$!
    echo "$pid" >>pids
}

# make_nic ROOT - creates a NIC as the kernel shows it, with two parameters.
make_nic() {
    ib=$1/sys/class/infiniband/mlx5_0/ports/1
    mkdir -p "$ib/counters" "$ib/hw_counters" "$ib/gid_attrs/ndevs" "$1/sys/class/net/eth7/ecn/roce_rp" "$1/ethtool"
    echo eth7 >"$ib/gid_attrs/ndevs/0"
    echo 100000 >"$1/sys/class/net/eth7/speed"
    echo 5 >"$1/sys/class/net/eth7/ecn/roce_rp/rpg_ai_rate"
    echo 50 >"$1/sys/class/net/eth7/ecn/roce_rp/rpg_hai_rate"
    echo 1000 >"$ib/counters/port_xmit_data"
    echo 'rx_prio3_pause_duration: 0' >"$1/ethtool/eth7"
}

ai_rate() {
    cat "$1/sys/class/net/eth7/ecn/roce_rp/rpg_ai_rate"
}

# set_rate ROOT VALUE - sets a rate as a person would at the device.
set_rate() {
    printf '%s' "$2" >"$1/sys/class/net/eth7/ecn/roce_rp/rpg_hai_rate"
}

has_rate() {
    [ "$(ai_rate "$1")" = "$2" ]
}

write_agent() {
    make_nic "nic$1"
    cat >"agent$1.yaml" <<END
name: host$1
controller: 127.0.0.1:$port
state: state$1
root: nic$1
driver: mlx5
write: yes
gap: 100ms
freeze_file: freeze
END
}

# write_controller - writes a configuration with short trials, so that tests need not wait.
write_controller() {
    cat >controller.yaml <<END
name: c1
listen: 127.0.0.1:$port
state: statec
mode: auto
tuner: expert
stale: 15
noise_pairs: 3
stage_pairs: 1
block: 4
burn_in: 1
halves_max: 100000
accept: 1000000
END
}

ctl() {
    "$ANOLE" ctl --address "127.0.0.1:$port" "$@"
}

says() {
    ctl status 2>/dev/null | grep -q "$1"
}

# ---- certificates ----

# make_ca NAME, make_cert NAME CA [OPTION...] : NAME.pem and NAME.key.
make_ca() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -days 2 -keyout "$1.key" -out "$1.pem" 2>/dev/null
}

make_cert() {
    name=$1
    ca=$2
    shift 2
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" -keyout "$name.key" -out "$name.csr" 2>/dev/null
    printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >"$name.ext"
    openssl x509 -req -in "$name.csr" -CA "$ca.pem" -CAkey "$ca.key" -CAcreateserial -extfile "$name.ext" -out "$name.pem" "$@" 2>/dev/null
}

# tls_of NAME [KEY: VALUE] - prints the TLS line of a configuration.
tls_of() {
    echo "tls: {ca: ca.pem, cert: $1.pem, key: $1.key${2:+, $2}}"
}

# asks_as NAME [CA] - whether the controller answers a client with this certificate.
asks_as() {
    ctl status --ca "${2:-ca}.pem" --cert "$1.pem" --key "$1.key" >out 2>&1
}
