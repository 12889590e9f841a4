/* src/core/scope.h - the scope of a setting: the whole network, a tier, a device, or a queue. */
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
    uint32_t        index;       /* tier, or index of the device or queue in the world */
};

struct scoped_set { struct scope scope; struct knob_set set; };

/* True if the scope exists in the world. */
bool scope_is_of(struct scope, const struct world *);

/* True if the scope includes a whole device. The scope of a queue does not. */
bool scope_has_device(struct scope, const struct world *, uint32_t device);

/* "everywhere", "tier 1", "tor3", "the queue of tor3:4". The scope must exist. Returns buf. */
char *scope_text(char *buf, size_t size, struct scope, const struct world *);

#endif
