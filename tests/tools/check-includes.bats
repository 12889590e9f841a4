#!/usr/bin/env bats
# tests/tools/check-includes.bats - the include check finds planted violations, and only those.

setup() {
    tree=$BATS_TEST_TMPDIR
}

# plant FILE LINE... - writes a source.
plant() {
    file=$tree/$1
    shift
    mkdir -p "${file%/*}"
    printf '%s\n' "$@" >"$file"
}

check() {
    run tools/check-includes "$tree"
}

@test "check-includes: accepts includes that the table allows" {
    plant src/base/err.c '#include "base/err.h"' '#include <stdio.h>' '#include <sys/stat.h>'
    plant src/core/knobs.c '#include "core/knobs.def"' '#include "base/err.h"'
    plant src/core/meter/series.c '#include "core/report.h"'
    plant src/sim/cc/rlcc/rlcc.c '#include "base/nets/tree/tree.h"' '#include "sim/cc/cc.h"'
    plant src/sim/build.c '#include "sim/switch/switch.h"' '#include "sim/link/port.h"' '#include "work/net/graph.h"'
    plant src/sim/observe/observe.c '#include "sim/sim.h"' '#include "core/meter/series.h"'
    plant src/sim/build_test.c '#include "study/scenario/scenario.h"' '#include "work/traffic/kinds/patterns.h"'
    plant src/tune/acc/acc.c '#include "base/nets/dqn.h"' '#include "tune/tuner.h"'
    plant src/live/daemon/run.c '#include "tune/loop.h"' '#include "live/wire/serve.h"' '#include "study/run/simulation.h"'
    plant src/cmd/cmd_run.c '#include "sim/sim.h"' '#include "version.h"'
    plant peers/hpcc.c '#include "work/net/graph.h"' '#include "peers/hpcc.h"'
    plant standin/fabric/fabric.c '#include "study/run/simulation.h"' '#include "live/driver/driver.h"'
    check
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "check-includes: names a violation by file, line and rule" {
    plant src/tune/paraleon.c '/* a tuner that peeks */' '' '#include "sim/sim.h"'
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/tune/paraleon.c:3: tune may include base core, not "sim/sim.h"' ]
}

@test "check-includes: reports every violation" {
    plant src/base/a.h '#include "core/units.h"'
    plant src/sim/cc/b.c '#  include "sim/event/engine.h"' '#include <sim/link/port.h>'
    plant src/live/agent/agent.c '#include "sim/sim.h"'
    plant src/sim/lb/ecmp_test.c '#include "sim/switch/switch.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 5 ]
    [ "${lines[0]}" = 'src/base/a.h:1: base may include nothing of ours, not "core/units.h"' ]
    [ "${lines[3]}" = 'src/sim/cc/b.c:2: sim/cc may include base core, not "sim/link/port.h"' ]
}

@test "check-includes: the simulator is opaque outside its room, except in tests" {
    plant src/study/run/run.c '#include "sim/sim.h"' '#include "sim/state/state.h"'
    plant src/study/run/run_test.c '#include "sim/state/state.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "${lines[0]}" == 'src/study/run/run.c:2: study may include base '*' sim/sim.h '*', not "sim/state/state.h"' ]]
}

@test "check-includes: an include without its folder, or of a source, is refused" {
    plant src/base/a.c '#include "err.h"'
    plant src/sim/state/b.c '#include "sim/cc/dcqcn.c"'
    plant src/sim/c.c '#include "../cc/cc.h"'
    plant src/core/d.c '#include "version.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 4 ]
}

@test "check-includes: a room or a folder missing from the table is refused" {
    plant src/extra/a.c '#include "sim/sim.h"'
    plant src/sim/extra/b.c ''
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 2 ]
    [ "${lines[0]}" = 'src/extra/a.c:1: no such folder in the table of tools/check-includes' ]
    [ "${lines[1]}" = 'src/sim/extra/b.c:1: no such folder in the table of tools/check-includes' ]
}

@test "check-includes: no daemon includes simulated devices or stand-ins" {
    plant src/live/daemon/run_agent.c '#include "standin/fabric/fabric.h"'
    plant src/live/driver/driver.c '#include "standin/nic/nic.h"'
    plant src/live/daemon/tuner/live_tuner.c '#include "standin/twin/run_twin.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 3 ]
}

@test "check-includes: sim, tune and live meet in study and in the daemon only" {
    plant src/sim/a.c '#include "tune/tuner.h"' '#include "live/core/msg.h"'
    plant src/tune/b.c '#include "sim/sim.h"' '#include "live/core/msg.h"'
    plant src/live/view/c.c '#include "sim/sim.h"' '#include "tune/loop.h"' '#include "study/run/simulation.h"'
    plant src/live/daemon/d.c '#include "tune/loop.h"' '#include "study/run/simulation.h"' '#include "sim/sim.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 8 ]
    [[ ${lines[0]} == src/live/daemon/d.c:3:* ]]
}

@test "check-includes: rooms beside src/ see public headers only, and src/ does not see training" {
    plant train/train.c '#include "tune/tuner.h"' '#include "tune/search/search.h"' '#include "core/knobs.h"'
    plant peers/goal.c '#include "work/net/trace.h"' '#include "study/scenario/scenario.h"'
    plant peers/convert/convert.c '#include "study/scenario/scenario.h"' '#include "study/scenario/keys.h"'
    plant standin/twin/run_twin.c '#include "live/daemon/run.h"' '#include "live/wire/codec.h"'
    plant src/study/campaign/pool.c '#include "train/train.h"' '#include "peers/goal.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 5 ]
    [[ ${lines[0]} == peers/convert/convert.c:2:* ]]
    [[ ${lines[1]} == peers/goal.c:2:* ]]
    [[ ${lines[2]} == src/study/campaign/pool.c:1:* ]]
    [[ ${lines[3]} == standin/twin/run_twin.c:2:* ]]
    [[ ${lines[4]} == train/train.c:2:* ]]
}

@test "check-includes: folders of a room include only those before them" {
    plant src/sim/link/port.c '#include "sim/event/engine.h"' '#include "sim/switch/switch.h"'
    plant src/sim/nic/host.c '#include "sim/transport/transport.h"' '#include "sim/sim.h"'
    plant src/sim/transport/rc/rc.c '#include "sim/nic/nic.h"'
    plant src/sim/switch/switch.c '#include "sim/state/state.h"' '#include "sim/nic/host.h"'
    plant src/study/run/simulation.c '#include "study/report/results.h"'
    plant src/study/report/page.c '#include "study/run/simulation.h"' '#include "study/campaign/variants.h"'
    plant src/study/campaign/compare.c '#include "study/report/page.h"' '#include "cmd/cmd.h"'
    plant src/cmd/cmd_train.c '#include "train/train.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 6 ]
    [[ ${lines[0]} == src/sim/link/port.c:2:* ]]
    [[ ${lines[1]} == src/sim/nic/host.c:2:* ]]
    [ "${lines[2]}" = 'src/sim/switch/switch.c:2: sim/switch may include base work sim/lb sim/link sim/state, not "sim/nic/host.h"' ]
    [[ ${lines[3]} == src/study/campaign/compare.c:2:* ]]
    [[ ${lines[4]} == src/study/report/page.c:2:* ]]
    [[ ${lines[5]} == src/study/run/simulation.c:1:* ]]
}

@test "check-includes: the repository's own table allows nothing in vain" {
    mkdir "$tree/tools"
    cp tools/check-includes "$tree/tools/"
    plant src/core/a.c '#include "base/err.h"'
    plant src/work/net/b.c '#include "base/err.h"'
    plant src/work/net/b_test.c '#include "core/units.h"'
    run "$tree/tools/check-includes"
    [ "$status" -eq 1 ]
    [[ $output == *'tools/check-includes:1: work may include core, and does not'* ]]
    [[ $output != *' core may include base'* ]]
    [[ $output != *' work may include base'* ]]
}

# ---- units ----

@test "check-includes: a circle of units is refused, and shown" {
    plant src/base/a.h '#include "base/b.h"'
    plant src/base/b.h 'struct b;'
    plant src/base/b.c '' '#include "base/b.h"' '#include "base/c.h"'
    plant src/base/c.h '#include "base/a.h"'
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/base/c.h:1: a circle: base/a.h -> base/b.h -> base/b -> base/c.h -> base/a.h' ]
}

@test "check-includes: every circle is refused" {
    plant src/base/a.h '#include "base/b.h"' '#include "base/c.h"'
    plant src/base/b.h '#include "base/a.h"'
    plant src/base/c.h '#include "base/a.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 2 ]
}

@test "check-includes: a source and its header are one unit; tests and two paths to one unit make no circle" {
    plant src/base/a.h '#include "base/b.h"' '#include "base/c.h"'
    plant src/base/a.c '#include "base/a.h"'
    plant src/base/b.h '#include "base/c.h"'
    plant src/base/c.h 'struct c;'
    plant src/base/c_test.c '#include "base/a.h"'
    plant src/base/test_c.h '#include "base/a.h"'
    check
    [ "$status" -eq 0 ]
}

@test "check-includes: sources that share a header may not call each other both ways" {
    plant src/base/a.h 'int a_one(int);' 'int a_two(int);'
    plant src/base/a.c '#include "base/a.h"' '/* a_two() is elsewhere */' 'int a_one(int x)' '{' '    return a_two(x);' '}'
    plant src/base/a_more.c '#include "base/a.h"' 'int a_two(int x)' '{' '    return x;' '}'
    check
    [ "$status" -eq 0 ]
    plant src/base/a_more.c '#include "base/a.h"' 'int a_two(int x)' '{' '    return x ? a_one(0) : 0;' '}'
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/base/a_more.c:4: a circle: base/a -> base/a_more -> base/a' ]
}

@test "check-includes: a room is below its folders or above them, as its row says" {
    plant src/base/print/table.c '#include "base/err.h"'
    plant src/base/file/csv.c '#include "base/text.h"' '#include "base/print/table.h"'
    plant src/base/key.c '#include "base/print/table.h"'
    plant src/base/key_test.c '#include "base/print/table.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 2 ]
    [[ ${lines[0]} == src/base/file/csv.c:2:* ]]
    [ "${lines[1]}" = 'src/base/key.c:1: base may include nothing above it in base, not "base/print/table.h"' ]
}

@test "check-includes: a source next to the header defines what it declares" {
    plant src/base/a.h '/* f(x) is good */' 'int a_one(int);' 'struct b *a_two(void);' 'void a_three(int,' '             int);' \
        'static inline int a_four(void) { return 0; }'
    plant src/base/a.c '#include "base/a.h"' 'int a_one(int x)' '{' '    return x;' '}'
    plant src/base/a_more.c '#include "base/a.h"' 'struct b *a_two(void)' '{' '    return 0;' '}'
    plant src/base/b.c '#include "base/a.h"' 'void a_three(int x,' '             int y)' '{' '    a_one(x + y);' '}' \
        'static int a_five(void)' '{' '}'
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/base/a.h:4: a_three() is defined in src/base/b.c, not in base/a.c or base/a_*.c' ]
}

# ---- sizes ----

@test "check-includes: a folder of more than 40 sources is a warning, tests not counted" {
    for i in $(seq 40); do
        plant "src/sim/cc/x$i.c" 'int x;'
        plant "src/sim/cc/x${i}_test.c" 'int x;'
    done
    check
    [ "$status" -eq 0 ]
    plant src/sim/cc/x41.h 'int x;'
    check
    [ "$status" -eq 0 ]
    [ "$output" = 'warning: src/sim/cc:41: a folder of more than 40 sources' ]
}

@test "check-includes: a source of more than 800 lines is a warning, a test is not" {
    plant src/sim/cc/a.c "$(seq 800)"
    plant src/sim/cc/a_test.c "$(seq 900)"
    check
    [ "$status" -eq 0 ]
    plant src/sim/cc/a.c "$(seq 801)"
    check
    [ "$status" -eq 0 ]
    [ "$output" = 'warning: src/sim/cc/a.c:801: a source of more than 800 lines' ]
}

@test "only one file uses libmicrohttpd" {
    [ "$(cd "$BATS_TEST_DIRNAME/../.." && grep -rl 'microhttpd\.h' src peers train standin)" = src/base/http/server.c ]
}

@test "check-includes: two sources with one name are refused, tests and headers are not" {
    plant src/base/clock.c ''
    plant src/study/run/clock.c ''
    plant src/base/clock_test.c ''
    plant src/study/run/clock_test.c ''
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/study/run/clock.c:1: a second source of this name: see src/base/clock.c' ]
}
