#!/bin/sh
# tests/fidelity/htsim.sh [FOLDER...] - compares model htsim with runs of uet-htsim; see htsim.py.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/fidelity/htsim.py "$@"
