/* src/traffic/kinds/many_to_one.h - API for many-to-one traffic. Hosts are node numbers; arguments must be
 * valid. */
#ifndef TRAFFIC_KINDS_MANY_TO_ONE_H
#define TRAFFIC_KINDS_MANY_TO_ONE_H

#include "traffic/traffic_flow.h"

/* Every sender starts 'qps' flows of 'bytes' to the receiver, each at its own time, uniform in 'spread_ps'
 * from start. */
void traffic_add_many_to_one(struct traffic *, const struct traffic_common *, uint64_t bytes,
                             uint64_t spread_ps, uint32_t receiver, const uint32_t *senders, uint32_t count,
                             uint32_t qps);

#endif
