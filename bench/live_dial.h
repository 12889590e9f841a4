/* bench/live_dial.h - a thousand agents' ends of gRPC connections in one loop, as cheap as can be: what simulates agents must not take
 * the processor from the controller that is measured. The bytes are those of gRPC over TLS with a certificate; frames of HTTP/2 are written by hand.
 * One stream for each connection, to a socket that is a file.
 */
#ifndef BENCH_LIVE_DIAL_H
#define BENCH_LIVE_DIAL_H

#include "live/wire/event.h"

#include <stdbool.h>

struct dial;
struct dial *dial_new(const char *path, const char *ca, const char *cert, const char *key);
void         dial_free(struct dial *);

uint32_t dial_add(struct dial *);        /* its link, from 0 on, never given twice; RPC_OPEN or RPC_CLOSE follows */
int      dial_fd(const struct dial *);
bool     dial_next(struct dial *, struct rpc_event *);
void     dial_send(struct dial *, uint32_t link, const void *bytes, size_t length);

#endif
