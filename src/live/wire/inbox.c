/* src/live/wire/inbox.c - see inbox.h. */
#include "live/wire/inbox.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

#define SMALL 256u               /* bytes of a message that has a place in its event */

struct inbox_entry { struct inbox_entry *next; struct rpc_event event; unsigned char small[SMALL]; };

void inbox_init(struct inbox *b)
{
    *b = (struct inbox){ .last = &b->first };
}

struct rpc_event *inbox_add(struct inbox *b, enum rpc_kind kind, const unsigned char *bytes, size_t length)
{
    struct inbox_entry *n = b->spare ? b->spare : xmalloc(sizeof *n);

    b->spare = b->spare ? b->spare->next : NULL;
    n->next = NULL;
    n->event.kind = kind;
    n->event.link = 0;
    n->event.peer[0] = n->event.why[0] = '\0';
    n->event.bytes = NULL;
    n->event.length = length;
    if (bytes) {
        n->event.bytes = length <= SMALL ? n->small : xmalloc(length);
        memcpy(n->event.bytes, bytes, length);
    }
    *b->last = n;
    b->last = &n->next;
    return &n->event;
}

static void drop_current(struct inbox *b)
{
    struct inbox_entry *n = b->current;

    b->current = NULL;
    if (!n)
        return;
    if (n->event.bytes != n->small)
        free(n->event.bytes);
    n->next = b->spare;
    b->spare = n;
}

bool inbox_take(struct inbox *b, struct rpc_event *e)
{
    struct inbox_entry *n = b->first;

    drop_current(b);
    if (!n)
        return false;
    b->first = n->next;
    if (!b->first)
        b->last = &b->first;
    *e = n->event;
    b->current = n;
    return true;
}

bool inbox_is_empty(const struct inbox *b)
{
    return !b->first;
}

void inbox_fini(struct inbox *b)
{
    struct rpc_event e;

    while (inbox_take(b, &e))
        continue;
    for (struct inbox_entry *n = b->spare, *next; n; n = next) {
        next = n->next;
        free(n);
    }
}
