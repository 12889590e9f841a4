#!/bin/sh
# repro/series.sh - for experiments with time series, because `anole compare` stores only metrics of whole
# runs. Read it after lib.sh.
#
#   series_job NAME SCENARIO ARGUMENT...   prints a line for every missing seed of a variant
#   series_run                             runs the lines of standard input, JOBS at a time
#   series_mean NAME COLUMN                mean over seeds of a column of intervals.csv: "ms,mean,low,high"
#   series_figures NAMES FIGURE...         one line per run, as in the runs.csv of a comparison
#   series_table FILE COLUMN...            means over seeds of such lines, like `table` of lib.sh
#
# A run writes $out/series/NAME/SEED.csv, its intervals, and SEED.metrics. It is repeated with another program
# or other arguments, or if a YAML file of the folder has changed.
# shellcheck disable=SC2154  # out, lib, seeds and student are of lib.sh
series=$lib/series-one

series_job() {
    name=$1
    shift
    uses "$@"
    key=$({ cat "$ANOLE" ./*.yaml && echo "$*"; } | cksum)
    if [ "$(cat "$out/series/$name/key" 2>/dev/null)" != "$key" ]; then
        rm -rf "${out:?}/series/$name"
        mkdir -p "$out/series/$name"
        echo "$key" >"$out/series/$name/key"
    fi
    for seed in $(seq "$seeds"); do
        [ -e "$out/series/$name/$seed.metrics" ] || echo "$out/series/$name/$seed $* --seed $seed"
    done
}

series_run() {
    ANOLE=$ANOLE nice -n "$NICE" xargs -r -P "${JOBS:-$(nproc)}" -L 1 "$series"
}

# Awk functions: those of student.awk, and "mean,low,high" of the first n of an array.
statistics="$student"'
function interval(of, row, n,    i, sum, squares, mean, half) {
    for (i = 1; i <= n; i++) { sum += of[row, i]; squares += of[row, i] ^ 2 }
    mean = sum / n
    half = half_width(sum, squares, n)
    return sprintf("%.5g,%.5g,%.5g", mean, mean - half, mean + half)
}'

# Skips intervals that not all seeds have reached.
series_mean() {
    for seed in $(seq "$seeds"); do cat "$out/series/$1/$seed.csv"; done | awk -F , -v column="$2" -v seeds="$seeds" "$statistics"'
        /^start_us/ { gsub(/"/, ""); for (i = 1; i <= NF; i++) if ($i == column) at = i; row = 0; next }
        { row++; ms[row] = $2 / 1000; of[row, ++n[row]] = $at }
        END { for (i = 1; n[i] == seeds; i++) print ms[i] "," interval(of, i, n[i]) }'
}

# A FIGURE is NAME=COLUMN,FROM_MS,TO_MS, a mean over intervals (RTT: over samples), or the name of a metric of
# the whole run.
series_figures() {
    names=$1
    shift
    for figure; do printf ',%s' "${figure%%=*}"; done | sed 's/^/variant,seed/'
    echo
    for name in $names; do
        for seed in $(seq "$seeds"); do
            awk -F , -v name="$name" -v seed="$seed" -v metrics="$out/series/$name/$seed.metrics" -v figures="$*" '
                BEGIN { n = split(figures, figure, " ") }
                NR == 1 {
                    gsub(/"/, "")
                    for (i = 1; i <= NF; i++) column[$i] = i
                    next
                }
                {
                    for (f = 1; f <= n; f++) {
                        if (split(figure[f], part, /[=,]/) < 4 || $1 < 1000 * part[3] || $1 >= 1000 * part[4]) continue
                        weight = part[2] ~ /^rtt_us/ ? $column["rtt_samples"] : 1
                        sum[f] += weight * $column[part[2]]
                        weights[f] += weight
                    }
                }
                END {
                    while ((getline line <metrics) > 0) { split(line, part, " "); whole[part[1]] = part[2] }
                    printf "%s,%d", name, seed
                    for (f = 1; f <= n; f++) printf ",%.6g", figure[f] ~ /=/ ? sum[f] / weights[f] : whole[figure[f]]
                    print ""
                }' "$out/series/$name/$seed.csv"
        done
    done
}

series_table() {
    file=$1
    shift
    awk -F , -v columns="$*" "$statistics"'
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; n = split(columns, wanted, " "); next }
        {
            if (!($1 in seeds)) order[++variants] = $1
            seeds[$1]++
            for (c = 1; c <= n; c++) of[$1, c, seeds[$1]] = $column[wanted[c]]
        }
        END {
            for (v = 1; v <= variants; v++) {
                name = order[v]
                printf "%s,%d", name, seeds[name]
                for (c = 1; c <= n; c++) {
                    for (i = 1; i <= seeds[name]; i++) one[1, i] = of[name, c, i]
                    printf ",%s", interval(one, 1, seeds[name])
                }
                print ""
            }
        }' "$file"
}
