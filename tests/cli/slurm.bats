#!/usr/bin/env bats
# tests/cli/slurm.bats - campaigns under a real Slurm. The test runs its own munged, slurmctld and slurmd, in
# its own folder and as the current user. The machine counts as a node of four processors, regardless of its
# real number.
#
# No plug-in needs cgroups or changes to the machine: processes are found in /proc, and tasks are not bound.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

free_ports() {
    python3 -c 'import socket
s = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(x.getsockname()[1] for x in s))'
}

# write_config FOLDER PORT PORT
write_config() {
    cat >"$1/slurm.conf" <<END
ClusterName=anole
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$2
SlurmdPort=$3
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$1/munge/socket
CredType=cred/munge
PluginDir=$slurm
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
NodeName=$(hostname) NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    # On machines with only cgroups v2, its plug-in would ask systemd for a scope.
    echo 'CgroupPlugin=cgroup/v1' >"$1/cgroup.conf"
}

start() {
    "$@" >"$BATS_FILE_TMPDIR/$(basename "$1").log" 2>&1 3>&- &
    echo $! >>"$BATS_FILE_TMPDIR/pids"
}

stop_all() {
    [ -e "$BATS_FILE_TMPDIR/pids" ] || return 0
    # in reverse order: slurmd signs off at slurmctld
    for pid in $(tac "$BATS_FILE_TMPDIR/pids"); do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm "$BATS_FILE_TMPDIR/pids"
}

all_run() {
    while read -r pid; do kill -0 "$pid" 2>/dev/null || return 1; done <"$BATS_FILE_TMPDIR/pids"
}

# Whether the node is ready, or a daemon has ended because its port was taken.
is_idle() {
    ! all_run || [ "$(timeout 10 sinfo -h -o %T 2>/dev/null)" = idle ]
}

start_cluster() {
    home=$BATS_FILE_TMPDIR
    mkdir -p "$home/munge" "$home/state" "$home/spool"
    chmod 700 "$home/munge"
    head -c 1024 /dev/urandom >"$home/munge/key"
    chmod 600 "$home/munge/key"
    # shellcheck disable=SC2046  # two numbers
    write_config "$home" $(free_ports)
    export SLURM_CONF=$home/slurm.conf
    start munged --foreground --force --num-threads=2 --key-file="$home/munge/key" --socket="$home/munge/socket" \
        --pid-file="$home/munge/pid" --log-file="$home/munge/log" --seed-file="$home/munge/seed"
    wait_for test -S "$home/munge/socket"
    start slurmctld-wlm -D -c
    start slurmd-wlm -D -c -d "$(command -v slurmstepd-wlm)"
    wait_for is_idle && all_run
}

missing() {
    for program in munged slurmctld-wlm slurmd-wlm sbatch; do
        command -v $program >/dev/null || { echo "$program is not installed: tools/deps slurm"; return; }
    done
    command -v mpirun >/dev/null || { echo 'mpirun is not installed: tools/deps mpi'; return; }
    [ -e "$(dirname "$ANOLE")/anole-mpi.so" ] || echo 'built without Open MPI: tools/deps mpi, and build again'
}

setup_file() {
    # Where tools/deps has unpacked Slurm, with its libraries and plug-ins.
    slurm=$(realpath "$(command -v slurmctld-wlm)" 2>/dev/null)
    slurm=$(echo "${slurm%/sbin/*}"/lib/*/slurm-wlm)
    export LD_LIBRARY_PATH=$slurm
    reason=$(missing)
    for _ in 1 2 3; do
        [ -z "$reason" ] || break
        if start_cluster; then
            break
        fi
        tail -n 3 "$BATS_FILE_TMPDIR"/*.log >&2
        stop_all
        rm -rf "$BATS_FILE_TMPDIR/state" "$BATS_FILE_TMPDIR/spool"
    done
    [ -n "$reason" ] || [ -e "$BATS_FILE_TMPDIR/pids" ] || reason='Slurm does not start on this machine'
    export reason
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

teardown_file() {
    stop_all
}

needs_slurm() {
    [ -z "$reason" ] || skip "$reason"
    ANOLE=$(realpath "$ANOLE")                   # a job starts in another folder
    star=$BATS_FILE_TMPDIR/star.yaml
}

short=(--range 'kmin=5KB..400KB:log' --range 'pmax=0.05..1' --samples 12 --seeds 2)
long=("${short[@]}" --set run=4ms --set traffic.0.stop=4ms)

# write_job LINE - writes a script for sbatch.
write_job() {
    printf '%s\n' '#!/bin/sh' "#SBATCH --ntasks=3 --output=$dir/job.out --error=$dir/job.err" "$1" >"$dir/job"
}

has_ended() {
    [ -z "$(squeue -h -j "$1" -t PENDING,CONFIGURING,RUNNING,SUSPENDED,COMPLETING 2>/dev/null)" ]
}

# wait_for_job JOB - waits as long as several simulations may take on a busy machine.
wait_for_job() {
    wait_for has_ended "$1" || wait_for has_ended "$1" || wait_for has_ended "$1"
}

# state_of JOB - prints its state, such as "COMPLETED 0:0"
state_of() {
    scontrol show job "$1" | sed -nE 's/.*JobState=([A-Z]+).*/\1/p; s/.* ExitCode=([0-9]+:[0-9]+).*/\1/p' | paste -sd ' '
}

@test "slurm: srun gives the bytes of one machine" {
    needs_slurm
    "$ANOLE" sweep "$star" "${short[@]}" --out "$dir/local" -q
    run_apart timeout 300 srun --mpi=pmix --ntasks=3 "$ANOLE" sweep "$star" "${short[@]}" --out "$dir/srun"
    cat "$dir/err"
    [ "$status" -eq 0 ]
    grep -q '^anole: 26 runs simulated, 0 were in ' "$dir/err"
    [ "$(grep -c '^The best [0-9]' "$dir/out")" -eq 1 ]
    diff -r "$dir/local" "$dir/srun"
}

@test "slurm: compare in a batch job, with mpirun in the allocation" {
    needs_slurm
    set -- "$star" --vary kmin=5KB,400KB --seeds 3
    "$ANOLE" compare "$@" --out "$dir/local" -q
    write_job "mpirun --bind-to none --mca mpi_yield_when_idle 1 '$ANOLE' compare $* --out '$dir/job.results'"
    job=$(sbatch --parsable "$dir/job")
    wait_for_job "$job"
    cat "$dir/job.err"
    [ "$(state_of "$job")" = 'COMPLETED 0:0' ]
    diff -r "$dir/local" "$dir/job.results"
}

@test "slurm: a job that ends early is continued when submitted again" {
    needs_slurm
    "$ANOLE" sweep "$star" "${long[@]}" --out "$dir/local" -q
    write_job "srun --mpi=pmix '$ANOLE' sweep '$star' ${long[*]} --out '$dir/job.results'"
    job=$(sbatch --parsable "$dir/job")
    wait_for runs_in "$dir/job.results.sqlite" 3
    # the end of an allocation sends this to the steps
    scancel --signal=TERM "$job"
    wait_for_job "$job"
    cat "$dir/job.err"
    [ ! -e "$dir/job.results" ]
    kept=$(sed -nE 's/.*interrupted: ([0-9]+) of 26.*/\1/p' "$dir/job.err")
    [ "$kept" -ge 3 ]
    [ "$kept" -lt 26 ]
    job=$(sbatch --parsable "$dir/job")
    wait_for_job "$job"
    [ "$(state_of "$job")" = 'COMPLETED 0:0' ]
    grep -q "^anole: $((26 - kept)) runs simulated, $kept were in " "$dir/job.err"
    diff -r "$dir/local" "$dir/job.results"
}

@test "slurm: an error ends the job with its status" {
    needs_slurm
    run_apart timeout 300 srun --mpi=pmix --ntasks=2 "$ANOLE" sweep "$star" --range kmim=5KB..9KB
    # 124 would mean that a rank waits for another forever
    [ "$status" -eq 1 ]
    [ "$(grep -c "^anole: .*did you mean 'kmin'?" "$dir/err")" -eq 1 ]
}

@test "slurm: an array of jobs without MPI, with a store each" {
    needs_slurm
    write_job "'$ANOLE' compare '$star' --vary kmin=5KB,400KB --seed-list \$SLURM_ARRAY_TASK_ID --out '$dir'/\$SLURM_ARRAY_TASK_ID -q"
    sed -i 's/--ntasks=3/--ntasks=1/' "$dir/job"
    job=$(sbatch --parsable --array=1-3 "$dir/job")
    wait_for_job "$job"
    for seed in 1 2 3; do
        "$ANOLE" compare "$star" --vary kmin=5KB,400KB --seed-list $seed --out "$dir/local$seed" -q
        diff -r "$dir/local$seed" "$dir/$seed"
    done
}
