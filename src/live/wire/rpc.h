/* src/live/wire/rpc.h - messages over gRPC, as bytes.
 *
 * Both ends run over nghttp2 and OpenSSL in the program's one loop (serve.h, dial.h). rpc_fd() becomes
 * readable, and rpc_next() then returns events; the loop calls it until there are none before it waits again.
 *
 * With TLS both sides present a certificate of the same authority. The files are read again every minute, so
 * certificates are replaced without a restart, in any order: files that do not fit together are ignored
 * (identity.h). Without TLS only local addresses are allowed.
 */
#ifndef LIVE_WIRE_RPC_H
#define LIVE_WIRE_RPC_H

#include "base/err.h"
#include "live/wire/ask.h"
#include "live/wire/event.h"
#include "live/wire/serve.h"
#include "live/tls/tls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpc;

/* Listens for streams and questions, or dials one stream. On failure *out is NULL. Limits of NULL: the usual
 * ones. */
int rpc_serve(struct rpc **out, const char *address, const struct rpc_tls *, const struct serve_limits *,
              struct err *);
int rpc_dial(struct rpc **out, const char *address, const struct rpc_tls *, struct err *);

void rpc_free(struct rpc *);

/* Listens at a socket file as well, for people at this machine; NULL: where rpc_ask() looks for that of
 * 'address', if it can. */
int rpc_serve_local(struct rpc *, const char *path, const char *address, struct err *);

/* Of a server, as serve.h says. */
const struct serve_counts *rpc_counts(const struct rpc *);
bool                       rpc_may_log(const struct rpc *, struct account *);
bool                       rpc_has_room(const struct rpc *, struct account *, const char *device);
bool                       rpc_news(struct rpc *, char *text, size_t size);

/* Would it be refused? Files that are not there, an address elsewhere without TLS. */
int rpc_check(const char *address, const struct rpc_tls *, struct err *);

int  rpc_fd(const struct rpc *);
bool rpc_next(struct rpc *, struct rpc_event *);         /* false: nothing is there */

/* Client: dials again after RPC_CLOSE. Returns a new link. */
void rpc_redial(struct rpc *);

/* Ends a stream; RPC_CLOSE follows. */
void rpc_cut(struct rpc *, uint32_t link);

/* Sends a message; a link whose other end does not take them is closed. A link that is gone is no mistake. */
void rpc_send(struct rpc *, uint32_t link, const void *bytes, size_t length);
void rpc_reply(struct rpc *, uint32_t link, const void *bytes, size_t length);

#endif
