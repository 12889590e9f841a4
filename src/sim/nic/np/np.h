/* src/sim/nic/np/np.h - the notification point: how a receiver notifies senders of marked packets.
 *
 * One file per kind of receiver, each with a struct np_algo: np.c sends a CNP immediately, but with a minimum
 * spacing; np_arbiter.c serves congested flows in rotation. The congestion control decides which is used.
 */
#ifndef SIM_NIC_NP_NP_H
#define SIM_NIC_NP_NP_H

#include "sim/nic/nic.h"

struct np_algo {
    /* A marked packet has arrived. Returns true to send a CNP now. */
    bool (*on_mark)(struct sim *, struct host *, struct flow_rx *, const struct packet *);

    /* Returns what is wrong with the state of a host, or NULL. */
    const char *(*check)(const struct sim *, const struct host *);

    bool has_turns;              /* hosts have an event for the rotation: see below */
};

extern const struct np_algo np_spacing;

/* Derives the configuration from the knobs. */
struct np_cfg np_configure(const struct knobs *);

/* ---- CNPs to the congested flows of a receiver in rotation (cc dcqcn_plus) ----
 *
 * A flow gets an entry at its receiver when a marked packet arrives. Every microsecond the receiver visits
 * one entry, round robin. It sends a CNP if a marked packet arrived since the flow's last CNP and that CNP is
 * more than 45 us old (a new flow has had none). So a flow's CNPs are a whole number of rounds apart. Each
 * CNP carries the duration of a round: the number of entries, in microseconds.
 *
 * An entry without marks for 200 us is removed when its turn comes. If new flows arrive faster than turns,
 * the table would fill with finished flows. So a turn removes all stale entries up to the first that stays; a
 * mark on a flow's last packet, which needs no CNP, creates no entry; and the table has a limit.
 *
 * A flow's receiving half points to its entry, or to a former one, and an entry names its flow. An entry does
 * not access the flow: it may be done, and its index may belong to a flow to another host. */

#define CNP_ARBITER_MAX 16384u     /* entries per host; marks of further flows are lost */

struct cnp_entry {
    struct cnp_entry *next;      /* in the ring of its host, or in the free list */
    uint64_t ready_ps;           /* earliest time of the next CNP */
    uint64_t marked_ps;          /* arrival of the last marked packet */
    uint32_t flow;               /* 0: free */
    uint32_t src, ports;         /* of its packets */
    uint16_t generation;
    bool     is_marked;          /* marked since the last CNP */
};

extern const struct np_algo cnp_arbiter;

/* Visits the next entry. Returns true if its flow gets a CNP. Then sets 'k' like a packet of the flow, and
 * announced_ps to the duration of a round. */
bool cnp_arbiter_visit(struct sim *, struct host *, struct packet *k, uint64_t *announced_ps);

/* Schedules the next visit, if the host has entries. */
void cnp_arbiter_await_turn(struct sim *, const struct host *);

#endif
