/* src/sim/lb/flowlet.h - the flowlet table of a switch: the time and path of each flow's last packet.
 *
 * As in hardware, the entry is selected by a hash of the flow, and flows with the same entry count as one. A
 * gap longer than the timeout starts a new flowlet, which can change paths without reordering. An entry that
 * was unused for the ageing time belongs to a new flow.
 */
#ifndef SIM_LB_FLOWLET_H
#define SIM_LB_FLOWLET_H

#include "sim/lb/lb.h"

#define FLOWLET_MULTIPLIER 0x9e3779b97f4a7c15ull     /* 2^64 / golden ratio */

struct flowlet_cfg {
    uint64_t timeout_ps, ageing_ps;
    uint32_t entries_max;        /* size of the allocated table; a power of two */
    uint32_t entries;            /* entries in use */
};

struct flowlet {
    uint64_t last_ps;            /* time of its last packet, + 1; 0: never */
    uint32_t choice;             /* path of that packet, as defined by the balancer */
};

enum flowlet_state { FLOWLET_CONTINUES, FLOWLET_NEW, FLOWLET_NEW_FLOW };

/* Reads the knobs flowlet_timeout, _table and _ageing. The first call fixes the table's largest size. */
void flowlet_configure(struct flowlet_cfg *, const struct knobs *);

/* Two rounds of multiply and fold: sufficient for a table, and a third of the cost of ECMP's hash. */
static inline struct flowlet *flowlet_find(const struct flowlet_cfg *c, struct flowlet *table, uint32_t salt,
                                           const struct lb_packet *p)
{
    uint64_t hash = ((uint64_t)p->src << 32 | p->dst) * FLOWLET_MULTIPLIER ^ p->ports ^ salt;

    hash = (hash ^ hash >> 32) * FLOWLET_MULTIPLIER;
    return &table[hash >> 32 & (c->entries - 1)];
}

/* Records a packet. Returns whether it continues a flowlet, starts one, or starts a flow. */
static inline enum flowlet_state flowlet_touch(const struct flowlet_cfg *c, struct flowlet *f,
                                               uint64_t now_ps)
{
    uint64_t last = f->last_ps, gap = now_ps + 1 - last;

    f->last_ps = now_ps + 1;
    if (gap <= c->timeout_ps && last)
        return FLOWLET_CONTINUES;
    return last && gap <= c->ageing_ps ? FLOWLET_NEW : FLOWLET_NEW_FLOW;
}

#endif
