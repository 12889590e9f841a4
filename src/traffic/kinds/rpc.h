/* src/traffic/kinds/rpc.h - remote procedure calls, added by a program: hosts are nodes, and values have been checked. */
#ifndef TRAFFIC_KINDS_RPC_H
#define TRAFFIC_KINDS_RPC_H

#include "traffic/cdf.h"
#include "traffic/flow.h"

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

#endif
