#!/bin/sh
# repro/lib.sh - what the experiments share. A run script begins with `. "$(dirname "$0")/../lib.sh"` and is then in its
# own folder. There are
#
#   $out           where all goes: out/, or out/quick with QUICK=1
#   $seeds         of every variant
#   $lib           this folder
#   $student       awk functions for 95 % intervals, to be put before a program: student.awk
#   pick A B       A, or B with QUICK=1
#   campaign, benchmark, has_figures, table, publish, readme, stamp, uses: below
#
# ANOLE is the program (build/release/anole), JOBS how many runs at a time (as many as there are cores), NICE how nice they are (10).
# Finished runs are kept in $out/runs.sqlite, so a script that was interrupted goes on where it was.
# shellcheck disable=SC2034  # these are for the scripts
set -eu
export LC_ALL=C

# Interrupted, it waits for what it has started: only then is CPU time of that known to run-all.
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

# Settings that several papers compare, for 100 Gb/s. Each names all knobs in which the two models begin differently, so that
# it means the same in both.
#   default_85  NVIDIA's; the rate at the first CNP is the vendor's 85 % of the line
#   default_50  the same as PARALEON's artifact has it: 50 %
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

# uses ARGUMENT... : notes that results come from a scenario with these arguments, which `anole compare` and `anole run` both take; words
# before the scenario and windows (@FROM:TO) are of the scripts. `uses file PATH`: from what is in that file. What repro/check then
# compares is what these resolve to. Scenarios and traces that the script itself makes are left out: say what they are made of. So are
# settings and models that it makes.
uses() {
    [ "$1" = file ] || while [ $# -gt 0 ]; do case $1 in *.yaml) break ;; *) shift ;; esac done
    case " $* " in *".file=$PWD/$out/"* | " $out/"* | '  ') return ;; esac
    line='' held=''
    for word; do
        case $word in
        @*) continue ;;
        --set | --variant) held=$word; continue ;;
        tuner.model=*"$out/"*) word=tuner.model=none ;;      # of another shape than the one that ships
        *"$out/"*) held=''; continue ;;
        *[!A-Za-z0-9_./=,:%+-]*) word="'$word'" ;;
        esac
        line="$line $held $word" held=''
    done
    echo "$line" | sed "s|$lib/|../|g; s/^ *//; s/  */ /g" >>"$out/uses"
}

# Keeps the digests of all that was used beside the results. If only $some of it was made, that takes its place among the rest, which must
# be known.
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

# campaign NAME ARGUMENT... : anole compare with these arguments; its files are in $out/NAME/. $store is the file of finished
# runs, if it is not $out/runs.sqlite.
campaign() {
    name=$1
    shift
    echo "$(basename "$PWD"): $name" >&2
    uses "$@"
    nice -n "$NICE" "$ANOLE" compare "$@" --seeds "$seeds" --store "${store:-$out/runs.sqlite}" --out "$out/$name" \
        ${JOBS:+--jobs "$JOBS"} >/dev/null
}

# benchmark NAME : the path of a program of bench/, which is built beside the program if it is not there; where the program stands alone,
# in build/release.
benchmark() {
    folder=$(dirname "$ANOLE")
    [ -e "$folder/build.ninja" ] || folder=$lib/../build/release
    [ -x "$folder/$1" ] || ninja -C "$folder" "$1" >&2
    echo "$folder/$1"
}

# table NAME METRIC... : a campaign's variants as CSV without a head, one line each:
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

# has_figures NAME METRIC... : fails if a campaign has no such figures, which a table would leave empty.
has_figures() {
    name=$1
    shift
    jq -e '[.metrics[].name] as $has | ($ARGS.positional - $has) as $missing
        | if $missing == [] then true else error("no such figures: \($missing | join(", "))") end' \
        "$out/$name/comparison.json" --args "$@" >/dev/null
}

# table_head NAME METRIC... : the head for it, where the first column or columns are called NAME.
table_head() {
    printf '%s,seeds' "$1"
    shift
    for metric; do printf ',%s,%s_low,%s_high' "$metric" "$metric" "$metric"; done
    echo
}

# Only full runs with enough seeds change what is committed: five, or as many as the script says in $enough.
is_final() {
    [ -z "$QUICK" ] && [ "$seeds" -ge "${enough:-5}" ]
}

# replace_rows OLD NEW SEPARATOR : OLD, with those lines of NEW in their places that have the same first column and the same words before the
# next figure; others of NEW come after it. Of lines that are alike, the first takes the place of the first, and so on.
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

# publish FILE... : what a full run has in $out becomes the experiment's committed result, and README.md says of which program. If only
# $some of the rows were made, they take the places of those; which program made them README.md must then say in words.
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

# The last commit that changed the program; COMMIT says it of a program that is not of this tree. A + if something is not committed.
commit() {
    if [ -n "${COMMIT:-}" ]; then
        echo "commit $COMMIT"
    elif ! git -C "$lib" rev-parse HEAD >/dev/null 2>&1; then
        "$ANOLE" --version
    else
        echo "commit $(cd "$lib/.." && git log -1 --abbrev=7 --format=%h -- src data meson.build)$(
            cd "$lib/.." && git diff --quiet HEAD -- src data meson.build || echo +)"
    fi
}

# Says below the title of README.md which program made its figures. What was said of an older one goes, and that there are none yet.
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

# readme NAME <TEXT : puts the text between <!-- NAME --> and <!-- /NAME --> of README.md, after a full run; with $some the rows of a
# table.
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
