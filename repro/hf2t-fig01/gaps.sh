#!/bin/sh
# repro/hf2t-fig01/gaps.sh - for experiments about gaps between packets, because `anole compare` stores only
# metrics. Read it after lib.sh.
#
#   gaps_job NAME SCENARIO ARGUMENT...   prints a line for every missing seed of a variant
#   gaps_run                             runs the lines of standard input, JOBS at a time
#   $gaps_functions                      awk: at_least(), quantile(), interval()
#
# A run writes $out/gaps/NAME/SEED.gaps and SEED.rtt. It is repeated with another program or other arguments,
# or if a YAML file of the folder has changed.
# shellcheck disable=SC2034,SC2154  # for scripts; out, lib and seeds are of lib.sh
gaps=$lib/hf2t-fig01

gaps_job() {
    name=$1
    shift
    uses "$@"
    key=$({ cat "$ANOLE" ./*.yaml && echo "$*"; } | cksum)
    if [ "$(cat "$out/gaps/$name/key" 2>/dev/null)" != "$key" ]; then
        rm -rf "${out:?}/gaps/$name"
        mkdir -p "$out/gaps/$name"
        echo "$key" >"$out/gaps/$name/key"
    fi
    for seed in $(seq "$seeds"); do
        [ -e "$out/gaps/$name/$seed.gaps" ] || echo "$out/gaps/$name/$seed $* --seed $seed"
    done
}

gaps_run() {
    ANOLE=$ANOLE nice -n "$NICE" xargs -r -P "${JOBS:-$(nproc)}" -L 1 "$gaps/one"
}

# at_least(FILE, NS): the share of gaps of at least this length. quantile(FILE, SHARE): the gap in ns below
# which this share lies. Gaps of queue pairs and TCP are combined, because a run has only one of them. Gaps
# are assumed to be uniform within a bin.
# interval(OF, N): "mean,low,high" of OF[1..N], by Student's t for 95 %.
gaps_functions="$student"'
function gaps_read(file,    line, f) {
    bins = all = 0
    while ((getline line <file) > 0)
        if (split(line, f, ",") == 4 && f[1] != "from_ns") {
            from[++bins] = f[1]
            to[bins] = f[2]
            all += count[bins] = f[3] + f[4]
        }
    close(file)
}
function at_least(file, ns,    i, sum) {
    gaps_read(file)
    for (i = 1; i <= bins; i++)
        sum += count[i] * (from[i] >= ns ? 1 : to[i] <= ns ? 0 : (to[i] - ns) / (to[i] - from[i]))
    return all ? sum / all : 0
}
function quantile(file, share,    i, rest) {
    gaps_read(file)
    rest = share * all
    for (i = 1; i < bins && count[i] < rest; i++) rest -= count[i]
    return bins ? from[i] + (to[i] - from[i]) * rest / count[i] : 0
}
function interval(of, n,    i, sum, squares, mean, half) {
    for (i = 1; i <= n; i++) {
        sum += of[i]
        squares += of[i] * of[i]
    }
    mean = sum / n
    half = half_width(sum, squares, n)
    return sprintf("%.6g,%.6g,%.6g", mean, mean - half, mean + half)
}'
