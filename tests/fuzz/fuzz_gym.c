/* tests/fuzz/fuzz_gym.c - for any input of a client, a session answers with complete messages, and ends with
 * an ERROR if necessary. The world is that of the unit tests. Each input is tried as it is, and again after a
 * HELLO and a RESET.
 */
#include "../../src/cmd/gym/test_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void check_reply(const struct gym_session *s, int rc, const struct err *err)
{
    uint32_t type;

    if (s->reply.length == 0) {
        PROMISE(rc == 0 && s->is_closed);
        return;
    }
    type = u32(s->reply.bytes);
    PROMISE(s->reply.length == GYM_HEAD_BYTES + u32(s->reply.bytes + 4));
    PROMISE((type == GYM_ERROR) == (rc != 0) && (rc == 0 || s->is_closed));
    PROMISE(type != GYM_BATCH ||
            s->reply.length == GYM_HEAD_BYTES + 56 + 32 * (size_t)u32(s->reply.bytes + 48));
    PROMISE(rc == 0 || (!strchr(err->text, '\n') && *err->text));
}

/* Feeds messages like gym_serve() from a socket. Returns false when the session is over. */
static bool feed(struct gym_session *s, const uint8_t *data, size_t size)
{
    while (size >= GYM_HEAD_BYTES && !s->is_closed) {
        struct err err = { "" };
        uint32_t type, bytes;
        uint8_t *payload;
        int rc = gym_head_parse(data, &type, &bytes, &err);

        if (rc) {
            gym_session_refuse(s, &err);
            check_reply(s, rc, &err);
            return false;
        }
        if (bytes > size - GYM_HEAD_BYTES)
            return false;                    /* the client has disconnected */
        payload = malloc(bytes ? bytes : 1);
        memcpy(payload, data + GYM_HEAD_BYTES, bytes);
        rc = gym_session_take(s, type, payload, bytes, &err);
        free(payload);
        check_reply(s, rc, &err);
        data += GYM_HEAD_BYTES + bytes;
        size -= GYM_HEAD_BYTES + bytes;
    }
    return !s->is_closed;
}

static void try(const uint8_t *data, size_t size, bool is_begun)
{
    static const uint8_t begin[] = { 1, 0, 0, 0, 8, 0, 0, 0, 'A', 'G', 'Y', 'M', 1, 0, 0, 0,
                                     2, 0, 0, 0, 8, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0 };
    struct test_world w = { .batches_max = 6 };
    struct gym_world world = test_world_of(&w);
    struct gym_session s;

    gym_session_init(&s, &world);
    if (is_begun)
        PROMISE(feed(&s, begin, sizeof(begin)));
    feed(&s, data, size);
    gym_session_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try(data, size, false);
    try(data, size, true);
    return 0;
}
