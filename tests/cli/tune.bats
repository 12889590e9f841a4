#!/usr/bin/env bats
# tests/cli/tune.bats - anole tune: search, verification, file, and scripts for devices.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

setup_file() {
    cat >"$BATS_FILE_TMPDIR/star.yaml" <<'END'
topology: {kind: star, hosts: 6, rate: 100Gbps, delay: 1us}
traffic:
  - {kind: poisson, load: 0.4, sizes: FB_Hadoop}
  - {kind: incast, name: burst, senders: 5, size: 64KB, start: 20us, period: 150us}
knobs: {kmin: 100KB, kmax: 400KB, pmax: 0.2}
interval: 50us
run: 600us
seed: 4
END
    # All flows end, but the setting is poor: rates fall, and do not rise again for 20 ms.
    cat >"$BATS_FILE_TMPDIR/slow.yaml" <<'END'
topology: {kind: star, hosts: 6, rate: 100Gbps, delay: 1us}
traffic:
  - {kind: incast, senders: 5, size: 500KB, period: 300us, for: 600us}
knobs: {kmin: 1KB, kmax: 2KB, pmax: 1, rpg_min_dec_fac: 10%, rpg_time_reset: 20000us, rpg_byte_reset: 0}
interval: 50us
seed: 4
END
    sed 's/^knobs: .*/knobs: {kmin: 100KB, kmax: 400KB}/' "$BATS_FILE_TMPDIR/slow.yaml" >"$BATS_FILE_TMPDIR/good.yaml"
}

star() {
    echo "$BATS_FILE_TMPDIR/star.yaml"
}

# values FILE - prints the lines of a knob file that are not comments.
values() {
    grep -v '^#' "$1"
}

@test "tune: a search over several rounds, a check, a file, and a history" {
    run_apart "$ANOLE" tune "$(star)" --tuner random --set tuner.budget=20 --check 3 \
        --out "$dir/knobs.yaml" --history "$dir/history.jsonl" --report "$dir/tune.html"
    [ "$status" -eq 0 ]
    [ ! -s "$dir/err" ]
    grep -qF "Report: $dir/tune.html" "$dir/out"
    # a round has 12 intervals, and the last ends with the search; every round uses the next seed
    grep -qE '^star.yaml, tuner random: [0-9]+ intervals, seeds 4 to [0-9]+$' "$dir/out"
    read -r intervals last < <(sed -nE 's/.*: ([0-9]+) intervals, seeds 4 to ([0-9]+)$/\1 \2/p' "$dir/out")
    [ "$intervals" -gt 20 ]
    [ "$last" -eq "$((4 + (intervals - 1) / 12))" ]
    [ "$(jq -s 'length' "$dir/history.jsonl")" -eq "$((intervals + 1))" ]
    # time continues from round to round
    jq -es '.[1:] | [.[].start_us] as $s | [.[].end_us] as $e | $s[1:] == $e[:-1] or
        ([range(1; length)] | all($s[.] >= $e[. - 1]))' "$dir/history.jsonl"
    grep -qE '^(better|worse|no clear difference|nothing better)' "$dir/out"
    # the page has all steps, and both settings on the seeds of the check
    sed -nE 's/.*id="anole-data">(.*)/\1/p' "$dir/tune.html" | sed 's/<\/script>.*//' >"$dir/page.json"
    jq -e --argjson n "$intervals" '.kind == "tune" and .search.tuning.totals.steps == $n' "$dir/page.json"
    # the answer is the same everywhere, and the page marks the same metrics as the terminal
    sed '/^$/,$d' "$dir/out" | tr '\n' ' ' | grep -qF "$(jq -r .answer.finding "$dir/page.json")"
    if jq -e '.comparison' "$dir/page.json" >/dev/null; then
        jq -r '.comparison.metrics[] | select(.variants[1].is_significant) | .label' "$dir/page.json" | sort >"$dir/page.clear"
        grep -E ' (better|worse)$' "$dir/out" | sed -E 's/  +.*//' | sort | diff - "$dir/page.clear"
        # the same metrics, in the same order
        jq -r '.comparison as $c | $c.deciding[] as $name | $c.metrics[] | select(.name == $name) | .label' "$dir/page.json" >"$dir/page.deciding"
        sed -n '/^---/,/^$/p' "$dir/out" | sed -E '1d; /^$/d; s/  +.*//' | diff - "$dir/page.deciding"
    fi
    jq -e '.runs | length == 0 or (map(.name) == ["before", "after"] and (.[0].seeds | length == 3))' "$dir/page.json"
    # the file describes the search, and can be read back
    grep -qE '^# star.yaml, tuner random: ' "$dir/knobs.yaml"
    "$ANOLE" tune --from "$dir/knobs.yaml" --as sonic >/dev/null
}

@test "tune: a search tries presets that depend on the speed of hosts" {
    # gentle reads the ports of the network during the search
    run_apart "$ANOLE" tune "$BATS_FILE_TMPDIR/slow.yaml" --tuner paraleon --budget 40 --check 0 --history "$dir/history.jsonl"
    [ "$status" -eq 0 ]
    grep -q 'gentle was tried' "$dir/history.jsonl"
}

@test "tune: reports and keeps a better setting, which has the same effect in a run" {
    run_apart "$ANOLE" tune "$BATS_FILE_TMPDIR/slow.yaml" --tuner expert --check 3 --out "$dir/knobs.yaml"
    [ "$status" -eq 0 ]
    grep -q '^better: .*mean slowdown' "$dir/out"
    grep -qE '^mean slowdown +[0-9.]+ +[0-9.]+ +-[0-9.]+ % .*better$' "$dir/out"
    # exactly PARALEON's table I: every difference from the default
    values "$dir/knobs.yaml" | sort >"$dir/values"
    printf '%s\n' 'kmax: 6400KB' 'kmin: 1600KB' 'min_time_between_cnps: 96us' 'rate_reduce_monitor_period: 80us' \
        'rpg_ai_rate: 50Mbps' 'rpg_hai_rate: 150Mbps' | sort | diff - "$dir/values"
    "$ANOLE" tune "$BATS_FILE_TMPDIR/slow.yaml" --tuner expert --check 0 | grep -qx 'not checked'
    # 'after' is the mean over the check's seeds of runs with the file
    for seed in 5 6 7; do
        "$ANOLE" run "$BATS_FILE_TMPDIR/slow.yaml" --set "tuner={kind: fixed, setting: $dir/knobs.yaml}" --seed "$seed" \
            --format json | jq .all.slowdown_mean
    done >"$dir/runs"
    mean=$(awk '{ sum += $1 } END { printf "%.2f", sum / NR }' "$dir/runs")
    grep -qE "^mean slowdown +[0-9.]+ +$mean " "$dir/out"
}

@test "tune: keeps a worse setting only on request" {
    sed -n 's/^knobs: //p' "$BATS_FILE_TMPDIR/slow.yaml" >"$dir/bad.yaml"
    good=$BATS_FILE_TMPDIR/good.yaml
    run_apart "$ANOLE" tune "$good" --tuner fixed --set "tuner.setting=$dir/bad.yaml" --out "$dir/knobs.yaml"
    [ "$status" -eq 0 ]
    grep -qE '^worse: .*; the starting setting is kept$' "$dir/out"
    [ "$(values "$dir/knobs.yaml")" = "$(printf 'kmin: 100KB\nkmax: 400KB')" ]
    run_apart "$ANOLE" tune "$good" --tuner fixed --set "tuner.setting=$dir/bad.yaml" --out "$dir/knobs.yaml" --keep
    grep -qE '^worse: .*; the new setting is kept all the same$' "$dir/out"
    values "$dir/knobs.yaml" | grep -qx 'kmin: 1KB'
}

@test "tune: without a finding it changes nothing" {
    run_apart "$ANOLE" tune "$(star)" --tuner default --set kmin=400KB --set kmax=1600KB --out "$dir/knobs.yaml"
    [ "$status" -eq 0 ]
    grep -qx 'nothing was tried: the tuner kept the starting setting (12 intervals)' "$dir/out"
    [ "$(values "$dir/knobs.yaml")" = '{}' ]
    "$ANOLE" tune --from "$dir/knobs.yaml" --as mlx5 >"$dir/a"
    "$ANOLE" tune --from default --as mlx5 >"$dir/b"
    diff <(grep ^roce_ "$dir/a") <(grep ^roce_ "$dir/b")
}

@test "tune: a search that tried no setting does not say that it found nothing better" {
    "$ANOLE" tune "$(star)" --budget 1 --format json 2>/dev/null >"$dir/out.json"
    jq -e '.verdict == "untried" and .intervals == 1 and .check == null and .changes == []' "$dir/out.json"
    "$ANOLE" tune "$(star)" --budget 3 --format json 2>/dev/null >"$dir/out.json"
    jq -e '.verdict != "untried"' "$dir/out.json"
}

@test "tune: starts to search at once, with the scenario's tuner or paraleon" {
    run_apart "$ANOLE" tune "$(star)" --budget 4 --check 0
    [ "$status" -eq 0 ]
    grep -qx 'star.yaml, tuner paraleon: 4 intervals, seed 4; the search was not over' "$dir/out"
    { cat "$(star)"; echo 'tuner: chameleon'; } >"$dir/own.yaml"
    run_apart "$ANOLE" tune "$dir/own.yaml" --set tuner.beta=0.05 --budget 3 --check 0 --history "$dir/h"
    grep -q '^own.yaml, tuner chameleon' "$dir/out"
    jq -es '.[0].options | .beta == 0.05 and .trigger == "once"' "$dir/h"
    jq -es '[.[].phase] == [null, "watch", "search", "search"]' "$dir/h"
    # an explicit trigger is kept
    run_apart "$ANOLE" tune "$dir/own.yaml" --set tuner.trigger=always --budget 3 --check 0 --history "$dir/h"
    jq -es '.[0].options.trigger == "always"' "$dir/h"
}

@test "tune: --rounds ends an unfinished search" {
    run_apart "$ANOLE" tune "$(star)" --tuner random --rounds 2 --check 0
    [ "$status" -eq 0 ]
    grep -qx 'star.yaml, tuner random: 24 intervals, seeds 4 to 5; the search was not over' "$dir/out"
}

@test "tune: reproducible, also with threads; another seed gives another search" {
    for name in a b c; do
        args=()
        [ "$name" != b ] || args=(--threads 2)
        [ "$name" != c ] || args=(--seed 9)
        "$ANOLE" tune "$(star)" --tuner random --set tuner.budget=5 --check 2 --out "$dir/$name.yaml" \
            --history "$dir/$name.jsonl" "${args[@]}" >"$dir/$name.out"
    done
    cmp "$dir/a.yaml" "$dir/b.yaml"
    cmp "$dir/a.jsonl" "$dir/b.jsonl"
    diff <(grep -v 'anole tune --from' "$dir/a.out") <(grep -v 'anole tune --from' "$dir/b.out")
    refute cmp -s "$dir/a.jsonl" "$dir/c.jsonl"
}

@test "tune: mlx5, every number in the device's format" {
    printf 'rpg_gd: 13\nrpg_time_reset: 99.6us\nrate_to_set_on_first_cnp: 42500Mbps\nkmin: 5KB\nroce_cc_prio_mask: 8\ncnp_dscp: 40\n' \
        >"$dir/knobs.yaml"
    run_apart "$ANOLE" tune --from "$dir/knobs.yaml" --as mlx5
    [ "$status" -eq 0 ]
    cp "$dir/out" "$dir/set.sh"
    # a tree like the driver's
    net=$dir/sys/class/net/eth7/ecn
    mkdir -p "$net/roce_rp/enable" "$net/roce_np/enable"
    for file in clamp_tgt_rate clamp_tgt_rate_after_time_inc rpg_time_reset rpg_byte_reset rpg_threshold rpg_max_rate \
        rpg_ai_rate rpg_hai_rate rpg_gd rpg_min_dec_fac rpg_min_rate rate_to_set_on_first_cnp \
        rate_reduce_monitor_period dce_tcp_g dce_tcp_rtt initial_alpha_value; do
        echo 7 >"$net/roce_rp/$file"
    done
    for file in min_time_between_cnps cnp_dscp cnp_802p_prio; do echo 7 >"$net/roce_np/$file"; done
    for side in rp np; do for prio in 0 1 2 3 4 5 6 7; do echo 7 >"$net/roce_$side/enable/$prio"; done; done
    cp -r "$dir/sys" "$dir/before"
    export SYSFS=$dir/sys SAVED=$dir/saved
    sh "$dir/set.sh" eth7
    diff <(cd "$dir/sys" && find . | sort) <(cd "$dir/before" && find . | sort)      # only files of the driver
    [ "$(cat "$net/roce_rp/rpg_time_reset")" = 100 ]
    [ "$(cat "$net/roce_rp/rpg_gd")" = 11 ]                  # documented: 10 to 11
    [ "$(cat "$net/roce_rp/rate_to_set_on_first_cnp")" = 42500 ]
    [ "$(cat "$net/roce_rp/rpg_hai_rate")" = 50 ]            # the default, because it is not given
    [ "$(cat "$net/roce_np/min_time_between_cnps")" = 4 ]
    [ "$(cat "$net/roce_np/cnp_dscp")" = 40 ]
    [ "$(cat "$net/roce_np/cnp_802p_prio")" = 7 ]          # depends on the network: a default does not change it
    [ "$(cat "$net"/roce_rp/enable/*)" = "$(printf '%s\n' 0 0 0 1 0 0 0 0)" ]
    grep -qF 'rpg_gd 11   # the setting has 13' "$dir/set.sh"
    # without an interface it does nothing; it stops at an unknown one
    refute sh "$dir/set.sh" 2>/dev/null
    refute sh "$dir/set.sh" eth8 2>/dev/null
    # set twice and undone once: back to the state before the first
    sh "$dir/set.sh" eth7
    sh "$dir/set.sh" --undo eth7
    diff -r "$dir/sys" "$dir/before"
    refute sh "$dir/set.sh" --undo eth7 2>"$dir/err"
    grep -q 'eth7: there is nothing to undo' "$dir/err"
}

@test "tune: mlx5, if a device refuses a value, all others are reverted" {
    "$ANOLE" tune --from expert --as mlx5 >"$dir/set.sh"
    for port in eth7 eth8; do
        net=$dir/sys/class/net/$port/ecn
        mkdir -p "$net/roce_rp" "$net/roce_np"
        sed -n "s|^\(roce_[^ ]*\) .*|$net/\1|p" "$dir/set.sh" | while read -r file; do echo 7 >"$file"; done
    done
    cp -r "$dir/sys" "$dir/before"
    export SYSFS=$dir/sys SAVED=$dir/saved
    # a value that cannot be read: nothing is written
    rm "$net/roce_np/min_time_between_cnps"
    refute sh "$dir/set.sh" eth7 eth8 2>"$dir/err"
    diff -r "$dir/sys/class/net/eth7" "$dir/before/class/net/eth7"
    echo 7 >"$net/roce_np/min_time_between_cnps"
    # a cat that reads another value after the write
    mkdir "$dir/bin"
    cat >"$dir/bin/cat" <<'END'
#!/bin/sh
case ${1:-} in
*eth8*/min_time_between_cnps) echo 7 ;;
*) exec /bin/cat "$@" ;;
esac
END
    chmod +x "$dir/bin/cat"
    refute env PATH="$dir/bin:$PATH" sh "$dir/set.sh" eth7 eth8 >"$dir/out" 2>"$dir/err"
    grep -q 'min_time_between_cnps is 7, not' "$dir/err"
    diff -r "$dir/sys/class/net/eth7" "$dir/before/class/net/eth7"       # including the one set before
    grep -q '^eth7: old values restored' "$dir/out"
}

@test "tune: sonic, a WRED profile in bytes and whole percents" {
    printf 'kmin: 76.5KB\nkmax: 285KB\npmax: 0.125\n' >"$dir/knobs.yaml"
    run_apart "$ANOLE" tune --from "$dir/knobs.yaml" --as sonic
    [ "$status" -eq 0 ]
    # the script passes one file to SONiC's loader
    mkdir "$dir/bin"
    printf '#!/bin/sh\necho "$1 $2" >"%s/args"\ncp "$3" "%s/loaded.json"\n' "$dir" "$dir" >"$dir/bin/config"
    chmod +x "$dir/bin/config"
    PATH=$dir/bin:$PATH sh "$dir/out"
    [ "$(cat "$dir/args")" = 'load -y' ]
    jq -e '.WRED_PROFILE | keys == ["ANOLE_LOSSLESS"]' "$dir/loaded.json"
    # all 13 fields that orchagent knows, as text, and no others
    jq -e '.WRED_PROFILE.ANOLE_LOSSLESS | . as $p | (keys | length) == 13 and .ecn == "ecn_all" and
        (["green", "yellow", "red"] | all($p[. + "_min_threshold"] == "76500" and $p[. + "_max_threshold"] == "285000" and
        $p[. + "_drop_probability"] == "13" and $p["wred_" + . + "_enable"] == "true"))' "$dir/loaded.json"
    grep -q 'pmax 0.125 becomes 13 %' "$dir/out"
}

@test "tune: the script for SONiC restores the old profile of queues" {
    "$ANOLE" tune --from hpcc --as sonic >"$dir/set.sh"
    mkdir -p "$dir/bin" "$dir/db"
    # a database whose keys are files: sonic-db-cli CONFIG_DB KEYS|HGET|HSET|DEL
    cat >"$dir/bin/sonic-db-cli" <<'END'
#!/bin/sh
cd "${DB:?}" || exit 1
case $2 in
KEYS) for key in $3; do [ ! -e "$key" ] || echo "$key"; done ;;
HGET) cat "$3" ;;
HSET) echo "$5" >"$3" ;;
DEL)  rm "$3" ;;
esac
END
    chmod +x "$dir/bin/sonic-db-cli"
    for queue in 'QUEUE|Ethernet0|3' 'QUEUE|Ethernet4|3'; do echo ANOLE_LOSSLESS >"$dir/db/$queue"; done
    echo OTHER >"$dir/db/QUEUE|Ethernet8|3"
    touch "$dir/db/WRED_PROFILE|ANOLE_LOSSLESS" "$dir/db/WRED_PROFILE|AZURE_LOSSLESS"
    # a missing profile would leave queues without ECN, so nothing is changed
    DB=$dir/db PATH=$dir/bin:$PATH run sh "$dir/set.sh" --undo NOSUCH
    [ "$status" -eq 1 ]
    [[ $output == *"there is no profile 'NOSUCH'" ]]
    [ "$(cat "$dir/db/QUEUE|Ethernet0|3")" = ANOLE_LOSSLESS ]
    DB=$dir/db PATH=$dir/bin:$PATH run sh "$dir/set.sh" --undo
    [ "$status" -ne 0 ]
    DB=$dir/db PATH=$dir/bin:$PATH sh "$dir/set.sh" --undo AZURE_LOSSLESS
    [ "$(cat "$dir"/db/QUEUE*)" = "$(printf 'AZURE_LOSSLESS\nAZURE_LOSSLESS\nOTHER')" ]
    [ ! -e "$dir/db/WRED_PROFILE|ANOLE_LOSSLESS" ]
}

@test "tune: presets scale with the speed of links" {
    "$ANOLE" tune --from hpcc --as sonic | grep -q '"green_min_threshold": "400000"'
    "$ANOLE" tune --from hpcc --as sonic --rate 400Gbps | grep -q '"green_min_threshold": "1600000"'
    echo 'by_speed: 1' >"$dir/speeds.yaml"
    "$ANOLE" tune --from "$dir/speeds.yaml" --as sonic | grep -q 'by_speed: .*thresholds must be'
    "$ANOLE" tune --from "$dir/speeds.yaml" --as mlx5 | grep -q 'by_speed: .*rates must be'
    run_apart "$ANOLE" tune --from bdp --as sonic
    [ "$status" -eq 1 ]
    grep -q "the setting 'bdp' depends on the network's round trip: give --rtt" "$dir/err"
    [ ! -s "$dir/out" ]
    for rtt in 24us 48us; do
        "$ANOLE" tune --from bdp --as sonic --rtt "$rtt" | sed -nE 's/.*green_min_threshold": "([0-9]+)".*/\1/p'
    done >"$dir/kmin"
    awk 'NR == 1 { first = $1 } END { exit !(NR == 2 && first > 0 && $1 == 2 * first) }' "$dir/kmin"
    "$ANOLE" tune --from hpcc --rate 25Gbps --out "$dir/knobs.yaml"
    values "$dir/knobs.yaml" | grep -qx 'kmin: 100KB'
}

@test "tune: a search can print a script" {
    run_apart "$ANOLE" tune "$(star)" --tuner expert --check 2 --as mlx5 --keep
    [ "$status" -eq 0 ]
    [ "$(head -n 1 "$dir/out")" = '#!/bin/sh' ]
    grep -qE '^# mean slowdown +[0-9]' "$dir/out"
    grep -qF 'roce_rp/rpg_ai_rate 50' "$dir/out"
    sh -n "$dir/out"
}

@test "tune: errors are reported before any run, and nothing is written" {
    while IFS='|' read -r args message; do
        # shellcheck disable=SC2086  # words
        run_apart "$ANOLE" tune $args --out "$dir/knobs.yaml"
        [ "$status" -ne 0 ]
        [ ! -s "$dir/out" ]
        [ ! -e "$dir/knobs.yaml" ]
        [ "$(wc -l <"$dir/err")" -eq 1 ]
        grep -qF -- "$message" "$dir/err" || { cat "$dir/err"; echo "not: $message"; false; }
    done <<END
$(star) --tuner paralon|--tuner: 'paralon' is not a tuner; did you mean 'paraleon'?
$(star) --as mlx|--as: unknown value 'mlx'; did you mean 'mlx5'?
$(star) --set tuner.thta=1|--set tuner.thta=1: 'thta' is not an option of paraleon; did you mean 'theta'?
$(star) --set tuner.weights=fixed --set tuner.weight_rtt=0.9|sum to 1.4; they must sum to 1
$(star) --set kmin=2000KB|'kmin' (2000 KB) must not be above 'kmax'
$(star) --set interval=1ms|the run is over before its first interval
$(star) --set changes=[{at: 10us, knobs: {kmin: 5KB}}]|one scenario at a time
$(star) --from expert|With --from there is no search
$(star) --rate 100Gbps|--rate goes with --from
$(star) --rounds 0|--rounds must be 1 .. 100000, not 0
--from exprt|'exprt' is neither a setting nor a file; did you mean 'expert'?
--from expert --tuner random|--tuner has no effect
END
    run_apart "$ANOLE" tune "$(star)" --set 'changes=[{at: 10us, knobs: {kmin: 5KB}}]' --out "$dir/knobs.yaml"
    [ "$status" -eq 1 ]
    grep -q "^anole: --set changes=.*: 'changes' turn the knobs" "$dir/err"
    printf 'kmim: 5KB\n' >"$dir/bad.yaml"
    run_apart "$ANOLE" tune --from "$dir/bad.yaml" --as mlx5
    [ "$status" -eq 1 ]
    [ "$(cat "$dir/err")" = "anole: $dir/bad.yaml:1:1: 'kmim' is not a knob; did you mean 'kmin'?" ]
    [ ! -s "$dir/out" ]
}

@test "tune: Ctrl-C leaves no files" {
    sed 's/^run: .*/run: 1000s/' "$(star)" >"$dir/long.yaml"
    mkdir "$dir/results"
    "$ANOLE" tune "$dir/long.yaml" --tuner random --set tuner.budget=1000000 --out "$dir/results/knobs.yaml" --history "$dir/results/h" \
        2>"$dir/err" &
    pid=$!
    sleep 1
    kill -TERM "$pid"
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq 143 ]
    [ -z "$(ls -A "$dir/results")" ]
    grep -q '^anole: interrupted at ' "$dir/err"
}
