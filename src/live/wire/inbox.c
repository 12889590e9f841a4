#include "live/wire/inbox.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

struct inbox_entry { struct inbox_entry *next; size_t size; struct rpc_event event; unsigned char bytes[]; };

void inbox_init(struct inbox *b)
{
    *b = (struct inbox){ .last = &b->first };
}

struct rpc_event *inbox_add(struct inbox *b, enum rpc_kind kind, const unsigned char *bytes, size_t length)
{
    struct inbox_entry *n = xmalloc(sizeof *n + length);

    *n = (struct inbox_entry){ .size = sizeof *n + length, .event = { .kind = kind, .why = "" } };
    b->held += n->size;
    if (bytes)
        memcpy(n->bytes, bytes, length);
    if (bytes && kind == RPC_CLOSE)
        n->event.why = (const char *)n->bytes;
    else if (bytes) {
        n->event.bytes = n->bytes;
        n->event.length = length;
    }
    *b->last = n;
    b->last = &n->next;
    return &n->event;
}

bool inbox_take(struct inbox *b, struct rpc_event *e)
{
    struct inbox_entry *n = b->first;

    free(b->current);
    b->current = NULL;
    if (!n)
        return false;
    b->first = n->next;
    if (!b->first)
        b->last = &b->first;
    *e = n->event;
    b->held -= n->size;
    b->current = n;
    return true;
}

bool inbox_next(struct inbox *b, struct rpc_event *e, void (*poll)(void *), void *arg)
{
    if (inbox_take(b, e))
        return true;
    if (!b->was_polled)
        poll(arg);
    b->was_polled = !b->was_polled && b->first;
    return inbox_take(b, e);
}

void inbox_fini(struct inbox *b)
{
    struct rpc_event e;

    while (inbox_take(b, &e))
        continue;
}
