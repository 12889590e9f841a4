/* src/study/twin/twin_trial.h - a predictor that tries settings by simulation.
 *
 * Each trial runs the twin's scenario with a constant setting and no tuner, on one thread; several run in
 * parallel. The caller sees only slowdowns (core/predict.h).
 */
#ifndef STUDY_TWIN_TWIN_TRIAL_H
#define STUDY_TWIN_TWIN_TRIAL_H

#include "core/predict.h"
#include "core/world.h"
#include "study/run/simulation.h"

struct twin {
    struct simulation_input input;   /* of a trial; until_ps: longest whole trial, 0: as in the scenario */
    /* > 0: until_ps ends posting, and messages get this many times as long again to end */
    double             drain;
    uint64_t           warm_ps;              /* start of predicted.window */
    double             load_max;             /* largest factor of loads that links can carry; 0: not known */
    bool               counts_loops;         /* fill in outcomes.loop */
    uint32_t           jobs;                 /* trials at a time; 0: as many as there are cores */
    /* Called when a trial has ended, one at a time. NULL: none */
    void             (*ended)(void *arg, const struct predicted *);
    void              *arg;
};

/* Whether an entry of the traffic counts as a loop; entries that do are in the order of the scenario. */
bool twin_is_loop(const struct traffic_about *);

/* One that uses the twin, which must outlive it. */
struct predictor twin_predictor(struct twin *);

/* Writes the world of the twin, to be freed, with the scenario's setting, and the length of a trial. */
int twin_world(const struct twin *, struct world *, uint64_t *until_ps, struct err *);

#endif
