/* src/live/wire/dial.h - a client's end of gRPC, in the program's one loop; only name lookups use a thread.
 *
 * One call over one connection. Any gRPC server of the same .proto will do. Nothing here blocks: an attempt
 * that fails within twenty seconds, or a server that does not answer pings, ends with RPC_CLOSE and a reason.
 * The program retries with dial_again().
 */
#ifndef LIVE_WIRE_DIAL_H
#define LIVE_WIRE_DIAL_H

#include "base/err.h"
#include "live/wire/tls/secure.h"
#include "live/wire/inbox.h"

#include <stdbool.h>
#include <stddef.h>

/* before the call was open: the reason of RPC_CLOSE */
#define DIAL_CLOSED_AT_ONCE "it closes the connection at once"

/* A call that is not the stream of an agent. timeout of 0: none, it lasts */
struct dial_what { const char *method; bool is_question; int timeout_ms; };

struct dial;

/* Dials. 'what' of NULL: the stream of an agent. On failure *out is NULL. */
int  dial_open(struct dial **out, const char *address, const struct rpc_tls *, const struct dial_what *,
               struct err *);
int64_t dial_ends_s(struct dial *);      /* of its certificate: secure_ends_s() */
void dial_free(struct dial *);

int  dial_fd(const struct dial *);
bool dial_next(struct dial *, struct rpc_event *);       /* false: nothing is there */
void dial_again(struct dial *);                          /* after RPC_CLOSE; the link is a new one */

/* As the functions of serve.h. */
void dial_send(struct dial *, uint32_t link, const void *bytes, size_t length);
void dial_finish(struct dial *, uint32_t link);          /* nothing more will be sent */

/* ---- one question and its reply, for programs that do nothing else ---- */

/* Asks and waits. The reply is malloc'd. */
int rpc_ask(const char *address, const struct rpc_tls *, const void *bytes, size_t length, int timeout_ms,
            unsigned char **reply, size_t *reply_length, struct err *);

#endif
