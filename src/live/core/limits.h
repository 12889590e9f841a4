/* src/live/core/limits.h - what may be set at all: bounds, the largest step, and how often. The agent has the
 * last word. */
#ifndef LIVE_CORE_LIMITS_H
#define LIVE_CORE_LIMITS_H

#include "base/err.h"
#include "core/knobs.h"

#include <stdbool.h>
#include <stdint.h>

struct limits {
    bool   may_set[KNOB_COUNT];  /* a whitelist */
    double min[KNOB_COUNT], max[KNOB_COUNT];
    double factor_max;           /* a step is at most this factor ... */
    double step_max[KNOB_COUNT]; /* ... or this far, whichever allows more, but never further than ... */
    double range_share_max;      /* ... this share of max - min, unless the factor allows it */
};

/* The knobs that are LIVE in the table of knobs, with its bounds: DCQCN's, ECN's and NSCC's. A step is at
 * most a factor of 2, or 20 steps of the table within a quarter of the range. Not LIVE: dce_tcp_g, on
 * whose meaning documents disagree; priorities and DSCPs, which belong to the operator; switches on and
 * off. Nor may 0 be set where it means "by the network" in simulations. */
void limits_init(struct limits *);

/* Every knob, in any step, within the bounds of the table: for devices that are simulated. */
void limits_lift(struct limits *);

/* May a device go from 'from', which has all of its knobs, to this? The reason names the knob. */
int limits_check(const struct limits *, const struct knob_set *from, const struct knob_set *to, struct err *);

/* So many per day, at any pace. */
struct budget { double per_day, left; uint64_t at_us; };

bool budget_has(struct budget *, uint64_t now_us);
void budget_take(struct budget *, uint64_t now_us);

#endif
