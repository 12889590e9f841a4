/* src/sim/host/pair/pair.c - see pair.h. */
#include "sim/host/pair/pair.h"

#include <stdlib.h>

/* ---- building ---- */

static size_t table_bytes(uint32_t count)
{
    size_t slots = PAIR_SLOTS_MIN;

    while (slots < 2ul * count)
        slots *= 2;
    return 2 * slots * sizeof(uint32_t) + 64ul * 64;       /* and all that it has outgrown */
}

void pair_build(struct sim *s, uint32_t count)
{
    struct pairs *p = &s->flows.pairs;

    arena_init(&s->lasting_arena, (size_t)count * (sizeof *p->pair + sizeof *p->posted + sizeof *p->arrived) + 256);
    p->pair = arena_alloc(&s->lasting_arena, count, sizeof *p->pair);
    p->posted = arena_alloc(&s->lasting_arena, count, sizeof *p->posted);
    p->arrived = arena_alloc(&s->lasting_arena, count, sizeof *p->arrived);
    p->first = p->used = 1;
    p->limit = count;
    p->table = xcalloc(1, sizeof *p->table);
    arena_init(p->table, table_bytes(count));
}

void pair_build_part(struct sim *s, uint32_t part, uint32_t parts)
{
    struct pairs *p = &s->flows.pairs;
    uint32_t      count = p->limit / parts;

    p->first = p->used = 1 + part * count;
    p->limit = (part + 1) * count;
    p->table = xcalloc(1, sizeof *p->table);
    arena_init(p->table, table_bytes(count));
}

void pair_free(struct sim *s)
{
    if (!s->flows.pairs.table)
        return;
    arena_fini(s->flows.pairs.table);
    free(s->flows.pairs.table);
    if (!s->is_part)
        arena_fini(&s->lasting_arena);
}

/* ---- messages ---- */

static uint32_t new_posted(struct sim *s)
{
    struct pairs *p = &s->flows.pairs;
    uint32_t      id = p->free;

    if (id) {
        p->free = p->posted[id].next;
        return id;
    }
    if (p->used < p->limit)
        return p->used++;
    engine_fail(&s->engine, "more than %u messages at once", p->limit - p->first);
    return 0;
}

static void give_back(struct pairs *p, uint32_t id)
{
    if (!id)
        return;
    p->posted[id].next = p->free;
    p->free = id;
}

/* The oldest message is 'id' now. */
static void use_head(struct sim *s, struct flow *f, uint32_t id)
{
    const struct posted *m = &s->flows.pairs.posted[id];

    pair_of(s, f)->head = id;
    f->end = m->end;
    f->start_ps = m->start_ps;
    f->ideal_ps = m->ideal_ps;
    f->tag = m->tag;
    f->resent_bytes = 0;
}

static void use_sending(struct sim *s, struct flow *f, uint32_t id)
{
    const struct posted *m = &s->flows.pairs.posted[id];

    pair_of(s, f)->sending = id;
    f->bytes = m->end;
    if (f->sent < m->begin)
        f->sent = m->begin;
}

bool pair_add(struct sim *s, struct flow *f, const struct flow_spec *spec, uint64_t ideal_ps)
{
    struct pairs *all = &s->flows.pairs;
    struct pair  *p = pair_of(s, f);
    uint32_t      id = new_posted(s), mtu = s->cfg.mtu_bytes;
    uint64_t      begin = p->tail ? all->posted[p->tail].end : p->past ? all->posted[p->past].end : 0;

    if (!id)
        return false;
    if (s->flows.selective_tx)
        begin = (begin + mtu - 1) / mtu * mtu;
    all->posted[id] = (struct posted){ .begin = begin, .end = begin + spec->bytes, .start_ps = engine_world_ps(&s->engine),
                                       .ideal_ps = ideal_ps, .tag = spec->tag };
    if (p->tail)
        all->posted[p->tail].next = id;
    else if (p->past)
        all->posted[p->past].next = id;
    else
        p->first = id;
    p->tail = id;
    if (!p->head) {
        f->sent = f->acked = begin;
        use_head(s, f, id);
        use_sending(s, f, id);
    } else {
        pair_go_on(s, f);
    }
    return true;
}

bool pair_pop(struct sim *s, struct flow *f)
{
    struct pairs *all = &s->flows.pairs;
    struct pair  *p = pair_of(s, f);
    uint32_t      next = all->posted[p->head].next;

    give_back(all, p->past);
    p->past = p->head;
    if (!next) {
        p->head = p->sending = p->tail = 0;
        f->end = UINT64_MAX;
        return false;
    }
    if (p->sending == p->head)
        use_sending(s, f, next);
    use_head(s, f, next);
    pair_go_on(s, f);
    return true;
}

APART void pair_go_on(struct sim *s, struct flow *f)
{
    const struct pairs *all = &s->flows.pairs;
    const struct pair  *p = pair_of(s, f);

    while (f->sent >= f->bytes && all->posted[p->sending].next)
        use_sending(s, f, all->posted[p->sending].next);
    if (f->sent > f->bytes)
        f->sent = f->bytes;
}

APART void pair_go_back(struct sim *s, struct flow *f)
{
    use_sending(s, f, pair_of(s, f)->head);
    pair_go_on(s, f);
}

uint32_t pair_waiting(const struct sim *s, const struct flow *f, uint64_t *bytes)
{
    uint32_t count = 0;

    if (!f->is_lasting) {
        *bytes += f->bytes;
        return 1;
    }
    for (uint32_t id = pair_of(s, f)->head; id; id = s->flows.pairs.posted[id].next, count++)
        *bytes += s->flows.pairs.posted[id].end - s->flows.pairs.posted[id].begin;
    return count;
}

/* ---- the receiver ---- */

static uint32_t receiving(const struct sim *s, const struct flow *f)
{
    uint32_t arrived = s->flows.pairs.arrived[f - s->flows.flow];

    return arrived ? s->flows.pairs.posted[arrived].next : pair_of(s, f)->first;
}

const struct posted *pair_receiving(const struct sim *s, const struct flow *f)
{
    return &s->flows.pairs.posted[receiving(s, f)];
}

void pair_on_arrival(struct sim *s, const struct flow *f)
{
    s->flows.pairs.arrived[f - s->flows.flow] = receiving(s, f);
}
