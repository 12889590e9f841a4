#!/usr/bin/env bats
# tests/cli/train_opening.bats - anole train opening from the outside.

