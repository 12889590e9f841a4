/* src/live/tls/secure.h - TLS of both ends: each shows a certificate of the same authority, or is not talked to. */
#ifndef LIVE_TLS_SECURE_H
#define LIVE_TLS_SECURE_H

#include "base/err.h"
#include "live/tls/tls.h"

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

struct secure;                   /* NULL: without TLS */
int  secure_open(struct secure **out, const struct rpc_tls *, bool is_client, struct err *);
void secure_free(struct secure *);

/* An end of a connection. Files that were exchanged are seen here, as identity.h says. The other side's certificate must have the name
 * or the address that was dialled. */
SSL *secure_accept(struct secure *, int fd);
SSL *secure_dial(struct secure *, int fd, const char *host);

/* Why we do not talk to who was dialled; NULL: we do, as far as is known. */
const char *secure_refusal(const SSL *);

/* The name in the certificate of the other side; "" if there is none. */
void secure_peer(const SSL *, char *name, size_t size);

#endif
