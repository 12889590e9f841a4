/* bench/live_dial.h - a thousand agents' ends of gRPC connections in one loop, as cheap as can be: what simulates agents must not take
 * the processor from the controller that is measured. The bytes are those of gRPC over TLS with a certificate; frames of HTTP/2 are written by hand.
 * One stream for each connection, to a socket that is a file.
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
