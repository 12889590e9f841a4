/* src/sim/parts/pace.h - decides whether all threads or only one thread runs the parts of a world. Results do
 * not depend on it.
 *
 * Several threads are slower than one if other programs use the processors, or if parts have little work
 * between synchronizations: short links, few packets.
 */
#ifndef SIM_PARTS_PACE_H
#define SIM_PARTS_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pace_rate { double s_per_event; bool is_known; };

struct pace {
    struct pace_rate one, many;  /* cost per event with one thread, and with all threads together */
    uint32_t rounds_same;        /* rounds since the last change between the two */
    double   wait_share;         /* share of time spent waiting in the last rounds with many threads */
    bool     is_one;             /* in the last round */
    bool     is_sparse;          /* parts had little work per step */
};

struct pace_round {              /* measurements of a round */
    uint64_t events, steps;      /* steps: sum over all parts */
    double   took_s, wait_s;     /* wait_s: sum over all threads */
    uint32_t threads;
};

/* Returns true if one thread should run the next round. */
bool pace_choose_one(struct pace *);

void pace_keep(struct pace *, const struct pace_round *);

/* ---- waiting for a word in memory to change ---- */

/* Sleeps while *word equals 'is'. Sleeps only for a short time, in case a wake-up is missed. */
void nap_while(_Atomic uint32_t *word, uint32_t is);

/* Wakes the threads that sleep on the word. */
void nap_wake(_Atomic uint32_t *word);

#endif
