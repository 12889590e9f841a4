/* src/core/decision.h - what is to be set, and what became of it: the way from a tuner to a network and back. */
#ifndef CORE_DECISION_H
#define CORE_DECISION_H

#include "core/knobs.h"
#include "core/queue.h"
#include "core/scope.h"

#include <stdbool.h>
#include <stdint.h>

/* What is to be in force: the fabric's setting, over it what is narrower, in this order, over that the queues'. It is
 * whole: where one part is new the others are given once more, as they are. Arrays belong to who decides. */
struct decision {
    uint64_t                 number;         /* 1, 2, ...; 0: nothing is to be set */
    bool                     has_knobs;      /* knobs and parts are to be set; false: they stay */
    struct knobs             knobs;
    const struct scoped_set *part;
    uint32_t                 parts;
    const struct ecn        *queue;          /* thresholds by queue of the world; NULL: the rest decides on them */
    uint32_t                 queues;
};

enum outcome_kind {
    OUTCOME_PENDING,             /* nobody has said yet */
    OUTCOME_APPLIED,
    OUTCOME_PARTLY,              /* not at the devices that are named */
    OUTCOME_REFUSED,             /* nothing has changed */
};

struct outcome {
    uint64_t          number;    /* of the decision */
    enum outcome_kind kind;
    uint64_t          at_ps;     /* APPLIED, PARTLY: in force from then on */
    uint32_t         *device;    /* PARTLY: of the world; belongs to who tells it */
    uint32_t          devices;
    char              why[240];  /* PARTLY, REFUSED: one sentence */
};

#endif
