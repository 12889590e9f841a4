#!/bin/sh
# tests/fidelity/differential.sh [OPTION...] - the model hpcc against a second form of its rules; see differential.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/fidelity/differential.py "$@"
