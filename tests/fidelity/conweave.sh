#!/bin/sh
# tests/fidelity/conweave.sh [OPTION...] [ID...] - the model conweave against the ConWeave ns-3 fork; see conweave.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/fidelity/conweave.py "$@"
