#!/bin/sh
# tests/fidelity/differential.sh [OPTION...] - the models hpcc and conweave against a second form of their rules; see differential.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/fidelity/differential.py "$@"
