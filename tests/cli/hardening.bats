#!/usr/bin/env bats
# tests/cli/hardening.bats - ELF files of optimized programs (release and the fast build of `make test`) are
# hardened.

setup() {
    build=$(dirname "${FIDELITY_ANOLE:-build/release/anole}")
    [ -x "$build/anole" ] || skip 'no optimised build'
    command -v readelf >/dev/null || skip 'no readelf'
    programs=$(ls "$build/anole" "$build/anole-live" "$build/anole-switch" "$build/anole-twin" "$build/anole-nic" 2>/dev/null || true)
}

@test "optimized: position-independent, bound at once, read-only after relocation, no executable stack" {
    for program in $programs; do
        readelf -hW "$program" | grep -q 'Type: *DYN'
        readelf -dW "$program" | grep -q 'FLAGS_1.*NOW.*PIE'
        readelf -lW "$program" | grep -q GNU_RELRO
        readelf -lW "$program" | grep 'GNU_STACK' | grep -q 'RW  '
    done
}

@test "optimized: stack protector, checked library calls, landing pads" {
    for program in $programs; do
        readelf -sW "$program" | grep -q ' __stack_chk_fail@'
        readelf -sW "$program" | grep -q 'printf_chk@'
        [ "$(uname -m)" != x86_64 ] || [ "$(objdump -d --no-show-raw-insn "$program" | grep -c endbr64)" -gt 4 ]
    done
}
