/* src/live/wire/creds.h - certificates of who dials, for rpc.c and ask.c; servers: secure.h. */
#ifndef LIVE_WIRE_CREDS_H
#define LIVE_WIRE_CREDS_H

#include "base/err.h"
#include "live/wire/tls.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

/* Refuses files that cannot be read, and addresses elsewhere without TLS. */
int creds_check(const char *address, const struct rpc_tls *, struct err *);

/* What the files hold; NULL: without TLS. It must outlive what is made of it. */
struct creds;
int  creds_open(struct creds **out, const struct rpc_tls *, struct err *);
void creds_free(struct creds *);

/* To be released by the caller. */
grpc_channel *creds_channel(const char *address, const struct creds *);

/* The channel, or another one in its place once files were exchanged: the old one would go on with the old ones. */
grpc_channel *creds_renew(grpc_channel *, const char *address, struct creds *);

/* The name in the certificate of the other side; "" if there is none. */
void creds_peer(grpc_call *, char *name, size_t size);

#endif
