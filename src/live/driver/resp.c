/* src/live/driver/resp.c - see resp.h. */
#include "live/driver/resp.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)                /* what Redis writes as the length of what is not there */

void resp_buffer_fini(struct resp_buffer *b)
{
    free(b->bytes);
    *b = (struct resp_buffer){ NULL, 0, 0 };
}

void resp_buffer_add(struct resp_buffer *b, const void *bytes, size_t length)
{
    if (b->length + length > b->room) {
        b->room = 2 * (b->length + length);
        b->bytes = xrealloc(b->bytes, b->room);
    }
    memcpy(b->bytes + b->length, bytes, length);
    b->length += length;
}

/* "$12\r\n". By hand: there are hundreds of them in a call. */
static void add_number(struct resp_buffer *b, char sign, size_t value)
{
    char  text[24], *at = text + sizeof text;

    *--at = '\n';
    *--at = '\r';
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    *--at = sign;
    resp_buffer_add(b, at, (size_t)(text + sizeof text - at));
}

static void add_word(struct resp_buffer *b, const char *word)
{
    size_t length = strlen(word);

    add_number(b, '$', length);
    resp_buffer_add(b, word, length);
    resp_buffer_add(b, "\r\n", 2);
}

void resp_add_get(struct resp_buffer *b, const char *key, const char *const *field, int fields)
{
    add_number(b, '*', (size_t)fields + 2);
    add_word(b, "HMGET");
    add_word(b, key);
    for (int i = 0; i < fields; i++)
        add_word(b, field[i]);
}

/* What is left of the bytes. */
struct rest { const char *at, *end; bool is_short, is_bad; };

/* "$12\r\n": the number after a sign that is expected. */
static long number(struct rest *r, char sign)
{
    const char *at = r->at;
    long        value = 0;
    bool        is_none;

    if (at == r->end) {
        r->is_short = true;
        return 0;
    }
    r->is_bad |= *at++ != sign;
    is_none = at + 1 < r->end && at[0] == '-' && at[1] == '1';
    at += is_none ? 2 : 0;
    for (; at < r->end && *at >= '0' && *at <= '9' && value < 1000000; at++)
        value = 10 * value + (*at - '0');
    if (at + 2 > r->end)
        r->is_short = true;
    else if (at[0] != '\r' || at[1] != '\n')
        r->is_bad = true;
    else
        r->at = at + 2;
    return is_none ? NONE : value;
}

/* The text that comes next, or NULL: it is not there. */
static const char *text(struct rest *r, size_t *length)
{
    long        size = number(r, '$');
    const char *at = r->at;

    if (r->is_short || r->is_bad || size == NONE)
        return NULL;
    if (r->end - at < size + 2) {
        r->is_short = true;
        return NULL;
    }
    r->is_bad = at[size] != '\r' || at[size + 1] != '\n';
    r->at = at + size + 2;
    *length = (size_t)size;
    return at;
}

static bool is_whole(struct rest *r, int fields)
{
    size_t length;

    if (number(r, '*') != fields && !r->is_short)
        r->is_bad = true;
    for (int i = 0; i < fields && !r->is_short && !r->is_bad; i++)
        text(r, &length);
    return !r->is_short && !r->is_bad;
}

long resp_take(const char *bytes, size_t length, int fields, void (*take)(void *, int field, const char *text), void *arg)
{
    struct rest r = { .at = bytes, .end = bytes + length };
    char        copy[RESP_TEXT_MAX + 1];
    size_t      size = 0;

    if (!is_whole(&r, fields))
        return r.is_bad ? -EIO : 0;
    r = (struct rest){ .at = bytes, .end = bytes + length };
    number(&r, '*');
    for (int i = 0; i < fields; i++) {
        const char *at = text(&r, &size);

        if (!at || size > RESP_TEXT_MAX || memchr(at, '\0', size))
            continue;
        memcpy(copy, at, size);
        copy[size] = '\0';
        take(arg, i, copy);
    }
    return r.at - bytes;
}
