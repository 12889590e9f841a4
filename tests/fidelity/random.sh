#!/bin/sh
# tests/fidelity/random.sh [OPTION...] [DIR] - compares small random worlds with the HPCC ns-3 fork; see
# random_worlds.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/fidelity/random_worlds.py "$@"
