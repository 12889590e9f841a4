/* src/core/decision.h - a tuner's decision about a network's setting, its scopes, and its outcome. */
#ifndef CORE_DECISION_H
#define CORE_DECISION_H

#include "core/knobs.h"
#include "core/queue.h"
#include "core/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The scope of a setting: the whole network, a tier, a device, or a queue. */
enum scope_kind { SCOPE_FABRIC, SCOPE_TIER, SCOPE_DEVICE, SCOPE_QUEUE };

struct scope {
    enum scope_kind kind;
    uint32_t        index;       /* tier, or index of the device or queue in the world */
};

struct scoped_set { struct scope scope; struct knob_set set; };

/* True if the scope exists in the world. */
bool scope_is_of(struct scope, const struct world *);

/* True if the scope includes a whole device. The scope of a queue does not. */
bool scope_has_device(struct scope, const struct world *, uint32_t device);

/* "everywhere", "tier 1", "tor3", "the queue of tor3:4". The scope must exist. Returns buf. */
char *scope_text(char *buf, size_t size, struct scope, const struct world *);

/* The desired setting in layers: the fabric's knobs, then narrower parts in this order, then single queues.
 * Always complete: unchanged layers are repeated. The decider owns the arrays. */
struct decision {
    uint64_t                 number;         /* 1, 2, ...; 0: no change */
    bool                     has_knobs;      /* false: knobs and parts stay unchanged */
    struct knobs             knobs;
    const struct scoped_set *part;
    uint32_t                 parts;
    const struct ecn        *queue;          /* by queue of the world; NULL: from knobs and parts */
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
