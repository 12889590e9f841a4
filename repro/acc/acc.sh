#!/bin/sh
# repro/acc/acc.sh - functions shared by the experiments of ACC. Read it after lib.sh.
#
#   acc_job NAME SCENARIO ARGUMENT...  prints a line for every missing seed of a variant. SCENARIO is in this
#                                      folder, or has a path; $with is a file that it reads, if any
#   acc_run                            runs the lines of standard input, JOBS at a time
#   acc_scheme SCHEME [CASE]           arguments of `anole run` for a scheme: a static setting or a kind of
#                                      ACC, with the model for the NICs of the case
#   acc_nics CASE                      arguments of `anole run` for the NICs: those of the DCQCN paper for
#                                      cases dcqcn_*, otherwise NVIDIA's
#   acc_runs NAME...                   prints a line per run with all results, as in the runs.csv of a
#   comparison
#   acc_results RUNS.CSV METRIC...     means over seeds, with a header:
#   "case,scheme,seeds,mean,low,high[,mean,low,high ...]"
#   acc_table HEAD FORMAT...           converts these from standard input to Markdown; a FORMAT of printf for
#                                      each metric, preceded by a factor, such as 0.001:%.2f
#   acc_changes RUNS.CSV METRIC...     changes of ACC in each case against SECN1, SECN2, the vendor's setting
#                                      and the best static one, seed by seed, in Markdown. + before a METRIC
#                                      means that more is better
#   acc_all NAMES METRIC...            runs the output of the script's `jobs`, and writes runs.csv,
#                                      results.csv, changes.csv and `changes` of the README
#   acc_names SCHEMES CASES            prints all names, case by case
#   acc_pick                           the training that a rule picks, from results.csv of a validation
#   acc_trainings RUNS.CSV             changes of all trainings against SECN1 and SECN2, seed by seed, in
#   Markdown
#   acc_bars SCHEMES TITLES SCALES [LOGS]   draws results.csv with bars.gp
#
# NAME is SCHEME:CASE. Seeds of a CASE@FIRST begin with FIRST, others with 1. A run writes
# $out/series/NAME/SEED.metrics, with lines "name value", and SEED.csv, its intervals, so the functions of
# series.sh work too. With tuner.record=yes, SEED.queues.csv has the observations and settings of each queue.
# A run is repeated with another program or other arguments, or if the scenario or the scripts that compute
# its metrics have changed.
#
# ACC_MODEL is a model to use instead of the built-in one, ACC_DCQCN_MODEL instead of the one for the DCQCN
# paper's NICs.
# shellcheck disable=SC2034,SC2154  # out, lib and seeds are of lib.sh; others are for the scripts
# shellcheck source=repro/series.sh
. "$lib/series.sh"
acc=$lib/acc
statics='secn0 secn1 secn2 vendor'
schemes="$statics acc"
acc_fct='all.fct_us_mean all.fct_us_p99 mice.fct_us_mean mice.fct_us_p99 elephants.fct_us_mean'
ACC_MODEL=${ACC_MODEL:-shipped} ACC_DCQCN_MODEL=${ACC_DCQCN_MODEL:-dcqcn}
with=

acc_scheme() {
    model=$ACC_MODEL
    case ${2:-} in *dcqcn*) model=$ACC_DCQCN_MODEL ;; esac
    model="$model --set tuner.guard=no"          # the paper has no guard
    case $1 in
    acc) echo "--set tuner.kind=acc --set tuner.model=$model" ;;
    acc_online) echo "--set tuner.kind=acc --set tuner.model=$model --set tuner.train=yes" ;;
    acc_central) echo "--set tuner.kind=acc --set tuner.model=$model --set tuner.agents=central" ;;
    *) echo "--set tuner=$1" ;;
    esac
}

acc_nics() {
    case $1 in dcqcn*) echo '--set nic=dcqcn_paper' ;; esac
}

acc_seeds() {
    first=1
    case $1 in *@*) first=${1##*@} ;; esac
    seq "$first" $((first + seeds - 1))
}

acc_job() {
    name=$1 scenario=$2
    shift 2
    case $scenario in
    */*) ;;
    *) scenario=$acc/$scenario ;;
    esac
    uses "$scenario" "$@"
    key=$({ cat "$ANOLE" "$acc/one" "$acc/figures.awk" "$scenario" ${with:+"$with"} &&
        for word; do case $word in tuner.model=* | rlcc=*) [ ! -f "${word#*=}" ] || cat "${word#*=}" ;; esac; done &&
        echo "$* ${WINDOW_US:-}"; } | cksum)
    if [ "$(cat "$out/series/$name/key" 2>/dev/null)" != "$key" ]; then
        rm -rf "${out:?}/series/$name"
        mkdir -p "$out/series/$name"
        echo "$key" >"$out/series/$name/key"
    fi
    for seed in $(acc_seeds "$name"); do
        [ -e "$out/series/$name/$seed.metrics" ] || echo "$out/series/$name/$seed $scenario $* --seed $seed"
    done
}

acc_run() {
    basename "$PWD" >&2
    ANOLE=$ANOLE nice -n "$NICE" xargs -r -P "${JOBS:-$(nproc)}" -L 1 "$acc/one"
}

acc_runs() {
    {
        for name; do
            for seed in $(acc_seeds "$name"); do sed "s/^/$name $seed /" "$out/series/$name/$seed.metrics"; done
        done
    } | awk '
        {
            run = $1 " " $2
            if (!(run in seen)) { seen[run]; order[++runs] = run }
            if (!($3 in column)) { column[$3]; name[++columns] = $3 }
            of[run, $3] = $4
        }
        END {
            printf "variant,seed"
            for (c = 1; c <= columns; c++) printf ",%s", name[c]
            print ""
            for (r = 1; r <= runs; r++) {
                split(order[r], part, " ")
                sub(/:/, " ", part[1])
                printf "%s,%s", part[1], part[2]
                for (c = 1; c <= columns; c++) printf ",%s", of[order[r], name[c]]
                print ""
            }
        }'
}

acc_results() {
    runs=$1
    shift
    # shellcheck disable=SC2046  # words
    set -- $(echo "$*" | tr -d +)
    table_head case,scheme "$@"
    series_table "$runs" "$@" | sed 's/^\([^ ,]*\) \([^,]*\),/\2,\1,/'
}

# Prints "case,metric,against,base,change,low,high", in percent of the base's mean, with Student's t interval.
# The best static setting is chosen afterwards by its mean of just this metric in this case, which no operator
# could do.
acc_compare() {
    runs=$1
    shift
    awk -F , -v metrics="$*" -v statics="$statics" "$statistics"'
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; m = split(metrics, metric, " "); s = split(statics, static, " "); next }
        {
            split($1, part, " ")
            if (!(part[2] in n)) order[++cases] = part[2]
            if (part[1] == "acc") n[part[2]]++
            else n[part[2]] += 0
            i = ++seen[$1]
            for (j = 1; j <= m; j++) {
                name = metric[j]
                sub(/^\+/, "", name)
                of[$1, j, i] = $column[name]
            }
        }
        function mean(variant, j,    i, sum) {
            for (i = 1; i <= seen[variant]; i++) sum += of[variant, j, i]
            return seen[variant] ? sum / seen[variant] : 0
        }
        function best(rest, j,    i, at, least, sign) {
            sign = metric[j] ~ /^\+/ ? -1 : 1
            for (i = 1; i <= s; i++) {
                if (!((static[i] " " rest) in seen)) continue
                if (at == "" || sign * mean(static[i] " " rest, j) < least) {
                    at = static[i]
                    least = sign * mean(at " " rest, j)
                }
            }
            return at
        }
        function tell(rest, j, against, base,    i, name, d, of_base) {
            if (!((base " " rest) in seen)) return
            of_base = mean(base " " rest, j)
            if (of_base == 0 || mean("acc " rest, j) == 0) return     # no such flows
            for (i = 1; i <= n[rest]; i++) d[1, i] = 100 * (of["acc " rest, j, i] - of[base " " rest, j, i]) / of_base
            name = metric[j]
            sub(/^\+/, "", name)
            printf "%s,%s,%s,%s,%s\n", rest, name, against, base, interval(d, 1, n[rest])
        }
        END {
            for (c = 1; c <= cases; c++)
                for (j = 1; j <= m; j++) {
                    tell(order[c], j, "secn1", "secn1")
                    tell(order[c], j, "secn2", "secn2")
                    tell(order[c], j, "vendor", "vendor")
                    tell(order[c], j, "best", best(order[c], j))
                }
        }' "$runs"
}

acc_changes() {
    acc_compare "$@" >"$out/changes.csv"
    echo '| case | figure | against SECN1 | SECN2 | the vendor | the best static one |'
    echo '|---|---|---|---|---|---|'
    awk -F , '
        function flush() {
            if (at == "") return
            printf "| %s |", at
            for (i = 1; i <= 4; i++) printf " %s |", against[i] in cell ? cell[against[i]] : "-"
            print ""
            split("", cell)
        }
        BEGIN { split("secn1 secn2 vendor best", against, " ") }
        ($1 " | " $2) != at { flush(); at = $1 " | " $2 }
        { cell[$3] = sprintf("%+.1f %% [%+.1f, %+.1f]%s", $5, $6, $7, $3 == "best" ? " `" $4 "`" : "") }
        END { flush() }' "$out/changes.csv"
}

# The rule: of the trainings whose mice are at most 5 % slower than with SECN1, pick the one with the lowest
# mean FCT. If there is none, pick the one with the fastest mice. Prints "case,training,mean FCT and mice
# against SECN1 in percent,is picked".
acc_pick() {
    echo 'case,training,all_percent,mice_percent,picked'
    awk -F , '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        { all = $column["all.fct_us_mean"]; mice = $column["mice.fct_us_mean"] }
        $2 == "secn1" { base_all[$1] = all; base_mice[$1] = mice }
        $2 !~ /^secn/ {
            n++
            of[n] = $1
            name[n] = $2
            a[n] = 100 * (all / base_all[$1] - 1)
            m[n] = 100 * (mice / base_mice[$1] - 1)
            cost = m[n] <= 5 ? a[n] : 1e6 + m[n]
            if (!($1 in best) || cost < least[$1]) { best[$1] = n; least[$1] = cost }
        }
        END { for (i = 1; i <= n; i++) printf "%s,%s,%+.1f,%+.1f,%s\n", of[i], name[i], a[i], m[i], best[of[i]] == i ? "yes" : "no" }'
}

acc_trainings() {
    echo '| case | training | against | all, mean | all, p99 | mice, mean | mice, p99 | elephants, mean |'
    echo '|---|---|---|---|---|---|---|---|'
    for base in secn1 secn2; do
        # shellcheck disable=SC2086  # words
        "$lib/paired" "$1" "$base" $acc_fct | grep -v '^secn' | awk -F , -v base="$base" '{
            printf "| %s | `%s` | `%s` |", $2, $1, base
            for (i = 3; i <= NF; i += 3) printf " %+.1f %% [%+.1f, %+.1f] |", $i, $(i + 1), $(i + 2)
            print ""
        }'
    done
}

acc_table() {
    echo "| case | scheme | $1 |"
    echo "$1" | sed 's/[^|]*/---/g; s/.*/|---|---|&|/'
    shift
    awk -F , -v formats="$*" '
        BEGIN {
            n = split(formats, format, " ")
            for (i = 1; i <= n; i++) { split(format[i], part, ":"); scale[i] = part[1]; format[i] = part[2] }
        }
        NR > 1 {
            printf "| %s | `%s` |", $1, $2
            for (i = 1; i <= n; i++) {
                at = 1 + 3 * i
                if ($at == 0 && $(at + 1) == 0 && $(at + 2) == 0) { printf " - |"; continue }
                printf " " format[i] " [" format[i] ", " format[i] "] |", scale[i] * $at, scale[i] * $(at + 1), scale[i] * $(at + 2)
            }
            print ""
        }'
}

acc_all() {
    all_names=$1
    shift
    jobs >"$out/jobs"
    acc_run <"$out/jobs"
    # shellcheck disable=SC2086  # words
    acc_runs $all_names >"$out/runs.csv"
    acc_results "$out/runs.csv" "$@" >"$out/results.csv"
    acc_changes "$out/runs.csv" "$@" | readme changes
}

acc_bars() {
    gnuplot -e "results='$out/results.csv'; picture='$out/picture.svg'; schemes='$1'; titles='$2'; scales='$3'; logs='${4:-}'" \
        "$acc/bars.gp"
}

acc_names() {
    for case in $2; do for scheme in $1; do echo "$scheme:$case"; done; done
}
