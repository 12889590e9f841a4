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

struct twin {
    const char         *name, *text;         /* of the scenario: name for messages */
    size_t              text_bytes;
    const struct build *base;                /* made by a program, instead of a text; or NULL */
    const char *const  *set;                 /* its overrides */
    uint32_t            sets;
    const struct build *over;                /* put over all of these; or NULL */
    uint64_t           until_ps;             /* longest whole trial; 0: as in the scenario */
    /* > 0: until_ps ends posting, and messages get this many times as long again to end */
    double             drain;
    uint64_t           warm_ps;              /* start of predicted.window */
    bool               prefers_fast;         /* see struct simulation_input */
    double             load_max;             /* largest factor of loads that links can carry; 0: not known */
    bool               counts_loops;         /* fill in outcomes.loop */
    uint32_t           jobs;                 /* trials at a time; 0: as many as there are cores */
};

/* Whether an entry of the traffic counts as a loop; entries that do are in the order of the scenario. */
bool twin_is_loop(const struct traffic_about *);

/* One that uses the twin, which must outlive it. */
struct predictor twin_predictor(struct twin *);

/* Writes the world of the twin, to be freed, with the scenario's setting, and the length of a trial. */
int twin_world(const struct twin *, struct world *, uint64_t *until_ps, struct err *);

#endif
