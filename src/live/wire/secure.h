/* src/live/wire/secure.h - TLS of servers: who dials shows a certificate of the same authority, or does not get in. */
#ifndef LIVE_WIRE_SECURE_H
#define LIVE_WIRE_SECURE_H

#include "base/err.h"
#include "live/wire/tls.h"

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

struct secure;                   /* NULL: without TLS */
int  secure_open(struct secure **out, const struct rpc_tls *, struct err *);
void secure_free(struct secure *);

/* The server's end of a connection. Files that were exchanged are seen here, as identity.h says. */
struct secure_socket { int fd; bool is_empty; };         /* empty: the last read got less than it would have taken */
SSL *secure_accept(struct secure *, struct secure_socket *);

/* The name in the certificate of the other side; "" if there is none. */
void secure_peer(const SSL *, char *name, size_t size);

#endif
