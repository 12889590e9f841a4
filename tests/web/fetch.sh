#!/bin/sh
# fetch.sh - installs into web/ what building and testing the page needs, if that is not there yet.
set -eu
cd "$(dirname "$0")/../../web"
# The copy tells which list was installed.
cmp -s package-lock.json node_modules/.anole-lock && exit 0
npm ci --no-audit --no-fund >&2
cp package-lock.json node_modules/.anole-lock
