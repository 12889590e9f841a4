/* src/sim/switch/buffer.h - reads and checks the buffer accounts of a switch. switch.c updates them. */
#ifndef SIM_SWITCH_BUFFER_H
#define SIM_SWITCH_BUFFER_H

#include "sim/state/state.h"

/* Returns the bytes of an ingress account beyond its reserve. */
static inline uint32_t buffer_shared_used(const struct sim *s, const struct ingress *in)
{
    return in->bytes > s->cfg.reserve_bytes ? in->bytes - s->cfg.reserve_bytes : 0;
}

/* Returns the bytes in a switch's buffer, summed over all accounts. */
int64_t buffer_used_bytes(const struct sim *, const struct node *);

/* Aborts if the accounts differ from the packets in the queues. */
void buffer_check(const struct sim *, const struct node *);

#endif
