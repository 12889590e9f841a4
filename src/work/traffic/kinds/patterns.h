/* src/work/traffic/kinds/patterns.h - API for simple patterns of flows. Hosts are node numbers; arguments
 * must be valid. */
#ifndef WORK_TRAFFIC_KINDS_PATTERNS_H
#define WORK_TRAFFIC_KINDS_PATTERNS_H

#include "work/traffic/traffic_flow.h"

/* Every sender sends 'bytes' to the receiver at start, and then every period until stop (period 0: once). */
void traffic_add_incast(struct traffic *, const struct traffic_common *, uint64_t bytes, uint64_t period_ps,
                        uint32_t receiver, const uint32_t *senders, uint32_t count, uint32_t flows_each);

/* Each host sends 'bytes' to each other host, all at start. Host i starts with i + 1, so that receivers
 * differ. */
void traffic_add_all_to_all(struct traffic *, const struct traffic_common *, uint64_t bytes,
                            const uint32_t *hosts, uint32_t count);

/* Each host sends 'bytes' to one other host and receives from one: host i to host i + shift, or, if shift is
 * 0, a random permutation without fixed points. */
void traffic_add_permutation(struct traffic *, const struct traffic_common *, uint64_t bytes, uint32_t shift,
                             const uint32_t *hosts, uint32_t count);

/* Every sender starts 'qps' flows of 'bytes' to the receiver, each at its own time, uniform in 'spread_ps'
 * from start. */
void traffic_add_many_to_one(struct traffic *, const struct traffic_common *, uint64_t bytes,
                             uint64_t spread_ps, uint32_t receiver, const uint32_t *senders, uint32_t count,
                             uint32_t qps);

/* Every host of 'longs' sends one long flow to the receiver from start on. In addition there are bursts of
 * short flows, one in each period. The first period begins 'after_ps' from start. A burst begins at a time
 * uniform in 'jitter_ps' from its period's start, and each of its 'shorts' flows starts at a time uniform in
 * 'spread_ps' from then on. Short flows are dealt to the hosts 'from' in rotation. jitter_ps + spread_ps <=
 * period_ps keeps bursts in order. */
struct long_short {
    uint64_t        long_bytes, short_bytes;
    uint64_t        after_ps, period_ps, jitter_ps, spread_ps;
    uint32_t        receiver, shorts;
    const uint32_t *longs, *from;
    uint32_t        long_count, from_count;
};

void traffic_add_long_short(struct traffic *, const struct traffic_common *, const struct long_short *);

#endif
