/* src/work/traffic/kinds/rpc_traffic.h - API for remote procedure calls. Hosts are node numbers; arguments
 * must be valid. */
#ifndef WORK_TRAFFIC_KINDS_RPC_TRAFFIC_H
#define WORK_TRAFFIC_KINDS_RPC_TRAFFIC_H

#include "work/traffic/cdf.h"
#include "work/traffic/host_time.h"
#include "work/traffic/reads.h"

/* Remote procedure calls: requests at random times, each answered by its server.
 *
 * Every client starts requests as a Poisson process with a mean rate of bps_per_client, to a server other
 * than itself that is chosen uniformly, with sizes from the table. A server answers when the last byte of a
 * request has arrived. A call lasts, at the client, from the request's start until the last byte of the
 * answer has arrived.
 *
 * With VERB_READ a call is an RDMA READ (work/traffic/reads.h) of the request's size, and the server's
 * program does not take part.
 */
struct rpc {
    const uint32_t *client, *server;     /* nodes; a host may be both */
    uint32_t        clients, servers;
    double          bps_per_client;
    uint64_t        answer_bytes;
    enum verb       verb;
    struct reads_cfg reads;
    struct host_times host;              /* see work/traffic/host_time.h; its tables are taken over */
};

/* Takes ownership of the table. Results are OP_CALL with the request's bytes. */
void traffic_add_rpc(struct traffic *, const struct traffic_common *, struct cdf *, struct rpc *);

#endif
