/* src/live/tls/identity.h - what is in the files that prove who we are, read again now and then.
 *
 * Files are exchanged one after another, and may be half-written or not fit together for a moment: only what
 * is whole and fits together takes the place of what there was.
 */
#ifndef LIVE_TLS_IDENTITY_H
#define LIVE_TLS_IDENTITY_H

#include "base/err.h"
#include "live/tls/tls.h"

#include <stdbool.h>
#include <stdint.h>

struct identity {
    char    *path[3];            /* ca, cert, key */
    char    *text[3];            /* what is in them */
    unsigned refresh_s;
    int64_t  looked_s;           /* the last time */
};

/* On failure nothing is held: a file cannot be read, is no PEM, or certificate and key do not belong
 * together. */
int  identity_open(struct identity *, const struct rpc_tls *, struct err *);
void identity_fini(struct identity *);

/* Looks again, if it is time. True: there is something new. */
bool identity_look(struct identity *);

#endif
