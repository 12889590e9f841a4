/* src/live/wire/endpoint.h - addresses: "host:port", "[::1]:port" or "unix:PATH". */
#ifndef LIVE_WIRE_ENDPOINT_H
#define LIVE_WIRE_ENDPOINT_H

#include "base/err.h"
#include "base/text.h"
#include "live/wire/tls/secure.h"

#include <stdbool.h>

struct addrinfo;
struct sockaddr_un;

/* Refuses addresses elsewhere without TLS. */
int address_check(const char *address, const struct rpc_tls *, struct err *);

/* -EINVAL: malformed. The port of a socket file is "". */
int address_read(struct address *, const char *text, struct err *);

/* The address of a socket file. -ENAMETOOLONG: its path is too long. */
int address_file(struct sockaddr_un *, const char *path, struct err *);

/* Listens there, without waiting. Returns the descriptor, or a negative errno. Replaces an existing socket
 * file. */
int listen_open(const char *address, struct err *);

/* Resolves a name. This may take long, so a thread does it; the descriptor becomes readable when the answer
 * is there. */
struct lookup;
struct lookup *lookup_new(const struct address *);
void           lookup_free(struct lookup *);             /* whether it has ended or not */
int            lookup_fd(const struct lookup *);

/* The number of getaddrinfo(); 0: the addresses, to be freed with freeaddrinfo(). */
int lookup_take(struct lookup *, struct addrinfo **);

/* As lookup_take(), with flags of getaddrinfo(): AI_NUMERICHOST does not wait. */
int address_look_up(const struct address *, int flags, struct addrinfo **);

/* The possible socket files of a controller that listens at this address: number 'nth', from 0. False: no
 * more. */
#define ADDRESS_LOCAL_SIZE 108
bool address_local(char path[ADDRESS_LOCAL_SIZE], const char *address, unsigned nth);

bool address_is_here(const char *address);               /* is it at this machine? */

#endif
