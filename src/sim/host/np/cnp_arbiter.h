/* src/sim/host/np/cnp_arbiter.h - the flows that a receiver finds congested, told of it in turn (cc
 * dcqcn_plus).
 *
 * A flow whose packet comes marked gets an entry at its receiver. Every microsecond the receiver visits one
 * entry, round robin; if a packet came marked since the flow's last CNP, and that one went more than 45 us
 * ago (a new flow has had none), it sends the next. So a flow's CNPs are a whole number of rounds apart, and
 * each says how long a round takes: the number of entries, in microseconds.
 *
 * An entry whose flow has had no mark for 200 us goes when its turn comes. Where new flows come more often
 * than turns the table would fill with flows that are over, so a turn drops all that it comes by until one
 * stays; a mark on a flow's last packet, which needs no CNP, makes no entry; and the table has an
 * end.
 *
 * A flow's receiving half knows where its entry is, or was, and an entry says whose it is. An entry does not
 * touch the flow: that may be over, and its index may be in use by a flow to another host.
 */
#ifndef SIM_HOST_NP_CNP_ARBITER_H
#define SIM_HOST_NP_CNP_ARBITER_H

#include "sim/host/np/np.h"

#define CNP_ARBITER_MAX 16384u     /* entries of a host; marks of further flows are lost */

struct cnp_entry {
    struct cnp_entry *next;      /* in the ring of its host, or among the free ones */
    uint64_t ready_ps;           /* the next CNP may go after that */
    uint64_t marked_ps;          /* when the last marked packet came */
    uint32_t flow;               /* 0: it is free */
    uint32_t src, ports;         /* of its packets */
    uint16_t generation;
    bool     is_marked;          /* since the last CNP */
};

extern const struct np_algo cnp_arbiter;

/* Visits the next entry. Returns true if its flow gets a CNP, with 'k' set like a packet of it and told_ps to
 * the time of a round. */
bool cnp_arbiter_visit(struct sim *, struct host *, struct packet *k, uint64_t *told_ps);

/* Awaits the turn after it. A host without entries awaits none. */
void cnp_arbiter_await_turn(struct sim *, const struct host *);

#endif
