/* src/live/driver/rdma_stat.h - counters of queue pairs, over RDMA netlink.
 *
 * A NIC counts bytes by counter sets, to which queue pairs are bound (`rdma statistic qp`). With mlx5's
 * optional counters (kernel 6.15 and later) a set has rdma_tx_bytes. This file makes the request and parses
 * the answer: one or more datagrams, each with messages, each with nested attributes
 * (linux/rdma/rdma_netlink.h). qp_flows.h does the communication.
 */
#ifndef LIVE_DRIVER_RDMA_STAT_H
#define LIVE_DRIVER_RDMA_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Parses a datagram of the answer. 1: more follow; 0: it was the last; negative: the kernel's error (-EINVAL:
 * it is too old), or -EBADMSG: malformed. Entries before the error have been visited. */
int rdma_stat_read_devices(const unsigned char *bytes, size_t length, uint32_t sequence,
                           rdma_stat_device *, void *arg);
int rdma_stat_read(const unsigned char *bytes, size_t length, uint32_t sequence,
                   rdma_stat_visit *, void *arg);

#endif
