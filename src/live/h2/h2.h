/* src/live/h2/h2.h - one end of a gRPC connection: bytes in, messages out, and the other way. It knows no socket.
 *
 * HTTP/2 is nghttp2's; gRPC on top of it is small: a call is a stream, a message has five bytes in front of it, the end is a
 * trailer with a number. gRPC's own core does the same for an order of magnitude more time per message, because each goes
 * through half a dozen queues there (docs/live.md, "Scale").
 */
#ifndef LIVE_H2_H2_H
#define LIVE_H2_H2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define H2_WAITING_MAX  1024     /* messages that a call may leave waiting */
#define H2_MESSAGE_MAX  (4u << 20)
#define H2_WHY_SIZE     128

enum h2_status { H2_OK = 0, H2_EXHAUSTED = 8, H2_UNIMPLEMENTED = 12, H2_INTERNAL = 13, H2_UNSAID = 1000 };          /* as gRPC numbers them; UNSAID: none came */

/* A stream lasts until one side ends it; a question is one message, and its answer another. */
enum h2_kind { H2_UNKNOWN, H2_STREAM, H2_QUESTION };

struct h2;
struct h2_call;

struct h2_hooks {
    enum h2_kind (*kind)(const char *path);                      /* of a server */
    void         (*open)(void *arg, struct h2_call *);           /* of a client: when the server has begun to speak */
    void         (*data)(void *arg, struct h2_call *, const unsigned char *bytes, size_t length);
    void         (*close)(void *arg, struct h2_call *);          /* once, for each that was opened; then it is freed */
};

struct h2 *h2_new(const struct h2_hooks *, void *arg);           /* a server's end */
struct h2 *h2_dial(const struct h2_hooks *, void *arg);          /* a client's */
void       h2_free(struct h2 *);                                 /* closes what is open */

/* What came. False: it is not HTTP/2, and the connection is over. Hooks are called inside. */
bool h2_receive(struct h2 *, const unsigned char *bytes, size_t length);

/* What h2_receive() will look at: to be in a cache by then. */
void h2_fetch(const struct h2 *);
void h2_fetch_call(const struct h2 *);                           /* after that */

/* What is to be sent next; 0: nothing. It is good until the next call of anything here. */
size_t h2_output(struct h2 *, const unsigned char **bytes);
bool   h2_has_output(const struct h2 *);                         /* perhaps */
bool   h2_is_over(const struct h2 *);                            /* both sides have said all */
void   h2_ping(struct h2 *);
void   h2_bye(struct h2 *);                                      /* no more calls */

/* A client's call. 'timeout_ms' of 0: it has no deadline. It is freed when 'close' returns, or by h2_free() if it was never opened. */
struct h2_request { const char *path, *authority; enum h2_kind kind; bool is_secure; int timeout_ms; };
struct h2_call *h2_begin(struct h2 *, const struct h2_request *);

/* False: H2_WAITING_MAX messages wait already. */
bool h2_send(struct h2_call *, const void *bytes, size_t length);
void h2_end(struct h2_call *, enum h2_status);                   /* after what waits; a client has no status to tell, and hears on */
void h2_cut(struct h2_call *);                                   /* now; 'close' follows with the next output */

enum h2_kind h2_kind(const struct h2_call *);
void        *h2_owner(const struct h2_call *);                   /* the 'arg' of its connection */
uint32_t     h2_number(const struct h2_call *);                  /* what h2_set_number() was told */
void         h2_set_number(struct h2_call *, uint32_t);

/* In a client's 'close': has the server ended it well? If not, why; "": the connection is gone. */
bool h2_is_done(const struct h2_call *, const char **why);

#endif
