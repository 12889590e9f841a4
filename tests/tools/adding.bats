#!/usr/bin/env bats
# tests/tools/adding.bats - the examples of docs/adding.md compile, are found by the program, and run.
#
# The examples are the files in examples/adding. They are compiled like the sources of the build in $BUILD. An
# example that defines an algorithm is added to the list of its kind and linked into the program.

# refute COMMAND... - fails if the command succeeds.
refute() {
    if "$@"; then return 1; fi
}

setup() {
    : "${BUILD:?is the folder of the build}"
    build=$PWD/$BUILD
    tree=$build/adding/tree
}

# Copies the examples to $tree and lists their paths in $tree/examples. The folder is always the same, so that
# ccache finds the objects next time.
setup_file() {
    setup
    rm -rf "$tree"
    mkdir -p "$tree"
    cp -r examples/adding/src "$tree"
    (cd "$tree" && find src -type f | sort) >"$tree/examples"
    flags_of src/cmd/main.c >"$tree/flags"
    mkdir -p "$build/adding/kinds/sim/event"
    awk '/^```/ { is_row = 0 } is_row { print } /^\/\* rows of .*kinds\.def/ { is_row = 1 }' docs/adding.md >"$tree/kinds"
    awk -v rows="$tree/kinds" '/^TRANSPORT\(/ && !is_there { while ((getline text <rows) > 0) print text; is_there = 1 } { print }' \
        src/sim/event/kinds.def >"$build/adding/kinds/sim/event/kinds.def"
}

# flags_of SOURCE - prints the compiler flags of the build, without the output file.
flags_of() {
    jq -r --arg source "/$1" '.[] | select("/" + .file | endswith($source)) | .command' "$build/compile_commands.json" |
        sed 's/ -MD .*//'
}

# compile SOURCE OBJECT - compiles like the program, but with warnings as errors. Headers in $tree take
# precedence.
compile() {
    (cd "$build" && eval "$(cat "$tree/flags") -Werror -iquote '$build/adding/kinds' -I'$tree/src' -o '$2' -c '$1'")
}

# link TARGET PROGRAM OBJECT... - links like a target of the build, with these objects instead of the original
# ones.
link() {
    target=$1 program=$2
    shift 2
    (cd "$build" && eval "$(ninja -t commands "$target" | tail -n 1 |
        sed "s| -o $target $target\.p/[^ ]*| -o $program $*|")")
}

# object_of SOURCE
object_of() {
    echo "$tree/$(echo "${1%.c}" | tr / -).o"
}

# algo_of EXAMPLE - prints "type name" of the algorithm that the example defines, if any. Transports and drivers are
# tried below.
algo_of() {
    case $1 in src/sim/transport/* | src/live/*) return ;; esac
    sed -n 's/^const struct \([a-z_]*\) \([a-z_0-9]*\) = {$/\1 \2/p' "$tree/$1"
}

# name_of EXAMPLE - prints the algorithm's name in scenarios.
name_of() {
    sed -n '/^const struct /,$ s/^.*\.name *= "\([a-z_0-9]*\)".*/\1/p' "$tree/$1"
}

# add_to_list TYPE NAME - compiles $list, the list of that type, with one more entry: a line in the table of
# names, or before its end.
add_to_list() {
    list=$(grep -l "^const struct $1 \*const [a-z_]*\[\] = {" -r src --include='*.c')
    [ -f "$tree/$list" ] || { mkdir -p "$tree/$(dirname "$list")" && cp "$list" "$tree/$list"; }
    awk -v type="$1" -v name="$2" '
    $0 ~ "^const struct " type " \\*const " && !is_there { print "extern const struct " type " " name ";"; is_list = 1 }
    is_list && sub(/NULL/, "\\&" name ", NULL") { is_list = 0 }
    { print }
    /^#define EACH\(X\) \\$/ { print "    X(" name ") \\"; is_there = 1 }' "$tree/$list" >"$tree/list.c"
    mv "$tree/list.c" "$tree/$list"
    compile "$tree/$list" "$(object_of "$list")"
}

@test "adding: examples exist, and each compiles without a warning" {
    grep -q '^src/sim/cc/' "$tree/examples"
    grep -q '^src/sim/lb/' "$tree/examples"
    grep -q '^src/tune/' "$tree/examples"
    grep -q '^src/core/meter/monitor/' "$tree/examples"
    grep -q '^src/work/traffic/kinds/' "$tree/examples"
    while read -r example; do
        grep -qF "examples/adding/$example" docs/adding.md
    done <"$tree/examples"
    while read -r example; do
        case $example in *.c) compile "$tree/$example" "$(object_of "$example")" ;; esac
    done <"$tree/examples"
}

@test "adding: an algorithm is one file and one line of a list" {
    while read -r example; do
        algo=$(algo_of "$example")
        [ -n "$algo" ] || continue
        # shellcheck disable=SC2086  # type and name
        add_to_list $algo
        { object_of "$example"; object_of "$list"; } >>"$tree/objects"
        echo "$(basename "$(dirname "$example")") $(name_of "$example")"
    done <"$tree/examples" >"$tree/names"
    # shellcheck disable=SC2046  # objects are words
    link anole "$tree/anole" anole.p/src_cmd_main.c.o $(sort -u "$tree/objects")
    ${TEST_WRAPPER:-} "$tree/anole" list >"$tree/listed"
    [ -s "$tree/names" ]
    while read -r _ name; do
        grep -q "^$name " "$tree/listed"
    done <"$tree/names"
}

@test "adding: scenarios can use each of them" {
    while read -r folder name; do
        case $folder in
        tune)    set=tuner=$name ;;
        monitor) set="monitor=[$name, exact]" ;;
        kinds)   set="traffic=[{kind: $name}]" ;;
        *)       set=$folder=$name ;;
        esac
        ${TEST_WRAPPER:-} "$tree/anole" run scenarios/incast.yaml --quiet --set run=200us --set "$set"
    done <"$tree/names"
}

# The block names its table and source in the comment "a row of TABLE in SOURCE".
@test "adding: a key is one row" {
    sed -n 's|^/\* a row of \([a-z_]*\) in \([a-z_/]*\.c\) \*/$|\1 \2|p' docs/adding.md >"$tree/rows"
    [ -s "$tree/rows" ]
    read -r table source <"$tree/rows"
    mkdir -p "$tree/$(dirname "$source")"
    awk -v table="$table" '
    FNR == NR { if (is_row && /^```/) is_row = 0; if (is_row) row = row $0 "\n"; if ($0 ~ "^/\\* a row of " table " ") is_row = 1; next }
    $0 ~ "key_row " table "\\[\\] = " { is_table = 1 }
    is_table && /^    { 0 },/ { printf "%s", row; is_table = 0 }
    { print }' docs/adding.md "$source" >"$tree/$source"
    refute diff -q "$source" "$tree/$source"
    compile "$tree/$source" "$(object_of "$source")"
    link anole "$tree/anole_key" anole.p/src_cmd_main.c.o "$(object_of "$source")"
    ${TEST_WRAPPER:-} "$tree/anole_key" list key | grep -q '^host *patience *time '
    ${TEST_WRAPPER:-} "$tree/anole_key" run scenarios/incast.yaml --quiet --set run=100us --set host.patience=20us
    run ${TEST_WRAPPER:-} "$tree/anole_key" run scenarios/incast.yaml --quiet --set host.patience=2s
    [ "$status" -eq 1 ]
    [[ "$output" == *"patience must be 1 ns .. 1 s, not 2s" ]]
}

@test "adding: the test of an example passes" {
    grep -q '_test\.c$' "$tree/examples"
    while read -r example; do
        case $example in *_test.c) ;; *) continue ;; esac
        # shellcheck disable=SC2046  # objects are words
        link sim-cc-cc_test "$tree/example_test" "$(object_of "$example")" $(sort -u "$tree/objects")
        CMOCKA_MESSAGE_OUTPUT=STDOUT ${TEST_WRAPPER:-} "$tree/example_test"
    done <"$tree/examples"
}

# block START - prints the lines of docs/adding.md from one that begins with START to the end of the block.
block() {
    awk -v start="$1" '/^```/ { is_row = 0 } index($0, start) == 1 { is_row = 1 } is_row' docs/adding.md
}

# insert FILE TEXT LINE - prints a file with the text of another file after the last line that begins with LINE and
# those that continue it.
insert() {
    awk -v text="$2" -v line="$3" '{ all[NR] = $0; if (index($0, line) == 1 || (last == NR - 1 && /^     /)) last = NR }
        END { for (i = 1; i <= NR; i++) { print all[i]; while (i == last && (getline more <text) > 0) print more } }' "$1"
}

# build_with_rows LISTS SOURCE - compiles all sources that depend on LISTS (a regular expression), with copies in
# $shadow and without optimization, and links the program, with another source unless it is empty. Keeps the folder, so
# that ccache finds the objects next time.
build_with_rows() (
    cd "$build" || exit
    mkdir -p "$shadow/o"
    ninja -t deps | awk -v lists="$1" '/^[^ ]/ { object = $1; sub(/:$/, "", object) } $1 ~ lists { print object }' |
        grep '^libanole\.a\.p/' | sort -u >"$shadow/objects"
    [ "$(wc -l <"$shadow/objects")" -gt 20 ]
    jq -r --rawfile objects "$shadow/objects" --arg shadow "$shadow" '($objects | split("\n")) as $objects | .[] |
        select(.output | IN($objects[])) | .output as $object |
            (.file | sub(".*src/sim/(transport/rc|cc)/(?<name>rc_send|dcqcn_nic)\\.c$"; $shadow + "/\(.name).c")) as $source |
            (.command | sub(" -MD .*"; "")) + " -iquote " + $shadow + " -w -O0 -g0 -fno-lto -fno-sanitize=all -U_FORTIFY_SOURCE -o " +
            $shadow + "/o/" + ($object | sub(".*/"; "")) + " -c " + $source' compile_commands.json >"$shadow/commands"
    [ "$(wc -l <"$shadow/commands")" -eq "$(wc -l <"$shadow/objects")" ]
    more=$(sed "1!d; s| -o .*| -o $shadow/o/${2##*/}.o -c $2|" "$shadow/commands")
    [ -z "$2" ] || echo "$more" >>"$shadow/commands"
    xargs -P "$(nproc)" -d '\n' -n 1 sh -c <"$shadow/commands"
    rm -f "$shadow/libanole.a"
    ar t libanole.a | while read -r member; do
        if [ -f "$shadow/o/${member##*/}" ]; then echo "$shadow/o/${member##*/}"; else echo "$member"; fi
    done >"$shadow/members"
    [ -z "$2" ] || echo "$shadow/o/${2##*/}.o" >>"$shadow/members"
    xargs ar csr "$shadow/libanole.a" <"$shadow/members"
    eval "$(ninja -t commands anole | tail -n 1 | sed "s| -o anole | -o $shadow/anole |; s| libanole\.a | $shadow/libanole.a |")"
)

@test "adding: a counter is one row and the line that counts it" {
    shadow=$build/adding
    mkdir -p "$shadow/core"
    block 'KNOB(' >"$tree/knob"
    block '    cfg->dcqcn.' >"$tree/reader"
    insert src/core/knobs.def "$tree/knob" 'KNOB(' >"$shadow/core/knobs.def"
    insert src/sim/cc/dcqcn_nic.c "$tree/reader" '    dcqcn_configure(' >"$shadow/dcqcn_nic.c"
    [ "$(diff src/sim/cc/dcqcn_nic.c "$shadow/dcqcn_nic.c" | grep -c '^>')" -eq 1 ]
    block 'COUNTER(' >"$tree/row"
    line=$(grep -E '^    s->engine\.counters\.[a-z_]+ .*;$' docs/adding.md)
    name=$(sed -n 's/^COUNTER(\([a-z_]*\),.*/\1/p' "$tree/row")
    [ -n "$name" ]
    [ -n "$line" ]
    awk -v row="$tree/row" '/^STATE\(/ && !is_there { while ((getline text <row) > 0) print text; is_there = 1 } { print }' \
        src/core/figures.def >"$shadow/core/figures.def"
    awk -v line="$line" '{ print } /^    s->engine\.counters\.data_sent\+\+;$/ { print line }' src/sim/transport/rc/rc_send.c >"$shadow/rc_send.c"
    [ "$(diff src/sim/transport/rc/rc_send.c "$shadow/rc_send.c" | grep -c '^>')" -eq 1 ]
    build_with_rows 'core/(figures|knobs)[.]def$' ''

    ${TEST_WRAPPER:-} "$shadow/anole" list figure | grep -qE "^$name +network +count +sum "
    # 20 flows of 10,500 bytes with packets of 1000: ten are full, the last has the rest
    printf '%s\n' 'topology: {kind: star, hosts: 21, rate: 100Gbps, delay: 1us}' 'host: {mtu: 1000}' 'interval: 5us' \
        'traffic: [{kind: incast, senders: 20, size: 10500, for: 1us}]' >"$tree/full.yaml"
    ${TEST_WRAPPER:-} "$shadow/anole" run "$tree/full.yaml" --quiet --out "$tree/full"
    jq -e --arg name "$name" '.packets[$name] == 200 and .packets.data_sent == 220' "$tree/full/summary.json"
    jq -e --arg name "$name" '.metrics[] | select(.name == $name) | .value == 200 and .label == "full packets"' "$tree/full/summary.json"
    awk -F , -v name="$name" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { sum += $at; rows++ }
        END { exit !(at && rows > 1 && sum == 200) }' "$tree/full/intervals.csv"
    grep -q "\"name\":\"$name\",\"label\":\"full packets\",\"group\":\"flows\"" "$tree/full/report.html"
}

# Built by the case before.
@test "adding: a knob is one row and the line that reads it" {
    shadow=$build/adding
    anole() { ${TEST_WRAPPER:-} "$shadow/anole" "$@"; }
    name=$(sed -n 's/^KNOB(\([a-z_]*\),.*/\1/p' "$tree/knob")
    [ -n "$name" ]
    [ "$(diff src/core/knobs.def "$shadow/core/knobs.def" | grep -c '^>')" -eq "$(wc -l <"$tree/knob")" ]
    anole list knob --format json | jq -e --arg name "$name" '.[] | select(.name == $name) | .max == 100 and .readers == "dcqcn"'
    anole list knob --markdown | grep -qx "### $name"

    # it acts, within its range, and where it is read
    for value in 0 100; do
        anole run scenarios/incast.yaml --quiet --set "$name=$value" --out "$tree/knob$value"
    done
    refute cmp "$tree/knob0/flows.csv" "$tree/knob100/flows.csv"
    run anole run scenarios/incast.yaml --quiet --set run=100us --set "$name=101"
    [ "$status" -eq 1 ]
    [[ "$output" == *"'$name' must be a whole number 0 .. 100%, not 101"* ]]
    run anole run scenarios/incast.yaml --quiet --set run=100us --set cc=hpcc --set "$name=5"
    [[ "$output" == *"$name"* ]]

    # searches move it: on the network, and on a model of it
    anole run scenarios/many_to_one.yaml --quiet --set run=20ms --set interval=100us --set tuner=random --out "$tree/searched"
    jq -s -e --arg name "$name" 'map(.. | objects | select(has($name)) | .[$name]) | unique | length > 1' "$tree/searched/tuning.jsonl"
}

# The codec of agents and controllers, and its tests, with one more counter.
@test "adding: a counter of real devices is a row and its fields" {
    if ! (cd "$build" && ninja -t query libanole-live.a) >/dev/null; then skip 'built without the live part'; fi
    shadow=$build/adding/agent root=$PWD
    mkdir -p "$shadow/core"
    block 'AGENT(' >"$tree/agent"
    name=$(sed -n 's/^AGENT(\([a-z_]*\),.*/\1/p' "$tree/agent")
    [ -n "$name" ]
    insert src/core/figures.def "$tree/agent" 'AGENT(' >"$shadow/core/figures.def"
    sample=$(grep -E "^  uint64 $name = " docs/adding.md) rack=$(grep -E "^  repeated uint64 $name = " docs/adding.md)
    awk -v sample="$sample" -v rack="$rack" '{ print } /^  uint64 known = / { print sample } /^  repeated uint64 known = / { print rack }' \
        src/live/wire/anole.proto >"$shadow/anole.proto"
    [ "$(diff src/live/wire/anole.proto "$shadow/anole.proto" | grep -c '^>')" -eq 2 ]
    protoc-c --c_out="$shadow" --proto_path="$shadow" "$shadow/anole.proto"
    flags_of src/live/wire/codec.c >"$shadow/flags"
    for source in src/live/wire/codec.c src/live/core/rack.c src/live/core/knobset.c src/live/wire/codec_test.c \
        src/live/wire/rack_codec_test.c; do
        (cd "$build" && eval "$(sed "s| -I| -iquote $shadow -I$shadow -I|" "$shadow/flags") -Werror -o '$shadow/$(basename "$source" .c).o' -c '$root/$source'")
    done
    (cd "$build" && eval "$(sed "s| -I| -I$shadow -I|" "$shadow/flags") -w -o '$shadow/anole.pb-c.o' -c '$shadow/anole.pb-c.c'")
    for test in codec_test rack_codec_test; do
        link "live-wire-$test" "$shadow/$test" "$shadow/$test.o" "$shadow/codec.o" "$shadow/rack.o" "$shadow/knobset.o" "$shadow/anole.pb-c.o"
        CMOCKA_MESSAGE_OUTPUT=STDOUT ${TEST_WRAPPER:-} "$shadow/$test"
    done
}

@test "adding: a transport is one folder and rows of one list" {
    shadow=$build/adding/kinds
    [ "$(diff src/sim/event/kinds.def "$shadow/sim/event/kinds.def" | grep -c '^>')" -eq 3 ]
    cp src/sim/transport/rc/rc_send.c "$shadow"
    build_with_rows 'sim/event/kinds[.]def$' "$tree/src/sim/transport/saw/saw.c"

    # One packet of 1000 bytes in flight over two links of 80 ps per byte and 1 us. Each of ten round trips takes 4 us,
    # and twice the frame of 1062 and its ACK of 66 bytes, both with 20 bytes of preamble and gap: 4186.88 ns.
    printf '%s\n' 'topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us}' 'host: {mtu: 1000}' \
        'traffic: [{kind: incast, senders: 1, size: 10000, for: 1us, prio: 7}]' >"$tree/saw.yaml"
    ${TEST_WRAPPER:-} "$shadow/anole" run "$tree/saw.yaml" --quiet --out "$tree/saw"
    jq -e '.packets.data_sent == 10 and .packets.acks_sent == 10' "$tree/saw/summary.json"
    [ "$(awk -F , 'NR == 2 { print $9 }' "$tree/saw/flows.csv")" = 41868.800 ]
}

@test "adding: a driver is one file and one line of a list" {
    if ! (cd "$build" && ninja -t query libanole-live.a) >/dev/null; then skip 'built without the live part'; fi
    example=src/live/driver/plain.c
    compile "$tree/$example" "$(object_of "$example")"
    add_to_list driver driver_plain
    link anole-live "$tree/anole-live" anole-live.p/src_cmd_live_main.c.o "$(object_of "$list")" "$(object_of "$example")"
    nic=$tree/nic port=$((20000 + RANDOM % 20000))
    rm -rf "$nic" && mkdir -p "$nic/plain/nic0"
    echo 5 >"$nic/plain/nic0/rpg_ai_rate"
    echo 1000 >"$nic/plain/nic0/sent_bytes"
    echo 'rpg_ai_rate: 9Mbps' >"$nic/set.yaml"
    printf '%s\n' 'name: host1' "controller: 127.0.0.1:$port" 'state: state' 'driver: plain' 'root: .' 'write: yes' >"$nic/agent.yaml"
    printf '%s\n' "listen: 127.0.0.1:$port" 'state: states' 'mode: direct' 'gather: 200ms' 'tuner: {name: fixed, setting: set.yaml}' >"$nic/controller.yaml"
    live() { ${TEST_WRAPPER:-} "$tree/anole-live" "$@"; }
    live agent "$nic/agent.yaml" --check-config

    # a controller sets a knob, and the agent takes it back when it leaves the host
    timeout 60 "$tree/anole-live" controller "$nic/controller.yaml" 3>&- & controller=$!
    timeout 60 "$tree/anole-live" agent "$nic/agent.yaml" 3>&- & agent=$!
    for _ in $(seq 200); do
        [ "$(cat "$nic/plain/nic0/rpg_ai_rate")" != 9 ] || break
        sleep 0.1
    done
    kill "$agent" "$controller"
    wait "$agent" "$controller" || true
    [ "$(cat "$nic/plain/nic0/rpg_ai_rate")" = 9 ]
    live agent "$nic/agent.yaml" --baseline
    [ "$(cat "$nic/plain/nic0/rpg_ai_rate")" = 5 ]
}

@test "adding: a sub-command is one file and two lines, and answers with a card" {
    sed 's/^#define HEADING/extern const struct command command_about;\n&/; s/&command_serve,/\&command_serve, \&command_about,/' \
        src/cmd/main.c >"$tree/main.c"
    [ "$(diff src/cmd/main.c "$tree/main.c" | grep -c '^>')" -eq 2 ]
    compile "$tree/main.c" "$tree/main.o"
    link anole "$tree/anole_about" "$tree/main.o" "$(object_of src/cmd/cmd_about.c)"
    about() { ${TEST_WRAPPER:-} "$tree/anole_about" "$@"; }
    about --help | grep -q '^  about  *say what a scenario is about$'
    about about scenarios/incast.yaml | grep -q 'anole run scenarios/incast.yaml$'
    about about scenarios/incast.yaml --format json | jq -e '(.finding | length > 0) and (.network | length > 0) and .command == "anole run scenarios/incast.yaml"'
    run about about nosuch.yaml
    [ "$status" -eq 1 ]
    run about about
    [ "$status" -eq 2 ]
}

# Each guide names a commit that is worth reading first.
@test "adding: commits to read exist and are small" {
    git rev-parse --git-dir >/dev/null 2>&1 || skip 'no repository'
    grep -oE '`git show [0-9a-f]{8}`' docs/adding.md | tr -d '`' | cut -d ' ' -f 3 >"$tree/commits"
    [ "$(wc -l <"$tree/commits")" -ge 4 ]
    while read -r commit; do
        git rev-parse -q --verify "$commit^{commit}" >/dev/null || skip 'a clone without all commits'
        [ "$(git show --format= --name-only "$commit" | wc -l)" -le 6 ]
    done <"$tree/commits"
}
