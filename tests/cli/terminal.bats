#!/usr/bin/env bats
# tests/cli/terminal.bats - output fits a terminal of 80 columns.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

setup() {
    dir=$BATS_TEST_TMPDIR
    cat >"$dir/s.yaml" <<'END'
topology: {kind: star, hosts: 8, rate: 100Gbps, delay: 1us}
traffic: [{kind: incast, name: many, senders: 7, size: 500KB}]
END
}

# on_terminal COLUMNS COMMAND... - writes its output there to $dir/seen; fails if a line is too wide
on_terminal() {
    python3 - "$dir/seen" "$@" <<'END'
import fcntl, os, pty, re, struct, sys, termios
path, columns, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
child, fd = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execv(command[0], command)
seen = b""
while True:
    try:
        piece = os.read(fd, 65536)
    except OSError:
        break
    if not piece:
        break
    seen += piece
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", seen.decode()).replace("\r\n", "\n")
lines = [line.split("\r")[-1] for line in text.split("\n")]
open(path, "w").write("\n".join(lines))
wide = [line for line in lines if len(line) > columns and not line.strip().startswith("anole ")]   # commands are not wrapped
for line in wide:
    print(f"{len(line)} columns: {line}")
sys.exit(status or (1 if wide else 0))
END
}

# letters FILE - prints all letters, regardless of line and cell breaks
letters() {
    tr -d ' \n-' <"$1" | LC_ALL=C fold -b -w 1 | LC_ALL=C sort
}

@test "terminal: every list fits 80 columns, with the same text as elsewhere" {
    for what in cc nic asic lb topology traffic sizes knob figure tuner monitor key scenario; do
        on_terminal 80 "$ANOLE" list "$what"
        case $what in knob | figure) continue ;; esac
        "$ANOLE" list "$what" >"$dir/plain"
        letters "$dir/seen" >"$dir/a"
        letters "$dir/plain" >"$dir/b"
        cmp "$dir/a" "$dir/b"
    done
    # These two lack room for all columns, and say so.
    on_terminal 80 "$ANOLE" list figure
    grep -q "^(without .*: the terminal is too narrow)$" "$dir/seen"
    on_terminal 80 "$ANOLE" list knob
    grep -qx '(without range, more favours: the terminal is too narrow)' "$dir/seen"
    on_terminal 120 "$ANOLE" list knob
    refute grep -q 'too narrow' "$dir/seen"
}

@test "terminal: the output of run, compare and explain fits 80 columns" {
    on_terminal 80 "$ANOLE" run "$dir/s.yaml"
    on_terminal 80 "$ANOLE" compare "$dir/s.yaml" --vary kmin=100KB,400KB --seeds 3
    grep -q 'packets marked' "$dir/seen"
    "$ANOLE" run "$dir/s.yaml" --set tuner.kind=paraleon --set tuner.trigger=always --set interval=10us --quiet --out "$dir/run"
    on_terminal 80 "$ANOLE" explain "$dir/run"
    grep -q '^Tuner paraleon with ' "$dir/seen"
}

@test "terminal: an error in a file shows its line with a caret; elsewhere it is one line" {
    printf 'topology:\n  kind: satr\n' >"$dir/wrong.yaml"
    refute on_terminal 300 "$ANOLE" run "$dir/wrong.yaml"
    sed -n 1p "$dir/seen" | grep -q "^anole: $dir/wrong.yaml:2:9: 'satr' is not a kind of topology; did you mean 'star'"
    [ "$(sed -n 2,3p "$dir/seen")" = "  2 |   kind: satr
    |         ^" ]
    run "$ANOLE" run "$dir/wrong.yaml"
    [ "${#lines[@]}" -eq 1 ]
}
