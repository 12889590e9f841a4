/* src/traffic/kinds/long_short.h - API for long flows with bursts of short ones. Hosts are node numbers;
 * arguments are */
#ifndef TRAFFIC_KINDS_LONG_SHORT_H
#define TRAFFIC_KINDS_LONG_SHORT_H

#include "traffic/traffic_flow.h"

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
