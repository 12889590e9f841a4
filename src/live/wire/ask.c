#include "live/wire/ask.h"
#include "base/io/clock.h"
#include "live/wire/endpoint.h"
#include "live/wire/dial.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGAIN_MS 100             /* until the next attempt, where the other end is too busy to talk */

struct answer { unsigned char *bytes; size_t length; bool is_open, is_over, is_good; char why[160]; };

/* Was the connection cut before the question was sent? A listener does that while others flood it. */
static bool is_cut(const struct answer *a)
{
    return !a->is_open &&
           (strcmp(a->why, strerror(EPIPE)) == 0 || strcmp(a->why, strerror(ECONNRESET)) == 0 ||
                           strcmp(a->why, DIAL_CLOSED_AT_ONCE) == 0);
}

static void on_event(struct dial *d, struct answer *a, const struct rpc_event *e, const void *bytes,
                     size_t length)
{
    switch (e->kind) {
    case RPC_OPEN:
        a->is_open = true;
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
        snprintf(a->why, sizeof a->why, "%s", *e->why ? e->why : "it has closed the connection");
        break;
    default:
        break;
    }
}

static int ask_at(const char *address, const struct rpc_tls *tls, const void *bytes, size_t length,
                  int timeout_ms, unsigned char **reply, size_t *reply_length, struct err *err)
{
    int64_t          end_ms = (int64_t)(clock_us() / 1000) + timeout_ms, left_ms = timeout_ms;
    struct answer    a = { .why = "it took too long" };
    struct rpc_event e;
    struct dial     *d;
    int              rc = dial_open(&d, address, tls,
                                    &(struct dial_what){ RPC_ASK_METHOD, true, timeout_ms }, err);

    if (rc)
        return rc;
    for (; !a.is_over && left_ms > 0; left_ms = end_ms - (int64_t)(clock_us() / 1000)) {
        poll(&(struct pollfd){ .fd = dial_fd(d), .events = POLLIN }, 1, (int)left_ms);
        while (dial_next(d, &e))
            on_event(d, &a, &e, bytes, length);
    }
    dial_free(d);
    if (!a.is_good) {
        int error = strcmp(a.why, "it took too long") == 0 ? ETIMEDOUT : is_cut(&a) ? ECONNRESET :
                    ECONNREFUSED;

        free(a.bytes);
        return err_set(err, error, "%s: no answer from a controller: %s", address, a.why);
    }
    *reply = a.bytes;
    *reply_length = a.length;
    return 0;
}

static int ask_until_heard(const char *address, const struct rpc_tls *tls, const void *bytes, size_t length,
                           int timeout_ms, unsigned char **reply, size_t *reply_length, struct err *err)
{
    int64_t end_ms = (int64_t)(clock_us() / 1000) + timeout_ms, left_ms = timeout_ms;
    int     rc;

    do {
        rc = ask_at(address, tls, bytes, length, (int)left_ms, reply, reply_length, err);
        if (rc != -ECONNRESET)
            break;
        poll(NULL, 0, AGAIN_MS);
        left_ms = end_ms - (int64_t)(clock_us() / 1000);
    } while (left_ms > 0);
    return rc;
}

/* Asks through the socket file of a controller on this machine. -ENOENT: no such file. */
static int ask_local(const char *address, const void *bytes, size_t length, int timeout_ms,
                     unsigned char **reply, size_t *reply_length)
{
    char       path[ADDRESS_LOCAL_SIZE], at[ADDRESS_LOCAL_SIZE + 8];
    struct err ignored;
    int        rc = -ENOENT;

    if (!address_is_here(address))
        return -ENOENT;
    for (unsigned i = 0; rc && address_local(path, address, i); i++) {
        snprintf(at, sizeof at, "unix:%s", path);
        if (access(path, R_OK | W_OK) == 0)
            rc = ask_at(at, &(struct rpc_tls){ 0 }, bytes, length, timeout_ms, reply, reply_length, &ignored);
    }
    return rc;
}

/* A local client without a certificate is identified by the socket file. This also works if the network does
 * not answer. */
int rpc_ask(const char *address, const struct rpc_tls *tls, const void *bytes, size_t length, int timeout_ms,
            unsigned char **reply, size_t *reply_length, struct err *err)
{
    int rc = tls->ca ? -ENOENT : ask_local(address, bytes, length, timeout_ms, reply, reply_length);

    if (rc)
        rc = ask_until_heard(address, tls, bytes, length, timeout_ms, reply, reply_length, err);
    if ((rc == -ETIMEDOUT || rc == -ECONNRESET) && tls->ca &&
        ask_local(address, bytes, length, timeout_ms, reply, reply_length) == 0)
        rc = 0;
    return rc;
}
