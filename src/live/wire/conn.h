/* src/live/wire/conn.h - one connection of either end: a socket, optional TLS, and HTTP/2 above.
 *
 * The owner waits for the socket with 'epoll', calls conn_hear() when it is readable, and conn_flush() when
 * there is something to send. Failures set is_broken; the owner then ends the connection.
 */
#ifndef LIVE_WIRE_CONN_H
#define LIVE_WIRE_CONN_H

#include "live/wire/h2/h2.h"
#include "live/wire/tls/secure.h"

#include <stdint.h>

struct conn {
    int                  fd, epoll;
    void                *owner;                  /* the event's data.ptr */
    SSL                 *ssl;                    /* NULL: no TLS */
    struct h2           *h2;                     /* NULL: still in the handshake */
    bool                 is_broken, wants_write, was_asked;
    bool                 is_muted;               /* not read for now */
    int64_t              heard_s;
    unsigned char       *out;                    /* not written yet */
    size_t               out_length;
    int                  error;                  /* errno of the failure, or 0 */
    const char          *why;                    /* OpenSSL's reason, or NULL */
    int                  reason;                 /* the same as a number, or 0 */
};

enum { CONN_SILENT_S = 10, CONN_ANSWER_S = 5 };  /* silence before a ping; time for its answer */

int64_t conn_now_s(void);
void    conn_watch(const struct conn *, int op);         /* op: of epoll_ctl() */
void    conn_fini(struct conn *);

int conn_shake(struct conn *);   /* continues the TLS handshake. 1: done; 0: not yet; below 0: broken */

/* Reads what has arrived. A peer that sends much is not read to the end: epoll then reports the socket
 * again. */
void conn_hear(struct conn *, int64_t second);

/* Sends the data that HTTP/2 has queued, until the kernel's buffer is full. */
void conn_flush(struct conn *);

/* To be called once a second: pings a silent peer, and gives up one that does not answer. True: something is
 * to be sent. */
bool conn_look_after(struct conn *, int64_t second);

#endif
