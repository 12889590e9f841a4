/* src/core/predict.h - what a setting would do, told by somebody who can try it out without touching the network.
 *
 * Part of the waist: who searches (tune/rehearse) does not know how it is tried, and who tries it (twin/, by
 * simulation) does not know what is looked for.
 */
#ifndef CORE_PREDICT_H
#define CORE_PREDICT_H

#include "base/err.h"
#include "core/knobs.h"

#include <stdbool.h>
#include <stdint.h>

/* Messages by size; mice and elephants as PARALEON has them. */
enum predict_class { PREDICT_MICE, PREDICT_MIDDLE, PREDICT_ELEPHANTS, PREDICT_CLASSES };

#define PREDICT_MOUSE_END 120000u        /* bytes: smaller ones are mice */
#define PREDICT_ELEPHANT  1000000u       /* those of at least so much are elephants */

static inline enum predict_class predict_class_of(uint64_t bytes)
{
    return bytes < PREDICT_MOUSE_END ? PREDICT_MICE : bytes < PREDICT_ELEPHANT ? PREDICT_MIDDLE : PREDICT_ELEPHANTS;
}

struct predict_point {           /* one trial */
    const struct knobs *knobs;
    uint64_t            seed;    /* trials with the same one meet the same messages */
    double              load;    /* times what is expected */
    double              length;  /* of the trial: share of the usual one, above 0 */
};

/* What became of the messages. One that was not over at the end counts with what it will take at least: its age, and the
 * time that its rest takes on an empty path. Otherwise a setting that starves would be flattered by those it lets live. */
struct predicted {
    double   messages[PREDICT_CLASSES];
    double   slowdowns[PREDICT_CLASSES];     /* their sum */
    uint64_t unfinished;
    uint64_t cost;                           /* of the trial: packet-hops, the same on every machine */
    uint64_t lasted_ps;                      /* of simulated time */
    bool     is_stuck;                       /* nothing moved any more */
};

struct predictor {
    void *arg;
    /* Tries all points; what is found does not depend on how many are tried at a time. */
    int (*run)(void *arg, const struct predict_point *, uint32_t count, struct predicted *, struct err *);
};

#endif
