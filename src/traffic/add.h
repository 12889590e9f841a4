/* src/traffic/add.h - entries of the traffic list made by a program: what read() of each kind adds in the end.
 *
 * Each function adds one entry. Hosts are given as nodes. Values have been checked.
 */
#ifndef TRAFFIC_ADD_H
#define TRAFFIC_ADD_H

#include "net/flow_list.h"
#include "net/flow_matrix.h"
#include "traffic/cdf.h"
#include "traffic/collective.h"
#include "traffic/traffic.h"

/* The flows of a list; taken over. */
void traffic_add_list(struct traffic *, struct flow_list *);

/* Every host of 'hosts' starts flows at a Poisson rate such that it sends bps_per_host on average, to
 * another of them chosen uniformly, sizes from the table; the table is taken over. */
void traffic_add_poisson(struct traffic *, const struct traffic_common *, struct cdf *, double bps_per_host,
                         const uint32_t *hosts, uint32_t count);

/* Every sender sends 'bytes' to the receiver at start, and again every period until stop (period 0: once). */
void traffic_add_incast(struct traffic *, const struct traffic_common *, uint64_t bytes, uint64_t period_ps,
                        uint32_t receiver, const uint32_t *senders, uint32_t count, uint32_t flows_each);

/* Each host sends 'bytes' to one other and receives from one other: host i to host i + shift, or, shift 0,
 * a random permutation without fixed points. */
void traffic_add_permutation(struct traffic *, const struct traffic_common *, uint64_t bytes, uint32_t shift,
                             const uint32_t *hosts, uint32_t count);

/* Each host sends 'bytes' to each other host, all at start; host i begins with i + 1, so that receivers
 * differ. */
void traffic_add_all_to_all(struct traffic *, const struct traffic_common *, uint64_t bytes, const uint32_t *hosts,
                            uint32_t count);

/* Every sender starts 'qps' flows of 'bytes' to the receiver, each at a moment of its own, uniform in
 * 'spread_ps' from start on. */
void traffic_add_many_to_one(struct traffic *, const struct traffic_common *, uint64_t bytes,
                             uint64_t spread_ps, uint32_t receiver, const uint32_t *senders, uint32_t count,
                             uint32_t qps);

/* Every host of 'longs' sends one long flow to the receiver from start on. Upon that come bursts of short
 * ones: one in each period, the first period 'after_ps' from start, at a moment uniform in 'jitter_ps' from
 * the period's beginning; each of its 'shorts' flows starts uniformly in 'spread_ps' from then on. They are
 * dealt to the hosts 'from' in turn. jitter_ps + spread_ps <= period_ps: bursts stay in their order. */
struct long_short {
    uint64_t        long_bytes, short_bytes;
    uint64_t        after_ps, period_ps, jitter_ps, spread_ps;
    uint32_t        receiver, shorts;
    const uint32_t *longs, *from;
    uint32_t        long_count, from_count;
};

void traffic_add_long_short(struct traffic *, const struct traffic_common *, const struct long_short *);

/* Remote procedure calls: requests at random times, each answered by its server.
 *
 * Every client starts requests at a Poisson rate such that it sends bps_per_client on average, to a server
 * chosen uniformly among those it is not itself, sizes from the table. A server answers when the last byte
 * of a request has come; a call lasts, at the client, from the request's start until the last byte of the
 * answer has come. */
struct rpc {
    const uint32_t *client, *server;     /* nodes; somebody may be both */
    uint32_t        clients, servers;
    double          bps_per_client;
    uint64_t        answer_bytes;
};

/* The table is taken over. Results are OP_CALL, with the bytes of the
 * request. */
void traffic_add_rpc(struct traffic *, const struct traffic_common *, struct cdf *, const struct rpc *);

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

/* Training: the workers do a collective and wait for the last of them; delay_ps later all know
 * that it is through, compute for compute_ps and begin again, until 'iterations' have begun or it is time to stop.
 * Worker i is on hosts[i]. An iteration is reported when the last worker has sent and received all of it.
 * delay_ps is not less than the delay of a link. */
struct traffic_training {
    struct collective_cfg collective;
    uint64_t              compute_ps, delay_ps;
    uint32_t              iterations;    /* UINT32_MAX is as good as no limit */
};
void traffic_add_training(struct traffic *, const struct traffic_common *, const struct traffic_training *,
                          const uint32_t *hosts);

/* The flows of a matrix of connections, which is taken over: its host i is the i-th host of the
 * graph. Times of the matrix count from start. A flow that waits for a trigger starts delay_ps after it is fired;
 * delay_ps is not less than the delay of a link. */
void traffic_add_matrix(struct traffic *, const struct traffic_common *, struct flow_matrix *, uint64_t delay_ps);

#endif
