/* src/live/driver/qp_flows.h - flow sizes of a host, from the NIC's counters of queue pairs (rdma_stat.h).
 *
 * A counter set is a flow: the increase of its rdma_tx_bytes since the last reading is what it sent. Flows
 * become elephants, mice or potential elephants, as in PARALEON (meter/monitor/flowstate.h). Queue pairs
 * outlive their messages, so a queue pair that was silent for some readings counts as a new flow. Bytes
 * before the first reading do not count.
 *
 * The operator of a host decides which queue pairs have a counter set (docs/live.md). It uses flow rules of
 * the NIC, and Anole never enables it.
 *
 * If the root is not "/", the file <root>/rdma/<device> is the kernel's answer, byte for byte, to a request
 * with sequence number 0.
 */
#ifndef LIVE_DRIVER_QP_FLOWS_H
#define LIVE_DRIVER_QP_FLOWS_H

#include "core/fsd.h"
#include "live/driver/rdma_stat.h"

struct qp_flows;

/* Never fails: without kernel support there are no flows. */
struct qp_flows *qp_flows_new(const char *root, const char *device);
void             qp_flows_free(struct qp_flows *);

/* Gets the flows since the last reading. Returns false if they are unknown: nothing is counted, or this is
 * the first reading. */
bool qp_flows_read(struct qp_flows *, struct fsd *);

#endif
