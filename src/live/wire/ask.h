/* src/live/wire/ask.h - one question and its reply, for programs that do nothing else. */
#ifndef LIVE_WIRE_ASK_H
#define LIVE_WIRE_ASK_H

#include "base/err.h"
#include "live/tls/tls.h"

#include <stddef.h>

/* Asks and waits. The reply is malloc'd. */
int rpc_ask(const char *address, const struct rpc_tls *, const void *bytes, size_t length, int timeout_ms,
            unsigned char **reply, size_t *reply_length, struct err *);

#endif
