#!/bin/sh
# tests/fidelity/controls.sh DIR - compares the model hpcc with recordings of the HPCC ns-3 fork with other
# congestion controls. Every folder of DIR has the recordings of one control, laid out like
# tests/fidelity/hpcc. Skipped without DIR, as in `make test`; `make fidelity` names one.
#
# In order ns3 every flow and every PFC frame must be equal. Order node is not compared: there is only one
# seed, so its spread is unknown.
if [ -z "${1:-}" ]; then
    echo '1..0 # SKIP no recordings are named'
    exit 0
fi
case $1 in /*) dir=$1 ;; *) dir=$PWD/$1 ;; esac
cd "$(dirname "$0")/../.." || exit 1
if [ ! -d "$dir" ]; then
    echo "1..0 # SKIP $1 does not exist"
    exit 0
fi
failed=0
for control in "$dir"/*/; do
    out=$(python3 tests/fidelity/fidelity.py --folders "$control" 2>&1)
    equal=$(printf '%s\n' "$out" | grep -c '^ok .*ns3') || true
    wrong=$(printf '%s\n' "$out" | grep '^not ok' | grep -v _node__)
    if [ -n "$wrong" ] || [ "$equal" -eq 0 ]; then
        printf 'not ok - %s\n%s\n' "$(basename "$control")" "${wrong:-$out}"
        failed=1
    else
        echo "ok - $(basename "$control"): $equal comparisons equal"
    fi
done
exit $failed
