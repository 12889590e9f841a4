#!/bin/sh
# tests/worlds.sh - a fixed handful of random worlds, and those that once failed: tests/worlds/run. `make check-worlds` judges
# thousands of new ones.
set -e
tests/worlds/run --found --as-is
tests/worlds/run --seeds "${WORLDS:-11..20}" --as-is
