/* tests/fuzz/fuzz_h2_client.c - for any bytes of a server, messages are complete, and each opened call is
 * closed exactly once.
 */
#include "live/wire/h2/h2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int opened, closed;

static void on_open(void *arg, struct h2_call *c)
{
    PROMISE(c->h2->arg == arg && c->kind == H2_STREAM && !opened);
    opened++;
    h2_send(c, "hello", 5);
}

/* Echoes each message. Depending on its bytes, ends or cuts the call. */
static void on_data(void *arg, struct h2_call *c, const unsigned char *bytes, size_t length)
{
    unsigned sum = 0;

    (void)arg;
    PROMISE(opened == 1 && !closed && length <= H2_MESSAGE_MAX);
    for (size_t i = 0; i < length; i++)
        sum += bytes[i];
    h2_send(c, bytes, length);
    if (sum % 8 == 1)
        h2_end(c, H2_OK);
    else if (sum % 8 == 3)
        h2_cut(c);
}

static void on_close(void *arg, struct h2_call *c)
{
    const char *why;

    (void)arg;
    h2_is_done(c, &why);
    PROMISE(strlen(why) < H2_WHY_SIZE && opened == 1 && !closed);
    for (const char *at = why; *at; at++)
        PROMISE(*at >= ' ' && *at < 127);
    closed++;
}

/* The first byte selects the sizes of the pieces in which the rest arrives. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct h2_hooks hooks = { NULL, on_open, on_data, on_close };
    static int                   owner;
    size_t                       grain = size ? data[0] % 64 + 1u : 1, total = 0, n;
    const unsigned char         *out;
    struct h2                   *h = h2_new(&hooks, &owner, true);
    bool                         is_good = true;

    opened = closed = 0;
    h2_begin(h, &(struct h2_request){ "/s", "localhost", H2_STREAM, false, 0 });
    for (size_t at = 1; at < size && is_good; at += grain) {
        while ((n = h2_output(h, &out)) > 0 && total < 1u << 20)
            total += n;
        is_good = h2_receive(h, data + at, size - at < grain ? size - at : grain);
    }
    h2_free(h);
    PROMISE(opened == closed);
    return 0;
}
