#!/usr/bin/env bats
# tests/cli/mpi.bats - campaigns under a real mpirun write the same bytes as without, also after crashes.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

setup_file() {
    cat >"$BATS_FILE_TMPDIR/star.yaml" <<'END'
topology: {kind: star, hosts: 5, rate: 100Gbps, delay: 1us}
traffic:
  - {kind: poisson, name: background, load: 0.6, sizes: FB_Hadoop, stop: 100us}
  - {kind: incast, name: burst, senders: 4, size: 64KB, start: 20us}
knobs: {kmin: 5KB, kmax: 400KB, pmax: 1}
run: 150us
END
    # Containers run as root.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # MPI itself leaks memory.
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
}

star() {
    echo "$BATS_FILE_TMPDIR/star.yaml"
}

needs_mpi() {
    command -v mpirun >/dev/null || skip 'mpirun is not installed: tools/deps mpi'
    [ -e "$(dirname "$ANOLE")/anole-mpi.so" ] || skip 'built without Open MPI: tools/deps mpi, and build again'
}

# There may be fewer cores than ranks.
mpirun=(mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)

# mpi RANKS ARGUMENT... - runs anole under mpirun.
mpi() {
    ranks=$1
    shift
    "${mpirun[@]}" -n "$ranks" "$ANOLE" "$@"
}

# The sweep of these tests: 8 settings with 2 seeds, and the scenario's own. In 'long' each run takes longer.
short=(--range 'kmin=5KB..400KB:log' --range 'pmax=0.05..1' --samples 8 --seeds 2)
long=("${short[@]}" --set run=3ms --set traffic.0.stop=3ms)

# The output of the long sweep without mpirun; made once.
long_local() {
    made=$BATS_FILE_TMPDIR/long
    [ -e "$made" ] || "$ANOLE" sweep "$(star)" "${long[@]}" --out "$made" -q
    echo "$made"
}

# pid_of_rank RANK MPIRUN - the process of that rank on this machine.
pid_of_rank() {
    for pid in $(children "$2"); do
        if tr '\0' '\n' <"/proc/$pid/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1"; then echo "$pid"; fi
    done
}

@test "mpi: without Open MPI it names the package to install" {
    mkdir "$dir/alone"
    # a program of another architecture is started by a script that knows its path
    head -c 4 "$ANOLE" | grep -q ELF || skip 'the program is a script'
    cp "$ANOLE" "$dir/alone/anole"
    run_apart env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$dir/alone/anole" sweep "$(star)" "${short[@]}" \
        --out "$dir/results"
    [ "$status" -eq 1 ]
    grep -q '^anole: started by mpirun, but built without Open MPI; install openmpi-bin and libopenmpi-dev' "$dir/err"
    [ ! -e "$dir/results" ]
    # all ranks except 0 are silent
    run_apart env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 "$dir/alone/anole" sweep "$(star)" "${short[@]}"
    [ "$status" -eq 1 ]
    [ ! -s "$dir/err" ]
    # one rank alone needs no MPI
    run_apart env OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 "$dir/alone/anole" sweep "$(star)" "${short[@]}" -q
    [ "$status" -eq 0 ]
}

@test "mpi: two ranks, or three with two runs each, write the same bytes as a run without MPI" {
    needs_mpi
    "$ANOLE" sweep "$(star)" "${short[@]}" --out "$dir/local" -q
    run_apart mpi 2 sweep "$(star)" "${short[@]}" --out "$dir/two"
    [ "$status" -eq 0 ]
    grep -q '^anole: 18 runs simulated, 0 were in ' "$dir/err"
    [ "$(wc -l <"$dir/err")" -eq 1 ]
    [ "$(grep -c '^The best [0-9]' "$dir/out")" -eq 1 ]
    run_apart mpi 3 sweep "$(star)" "${short[@]}" --out "$dir/three" --jobs 2
    [ "$status" -eq 0 ]
    diff -r "$dir/local" "$dir/two"
    diff -r "$dir/local" "$dir/three"
}

@test "mpi: compare works too" {
    needs_mpi
    set -- "$(star)" --vary kmin=5KB,400KB --seeds 3
    "$ANOLE" compare "$@" --out "$dir/local" -q
    run_apart mpi 2 compare "$@" --out "$dir/mpi"
    [ "$status" -eq 0 ]
    diff -r "$dir/local" "$dir/mpi"
}

@test "mpi: errors are printed once" {
    needs_mpi
    run_apart mpi 3 sweep "$(star)" --range kmim=5KB..9KB
    [ "$status" -ne 0 ]
    [ "$(grep -c "^anole: .*did you mean 'kmin'?" "$dir/err")" -eq 1 ]
    [ "$(grep -c '^anole' "$dir/err")" -eq 1 ]
}

@test "mpi: a campaign begun locally is finished under mpirun" {
    needs_mpi
    local=$(long_local)
    env --default-signal=INT "$ANOLE" sweep "$(star)" "${long[@]}" --out "$dir/results" >/dev/null 2>"$dir/err" &
    pid=$!
    wait_for runs_in "$dir/results.sqlite" 3
    kill -INT $pid
    wait $pid || true
    kept=$(sed -nE 's/.*interrupted: ([0-9]+) of 18.*/\1/p' "$dir/err")
    [ "$kept" -ge 3 ]
    [ "$kept" -lt 18 ]
    run_apart mpi 2 sweep "$(star)" "${long[@]}" --out "$dir/results"
    [ "$status" -eq 0 ]
    grep -q "^anole: $((18 - kept)) runs simulated, $kept were in " "$dir/err"
    diff -r "$local" "$dir/results"
}

crash_reports() {
    grep -c 'ended by signal 9 (Killed); trying once more$' "$dir/err" || true
}

# Kills the run of a rank: the only child of its runner, which is the rank's only child. A run that has just
# ended is not noticed; then another must be killed.
kill_run() {
    reports=$(crash_reports)
    pid=$(pid_of_rank "$1" "$2") && [ -n "$pid" ] && runner=$(children "$pid" | head -n 1) && [ -n "$runner" ] &&
        run=$(children "$runner") && [ -n "$run" ] && kill -KILL "$run" || return 1
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ "$(crash_reports)" -eq "$reports" ] || return 0
        sleep 0.1
    done
    return 1
}

@test "mpi: a crashed run is retried once, on any rank" {
    needs_mpi
    "$ANOLE" sweep "$(star)" "${long[@]}" --format csv --store "$(long_local).sqlite" >"$dir/want" 2>/dev/null
    "${mpirun[@]}" -n 2 "$ANOLE" sweep "$(star)" "${long[@]}" --format csv >"$dir/out" 2>"$dir/err" &
    job=$!
    for rank in 0 1; do
        wait_for kill_run $rank $job
    done
    wait $job
    [ "$(grep -c 'ended by signal 9 (Killed); trying once more$' "$dir/err")" -eq 2 ]
    cmp "$dir/want" "$dir/out"
}

# A rank that dies ends the whole job. Finished runs are in the store.
kill_a_rank() {
    local=$(long_local)
    "${mpirun[@]}" -n 2 "$ANOLE" sweep "$(star)" "${long[@]}" --out "$dir/results" >"$dir/out" 2>"$dir/err" &
    job=$!
    wait_for runs_in "$dir/results.sqlite" 3
    mapfile -t started < <(children $job)
    kill -KILL "$(pid_of_rank "$1" $job)"
    status=0
    wait $job || status=$?
    [ "$status" -ne 0 ]
    [ ! -e "$dir/results" ]
    have_ended "${started[@]}"
    run_apart mpi 2 sweep "$(star)" "${long[@]}" --out "$dir/results"
    [ "$status" -eq 0 ]
    kept=$(sed -nE 's/^anole: [0-9]+ runs simulated, ([0-9]+) were in .*/\1/p' "$dir/err")
    [ "$kept" -ge 3 ]
    [ "$kept" -lt 18 ]
    diff -r "$local" "$dir/results"
}

@test "mpi: a worker killed midway, and the campaign continued" {
    needs_mpi
    kill_a_rank 1
}

@test "mpi: rank 0 killed midway, and the campaign continued" {
    needs_mpi
    kill_a_rank 0
}

@test "mpi: rejects a host with other files" {
    needs_mpi
    sed 's/0\.6/0.5/' "$(star)" >"$dir/other.yaml"
    run_apart "${mpirun[@]}" -n 1 "$ANOLE" sweep "$(star)" "${short[@]}" --out "$dir/results" \
        : -n 1 "$ANOLE" sweep "$dir/other.yaml" "${short[@]}" --out "$dir/results"
    [ "$status" -ne 0 ]
    grep -qE "^anole: variant '.*', seed [12]: on .* the program or a file that it reads is not that of rank 0$" "$dir/err"
    [ ! -e "$dir/results" ]
}

remove_hosts() {
    for n in 1 2; do ip netns del "$1$n" 2>/dev/null || true; done
}

teardown() {
    kill_started
    if [ -e "$dir/namespaces" ]; then remove_hosts "$(cat "$dir/namespaces")"; fi
}

# Two network namespaces joined by a cable act like two hosts: each has its own name and address. mpirun
# reaches the second through a program in place of ssh.
@test "mpi: two hosts write the same bytes as one" {
    needs_mpi
    ns=anole$$-
    echo "$ns" >"$dir/namespaces"
    if ! ip netns add ${ns}1 2>/dev/null || ! ip netns add ${ns}2 2>/dev/null; then
        skip 'network namespaces cannot be made here'
    fi
    ip netns exec ${ns}1 true || skip 'network namespaces cannot be entered here'
    ip link add name h1 netns ${ns}1 type veth peer name h2 netns ${ns}2
    for n in 1 2; do
        ip -n $ns$n addr add 10.77.0.$n/24 dev h$n
        ip -n $ns$n link set lo up
        ip -n $ns$n link set h$n up
    done
    cat >"$dir/reach" <<END
#!/bin/sh
n=\${1##*.}
shift
exec ip netns exec $ns\$n unshare -u sh -c "hostname host\$n; \$*"
END
    chmod +x "$dir/reach"
    "$ANOLE" sweep "$(star)" "${short[@]}" --out "$dir/local" -q
    run_apart "$dir/reach" 10.77.0.1 mpirun --host 10.77.0.1:1,10.77.0.2:1 -n 2 --mca plm_rsh_agent "$dir/reach" \
        --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
        --bind-to none --mca mpi_yield_when_idle 1 \
        sh -c "'hostname >&2; exec \"\$0\" \"\$@\"'" "$ANOLE" sweep "$(star)" "${short[@]}" --out "$dir/hosts"
    [ "$status" -eq 0 ]
    grep -qx host1 "$dir/err"
    grep -qx host2 "$dir/err"
    diff -r "$dir/local" "$dir/hosts"
}
