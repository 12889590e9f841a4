#!/usr/bin/env bats
# tests/tools/check-includes.bats - the include check finds what is planted, and only that.

setup() {
    tree=$BATS_TEST_TMPDIR
    for folder in base core learn lb meter cc sim tune live cmd; do
        mkdir -p "$tree/src/$folder"
    done
}

# plant FILE LINE... : writes a source.
plant() {
    file=$tree/src/$1
    shift
    printf '%s\n' "$@" >"$file"
}

check() {
    run tools/check-includes "$tree"
}

@test "check-includes: what the table allows is fine" {
    plant base/err.c '#include "base/err.h"' '#include <stdio.h>' '#include <sys/stat.h>'
    plant core/knobs.c '#include "core/knobs.def"' '#include "base/err.h"'
    plant cc/rlcc.c '#include "learn/tree.h"'
    plant sim/host.c '#include "cc/cc.h"' '#include "lb/lb.h"' '#include "meter/fct.h"'
    plant tune/acc.c '#include "learn/ddqn.h"' '#include "core/fsd.h"'
    plant live/drv_sim.c '#include "sim/sim.h"' '#include "tune/tuner.h"'
    plant cmd/run.c '#include "sim/sim.h"' '#include "live/agent.h"' '#include "version.h"'
    check
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "check-includes: a violation is named by file, line and rule" {
    plant tune/paraleon.c '/* a tuner that peeks */' '' '#include "sim/sim.h"'
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/tune/paraleon.c:3: tune may include base core learn meter, not "sim/sim.h"' ]
}

@test "check-includes: every violation is reported" {
    plant base/a.h '#include "core/units.h"'
    plant cc/b.c '#  include "sim/packet.h"' '#include <sim/port.h>'
    plant live/agent.c '#include "sim/sim.h"'
    plant lb/ecmp_test.c '#include "sim/switch.h"'
    check
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 5 ]
    [ "${lines[0]}" = 'src/base/a.h:1: base may include nothing of ours, not "core/units.h"' ]
    [ "${lines[2]}" = 'src/cc/b.c:2: cc may include base core learn, not "sim/port.h"' ]
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

@test "check-includes: a folder that is not in the table is refused" {
    mkdir "$tree/src/extra"
    plant extra/a.c '#include "sim/sim.h"'
    check
    [ "$status" -eq 1 ]
    [ "$output" = 'src/extra/a.c:1: no such folder in the table of tools/check-includes' ]
}
