#include "sim/host/pair/pair_table.h"
#include "sim/host/flow.h"
#include "sim/host/pair/pair.h"

struct key { uint32_t src, dst, traffic, number; uint16_t dport; uint8_t prio; };

static uint32_t hash(const struct key *k)
{
    uint64_t h = ((uint64_t)k->src << 32 | k->dst) * 0x9e3779b97f4a7c15ull;

    h ^= h >> 29;
    h += (uint64_t)k->traffic << 40 ^ (uint64_t)k->number << 16 ^ k->dport ^ (uint64_t)k->prio << 60;
    h *= 0xbf58476d1ce4e5b9ull;
    h ^= h >> 32;
    h *= 0x94d049bb133111ebull;
    return (uint32_t)(h >> 32);
}

static struct key key_of(const struct sim *s, const struct flow *f)
{
    return (struct key){ f->src, f->dst, f->traffic, pair_of(s, f)->number, (uint16_t)(f->ports >> 16), f->prio };
}

static bool is_same(const struct key *a, const struct key *b)
{
    return a->src == b->src && a->dst == b->dst && a->traffic == b->traffic && a->number == b->number &&
           a->dport == b->dport && a->prio == b->prio;
}

/* Where a key is in the table, or is to be. */
static uint32_t *slot_of(const struct sim *s, const struct key *k)
{
    const struct pairs *p = &s->flows.pairs;
    uint32_t            at = hash(k) & p->mask;

    for (; p->slot[at]; at = (at + 1) & p->mask) {
        struct key is = key_of(s, &s->flows.flow[p->slot[at]]);

        if (is_same(&is, k))
            break;
    }
    return &p->slot[at];
}

/* Twice as many slots when half are taken; those outgrown are as many as there are, and stay unused. */
static void make_room(struct sim *s)
{
    struct pairs *p = &s->flows.pairs;
    uint32_t     *was = p->slot, slots = p->slot ? p->mask + 1 : 0;

    if (2 * (p->count + 1) <= slots)
        return;
    p->slot = arena_alloc(p->table, slots ? 2ul * slots : PAIR_SLOTS_MIN, sizeof *p->slot);
    p->mask = (slots ? 2 * slots : PAIR_SLOTS_MIN) - 1;
    for (uint32_t i = 0; i < slots; i++)
        if (was[i]) {
            struct key k = key_of(s, &s->flows.flow[was[i]]);

            *slot_of(s, &k) = was[i];
        }
}

static struct flow *find_or_make(struct sim *s, struct host *h, const struct key *k)
{
    struct pairs *p = &s->flows.pairs;
    uint32_t     *slot, id;

    make_room(s);
    slot = slot_of(s, k);
    if (*slot)
        return &s->flows.flow[*slot];
    id = flow_take(s);
    if (!id)
        return NULL;
    *slot = id;
    p->count++;
    p->pair[id] = (struct pair){ .number = k->number, .next_of_host = h->pairs };
    h->pairs = id;
    s->flows.flow[id].phase = FLOW_FREE;
    s->flows.flow[id].src = k->src;      /* so that it is found */
    s->flows.flow[id].dst = k->dst;
    s->flows.flow[id].traffic = k->traffic;
    s->flows.flow[id].ports = (uint32_t)k->dport << 16;
    s->flows.flow[id].prio = k->prio;
    return &s->flows.flow[id];
}

struct flow *pair_take(struct sim *s, struct host *h, const struct flow_spec *spec)
{
    struct key   k = { h->node, spec->dst, spec->traffic, spec->pair ? spec->pair : 1, spec->dport, spec->prio };
    struct flow *f = find_or_make(s, h, &k);
    struct pair *first;

    if (!f || spec->qps == 1 || spec->pair)
        return f;
    first = pair_of(s, f);
    k.number = first->turn = first->turn % spec->qps + 1;
    return k.number == 1 ? f : find_or_make(s, h, &k);
}
