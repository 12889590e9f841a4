/* src/work/traffic/kinds/storage.h - API for storage traffic. Hosts are node numbers; arguments must be
 * valid. */
#ifndef WORK_TRAFFIC_KINDS_STORAGE_H
#define WORK_TRAFFIC_KINDS_STORAGE_H

#include "work/traffic/host_time.h"
#include "work/traffic/reads.h"

/* Compute nodes read and write blocks of storage nodes, in a closed loop.
 *
 * Every compute node has 'depth' reads and writes in progress. When one ends, the next begins, until stop.
 * Each is a read with probability 'reads' and uses a random storage node. Block sizes are uniform over the
 * multiples of block_min up to block_max. This matches fio's bsrange, which ACC (SIGCOMM 2021, section
 * 5.3.1) used for its storage traffic.
 *
 *   read     client --request--> node,   node --block--> client
 *   write    client --block--> primary,  primary --block--> each of replicas - 1 others, chosen at random,
 *            each --answer--> primary,   when all have answered: primary --answer--> client
 *
 * or, with VERB_READ, each read is an RDMA READ (work/traffic/reads.h): its request is answered by the node's
 * NIC.
 *
 * Requests and answers have 'request_bytes'. A read or write lasts, at the client, from its start until the
 * last byte of the block or answer has arrived and, with host times (work/traffic/host_time.h), its CPU has
 * taken it. Disks take no time.
 */

#define STORAGE_DEPTH_MAX    4096u
#define STORAGE_REPLICAS_MAX 16u
#define STORAGE_BLOCK_MAX    (1ull << 40)
#define STORAGE_COPIES_MAX   300000u     /* clients x depth x replicas: the simulator limits flows (sim.c) */

struct storage {
    const uint32_t *compute, *storage;   /* nodes; disjoint */
    uint32_t        computes, storages;
    double          reads;               /* 0 .. 1 */
    uint64_t        block_min, block_max, request_bytes;
    uint32_t        depth;
    uint32_t        replicas;            /* copies of a block, including the first; at most 'storages' */
    enum verb       verb;                /* VERB_READ: of reads; otherwise of all messages */
    struct reads_cfg reads_cfg;
    struct host_times host;              /* its tables are taken over */
};

/* Table 1 of ACC. Its KB are 1024 bytes, as in fio. */
struct storage_preset {
    const char *name, *about;
    double      reads;
    uint64_t    block_min, block_max;
};

extern const struct storage_preset storage_presets[];    /* terminated by a NULL name */

/* Results are OP_READ and OP_WRITE with the block's bytes. */
void traffic_add_storage(struct traffic *, const struct traffic_common *, struct storage *);

#endif
