#!/bin/sh
# The report page in a browser: all of tests/web/run, and reports of real runs. Skipped without Node 20 or
# Chromium; `make web` installs what it can.
set -u
# shellcheck source=tests/web/common
. "$(dirname "$0")/common"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$anole" run scenarios/training_influx.yaml --until 8ms --quiet --out "$dir/run" || exit 1
"$anole" run scenarios/training_influx.yaml --until 8ms --set tuner.kind=paraleon --set tuner.trigger=always \
    --set interval=100us --quiet --out "$dir/tuned" || exit 1
# As in `make demo`, whose page has a height limit.
"$anole" compare scenarios/demo.yaml --seeds 5 --quiet --out "$dir/demo" --variant default \
    --variant expert:rpg_ai_rate=50Mbps,rpg_hai_rate=150Mbps,rate_reduce_monitor_period=80us,min_time_between_cnps=96us,kmin=1600KB,kmax=6400KB,pmax=0.2 \
    --variant low-latency:kmin=40KB,kmax=160KB >/dev/null || exit 1
"$anole" sweep scenarios/incast.yaml --vary kmin=50KB,400KB --vary kmax=400KB,1600KB --seeds 2 --until 3ms --quiet \
    --out "$dir/sweep" || exit 1
mkdir "$dir/tune"
"$anole" tune scenarios/tuning_search.yaml --tuner expert --check 2 --until 3ms --quiet --report "$dir/tune/report.html" || exit 1
"$anole" run scenarios/rehearse.yaml --until 12ms --set tuner.budget=5 --quiet --out "$dir/twin" || exit 1
"$anole" advise scenarios/incast.yaml --budget 1 --quiet --report "$dir/advice.html" 2>/dev/null || exit 1
"$anole" collective dgx_h100_16 -b 1MB -e 16MB -f 4 --beside storage --report "$dir/collective.html" >/dev/null || exit 1
"$here/run" "$dir/run/report.html" "$dir/tuned/report.html" "$dir/twin/report.html" "$dir/demo/report.html" \
    "$dir/sweep/report.html" "$dir/tune/report.html" >"$dir/log" 2>&1
status=$?
node "$here/still.mjs" "$dir/advice.html" "$dir/collective.html" >>"$dir/log" 2>&1 || status=1
node "$here/states.mjs" >>"$dir/log" 2>&1 || status=1
number "$dir/log"
exit "$status"
