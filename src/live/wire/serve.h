/* src/live/wire/serve.h - the server of rpc.h: in the program's one loop, without a thread.
 *
 * Sockets are read when the loop asks for events, so a peer that sends faster than it is read waits in the kernel. Messages are written
 * at once; the kernel's refusal is kept until the socket takes more.
 */
#ifndef LIVE_WIRE_SERVE_H
#define LIVE_WIRE_SERVE_H

#include "base/err.h"
#include "live/wire/event.h"
#include "live/tls/tls.h"

#include <stdbool.h>

struct serve;
int  serve_open(struct serve **out, const char *address, const struct rpc_tls *, struct err *);
void serve_free(struct serve *);

/* As the functions of rpc.h. */
int  serve_fd(const struct serve *);
bool serve_next(struct serve *, struct rpc_event *);
void serve_cut(struct serve *, uint32_t link);
void serve_send(struct serve *, uint32_t link, const void *bytes, size_t length);
void serve_reply(struct serve *, uint32_t link, const void *bytes, size_t length);

#endif
