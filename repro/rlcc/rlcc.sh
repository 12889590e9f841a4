#!/bin/sh
# repro/rlcc/rlcc.sh - functions shared by the experiments of RL-CC. Read it after lib.sh. Runs, means over
# seeds and tables use ../acc/acc.sh (acc_job, acc_run, acc_runs, acc_results, acc_table), with the program
# `one` of this folder. The first argument of an acc_job after its scenario is the evaluated window, @FROM:TO
# in ms.
#
#   rlcc_scheme SCHEME              prints the arguments of `anole run` for a rate control
#   rlcc_results FILE NAMES METRIC..  runs the output of the script's `jobs` for NAMES; writes means over
#   seeds to $out/FILE.csv
#
# The case and the scheme are the words of a name SCHEME:CASE.
# shellcheck disable=SC2034,SC2154  # out, lib and seeds are of lib.sh; others are for the scripts
# shellcheck source=repro/acc/acc.sh
. "$lib/acc/acc.sh"
acc=$lib/rlcc

# RL-CC decides in 0.9 us, like the paper's trees, and has the paper's base. _slow_start: new queue pairs
# start at a thousandth of the line rate. DCQCN has the defaults of NVIDIA's NICs; dcqcn_paper has the
# parameters of the DCQCN paper.
rlcc_scheme() {
    case $1 in
    rlcc) echo '--set cc=rlcc --set rlcc_base=8.192us --set rlcc_decision=0.9us' ;;
    rlcc_slow_start) echo '--set cc=rlcc --set rlcc_base=8.192us --set rlcc_decision=0.9us --set rlcc_start_rate=100Mbps' ;;
    mlp | lstm) echo "--set cc=rlcc --set rlcc_base=8.192us --set rlcc=$1" ;;
    dcqcn_paper) echo '--set cc=dcqcn --set nic=dcqcn_paper' ;;
    *) echo "--set cc=$1" ;;
    esac
}

rlcc_results() {
    file=$1 of=$2
    shift 2
    jobs >"$out/jobs"
    acc_run <"$out/jobs"
    # shellcheck disable=SC2086  # words
    acc_runs $of >"$out/$file.runs.csv"
    acc_results "$out/$file.runs.csv" "$@" >"$out/$file.csv"
}
