/* src/core/decision.h - a tuner's decision about a network's setting, and its outcome. */
#ifndef CORE_DECISION_H
#define CORE_DECISION_H

#include "core/knobs.h"
#include "core/queue.h"

#include <stdbool.h>
#include <stdint.h>

/* The desired setting: the knobs, then single queues on top. Always complete: what does not change is
 * repeated. The decider owns the array. */
struct decision {
    uint64_t          number;    /* 1, 2, ...; 0: no change */
    bool              has_knobs; /* false: they stay unchanged */
    struct knobs      knobs;
    const struct ecn *queue;     /* by queue of the world; NULL: as the knobs */
};

enum outcome_kind {
    OUTCOME_PENDING,             /* not known yet */
    OUTCOME_APPLIED,
    OUTCOME_PARTLY,              /* not on all devices */
    OUTCOME_REFUSED,             /* nothing has changed */
};

struct outcome {
    uint64_t          number;    /* of the decision */
    enum outcome_kind kind;
    char              why[240];  /* PARTLY, REFUSED: one sentence */
};

#endif
