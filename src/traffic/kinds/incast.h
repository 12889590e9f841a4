/* src/traffic/kinds/incast.h - API for incast traffic. Hosts are node numbers; arguments must be valid. */
#ifndef TRAFFIC_KINDS_INCAST_H
#define TRAFFIC_KINDS_INCAST_H

#include "traffic/traffic_flow.h"

/* Every sender sends 'bytes' to the receiver at start, and then every period until stop (period 0: once). */
void traffic_add_incast(struct traffic *, const struct traffic_common *, uint64_t bytes, uint64_t period_ps,
                        uint32_t receiver, const uint32_t *senders, uint32_t count, uint32_t flows_each);

#endif
