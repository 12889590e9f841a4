/* tests/fuzz/fuzz_h2.c - for any bytes on a connection, messages are complete, and each opened call is closed
 * exactly once.
 */
#include "live/wire/h2/h2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int open_calls;

static enum h2_kind kind_of(const char *path)
{
    return strcmp(path, "/s") == 0 ? H2_STREAM : strcmp(path, "/q") == 0 ? H2_QUESTION : H2_UNKNOWN;
}

static void on_open(void *arg, struct h2_call *c)
{
    PROMISE(c->h2->arg == arg && c->kind != H2_UNKNOWN && c->number == 0);
    c->number = 7;
    open_calls++;
}

/* Echoes each message. Depending on its bytes, ends or cuts the call. */
static void on_data(void *arg, struct h2_call *c, const unsigned char *bytes, size_t length)
{
    unsigned sum = 0;

    (void)arg;
    PROMISE(c->number == 7 && length <= H2_MESSAGE_MAX);
    for (size_t i = 0; i < length; i++)
        sum += bytes[i];
    h2_send(c, bytes, length);
    if (c->kind == H2_QUESTION || sum % 8 == 1)
        h2_end(c, H2_OK);
    else if (sum % 8 == 3)
        h2_cut(c);
}

static void on_close(void *arg, struct h2_call *c)
{
    (void)arg;
    PROMISE(c->number == 7 && open_calls > 0);
    open_calls--;
}

/* The first byte selects the sizes of the pieces in which the rest arrives. The client preface is already
 * there. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct h2_hooks hooks = { kind_of, on_open, on_data, on_close };
    static int                   owner;
    size_t                       grain = size ? data[0] % 64 + 1u : 1, at = 1, total = 0, n;
    const unsigned char         *out;
    struct h2                   *h = h2_new(&hooks, &owner, false);
    bool                         is_good = h2_receive(h, (const unsigned char *)preface, sizeof preface - 1);

    PROMISE(is_good);
    for (; at < size && is_good; at += grain) {
        is_good = h2_receive(h, data + at, size - at < grain ? size - at : grain);
        while ((n = h2_output(h, &out)) > 0 && total < 1u << 20)
            total += n;
    }
    h2_free(h);
    PROMISE(open_calls == 0);
    return 0;
}
