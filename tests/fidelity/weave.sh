#!/bin/sh
# tests/fidelity/weave.sh [DIR...] - compares balancer ConWeave with recordings of its ns-3 fork; see
# weave.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/fidelity/weave.py "$@"
