/* src/traffic/kinds/long_short.h - long flows and bursts of short ones, added by a program: hosts are nodes, and values have been checked. */
#ifndef TRAFFIC_KINDS_LONG_SHORT_H
#define TRAFFIC_KINDS_LONG_SHORT_H

#include "traffic/flow.h"

/* Every host of 'longs' sends one long flow to the receiver from start on. Upon that come bursts of short
 * ones: one in each period, the first period 'after_ps' from start, at a moment uniform in 'jitter_ps' from
 * the period's beginning; each of its 'shorts' flows starts uniformly in 'spread_ps' from then on. They are
 * dealt to the hosts 'from' in turn. jitter_ps + spread_ps <= period_ps: bursts stay in their order. */
struct long_short {
    uint64_t        long_bytes, short_bytes;
    uint64_t        after_ps, period_ps, jitter_ps, spread_ps;
    uint32_t        receiver, shorts;
    const uint32_t *longs, *from;
    uint32_t        long_count, from_count;
};

void traffic_add_long_short(struct traffic *, const struct traffic_common *, const struct long_short *);

#endif
