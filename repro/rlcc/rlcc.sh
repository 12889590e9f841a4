#!/bin/sh
# repro/rlcc/rlcc.sh - what the experiments of RL-CC share. To be read after lib.sh. Runs, means over seeds and tables are those of
# ../acc/acc.sh (acc_job, acc_run, acc_runs, acc_results, acc_table), with the program `one` of this folder: the first argument of
# an acc_job behind its scenario is the window that counts, @FROM:TO in ms.
#
#   rlcc_scheme SCHEME              words of `anole run` for a rate control
#   rlcc_results FILE NAMES METRIC..  runs what `jobs` of the script prints, for NAMES; $out/FILE.csv are means over seeds
#
# A case and a scheme are the words of a name SCHEME:CASE.
# shellcheck disable=SC2034,SC2154  # out, lib and seeds are of lib.sh; others are for the scripts
# shellcheck source=repro/acc/acc.sh
. "$lib/acc/acc.sh"
acc=$lib/rlcc

# RL-CC decides in 0.9 us, as the paper's trees do, and its base is the paper's. _slow_start: new queue pairs begin at a thousandth of the line's rate.
# DCQCN is that of NVIDIA's NICs as they come, dcqcn_paper has the parameters of the DCQCN paper.
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
