/* src/live/wire/inbox.h - events that wait for the program's loop, in order. */
#ifndef LIVE_WIRE_INBOX_H
#define LIVE_WIRE_INBOX_H

#include "live/wire/account.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- events of links: see serve.h and dial.h ---- */

#define RPC_CONNECT_METHOD "/anole.v1.Fabric/Connect"
#define RPC_ASK_METHOD     "/anole.v1.Fabric/Ask"

enum rpc_kind {
    RPC_OPEN,                    /* a stream was opened */
    RPC_DATA,                    /* a message on it */
    RPC_CLOSE,                   /* it ended: the last event of this link */
    RPC_ASK,                     /* a question, to be answered with serve_reply() */
};

struct rpc_event {
    enum rpc_kind  kind;
    uint32_t       link;         /* below 2^31 */
    struct account *account;     /* server: account of the certificate; NULL: client */
    unsigned char *bytes;        /* DATA, ASK: until the next event is taken */
    size_t         length;
    const char    *why;          /* CLOSE: "", or the reason, until the next event is taken */
};

struct inbox_entry;

struct inbox {
    struct inbox_entry *first, **last;
    struct inbox_entry *current; /* the one that the program looks at */
    size_t              held;    /* bytes of those that wait */
    bool                was_polled;              /* since it last said that there is no event */
};

void inbox_init(struct inbox *);
void inbox_fini(struct inbox *);

/* Bytes, which may be NULL, are copied. The event is to be completed: its link and account. 'why' of
 * RPC_CLOSE is the bytes, a text with its end. */
struct rpc_event *inbox_add(struct inbox *, enum rpc_kind, const unsigned char *bytes, size_t length);

/* Returns false if there is no event. The bytes of an event stay valid until the next call. */
bool inbox_take(struct inbox *, struct rpc_event *);

/* The same; if there is no event it polls for some. After each poll that finds events it says once that there
 * are no more, so that the program's loop does other things, too. */
bool inbox_next(struct inbox *, struct rpc_event *, void (*poll)(void *), void *arg);

#endif
