/* src/sim/forks/qp_order.h - the queue pairs of a host in the order of the HPCC fork's table.
 *
 * When a link goes down the fork's hosts put their queue pairs back into their turn in the order in which
 * they find them in a hash table of C++'s library, a std::unordered_map of libstdc++. That order depends on
 * all that was ever added and removed, so it is kept from the start of the run in worlds whose links change.
 */
#ifndef SIM_FORKS_QP_ORDER_H
#define SIM_FORKS_QP_ORDER_H

#include "sim/host/nic.h"

struct qp_order {
    uint32_t *flow;              /* in the table's order */
    uint32_t  count, room;
    uint32_t  growths;           /* of the table */
};

/* From now on all hosts keep their queue pairs in this order. */
void qp_order_build(struct sim *);
void qp_order_free(struct sim *);

extern const struct qp_list qp_order_list;

#endif
