#!/bin/sh
# tests/fidelity/differential.sh [OPTION...] - compares the models hpcc and conweave with a second
# implementation; see differential.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/fidelity/differential.py "$@"
