#include "core/decision.h"

#include <stdio.h>

static bool has_tier(const struct world *w, uint32_t tier)
{
    for (uint32_t i = 0; i < w->devices; i++)
        if (w->device[i].tier == tier)
            return true;
    return false;
}

bool scope_is_of(struct scope s, const struct world *w)
{
    switch (s.kind) {
    case SCOPE_TIER:   return has_tier(w, s.index);
    case SCOPE_DEVICE: return s.index < w->devices;
    case SCOPE_QUEUE:  return s.index < w->queues;
    case SCOPE_FABRIC: break;
    }
    return true;
}

bool scope_has_device(struct scope s, const struct world *w, uint32_t device)
{
    switch (s.kind) {
    case SCOPE_TIER:   return w->device[device].tier == s.index;
    case SCOPE_DEVICE: return device == s.index;
    case SCOPE_QUEUE:  return false;
    case SCOPE_FABRIC: break;
    }
    return true;
}

char *scope_text(char *buf, size_t size, struct scope s, const struct world *w)
{
    const struct world_port *p = s.kind == SCOPE_QUEUE ? &w->port[w->queue[s.index].port] : NULL;

    switch (s.kind) {
    case SCOPE_FABRIC: snprintf(buf, size, "everywhere"); break;
    case SCOPE_TIER:   snprintf(buf, size, "tier %u", s.index); break;
    case SCOPE_DEVICE: snprintf(buf, size, "%s", w->device[s.index].name); break;
    case SCOPE_QUEUE:  snprintf(buf, size, "the queue of %s:%s", w->device[p->device].name, p->name); break;
    }
    return buf;
}
