#!/bin/sh
# tests/fidelity/conweave.sh [OPTION...] [ID...] - compares model conweave with the ConWeave ns-3 fork; see
# conweave.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/fidelity/conweave.py "$@"
