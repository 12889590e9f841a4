/* src/sim/host/uet/credit.h - receiver credit (RCCC): grants 99 % of the rate of the host's link, 16 KB at a
 * time, round robin over all flows that request it.
 *
 * Every data packet and RTS says how much credit its sender needs. Requests and grants are totals over the
 * life of the flow, so a lost pull or request does no harm.
 *
 * If links inside the network are slower than host links, credit at that rate would fill them with headers of
 * trimmed packets, and data would never pass. A receiver therefore withholds the share of its credit that was
 * trimmed inside the network.
 */
#ifndef SIM_HOST_UET_CREDIT_H
#define SIM_HOST_UET_CREDIT_H

#include "sim/host/uet/uet.h"

/* Handles the request in a packet of a flow. 'must': send a pull even if the flow needs no credit. */
void credit_ask(struct sim *, struct host *, const struct packet *, bool must);

/* Removes a finished flow. */
void credit_leave(struct sim *, struct host *, uint32_t flow);

/* Grants credit to the next flow. */
void credit_on_pull(struct sim *, struct host *);

#endif
