/* src/traffic/kinds/storage.h - compute nodes and storage nodes, added by a program: hosts are nodes, and values have been checked. */
#ifndef TRAFFIC_KINDS_STORAGE_H
#define TRAFFIC_KINDS_STORAGE_H

#include "traffic/flow.h"

/* Compute nodes read and write blocks of storage nodes, a closed loop.
 *
 * Every compute node keeps 'depth' reads and writes under way; when one is over the next begins, until
 * stop. Each is a read with probability 'reads', goes to a storage node chosen at random, and is as long
 * as a block drawn uniformly from the multiples of block_min that are not above block_max: what fio's
 * bsrange does, the tool with which ACC (SIGCOMM 2021, section 5.3.1) made its storage traffic.
 *
 *   read     client --request--> node,   node --block--> client
 *   write    client --block--> primary,  primary --block--> each of replicas - 1 others, chosen at random,
 *            each --answer--> primary,   when all have answered: primary --answer--> client
 *
 * A request and an answer are 'request_bytes' long. A read or write lasts, at the client, from its
 * beginning until the last byte of the block or answer has come. The nodes themselves take no time: this
 * is about the network. */

#define STORAGE_DEPTH_MAX    4096u
#define STORAGE_REPLICAS_MAX 16u
#define STORAGE_BLOCK_MAX    (1ull << 40)
#define STORAGE_COPIES_MAX   300000u     /* clients x depth x replicas: flows are limited (sim.c) */

struct storage {
    const uint32_t *compute, *storage;   /* nodes; nobody is both */
    uint32_t        computes, storages;
    double          reads;               /* 0 .. 1 */
    uint64_t        block_min, block_max, request_bytes;
    uint32_t        depth;
    uint32_t        replicas;            /* of a block, the first included; not more than storage nodes */
};

/* ACC's table 1. KB there are taken for 1024 bytes, as fio does. */
struct storage_preset {
    const char *name, *about;
    double      reads;
    uint64_t    block_min, block_max;
};

extern const struct storage_preset storage_presets[];    /* ends with a row whose name is NULL */

/* Results are OP_READ and OP_WRITE, the block's bytes each. */
void traffic_add_storage(struct traffic *, const struct traffic_common *, const struct storage *);

#endif
