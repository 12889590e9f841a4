/* src/live/wire/serve.h - a server's end of gRPC, in the program's one loop, without a thread.
 *
 * serve_fd() becomes readable, and serve_next() then returns events; the loop calls it until there are none
 * before it waits again. dial.h is the other end. Sockets are read when the loop asks for events, so a peer
 * that sends too fast waits in the kernel.
 *
 * With TLS both sides present a certificate of the same authority (secure.h). Without TLS only local
 * addresses are allowed.
 *
 * No client can exhaust the server. A handshake has five seconds. Handshakes have a limited number of file
 * descriptors, and each address at most half of it: when the limit is reached, the oldest handshake of the
 * address with the most gives way. Each certificate has an account (account.h). Some connections are reserved
 * for operators, and some files for the rest of the process.
 */
#ifndef LIVE_WIRE_SERVE_H
#define LIVE_WIRE_SERVE_H

#include "base/err.h"
#include "live/wire/tls/secure.h"
#include "live/wire/inbox.h"

#include <stdbool.h>

struct serve_limits {
    struct account_limits account;       /* of each certificate */
    uint32_t              files;         /* of the process; 0: as many as RLIMIT_NOFILE says */
    /* gets a connection when agents get none; NULL: disabled */
    bool (*is_operator)(void *arg, const struct account *);
    void                 *arg;
};

struct serve_counts {
    uint64_t            refused[SECURE_REFUSAL_KINDS], ignored;
    enum secure_refusal last;            /* why the last one was refused */
    int64_t             last_s;          /* and when, seconds since 1970; 0: none was refused */
    uint32_t            connections, handshakes;
};

struct serve;

/* Listens for streams and questions. Limits of NULL: the defaults. On failure *out is NULL. */
int  serve_open(struct serve **out, const char *address, const struct rpc_tls *, const struct serve_limits *,
                struct err *);
void serve_free(struct serve *);

/* Also listens at a socket file, without TLS, for questions of root and of the process's user. 'path' of
 * NULL: where rpc_ask() looks for that of 'address', if possible. */
int  serve_add_local(struct serve *, const char *path, const char *address, struct err *);

const struct serve_counts *serve_counts(const struct serve *);
struct accounts           *serve_accounts(struct serve *);
int64_t                    serve_ends_s(struct serve *);         /* of its certificate: secure_ends_s() */

int  serve_fd(const struct serve *);
bool serve_next(struct serve *, struct rpc_event *);     /* false: nothing is there */

void serve_cut(struct serve *, uint32_t link);           /* ends a stream; RPC_CLOSE follows */

/* Send a message. A link whose other end does not read is closed. A link that has ended is ignored. */
void serve_send(struct serve *, uint32_t link, const void *bytes, size_t length);
void serve_reply(struct serve *, uint32_t link, const void *bytes, size_t length);

#endif
