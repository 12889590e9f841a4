/* src/live/driver/qp_flows.h - flow sizes of a host, from the NIC's counters of queue pairs.
 *
 * A NIC counts bytes by counter sets, to which queue pairs are bound (`rdma statistic qp`). With mlx5's
 * optional counters (kernel 6.15 and later) a set has rdma_tx_bytes. A counter set is a flow: the increase of
 * its rdma_tx_bytes since the last reading is what it sent. Flows become elephants, mice or potential
 * elephants, as in PARALEON (core/meter/monitor/flowstate.h). Queue pairs outlive their messages, so a queue
 * pair that was silent for some readings counts as a new flow. Bytes before the first reading do not count.
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qp_flows;

/* Never fails: without kernel support there are no flows. */
struct qp_flows *qp_flows_new(const char *root, const char *device);
void             qp_flows_free(struct qp_flows *);

/* Gets the flows since the last reading. Returns false if they are unknown: nothing is counted, or this is
 * the first reading. */
bool qp_flows_read(struct qp_flows *, struct fsd *);

/* ---- RDMA netlink (linux/rdma/rdma_netlink.h) ---- */

#define RDMA_STAT_QUESTION_MAX 64

struct rdma_stat {               /* a counter set */
    uint32_t port, id;
    uint32_t qps;                /* bound to it */
    uint32_t qpn;                /* of the first */
    bool     has_bytes;          /* it has rdma_tx_bytes */
    uint64_t tx_bytes;
};

typedef void rdma_stat_visit(void *arg, const struct rdma_stat *);
typedef void rdma_stat_device(void *arg, uint32_t index, const char *name);

/* Questions: which devices are there, and which counter sets has this one? Return their length. */
size_t rdma_stat_ask_devices(unsigned char question[RDMA_STAT_QUESTION_MAX], uint32_t sequence);
size_t rdma_stat_ask(unsigned char question[RDMA_STAT_QUESTION_MAX], uint32_t device, uint32_t sequence);

/* Parses a datagram of the answer: messages with nested attributes. 1: more follow; 0: it was the last;
 * negative: the kernel's error (-EINVAL: it is too old), or -EBADMSG: malformed. Entries before the error
 * have been visited. */
int rdma_stat_read_devices(const unsigned char *bytes, size_t length, uint32_t sequence,
                           rdma_stat_device *, void *arg);
int rdma_stat_read(const unsigned char *bytes, size_t length, uint32_t sequence,
                   rdma_stat_visit *, void *arg);

#endif
