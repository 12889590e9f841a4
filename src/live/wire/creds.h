/* src/live/wire/creds.h - certificates, for rpc.c. */
#ifndef LIVE_WIRE_CREDS_H
#define LIVE_WIRE_CREDS_H

#include "base/err.h"
#include "live/wire/tls.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

/* Refuses files that cannot be read, and addresses elsewhere without TLS. */
int creds_check(const char *address, const struct rpc_tls *, struct err *);

/* To be released by the caller. */
grpc_server_credentials  *creds_server(const struct rpc_tls *);
grpc_channel_credentials *creds_client(const struct rpc_tls *);

/* The name in the certificate of the other side; "" if there is none. */
void creds_peer(grpc_call *, char *name, size_t size);

#endif
