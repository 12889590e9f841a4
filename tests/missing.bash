# shellcheck shell=bash
# tests/missing.bash - tools/run-tests makes bash read this file before each script. A test that calls a program
# of no package in tools/deps fails, also where the test expects the call to fail.

command_not_found_handle() {
    echo "$1: command not found" >&2
    # A test with another PATH expects that programs are missing.
    case ":$PATH:" in *":$PROGRAMS:"*) echo "$1" >>"$MISSING" ;; esac
    return 127
}
