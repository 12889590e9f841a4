/* src/live/wire/event.h - events of links: see serve.h and dial.h. */
#ifndef LIVE_WIRE_EVENT_H
#define LIVE_WIRE_EVENT_H

#include "live/wire/account.h"

#include <stddef.h>
#include <stdint.h>

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

#endif
