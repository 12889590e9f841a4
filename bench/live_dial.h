/* bench/live_dial.h - the agents' ends of a thousand gRPC connections in one loop. It is as cheap as
 * possible, because simulated agents must not take CPU time from the measured controller. The bytes are those
 * of gRPC over TLS with a certificate; HTTP/2 frames are written by hand. Each connection has one stream, to
 * a socket in the file system.
 */
#ifndef BENCH_LIVE_DIAL_H
#define BENCH_LIVE_DIAL_H

#include "live/wire/inbox.h"

#include <stdbool.h>

struct agents;
struct agents *agents_new(const char *path, const char *ca, const char *cert, const char *key);
void         agents_free(struct agents *);

uint32_t agents_add(struct agents *);        /* its link, from 0 on, never given twice; RPC_OPEN or RPC_CLOSE follows */
int      agents_fd(const struct agents *);
bool     agents_next(struct agents *, struct rpc_event *);
void     agents_send(struct agents *, uint32_t link, const void *bytes, size_t length);

#endif
