/* src/sim/host/fork/qp_order.h - the queue pairs of a host in the order of the HPCC fork's table.
 *
 * When a link goes down the fork's hosts put their queue pairs back into their turn in the order in which they find them in
 * a hash table of C++'s library, a std::unordered_map of libstdc++. That order depends on all that was ever added and
 * removed, so it is kept from the start of the run in worlds whose links change.
 */
#ifndef SIM_HOST_QP_ORDER_H
#define SIM_HOST_QP_ORDER_H

#include "sim/host/nic.h"

struct qp_order {
    uint32_t *flow;              /* in the table's order */
    uint32_t  count, room;
    uint32_t  growths;           /* of the table */
};

/* Where the model says so: from now on all hosts keep it. */
void qp_order_build(struct sim *);
void qp_order_free(struct sim *);

/* A queue pair of a host starts, or is over. */
void qp_order_add(struct sim *, const struct host *, const struct flow *);
void qp_order_remove(struct sim *, const struct host *, const struct flow *);

#endif
