/* src/core/scope.h - where a setting holds: in the whole network, in a tier of it, at a device, at a queue. */
#ifndef CORE_SCOPE_H
#define CORE_SCOPE_H

#include "core/knobs.h"
#include "core/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scope_kind { SCOPE_FABRIC, SCOPE_TIER, SCOPE_DEVICE, SCOPE_QUEUE };

struct scope {
    enum scope_kind kind;
    uint32_t        index;       /* the tier, or the place in the world's devices or queues */
};

struct scoped_set { struct scope scope; struct knob_set set; };

/* Is there such a thing in the world? */
bool scope_is_of(struct scope, const struct world *);

/* Does it hold at a device as a whole? A queue's does not. */
bool scope_has_device(struct scope, const struct world *, uint32_t device);

/* "everywhere", "tier 1", "tor3", "the queue of tor3:4"; the scope is of the world. Returns buf. */
char *scope_text(char *buf, size_t size, struct scope, const struct world *);

#endif
