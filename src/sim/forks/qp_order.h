/* src/sim/forks/qp_order.h - the queue pairs of a host in the order of the HPCC fork's hash table.
 *
 * When a link goes down, the fork's hosts rebuild their round robin of queue pairs in the iteration order of
 * a std::unordered_map of libstdc++. That order depends on every insertion and removal. So in worlds whose
 * links change, it is tracked from the start of the run.
 */
#ifndef SIM_FORKS_QP_ORDER_H
#define SIM_FORKS_QP_ORDER_H

#include "sim/host/nic.h"

struct qp_order {
    uint32_t *flow;              /* in the table's order */
    uint32_t  count, room;
    uint32_t  growths;           /* how often the table has grown */
};

/* Makes all hosts track this order. */
void qp_order_build(struct sim *);
void qp_order_free(struct sim *);

extern const struct qp_list qp_order_list;

#endif
