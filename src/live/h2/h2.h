/* src/live/h2/h2.h - one end of a gRPC connection: bytes in, messages out, and the other way. It knows no
 * socket.
 *
 * nghttp2 does HTTP/2. gRPC on top of it is small: a call is a stream, each message has a prefix of five
 * bytes, and a trailer with a status ends the call.
 */
#ifndef LIVE_H2_H2_H
#define LIVE_H2_H2_H

#include "live/h2/h2_call.h"
#include "live/h2/h2_client.h"

struct h2 *h2_new(const struct h2_hooks *, void *arg);           /* a server's end */
struct h2 *h2_dial(const struct h2_hooks *, void *arg);          /* a client's */
void       h2_free(struct h2 *);                                 /* closes all calls */

/* Takes received bytes and calls hooks. False: they are not HTTP/2, and the connection is over. */
bool h2_receive(struct h2 *, const unsigned char *bytes, size_t length);

/* The next bytes to send, valid until the next call of any function here. 0: none. */
size_t h2_output(struct h2 *, const unsigned char **bytes);
bool   h2_has_output(const struct h2 *);                         /* there may be some */
/* Memory held for incomplete or unsent data of this connection counts here, shared with other connections:
 * calls that need more than 'max' bytes are refused. Without it, a connection may hold as much as one
 * call. */
void   h2_share(struct h2 *, size_t *held, size_t max);
bool   h2_is_over(const struct h2 *);                            /* both sides have ended it */
void   h2_ping(struct h2 *);
void   h2_bye(struct h2 *);                                      /* no more calls */

#endif
