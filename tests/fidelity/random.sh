#!/bin/sh
# tests/fidelity/random.sh [OPTION...] [DIR] - small random worlds against the HPCC ns-3 fork; see random_worlds.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/fidelity/random_worlds.py "$@"
