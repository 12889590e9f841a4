/* src/live/wire/ask.c - see ask.h. */
#include "live/wire/ask.h"
#include "base/io/clock.h"
#include "live/wire/dial.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

struct answer { unsigned char *bytes; size_t length; bool is_over, is_good; char why[160]; };

static void take(struct dial *d, struct answer *a, const struct rpc_event *e, const void *bytes, size_t length)
{
    switch (e->kind) {
    case RPC_OPEN:
        dial_send(d, e->link, bytes, length);
        dial_finish(d, e->link);
        break;
    case RPC_DATA:
        free(a->bytes);
        a->bytes = memcpy(xmalloc(e->length + 1), e->bytes, e->length);
        a->length = e->length;
        break;
    case RPC_CLOSE:
        a->is_over = true;
        a->is_good = a->bytes && !*e->why;
        memcpy(a->why, *e->why ? e->why : "it has closed the connection", *e->why ? sizeof a->why : sizeof "it has closed the connection");
        break;
    default:
        break;
    }
}

int rpc_ask(const char *address, const struct rpc_tls *tls, const void *bytes, size_t length, int timeout_ms,
            unsigned char **reply, size_t *reply_length, struct err *err)
{
    int64_t          end_ms = (int64_t)(clock_us() / 1000) + timeout_ms, left_ms = timeout_ms;
    struct answer    a = { .why = "it took too long" };
    struct rpc_event e;
    struct dial     *d;
    int              rc = dial_open(&d, address, tls, &(struct dial_what){ RPC_ASK_METHOD, true, timeout_ms }, err);

    if (rc)
        return rc;
    for (; !a.is_over && left_ms > 0; left_ms = end_ms - (int64_t)(clock_us() / 1000)) {
        poll(&(struct pollfd){ .fd = dial_fd(d), .events = POLLIN }, 1, (int)left_ms);
        while (dial_next(d, &e))
            take(d, &a, &e, bytes, length);
    }
    dial_free(d);
    if (!a.is_good) {
        free(a.bytes);
        return err_set(err, ECONNREFUSED, "%s: no answer from a controller: %s", address, a.why);
    }
    *reply = a.bytes;
    *reply_length = a.length;
    return 0;
}
