/* src/traffic/job_rpc.h - remote procedure calls: requests at random times, each answered by its server.
 *
 * Every client starts requests at a Poisson rate such that it sends bps_per_client on average, to a server
 * chosen uniformly among those it is not itself, sizes from the table. A server answers when the last byte
 * of a request has come; a call lasts, at the client, from the request's start until the last byte of the
 * answer has come.
 */
#ifndef TRAFFIC_JOB_RPC_H
#define TRAFFIC_JOB_RPC_H

#include "traffic/traffic.h"

#include <stdint.h>

struct rpc {
    const uint32_t *client, *server;     /* nodes; somebody may be both */
    uint32_t        clients, servers;
    double          bps_per_client;
    uint64_t        answer_bytes;
};

/* Adds an entry of the traffic list; the table is taken over. Results are OP_CALL, with the bytes of the
 * request. */
void job_rpc_add(struct traffic *, const struct traffic_common *, struct cdf *, const struct rpc *);

#endif
