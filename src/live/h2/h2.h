/* src/live/h2/h2.h - one end of a gRPC connection: bytes in, messages out, and the other way. It knows no socket.
 *
 * HTTP/2 is nghttp2's; gRPC on top of it is small: a call is a stream, a message has five bytes in front of it, the end is a
 * trailer with a number. gRPC's own core does the same for an order of magnitude more time per message, because each goes
 * through half a dozen queues there (docs/live.md, "Scale").
 */
#ifndef LIVE_H2_H2_H
#define LIVE_H2_H2_H

#include "live/h2/h2_call.h"
#include "live/h2/h2_client.h"

struct h2 *h2_new(const struct h2_hooks *, void *arg);           /* a server's end */
struct h2 *h2_dial(const struct h2_hooks *, void *arg);          /* a client's */
void       h2_free(struct h2 *);                                 /* closes what is open */

/* What came. False: it is not HTTP/2, and the connection is over. Hooks are called inside. */
bool h2_receive(struct h2 *, const unsigned char *bytes, size_t length);

/* What is to be sent next; 0: nothing. It is good until the next call of anything here. */
size_t h2_output(struct h2 *, const unsigned char **bytes);
bool   h2_has_output(const struct h2 *);                         /* perhaps */
bool   h2_is_over(const struct h2 *);                            /* both sides have said all */
void   h2_ping(struct h2 *);
void   h2_bye(struct h2 *);                                      /* no more calls */

#endif
