#!/usr/bin/env bats
# tests/tools/check-includes.bats - the include check finds planted violations, and only those.

setup() {
    tree=$BATS_TEST_TMPDIR
    for folder in base core learn lb meter cc net traffic sim/observe tune run report campaign train live/agent standin/fabric live/driver cmd; do
        mkdir -p "$tree/src/$folder"
    done
}

# plant FILE LINE... - writes a source.
plant() {
    file=$tree/src/$1
    shift
    printf '%s\n' "$@" >"$file"
}

check() {
    run tools/check-includes "$tree"
}

@test "check-includes: accepts includes that the table allows" {
    plant base/err.c '#include "base/err.h"' '#include <stdio.h>' '#include <sys/stat.h>'
    plant core/knobs.c '#include "core/knobs.def"' '#include "base/err.h"'
    plant cc/rlcc.c '#include "learn/tree.h"'
    plant sim/build.c '#include "cc/cc.h"' '#include "lb/lb.h"' '#include "sim/link/port.h"'
    plant sim/observe/observe.c '#include "sim/sim.h"' '#include "meter/series.h"'
    plant sim/build_test.c '#include "scenario/scenario.h"' '#include "traffic/kinds/patterns.h"'
    plant tune/acc.c '#include "learn/ddqn.h"' '#include "core/fsd.h"'
    plant standin/fabric/fabric.c '#include "run/simulation.h"' '#include "live/driver/driver.h"'
    plant cmd/cmd_run.c '#include "sim/sim.h"' '#include "version.h"'
    check
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "check-includes: names a violation by file, line and rule" {
    plant tune/paraleon.c '/* a tuner that peeks */' '' '#include "sim/sim.h"'
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/tune/paraleon.c:3: tune may include base core learn meter, not "sim/sim.h"' ]
}

@test "check-includes: reports every violation" {
    plant base/a.h '#include "core/units.h"'
    plant cc/b.c '#  include "sim/packet.h"' '#include <sim/port.h>'
    plant live/agent/agent.c '#include "sim/sim.h"'
    plant lb/ecmp_test.c '#include "sim/switch.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 5 ]
    [ "${lines[0]}" = 'src/base/a.h:1: base may include nothing of ours, not "core/units.h"' ]
    [ "${lines[2]}" = 'src/cc/b.c:2: cc may include base core learn, not "sim/port.h"' ]
}

@test "check-includes: the simulator is opaque outside its room, except in tests" {
    plant run/run.c '#include "sim/sim.h"' '#include "sim/state/state.h"'
    plant run/run_test.c '#include "sim/state/state.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "${lines[0]}" == 'src/run/run.c:2: of sim/ others may include sim/sim.h '*', not "sim/state/state.h"' ]]
}

@test "check-includes: an include without its folder, or of a source, is refused" {
    plant base/a.c '#include "err.h"'
    plant sim/b.c '#include "cc/dcqcn.c"'
    plant sim/c.c '#include "../cc/cc.h"'
    plant core/d.c '#include "version.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 4 ]
}

@test "check-includes: a folder missing from the table is refused" {
    mkdir "$tree/src/extra"
    plant extra/a.c '#include "sim/sim.h"'
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/extra/a.c:1: no such folder in the table of tools/check-includes' ]
}

@test "check-includes: no daemon includes simulated devices or stand-ins" {
    mkdir -p "$tree/src/live/daemon" "$tree/src/live/tuner"
    plant live/daemon/run_agent.c '#include "standin/fabric/fabric.h"'
    plant live/driver/driver.c '#include "standin/nic/nic.h"'
    plant live/tuner/live_tuner.c '#include "standin/twin/run_twin.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 3 ]
}

@test "check-includes: rooms inside sim/ include only downwards" {
    mkdir -p "$tree/src/sim/link" "$tree/src/sim/switch" "$tree/src/sim/host"
    plant sim/link/port.c '#include "sim/event/engine.h"' '#include "sim/switch/switch.h"'
    plant sim/host/host.c '#include "sim/event/engine.h"' '#include "sim/sim.h"'
    plant sim/switch/switch.c '#include "sim/state/state.h"' '#include "sim/host/host.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 3 ]
    [[ ${lines[0]} == src/sim/host/host.c:2:* ]]
    [[ ${lines[1]} == src/sim/link/port.c:2:* ]]
    [[ ${lines[2]} == src/sim/switch/switch.c:2:* ]]
}

@test "check-includes: rooms above run/ include only downwards" {
    plant run/simulation.c '#include "report/results.h"'
    plant report/page.c '#include "run/simulation.h"' '#include "campaign/variants.h"'
    plant campaign/compare.c '#include "report/page.h"' '#include "cmd/cmd.h"'
    plant train/train.c '#include "campaign/pool.h"' '#include "tune/tuner.h"' '#include "cmd/cmd.h"'
    plant cmd/cmd_train.c '#include "train/train.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 4 ]
    [[ ${lines[0]} == src/campaign/compare.c:2:* ]]
    [[ ${lines[1]} == src/report/page.c:2:* ]]
    [[ ${lines[2]} == src/run/simulation.c:1:* ]]
    [[ ${lines[3]} == src/train/train.c:3:* ]]
}

# ---- units ----

@test "check-includes: a circle of units is refused, and shown" {
    plant base/a.h '#include "base/b.h"'
    plant base/b.h 'struct b;'
    plant base/b.c '' '#include "base/b.h"' '#include "base/c.h"'
    plant base/c.h '#include "base/a.h"'
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/base/c.h:1: a circle: base/a.h -> base/b.h -> base/b -> base/c.h -> base/a.h' ]
}

@test "check-includes: every circle is refused" {
    plant base/a.h '#include "base/b.h"' '#include "base/c.h"'
    plant base/b.h '#include "base/a.h"'
    plant base/c.h '#include "base/a.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 2 ]
}

@test "check-includes: a source and its header are one unit; tests and two paths to one unit make no circle" {
    plant base/a.h '#include "base/b.h"' '#include "base/c.h"'
    plant base/a.c '#include "base/a.h"'
    plant base/b.h '#include "base/c.h"'
    plant base/c.h 'struct c;'
    plant base/c_test.c '#include "base/a.h"'
    plant base/test_c.h '#include "base/a.h"'
    check
    [ "$status" -eq 0 ]
}

@test "check-includes: sources that share a header may not call each other both ways" {
    plant base/a.h 'int a_one(int);' 'int a_two(int);'
    plant base/a.c '#include "base/a.h"' '/* a_two() is elsewhere */' 'int a_one(int x)' '{' '    return a_two(x);' '}'
    plant base/a_more.c '#include "base/a.h"' 'int a_two(int x)' '{' '    return x;' '}'
    check
    [ "$status" -eq 0 ]
    plant base/a_more.c '#include "base/a.h"' 'int a_two(int x)' '{' '    return x ? a_one(0) : 0;' '}'
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/base/a_more.c:4: a circle: base/a -> base/a_more -> base/a' ]
}

@test "check-includes: ordered sub-folders of a room keep their order" {
    mkdir -p "$tree/src/base/print" "$tree/src/base/file"
    plant base/print/table.c '#include "base/err.h"'
    plant base/file/csv.c '#include "base/text.h"' '#include "base/print/table.h"'
    plant base/key.c '#include "base/print/table.h"'
    plant base/key_test.c '#include "base/print/table.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 2 ]
    [[ ${lines[0]} == src/base/file/csv.c:2:* ]]
    [ "${lines[1]}" = 'src/base/key.c:1: base may include nothing above it in base, not "base/print/table.h"' ]
}

@test "check-includes: a source next to the header defines what it declares" {
    plant base/a.h '/* f(x) is good */' 'int a_one(int);' 'struct b *a_two(void);' 'void a_three(int,' '             int);' \
        'static inline int a_four(void) { return 0; }'
    plant base/a.c '#include "base/a.h"' 'int a_one(int x)' '{' '    return x;' '}'
    plant base/a_more.c '#include "base/a.h"' 'struct b *a_two(void)' '{' '    return 0;' '}'
    plant base/b.c '#include "base/a.h"' 'void a_three(int x,' '             int y)' '{' '    a_one(x + y);' '}' \
        'static int a_five(void)' '{' '}'
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/base/a.h:4: a_three() is defined in src/base/b.c, not in base/a.c or base/a_*.c' ]
}

# ---- sizes ----

@test "check-includes: a folder of more than 40 sources is a warning, tests not counted" {
    for i in $(seq 40); do
        plant "cc/x$i.c" 'int x;'
        plant "cc/x${i}_test.c" 'int x;'
    done
    check
    [ "$status" -eq 0 ]
    plant cc/x41.h 'int x;'
    check
    [ "$status" -eq 0 ]
    [ "$output" = 'warning: src/cc:41: a folder of more than 40 sources' ]
}

@test "check-includes: a source of more than 800 lines is a warning, a test is not" {
    plant cc/a.c "$(seq 800)"
    plant cc/a_test.c "$(seq 900)"
    check
    [ "$status" -eq 0 ]
    plant cc/a.c "$(seq 801)"
    check
    [ "$status" -eq 0 ]
    [ "$output" = 'warning: src/cc/a.c:801: a source of more than 800 lines' ]
}

@test "only one file uses libmicrohttpd" {
    [ "$(cd "$BATS_TEST_DIRNAME/../.." && grep -rl 'microhttpd\.h' src)" = src/http/server.c ]
}

@test "check-includes: two sources with one name are refused, tests and headers are not" {
    plant base/clock.c ''
    plant run/clock.c ''
    plant base/clock_test.c ''
    plant run/clock_test.c ''
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/run/clock.c:1: a second source of this name: see src/base/clock.c' ]
}
