/* src/live/driver/qp_flows.h - flow sizes of a host, from what its NIC counts for each queue pair
 * (rdma_stat.h).
 *
 * A counter set is a flow: what its rdma_tx_bytes has grown by since the last reading is what it has sent.
 * Flows become elephants, mice and what may become either, as PARALEON has them (meter/monitor/flowstate.h).
 * Queue pairs outlive what is sent over them, so one that was silent for some readings begins anew as another
 * flow. What was counted before the first reading does not count.
 *
 * Which queue pairs have a counter set is decided by whoever runs the host (docs/live.md): it costs the NIC
 * rules, and is never switched on from here.
 *
 * Below another root than "/", the file <root>/rdma/<device> is the answer of the kernel, byte for byte, to a
 * question with the number 0.
 */
#ifndef LIVE_DRIVER_QP_FLOWS_H
#define LIVE_DRIVER_QP_FLOWS_H

#include "core/fsd.h"
#include "live/driver/rdma_stat.h"

struct qp_flows;

/* Never fails: a kernel that cannot tell, tells nothing. */
struct qp_flows *qp_flows_new(const char *root, const char *device);
void             qp_flows_free(struct qp_flows *);

/* The flows since the last reading; false: nothing is known, because nobody counts, or it is the first. */
bool qp_flows_read(struct qp_flows *, struct fsd *);

#endif
