/* src/twin/twin_trial.h - a predictor that tries settings by simulation.
 *
 * Each trial runs the twin's scenario with a constant setting and no tuner, on one thread; several run in
 * parallel. The caller sees only slowdowns (core/predict.h).
 */
#ifndef TWIN_TWIN_TRIAL_H
#define TWIN_TWIN_TRIAL_H

#include "core/predict.h"
#include "core/world.h"
#include "scenario/scenario.h"
#include "scenario/scenario_build.h"

#include <stddef.h>
#include <stdint.h>

struct twin {
    const char         *name, *text;         /* of the scenario: name for messages */
    size_t              text_bytes;
    const struct build *base;                /* made by a program, instead of a text; or NULL */
    const char *const  *set;                 /* its overrides */
    uint32_t            sets;
    const struct build *over;                /* put over all of these; or NULL */
    uint64_t           until_ps;             /* a whole trial lasts so long at most; 0: as the scenario
                                              * says */
    /* > 0: messages are posted so long, and what is not over then gets this many times as long again to end;
     * no more is posted meanwhile */
    double             drain;
    uint64_t           warm_ps;              /* with it: the beginning of the window that
                                              * predicted.window covers */
    bool               prefers_fast;         /* see struct simulation_input */
    double             load_max;             /* largest factor of loads that links can carry; 0: not known */
    bool               counts_loops;         /* fill in outcomes.loop */
    uint32_t           jobs;                 /* trials at a time; 0: as many as there are cores */
};

/* Whether an entry of the traffic counts as a loop; entries that do are in the order of the scenario. */
bool twin_is_loop(const struct traffic_about *);

/* One that uses the twin, which must outlive it. */
struct predictor twin_predictor(struct twin *);

/* The world of the twin, for a search; its 'start' is the scenario's setting. To be given back. Also how
 * long a whole trial lasts. */
int twin_world(const struct twin *, struct world *, uint64_t *until_ps, struct err *);

#endif
