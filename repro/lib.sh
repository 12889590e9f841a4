#!/bin/sh
# repro/lib.sh - functions shared by the experiments. A run script begins with `. "$(dirname
# "$0")/../lib.sh"`, which also changes to the script's folder. It provides:
#
#   $out           folder of all output: out/, or out/quick with QUICK=1
#   $seeds         number of seeds of every variant
#   $lib           this folder
#   $student       awk functions for 95 % intervals, to be placed before a program: student.awk
#   pick A B       A, or B with QUICK=1
#   campaign, benchmark, has_figures, table, publish, readme, stamp, uses: below
#
# ANOLE is the program (build/release/anole), JOBS the number of parallel runs (default: one per core), NICE
# their niceness (10). Finished runs are kept in $out/runs.sqlite, so an interrupted script continues.
# shellcheck disable=SC2034  # these are for the scripts
set -eu
export LC_ALL=C

# When interrupted, it waits for its children: only then can run-all count their CPU time.
trap 'exit 130' INT
trap 'exit 143' TERM

cd "$(dirname "$0")"
lib=$(cd .. && pwd)
ANOLE=${ANOLE:-build/release/anole}
case $ANOLE in
/*) ;;
*) ANOLE=$lib/../$ANOLE ;;
esac

case ${QUICK:-0} in
0) QUICK='' out=out seeds=${SEEDS:-5} ;;
*) QUICK=1 out=out/quick seeds=${SEEDS:-2} ;;
esac
mkdir -p "$out"
: >"$out/uses"
is_published=''
trap at_end EXIT
NICE=${NICE:-10}
student=$(cat "$lib/student.awk")

pick() {
    if [ -n "$QUICK" ]; then echo "$2"; else echo "$1"; fi
}

# Settings that several papers compare, for 100 Gb/s. Each names all knobs whose defaults differ between the
# two models, so it means the same in both.
#   default_85  NVIDIA's; the rate at the first CNP is the vendor's 85 % of the line
#   default_50  the same with 50 %, as in PARALEON's artifact
#   expert      PARALEON, table I
#   hpcc        of the HPCC paper's simulator, scaled to 100 Gb/s
ecn_default=kmin=400KB,kmax=1600KB,pmax=0.2
nvidia=rpg_ai_rate=5Mbps,rpg_hai_rate=50Mbps,rpg_min_rate=1Mbps,dce_tcp_g=1019,initial_alpha_value=1023
default_85=$nvidia,rate_to_set_on_first_cnp=85Gbps,$ecn_default
default_50=$nvidia,rate_to_set_on_first_cnp=50Gbps,$ecn_default
expert=rpg_ai_rate=50Mbps,rpg_hai_rate=150Mbps,rpg_min_rate=1Mbps,dce_tcp_g=1019,initial_alpha_value=1023
expert=$expert,rate_to_set_on_first_cnp=85Gbps,rate_reduce_monitor_period=80us,min_time_between_cnps=96us
expert=$expert,kmin=1600KB,kmax=6400KB,pmax=0.2
hpcc=rpg_ai_rate=20Mbps,rpg_hai_rate=200Mbps,rpg_min_rate=1000Mbps,dce_tcp_g=1020,initial_alpha_value=1023
hpcc=$hpcc,rate_to_set_on_first_cnp=100Gbps,$ecn_default

# uses ARGUMENT... - records that results come from a scenario with these arguments, which `anole compare` and
# `anole run` both accept. Skips words before the scenario and windows (@FROM:TO), which belong to the
# scripts. `uses file PATH` records the content of a file. repro/check compares what these resolve to. Also
# skips scenarios, traces, settings and models that the script makes: record their sources instead.
uses() {
    [ "$1" = file ] || while [ $# -gt 0 ]; do case $1 in *.yaml) break ;; *) shift ;; esac done
    case " $* " in *".file=$PWD/$out/"* | " $out/"* | '  ') return ;; esac
    line='' held=''
    for word; do
        case $word in
        @*) continue ;;
        --set | --variant) held=$word; continue ;;
        tuner.model=*"$out/"*) word=tuner.model=none ;;      # its shape may differ from the built-in one
        *"$out/"*) held=''; continue ;;
        *[!A-Za-z0-9_./=,:%+-]*) word="'$word'" ;;
        esac
        line="$line $held $word" held=''
    done
    echo "$line" | sed "s|$lib/|../|g; s/^ *//; s/  */ /g" >>"$out/uses"
}

# Stores the digests of all inputs with the results. If only $some results were made, replaces their digests;
# the others must exist.
keep_digest() {
    sort -u "$out/uses" | ANOLE=$ANOLE "$lib/check" --print >"$out/digest"
    is_final || return 0
    [ -z "${some:-}" ] || [ -e digest ] || return 0
    if [ -n "${some:-}" ]; then
        cut -d ' ' -f 2- "$out/digest" >"$out/digest.made"
        awk 'FNR == NR { made[$0]; next } { line = $0; sub(/^[^ ]* /, "", line) } !(line in made)' "$out/digest.made" digest >>"$out/digest"
        sort -k 2 -o "$out/digest" "$out/digest"
    fi
    cp "$out/digest" digest
}

at_end() {
    code=$?
    [ "$code" != 0 ] || [ -z "$is_published" ] || keep_digest
    exit "$code"
}

# campaign NAME ARGUMENT... - runs anole compare with these arguments and writes to $out/NAME/. $store is the
# file of finished runs (default: $out/runs.sqlite).
campaign() {
    name=$1
    shift
    echo "$(basename "$PWD"): $name" >&2
    uses "$@"
    nice -n "$NICE" "$ANOLE" compare "$@" --seeds "$seeds" --store "${store:-$out/runs.sqlite}" --out "$out/$name" \
        ${JOBS:+--jobs "$JOBS"} >/dev/null
}

# benchmark NAME - prints the path of a program of bench/ and builds it next to the program if necessary. If
# the program is alone in its folder, it is built in build/release.
benchmark() {
    folder=$(dirname "$ANOLE")
    [ -e "$folder/build.ninja" ] || folder=$lib/../build/release
    [ -x "$folder/$1" ] || ninja -C "$folder" "$1" >&2
    echo "$folder/$1"
}

# table NAME METRIC... - prints a campaign's variants as CSV without a header, one line each:
#     variant,seeds,mean,low,high[,mean,low,high ...]
table() {
    name=$1
    shift
    jq -r '[.seeds, (.metrics | map({key: .name, value: .variants}) | from_entries)] as [$seeds, $of]
        | $of[$ARGS.positional[0]] | keys[] as $i
        | [.[$i].name, $seeds, ($ARGS.positional[] | $of[.][$i] | .mean, .low, .high)] | join(",")' \
        "$out/$name/comparison.json" --args "$@" | awk -F , -v OFS=, '{
            for (i = 3; i <= NF; i++) if ($i != "") $i = sprintf("%.5g", $i)
            print
        }'
}

# has_figures NAME METRIC... - fails if a campaign lacks these metrics, because a table would leave them
# empty.
has_figures() {
    name=$1
    shift
    jq -e '[.metrics[].name] as $has | ($ARGS.positional - $has) as $missing
        | if $missing == [] then true else error("no such figures: \($missing | join(", "))") end' \
        "$out/$name/comparison.json" --args "$@" >/dev/null
}

# table_head NAME METRIC... - prints the header for it; NAME is the name of the first column or columns.
table_head() {
    printf '%s,seeds' "$1"
    shift
    for metric; do printf ',%s,%s_low,%s_high' "$metric" "$metric" "$metric"; done
    echo
}

# Only full runs with enough seeds change committed files: five, or the script's $enough.
is_final() {
    [ -z "$QUICK" ] && [ "$seeds" -ge "${enough:-5}" ]
}

# replace_rows OLD NEW SEPARATOR - prints OLD with some lines replaced by those of NEW: lines with the same
# first column and the same words before the next number. Other lines of NEW follow. If several lines match,
# the first replaces the first, and so on.
replace_rows() {
    awk -v separator="$3" '
        function key(    n, part, i, k, is_first) {
            n = split($0, part, separator)
            is_first = 1
            for (i = 1; i <= n && (is_first || part[i] !~ /^ *[-+]?[0-9]/); i++) {
                k = k separator part[i]
                if (part[i] != "") is_first = 0
            }
            return k SUBSEP (++alike[FILENAME, k])
        }
        FNR == NR { k = key(); order[++rows] = k; row[k] = $0; next }
        { k = key(); if (k in row) { print row[k]; done[k] } else print }
        END { for (i = 1; i <= rows; i++) if (!(order[i] in done)) print row[order[i]] }' "$2" "$1"
}

# publish FILE... - copies these results of a full run from $out to the experiment's committed results, and
# names their program in README.md. If only $some rows were made, replaces those; README.md must then name
# their program in words.
publish() {
    for file; do
        if ! is_final; then
            echo "$PWD/$out/$file"
        elif [ -n "${some:-}" ] && [ -e "$file" ]; then
            replace_rows "$file" "$out/$file" , >"$out/$file.rows"
            cp "$out/$file.rows" "$file"
        else
            cp "$out/$file" "$file"
        fi
    done
    is_published=1
    ! is_final || [ -n "${some:-}" ] || stamp
}

# Prints the last commit that changed the program, or COMMIT for a program from another tree. A + means
# uncommitted changes.
commit() {
    if [ -n "${COMMIT:-}" ]; then
        echo "commit $COMMIT"
    elif ! git -C "$lib" rev-parse HEAD >/dev/null 2>&1; then
        "$ANOLE" --version
    else
        echo "commit $(cd "$lib/.." && git log -1 --abbrev=7 --format=%h -- src peers train data meson.build)$(
            cd "$lib/.." && git diff --quiet HEAD -- src peers train data meson.build || echo +)"
    fi
}

# Names the program of the results below the title of README.md. Replaces a note about an older build or
# missing results.
stamp() {
    has=$(grep -cx '<!-- build -->' README.md || true)
    awk -v has="$has" '
        /^> \*\*Of an older build\*\*|^\*\*There are no figures yet\*\*/ { old = 1; next }
        old && /^(>|$)/                 { old = /^>/; next }
        { print }
        NR == 1 && !has                 { print "\n<!-- build -->\n<!-- /build -->" }' README.md >"$out/README.stamped"
    cp "$out/README.stamped" README.md
    case $seeds in 1) of='seed 1' ;; *) of="seeds 1 to $seeds" ;; esac
    echo "Made with the program of $(commit), $of." | readme build
}

# readme NAME <TEXT - after a full run, puts the text between <!-- NAME --> and <!-- /NAME --> of README.md.
# With $some it replaces rows of a table.
readme() {
    cat >"$out/$1.md"
    is_final || return 0
    if [ -n "${some:-}" ]; then
        sed -n "/^<!-- $1 -->\$/,/^<!-- .$1 -->\$/p" README.md | sed '1d;$d' >"$out/$1.old"
        mv "$out/$1.md" "$out/$1.rows"
        replace_rows "$out/$1.old" "$out/$1.rows" '|' >"$out/$1.md"
    fi
    awk -v name="$1" -v file="$out/$1.md" '
        $0 == "<!-- /" name " -->" { skip = 0 }
        !skip                      { print }
        $0 == "<!-- " name " -->"  { skip = 1; while ((getline line <file) > 0) print line }
    ' README.md >"$out/README.md"
    cp "$out/README.md" README.md
}
