/* src/live/wire/conn.h - one connection of either end: a socket, TLS if there is any, and HTTP/2 above.
 *
 * Whoever owns it waits for its socket at 'epoll', calls conn_hear() when there is something, and conn_flush() when something is to be
 * sent. What goes wrong is noted in is_broken; it is the owner's to end it.
 */
#ifndef LIVE_WIRE_CONN_H
#define LIVE_WIRE_CONN_H

#include "live/h2/h2.h"
#include "live/tls/secure.h"

#include <stdint.h>

struct conn {
    int                  fd, epoll;
    void                *owner;                  /* what epoll tells */
    SSL                 *ssl;                    /* NULL: without */
    struct h2           *h2;                     /* NULL: still in the handshake */
    bool                 is_broken, wants_write, was_asked;
    int64_t              heard_s;
    unsigned char       *out;                    /* not written yet */
    size_t               out_length;
    int                  error;                  /* errno, or 0: of what has broken it */
    const char          *why;                    /* OpenSSL's word for it, or NULL */
};

enum { CONN_SILENT_S = 10, CONN_ANSWER_S = 5 };  /* after which the other side is asked whether it is there; in which it has to say so */

int64_t conn_now_s(void);
void    conn_watch(const struct conn *, int op);         /* op: of epoll_ctl() */
void    conn_fini(struct conn *);

/* Goes on with the handshake of TLS: 1: done, 0: later, below: it is broken. */
int conn_shake(struct conn *);

/* Reads what has arrived. A peer that sends much is not read to the end: epoll then reports the socket again. */
void conn_hear(struct conn *, int64_t second);

/* Sends what HTTP/2 has to say, as far as the kernel takes it. */
void conn_flush(struct conn *);

/* Once a second: who has been silent is asked; who does not answer is gone. True: something is to be sent. */
bool conn_look_after(struct conn *, int64_t second);

#endif
