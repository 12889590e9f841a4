/* src/core/decision.h - a tuner's decision about a network's setting, and its outcome. */
#ifndef CORE_DECISION_H
#define CORE_DECISION_H

#include "core/knobs.h"
#include "core/queue.h"
#include "core/scope.h"

#include <stdbool.h>
#include <stdint.h>

/* The desired setting in layers: the fabric's knobs, then narrower parts in this order, then single queues.
 * Always complete: unchanged layers are repeated. The decider owns the arrays. */
struct decision {
    uint64_t                 number;         /* 1, 2, ...; 0: no change */
    bool                     has_knobs;      /* false: knobs and parts stay unchanged */
    struct knobs             knobs;
    const struct scoped_set *part;
    uint32_t                 parts;
    const struct ecn        *queue;          /* thresholds by queue of the world; NULL: from knobs and
                                              * parts */
    uint32_t                 queues;
};

enum outcome_kind {
    OUTCOME_PENDING,             /* not known yet */
    OUTCOME_APPLIED,
    OUTCOME_PARTLY,              /* not on the listed devices */
    OUTCOME_REFUSED,             /* nothing has changed */
};

struct outcome {
    uint64_t          number;    /* of the decision */
    enum outcome_kind kind;
    uint64_t          at_ps;     /* APPLIED, PARTLY: effective from then on */
    uint32_t         *device;    /* PARTLY: devices of the world; owned by the reporter */
    uint32_t          devices;
    char              why[240];  /* PARTLY, REFUSED: one sentence */
};

#endif
