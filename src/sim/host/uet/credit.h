/* src/sim/host/uet/credit.h - receivers hand out credit (RCCC): at 99 % of the rate of their link, in turn to
 * all flows that ask for it, 16 KB at a time.
 *
 * Every data packet, and an RTS, says how much credit its sender needs. Both are sums over the life of the
 * flow, so that a lost pull or request does no harm.
 *
 * Where links inside the network are slower than those of hosts, credit at that rate would fill them with
 * headers of trimmed packets, and data would never pass. A receiver therefore holds back the share of its
 * credit that was trimmed inside the network.
 */
#ifndef SIM_HOST_UET_CREDIT_H
#define SIM_HOST_UET_CREDIT_H

#include "sim/host/uet/uet.h"

/* A packet of a flow says what its sender needs. 'must': it gets a pull even if it should need none. */
void credit_ask(struct sim *, struct host *, const struct packet *, bool must);

/* A flow is over. */
void credit_leave(struct sim *, struct host *, uint32_t flow);

/* The next flow gets its credit. */
void credit_on_pull(struct sim *, struct host *);

#endif
