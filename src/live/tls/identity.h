/* src/live/tls/identity.h - the contents of our certificate and key files, reread now and then.
 *
 * Files are replaced one by one, and may be incomplete or mismatched for a moment: only a complete and
 * matching set replaces the previous one.
 */
#ifndef LIVE_TLS_IDENTITY_H
#define LIVE_TLS_IDENTITY_H

#include "base/err.h"
#include "live/tls/tls.h"

#include <stdbool.h>
#include <stdint.h>

struct identity {
    char    *path[3];            /* ca, cert, key */
    char    *text[3];            /* their contents */
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
