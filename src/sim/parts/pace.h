/* src/sim/parts/pace.h - decides whether all threads run the parts of a world, or one alone. No result
 * depends on it.
 *
 * Several threads are slower than one if other programs use the processors, or if parts have little to do
 * before they wait for each other: short links, few packets.
 */
#ifndef SIM_PARTS_PACE_H
#define SIM_PARTS_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace_rate { double s_per_event; bool is_known; };

struct pace {
    struct pace_rate one, many;  /* what an event has cost one thread, and all of them together */
    uint32_t rounds_same;        /* since the last change between the two */
    double   wait_share;         /* of the time of the last rounds of many */
    bool     is_one;             /* in the last round */
    bool     is_sparse;          /* there was little to do in a step of a part */
};

struct pace_round {              /* result of a round */
    uint64_t events, steps;      /* steps: of all parts */
    double   took_s, wait_s;     /* wait_s: of all threads */
    uint32_t threads;
};

/* Returns whether one thread should do the next round. */
bool pace_choose_one(struct pace *);

void pace_keep(struct pace *, const struct pace_round *);

#endif
