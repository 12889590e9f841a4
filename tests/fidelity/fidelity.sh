#!/bin/sh
# tests/fidelity/fidelity.sh [OPTION...] [ID...] - compares model hpcc with the HPCC ns-3 fork; see
# fidelity.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/fidelity/fidelity.py "$@"
