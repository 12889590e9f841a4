/* src/study/run/spent.h - where the time of a job that executes a trace went, as means over its passes. */
#ifndef STUDY_RUN_SPENT_H
#define STUDY_RUN_SPENT_H

#include "core/meter/fct.h"
#include "sim/sim.h"
#include "work/traffic/kinds/trace_traffic.h"

#include <stdint.h>

struct spent_job {
    const struct traffic *traffic;
    uint32_t entry, ranks;       /* ranks: 0: it executes no trace */
    double   passes;             /* that have ended, at least 1 */
    uint64_t now_ps, end_ps;     /* the end of the run; that of the last rank */
};

/* 'now_ps': the end of the run. */
struct spent_job spent_job(const struct sim *, const struct ops *, uint32_t entry, uint64_t now_ps);

/* Of one pass, in microseconds. Until the last rank ends, the others wait. */
void spent_of_rank(const struct spent_job *, uint32_t rank, double us[SPENT_COUNT]);

/* The mean over ranks. */
void spent_mean(const struct spent_job *, double us[SPENT_COUNT]);

#endif
