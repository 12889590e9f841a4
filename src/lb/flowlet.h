/* src/lb/flowlet.h - the table in which a switch remembers where the last packet of a flow went.
 *
 * As in hardware: the entry is found by a hash of the flow, and flows that share one are taken for one flow.
 * A gap of the timeout or more starts a new flowlet, which may go another way without overtaking the last. An
 * entry that nobody has used for the ageing time is as good as new: the flow it belonged to is over.
 */
#ifndef LB_FLOWLET_H
#define LB_FLOWLET_H

#include "lb/lb.h"

#define FLOWLET_MULTIPLIER 0x9e3779b97f4a7c15ull     /* 2^64 by the golden ratio */

struct flowlet_cfg {
    uint64_t timeout_ps, ageing_ps;
    uint32_t entries_max;        /* of the table that was made at the start; a power of two */
    uint32_t entries;            /* in use */
};

struct flowlet {
    uint64_t last_ps;            /* when its last packet came, + 1; 0: never */
    uint32_t choice;             /* where it went: the balancer's to say */
};

enum flowlet_is { FLOWLET_GOES_ON, FLOWLET_NEW, FLOWLET_NEW_FLOW };

/* From the knobs flowlet_timeout, flowlet_table, flowlet_ageing. The first call decides how large the table can
 * ever be. */
void flowlet_configure(struct flowlet_cfg *, const struct knobs *);

/* Two rounds of multiply and fold: enough for a table, and a third of what ECMP's hash costs every packet. */
static inline struct flowlet *flowlet_find(const struct flowlet_cfg *c, struct flowlet *table, uint32_t salt,
                                           const struct lb_packet *p)
{
    uint64_t hash = ((uint64_t)p->src << 32 | p->dst) * FLOWLET_MULTIPLIER ^ p->ports ^ salt;

    hash = (hash ^ hash >> 32) * FLOWLET_MULTIPLIER;
    return &table[hash >> 32 & (c->entries - 1)];
}

/* Notes that a packet of it has come; says whether that begins something. */
static inline enum flowlet_is flowlet_touch(const struct flowlet_cfg *c, struct flowlet *f, uint64_t now_ps)
{
    uint64_t last = f->last_ps, gap = now_ps + 1 - last;

    f->last_ps = now_ps + 1;
    if (gap < c->timeout_ps && last)
        return FLOWLET_GOES_ON;
    return last && gap <= c->ageing_ps ? FLOWLET_NEW : FLOWLET_NEW_FLOW;
}

#endif
