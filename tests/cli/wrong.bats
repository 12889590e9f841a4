#!/usr/bin/env bats
# tests/cli/wrong.bats - user errors: one line with error, place and suggestion, a status other than 0, and no
# files left.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

write_wrong_files() {
    cat >a.yaml <<'END'
topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}
traffic: [{kind: incast, senders: 3, size: 1MB}]
END
    : >empty.yaml
    printf 'topology:\n\tkind: star\n' >tab.yaml
    echo '- 1' >list.yaml
    echo 'topology: {kind: star' >unclosed.yaml
    printf 'run: 1ms\nrun: 2ms\n' >twice.yaml
    { cat a.yaml; echo 'colour: red'; } >unknown.yaml
    printf 'a: &x 1\nb: *x\n' >alias.yaml
    printf 'run: \0001ms\n' >nul.yaml
    mkdir thesis
    echo 'much work' >thesis/chapter1
}

# status|arguments|message; a final * matches a list that grows
wrong_inputs() {
    cat <<'END'
2|run|anole: which scenario? anole run SCENARIO.yaml; see anole run --help
1|run nosuch.yaml|anole: nosuch.yaml: no such file, and no scenario of that name comes with Anole; see anole list scenario
1|run incats|anole: incats: no such file, and no scenario of that name comes with Anole; did you mean 'incast'?
2|run a.yaml b.yaml|anole: one scenario at a time: 'a.yaml' and 'b.yaml'
2|run a.yaml --until|anole run: option '--until' requires an argument
2|run a.yaml --until 5|anole: --until: '5' has no unit; write 5us, 3ms, 200ns
2|run a.yaml --until 5KB|anole: --until: '5KB' is not a time; write 5us, 3ms, 200ns
2|run a.yaml --until 0us|anole: --until must be 1 ps .. 1000000 s, not 0us
2|run a.yaml --until -1us|anole: --until: '-1us' is negative
2|run a.yaml --seed x|anole: --seed: 'x' is not a whole number
2|run a.yaml --seed -1|anole: --seed: '-1' is negative
2|run a.yaml --seed 1.5|anole: --seed: '1.5' is not a whole number
2|run a.yaml --threads 0|anole: --threads must be 1 .. 64, not 0
2|run a.yaml --threads many|anole: --threads: 'many' is not a whole number
2|run a.yaml --format xml|anole: --format: unknown value 'xml'; there are *
2|run a.yaml --format jsn|anole: --format: unknown value 'jsn'; did you mean 'json'?
1|run a.yaml --out a.yaml|anole: a.yaml: exists and is not a folder
1|run a.yaml --out /proc|anole: /proc: is a mount point; name a folder inside it
1|run a.yaml --out a.yaml/place|anole: a.yaml/place: Not a directory
1|run a.yaml --out thesis|anole: thesis: exists and was not written by anole; name another folder
2|run a.yaml --outt r|anole run: unrecognized option '--outt'
2|run a.yaml --set|anole run: option '--set' requires an argument
2|run a.yaml --set kmin|anole: --set: 'kmin' has no '='; write --set kmin=200KB
1|run a.yaml --set kmim=5KB|anole: --set kmim=5KB: 'kmim' is not a knob or a key; did you mean 'kmin'?
1|run a.yaml --set kmin=|anole: --set kmin=: nothing is given after '='
1|run a.yaml --set kmin=5us|anole: --set kmin=5us: 'kmin' is a size, not '5us'; write 400KB
1|run a.yaml --set kmin=1TB|anole: --set kmin=1TB: 'kmin' must be 0 .. 131071 KB, not 1TB
1|run a.yaml --set pmax=3|anole: --set pmax=3: 'pmax' must be 0 .. 1, not 3
1|run a.yaml --set pmax=-0.1|anole: --set pmax=-0.1: 'pmax' must be 0 .. 1, not -0.1
1|run a.yaml --set kmin=500KB --set kmax=100KB|anole: --set kmin=500KB: 'kmin' (500 KB) must not be above 'kmax' (100 KB)
1|run a.yaml --set rpg_threshold=1.5|anole: --set rpg_threshold=1.5: 'rpg_threshold' must be a whole number 0 .. 31, not 1.5
1|run a.yaml --set cc=foo|anole: --set cc=foo: 'foo' is not a congestion control; there are *
1|run a.yaml --set cc=dcqnc|anole: --set cc=dcqnc: 'dcqnc' is not a congestion control; did you mean 'dcqcn'?
1|run a.yaml --set lb=foo|anole: --set lb=foo: 'foo' is not a load balancer; there are *
1|run a.yaml --set nic=foo|anole: --set nic=foo: 'foo' is not a NIC; there are *
1|run a.yaml --set model=foo|anole: --set model=foo: 'foo' is not a model; there are *
1|run a.yaml --set monitor=foo|anole: --set monitor=foo: 'foo' is not a monitor; there are *
1|run a.yaml --set tuner=foo|anole: --set tuner=foo: 'foo' is not a tuner; there are *
1|run a.yaml --set tuner.kind=paraleon --set tuner.thta=1|anole: --set tuner.thta=1: 'thta' is not an option of paraleon; did you mean 'theta'?
1|run a.yaml --set topology.kind=foo|anole: --set topology.kind=foo: 'foo' is not a kind of topology; there are *
1|run a.yaml --set topology.kind=colos|anole: --set topology.kind=colos: 'colos' is not a kind of topology; did you mean 'clos'?
1|run a.yaml --set topology.hosts=0|anole: --set topology.hosts=0: hosts must be 1 .. 1048576, not 0
1|run a.yaml --set topology.hosts=four|anole: --set topology.hosts=four: hosts: 'four' is not a whole number
1|run a.yaml --set topology.rate=5us|anole: --set topology.rate=5us: rate: '5us' is not a rate; write 100Gbps, 400Mbps, 25G
1|run a.yaml --set topology.rate=0Gbps|anole: a.yaml:1:11: the link h0-s0: its rate, 0 b/s, is not within 1 Gb/s .. 1.6 Tb/s
1|run a.yaml --set topology.delay=5KB|anole: --set topology.delay=5KB: delay: '5KB' is not a time; write 5us, 3ms, 200ns
1|run a.yaml --set topology.delay=1h|anole: --set topology.delay=1h: delay: '1h' is not a time; write 5us, 3ms, 200ns
1|run a.yaml --set topology.colour=red|anole: --set topology.colour=red: 'colour' is not a key of topology star; there are *
1|run a.yaml --set traffic.0.kind=foo|anole: --set traffic.0.kind=foo: 'foo' is not a kind of traffic; there are *
1|run a.yaml --set traffic.0.size=1us|anole: --set traffic.0.size=1us: size: '1us' is not a size; write 1500, 64KB, 32MiB
1|run a.yaml --set traffic.0.senders=99|anole: --set traffic.0.senders=99: senders must be 1 .. 3, not 99
1|run a.yaml --set traffic.0.receiver=h99|anole: --set traffic.0.receiver=h99: there is no host 'h99'
1|run a.yaml --set traffic.7.size=1KB|anole: --set traffic.7.size=1KB: there is no entry 7 in a list of 1; the first is 0
1|run a.yaml --set traffic=3|anole: --set traffic=3: 'traffic' must be a list
1|run a.yaml --set run=5KB|anole: --set run=5KB: run: '5KB' is not a time; write 5us, 3ms, 200ns
1|run a.yaml --set run=0us|anole: --set run=0us: run must be 1 ps .. 1000000 s, not 0us
1|run a.yaml --set interval=2|anole: --set interval=2: interval: '2' has no unit; write 5us, 3ms, 200ns
1|run a.yaml --set interval=1ns|anole: --set interval=1ns: interval must be 1 us .. 1000000 s, not 1ns
1|run a.yaml --set host.mtu=5us|anole: --set host.mtu=5us: mtu: '5us' is not a size; write 1500, 64KB, 32MiB
1|run a.yaml --set host.mtu=1|anole: --set host.mtu=1: mtu must be 64 B .. 9 KB, not 1
1|run a.yaml --set switch.buffer=8us|anole: --set switch.buffer=8us: buffer: '8us' is not a size; write 1500, 64KB, 32MiB
1|run a.yaml --set switch.alpha=2x|anole: --set switch.alpha=2x: alpha: '2x' is not a number; write 0.3, 30%, 2e6
1|run a.yaml --set switch.lossless=maybe|anole: --set switch.lossless=maybe: lossless: 'maybe' is neither true nor false
1|run a.yaml --set fidelity=slow|anole: --set fidelity=slow: 'slow' is not a fidelity; there are packet and fast
1|run a.yaml --set order=random|anole: --set order=random: 'random' is not an order; there are *
1|run a.yaml --set seed=one|anole: --set seed=one: seed: 'one' is not a whole number
1|run a.yaml --set changes=5|anole: --set changes=5: 'changes' must be a list
1|run empty.yaml|anole: empty.yaml: this file is empty; 'anole init' writes a scenario to begin with
1|run tab.yaml|anole: tab.yaml:2:1: a tab; YAML is indented with spaces
1|run list.yaml|anole: list.yaml:1:1: a scenario must be a map of 'key: value'
1|run unclosed.yaml|anole: unclosed.yaml:2:1: did not find expected ',' or '}' while parsing a flow mapping that begins in line 1
1|run twice.yaml|anole: twice.yaml:2:1: 'run' is given twice, first in line 1
1|run unknown.yaml|anole: unknown.yaml:3:1: 'colour' is not a key of a scenario; there are *
1|run alias.yaml|anole: alias.yaml:1:4: anchors ('&') are not supported
1|run nul.yaml|anole: nul.yaml:1:6: a zero byte; the file must be UTF-8 text
1|run .|anole: .: Is a directory
2|compare|anole: which scenarios? anole compare A.yaml B.yaml; see anole compare --help
2|compare a.yaml --vary|anole compare: option '--vary' requires an argument
2|compare a.yaml --vary kmin|anole: --vary: 'kmin' has no '='; write --vary kmin=100KB,400KB
2|compare a.yaml --vary kmin=5KB..9KB|anole: --vary: '5KB..9KB' is a range, not a value; write --vary kmin=100KB,400KB, or anole sweep --range kmin=5KB..9KB
1|run a.yaml --set tuner.kind=paraleon --set tuner.colour=1|anole: --set tuner.colour=1: 'colour' is not an option of paraleon; there are preset, *
1|run a.yaml --set tuner.kind=rehearse --set tuner.opening=bdpp|anole: --set tuner.opening=bdpp: 'bdpp' is not a value of opening; did you mean 'bdp'?
1|run a.yaml --set tuner.kind=rehearse --set tuner.colour=1|anole: --set tuner.colour=1: 'colour' is not an option of rehearse; there are budget, *
1|compare a.yaml --vary kmin=5us,6us|anole: variant 'kmin=5us': kmin=5us: 'kmin' is a size, not '5us'; write 400KB
1|compare a.yaml --vary kmim=1KB,2KB|anole: variant 'kmim=1KB': kmim=1KB: 'kmim' is not a knob or a key; did you mean 'kmin'?
2|compare a.yaml --seeds 0 --vary kmin=1KB,2KB|anole: --seeds must be 1 .. 65535, not 0
2|compare a.yaml --seed-list 1,1 --vary kmin=1KB,2KB|anole: --seed-list: 1 is there twice
2|compare a.yaml --seed-list 1,x --vary kmin=1KB,2KB|anole: --seed-list: 'x' is not a whole number
1|compare a.yaml --baseline foo --vary kmin=1KB,2KB|anole: there is no variant 'foo'
1|compare a.yaml --metrics foo --vary kmin=1KB,2KB|anole: --metrics: 'foo' is not a figure of these runs; there are *
1|compare a.yaml --metrics slowdown_p98 --vary kmin=1KB,2KB|anole: --metrics: 'slowdown_p98' is not a figure of these runs; did you mean 'slowdown_p99'?
2|compare a.yaml --until 5 --vary kmin=1KB,2KB|anole: --until: '5' has no unit; write 5us, 3ms, 200ns
2|compare a.yaml --jobs 0 --vary kmin=1KB,2KB|anole: --jobs must be 1 .. 512, not 0
2|compare a.yaml --variant x:kmin --seeds 1|anole: --variant x: 'kmin' has no '='; write x:kmin=100KB,kmax=400KB
1|compare a.yaml --variant x --variant x --seeds 1|anole: two variants are called 'x'
1|compare a.yaml --store a.yaml --vary kmin=1KB,2KB|anole: a.yaml: exists and is not a store of anole; name another file with --store
2|sweep a.yaml|anole: what shall vary? Give --range KEY=LOW..HIGH or --vary KEY=A,B,C; see anole sweep --help
2|sweep a.yaml --range kmin|anole: --range: 'kmin' is not a range; write --range kmin=50KB..800KB
2|sweep a.yaml --range kmin=5|anole: --range: 'kmin=5' is not a range; write --range kmin=50KB..800KB
2|sweep a.yaml --range kmin=9KB..2KB|anole: --range kmin=9KB..2KB: the low end must be below the high end
2|sweep a.yaml --range kmin=1us..2us|anole: --range kmin=1us..2us: 'kmin' is a size, not '1us'; write 400KB
2|sweep a.yaml --range kmin=0KB..2KB:log|anole: --range kmin=0KB..2KB:log: a range with ':log' must begin above 0
1|sweep a.yaml --range foo=1..2|anole: variant 'foo=2': foo=2: 'foo' is not a knob or a key
1|sweep a.yaml --range kmin=1KB..2KB --best foo|anole: --best: 'foo' is not a figure of these runs; there are *
1|sweep a.yaml --range kmin=1KB..2KB --best marked_share|anole: --best: neither high nor low is good for 'marked_share'
2|sweep a.yaml --range kmin=1KB..2KB --method foo|anole: --method: unknown value 'foo'; there are *
2|sweep a.yaml --range kmin=1KB..2KB --samples 0|anole: --samples must be 1 .. 100000, not 0
2|tune|anole: which scenario? anole tune SCENARIO.yaml; see anole tune --help
2|tune a.yaml --tuner foo|anole: --tuner: 'foo' is not a tuner; there are *
2|tune a.yaml --check -1|anole: --check: '-1' is negative
2|tune a.yaml --from expert|anole: a search on 'a.yaml', or the setting 'expert'? With --from there is no search
2|tune --from expert|anole: --from: what is to be done with it? Give --as, --out or --format json
1|tune --from nosuch --as mlx5|anole: nosuch: No such file or directory
2|tune --from expert --as cisco|anole: --as: unknown value 'cisco'; there are *
2|explain|anole: which run? anole explain DIR; see anole explain --help
1|explain nosuch|anole: nosuch: No such file or directory
1|explain thesis|anole: thesis/tuning.jsonl: there is no such file; a run without a tuner has no history
1|explain a.yaml|anole: a.yaml:1:8: this is not JSON: '[' or '{' expected near 'topology'
2|explain r --knob kmim|anole: --knob: 'kmim' is not a knob; did you mean 'kmin'?
2|list foo|anole: list: unknown value 'foo'; there are *
2|list kno|anole: list: unknown value 'kno'; did you mean 'knob'?
2|list cc lb|anole: one list at a time: 'cc' and 'lb'
2|list cc --markdown|anole: --markdown goes with knob, figure or key
2|convert|anole: which file? anole convert FILE... --to hpcc -o DIR; see anole convert --help
2|convert a.yaml|anole: --to is missing: --to scenario or --to hpcc
2|convert a.yaml --to foo -o x|anole: --to: unknown value 'foo'; there are *
1|convert nosuch --to scenario -o x|anole: nosuch: no such file, and no scenario of that name comes with Anole; see anole list scenario
1|convert incats --to scenario -o x|anole: incats: no such file, and no scenario of that name comes with Anole; did you mean 'incast'?
2|gym a.yaml --clients 1|anole: --clients needs --socket
2|advise --load 40|anole: --load must be 0.001 .. 1, not 40; did you mean 40%?
2|advise --load 40%-200|anole: --load must be 0.001 .. 1, not 200
2|advise --load 40% --sizes WebSerch|anole: --sizes: 'WebSerch' is neither a built-in table of sizes nor a file; did you mean 'WebSearch'?
1|advise --load 40% --sizes a.yaml|anole: a.yaml:1: *
2|train|anole: which model? anole train acc --out FILE; see anole train --help
2|train foo --out x|anole: 'foo' cannot be trained; there are acc, and rlcc, which precedes its options
2|train acc|anole: --out FILE is missing: the file for the model
2|help foo|anole: 'foo' is not a command; there are *
2|hlep|anole: 'hlep' is not a command; did you mean 'help'?
2|--foo|anole: '--foo' is not an option here; see anole --help
END
}

@test "wrong: more than a hundred mistakes, each reported in one line" {
    program=$(readlink -f "$ANOLE")
    mkdir "$dir/work"
    cd "$dir/work"
    write_wrong_files
    find . -printf '%p %s\n' | sort >"$dir/before"
    wrong_inputs >"$dir/table"
    [ "$(wc -l <"$dir/table")" -gt 100 ]
    failed=0
    while IFS='|' read -r want args message; do
        status=0
        # shellcheck disable=SC2086  # arguments are words
        "$program" $args >"$dir/out" 2>"$dir/err" </dev/null || status=$?
        said=$(head -n 1 "$dir/err")
        # Messages of the C library have a second line, "Try ...".
        said_lines=$(grep -vc '^Try ' "$dir/err")
        if [ "$status" != "$want" ] || [ "$said_lines" != 1 ] || [ -s "$dir/out" ]; then
            echo "anole $args: status $status, not $want, or not one line: $said"
            failed=1
        fi
        case $message in
        *'*') [ "${said#"${message%\*}"}" != "$said" ] && [ "${#said}" -gt "${#message}" ] ;;
        *) [ "$said" = "$message" ] ;;
        esac || {
            echo "anole $args"
            echo "  says   $said"
            echo "  not    $message"
            failed=1
        }
    done <"$dir/table"
    [ "$failed" = 0 ]
    find . -printf '%p %s\n' | sort | diff "$dir/before" -
    [ "$(find "$dir" -maxdepth 1 -name '.anole-*' | wc -l)" = 0 ]
}

@test "wrong: accepts units as people write them" {
    write_scenario "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --quiet --set topology.delay=1µs --set topology.rate=100gbps --set topology.fabric_rate=100Gb/s \
        --format json | jq '.metrics, .packets' >"$dir/a"
    "$ANOLE" run "$dir/s.yaml" --quiet --set topology.delay=1us --set topology.rate=100Gbps --set topology.fabric_rate=0.1Tbps \
        --format json | jq '.metrics, .packets' >"$dir/b"
    [ "$(wc -l <"$dir/a")" -gt 100 ]
    cmp "$dir/a" "$dir/b"
}
