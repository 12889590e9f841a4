/* src/live/wire/tls/secure.h - TLS of both ends: each shows a certificate of the same authority, or is
 * refused.
 *
 * The files of certificates and keys are reread every minute, so they can be replaced without a restart, in
 * any order: only a complete and matching set replaces the previous one. */
#ifndef LIVE_WIRE_TLS_SECURE_H
#define LIVE_WIRE_TLS_SECURE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ssl_st SSL;       /* OpenSSL's */

struct rpc_tls {
    char    *ca, *cert, *key;    /* files; all NULL: none */
    uint32_t refresh_s;          /* how often they are read again; 0: every minute */
    bool     is_old;             /* TLS 1.2 will do; else 1.3 */
};

struct secure;                   /* NULL: without TLS */
int  secure_open(struct secure **out, const struct rpc_tls *, bool is_client, struct err *);
void secure_free(struct secure *);

/* An end of a connection. Files are reread here, if it is time. Client: the server's certificate must have
 * the name or the address 'host' that was dialled. */
SSL *secure_begin(struct secure *, int fd, const char *host);

/* Why the server we dialled is not accepted; NULL: no error so far. */
const char *secure_refusal(const SSL *);

#define SECURE_NAME_SIZE 64

/* The names in the certificate of the other side: its common name, then the DNS names and URIs of its
 * subjectAltName. Names that are longer, have a '*' or characters that are not printed, and 'localhost' do
 * not count. Returns how many, at most 'max'. */
uint32_t secure_names(const SSL *, char (*name)[SECURE_NAME_SIZE], uint32_t max);

/* When the certificate of this end, or of the other side, ends: seconds since 1970; 0: it has none. */
int64_t secure_ends_s(struct secure *);
int64_t secure_peer_ends_s(const SSL *);

/* Why a server refuses a client. Rows: name, text in metrics and messages. */
#define SECURE_REFUSALS(X) \
    X(NO_CERTIFICATE, "no certificate") X(AUTHORITY, "certificate of another authority") \
    X(EXPIRED, "certificate not valid now") X(NO_NAME, "certificate without a name") \
    X(OLD, "older version of TLS") X(PLAIN, "not TLS") X(SLOW, "handshake too slow") \
    X(CROWD, "too many handshakes") X(ROOM, "too many connections") \
    X(USER, "another user of this machine") X(GONE, "gone during the handshake") X(OTHER, "other")

#define SECURE_REFUSAL_ENUM(id, text) SECURE_##id,
enum secure_refusal { SECURE_REFUSALS(SECURE_REFUSAL_ENUM) SECURE_REFUSAL_KINDS };

/* Of a failed handshake; 'reason': OpenSSL's, or 0. */
enum secure_refusal secure_refused(const SSL *, int reason);
const char         *secure_refusal_text(enum secure_refusal);

#endif
