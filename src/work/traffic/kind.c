/* src/work/traffic/kind.c - the list of all kinds of traffic; the entries, streams and posts that they
 * make. */
#include "work/traffic/kind.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* in the order in which they are printed */
extern const struct traffic_kind traffic_flows, traffic_poisson, traffic_incast, traffic_permutation,
    traffic_all_to_all, traffic_many_to_one, traffic_long_short, traffic_posted, traffic_storage, traffic_rpc,
    traffic_kv_cache, traffic_training, traffic_htsim, traffic_tcp, traffic_goal, traffic_chakra,
    traffic_simai, traffic_external;

const struct traffic_kind *const traffic_all[] = {
    &traffic_flows, &traffic_poisson, &traffic_incast, &traffic_permutation, &traffic_all_to_all,
    &traffic_many_to_one, &traffic_long_short, &traffic_posted, &traffic_storage, &traffic_rpc,
    &traffic_kv_cache, &traffic_training, &traffic_htsim, &traffic_tcp, &traffic_goal, &traffic_chakra,
    &traffic_simai, &traffic_external, NULL,
};

/* ---- entries and streams ---- */

struct traffic_entry *traffic_add_entry(struct traffic *t, const struct traffic_kind *kind, void *state,
                                        const struct traffic_common *common, const uint32_t *hosts,
                                        uint32_t count)
{
    t->entry = xrealloc(t->entry, (t->entries + 1) * sizeof *t->entry);
    struct traffic_entry *e = &t->entry[t->entries++];
    *e = (struct traffic_entry){ .kind = kind, .state = state, .count = count,
                                 .rank = traffic_take_ranks(t, count) };
    if (common)
        e->common = *common;
    e->hosts = xcalloc(count + 1ul, sizeof *e->hosts);
    if (count)
        memcpy(e->hosts, hosts, count * sizeof *hosts);
    return e;
}

/* The generator depends on (seed, entry, source) only: other entries and hosts do not affect it. */
void traffic_stream_rng(const struct traffic *t, uint32_t entry, uint32_t source, struct rng *rng)
{
    rng_init(rng, t->seed, 1ull << 63 | (uint64_t)entry << 32 | source);
}

struct traffic_stream *traffic_add_stream(struct traffic *t, uint32_t source, uint32_t index)
{
    struct traffic_entry *e = &t->entry[t->entries - 1];

    t->stream = xgrow(t->stream, t->streams, &t->streams_max, 64, sizeof *t->stream);
    struct traffic_stream *s = &t->stream[t->streams++];
    *s = (struct traffic_stream){ .entry = t->entries - 1, .source = source, .index = index,
                                  .number = e->streams++, .rank = e->rank + index,
                                  .time_ps = e->common.start_ps };
    traffic_stream_rng(t, s->entry, source, &s->rng);
    return s;
}

void traffic_add_streams(struct traffic *t)
{
    const struct traffic_entry *e = &t->entry[t->entries - 1];

    for (uint32_t i = 0; i < e->count; i++)
        traffic_add_stream(t, e->hosts[i], i);
}

uint32_t traffic_take_ranks(struct traffic *t, uint32_t count)
{
    t->ranks += count;
    return t->ranks - count;
}

void traffic_expect_flows(struct traffic *t, uint64_t count)
{
    uint64_t left = TRAFFIC_AT_ONCE_MAX - t->flows_at_once;

    t->flows_at_once += (uint32_t)(count < left ? count : left);
}

void traffic_expect_some(struct traffic *t, double count)
{
    t->flows_maybe += count;
}

void traffic_entry_rng(struct traffic *t, struct rng *rng)
{
    rng_init(rng, t->seed, 3ull << 62 | (t->entries - 1));
    t->has_drawn = true;
}

void traffic_fail(struct traffic *t, const struct traffic_stream *s, int code, const char *format, ...)
{
    struct traffic_part *p = &t->part[s->part];
    char                 why[400];
    va_list              args;

    if (p->rc)
        return;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    p->rc = err_set(&p->err, code, "%s", why);
}

/* ---- posts ---- */

static struct traffic_part *part_of(struct traffic *t, const struct traffic_stream *s)
{
    return &t->part[s->part];
}

void post_reserve(struct traffic_part *p, uint32_t posts)
{
    p->posts_max += posts + (p->posts_max == 0);     /* other reservations stay valid; post 0 is unused */
    p->post = xrealloc(p->post, p->posts_max * sizeof *p->post);
}

static uint32_t new_post(struct traffic_part *p)
{
    uint32_t id = p->post_free;

    if (id) {
        p->post_free = p->post[id].next;
        return id;
    }
    p->post = xgrow(p->post, p->posts, &p->posts_max, 1024, sizeof *p->post);
    if (p->posts == 0)
        p->posts = 1;
    return p->posts++;
}

/* The start order of two flows of a worker must not depend on the order of posting. */
static bool is_before(const struct traffic_post *a, const struct traffic_post *b)
{
    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps;
    if (a->op.verb != b->op.verb)
        return a->op.verb < b->op.verb;
    return a->tag != b->tag ? a->tag < b->tag : a->dst < b->dst;
}

/* ---- pairing heap: 'below' is the first child, 'next' the next sibling ---- */

static uint32_t meld(struct traffic_post *post, uint32_t a, uint32_t b)
{
    uint32_t above = a, below = b;

    if (!a || !b)
        return a ? a : b;
    if (is_before(&post[b], &post[a])) {
        above = b;
        below = a;
    }
    post[below].next = post[above].below;
    post[above].below = below;
    return above;
}

/* Removes the root: melds its children in pairs, then all pairs. Returns the new root. */
static uint32_t remove_root(struct traffic_post *post, uint32_t first)
{
    uint32_t left = post[first].below, twos = 0, all = 0;

    while (left) {
        uint32_t a = left, b = post[a].next;

        left = b ? post[b].next : 0;
        a = meld(post, a, b);
        post[a].next = twos;
        twos = a;
    }
    while (twos) {
        uint32_t a = twos;

        twos = post[a].next;
        all = meld(post, all, a);
    }
    return all;
}

/* ---- a worker's posts ---- */

static void mark_touched(struct traffic *t, uint32_t stream)
{
    struct traffic_stream *s = &t->stream[stream];
    struct traffic_part   *p = part_of(t, s);

    if (s->is_touched)
        return;
    s->is_touched = true;
    s->next_touched = p->touched;
    p->touched = stream + 1;
}

void post_add(struct traffic *t, uint32_t stream, const struct traffic_post *made)
{
    struct traffic_stream *s = &t->stream[stream];
    struct traffic_part   *part = part_of(t, s);
    uint32_t               id = new_post(part);

    part->post[id] = *made;
    part->post[id].below = part->post[id].next = 0;
    s->first_post = meld(part->post, s->first_post, id);
    mark_touched(t, stream);
}

void post_move(struct traffic *t, uint32_t stream, uint32_t first, struct traffic_post *old)
{
    for (; first; first = remove_root(old, first))
        post_add(t, stream, &old[first]);
}

bool post_next(struct traffic *t, struct traffic_stream *s, struct flow_spec *f)
{
    struct traffic_part       *part = part_of(t, s);
    uint32_t                   id = s->first_post;
    const struct traffic_post *p = &part->post[id];

    if (!id)
        return false;
    f->at_ps = p->at_ps;
    f->dst = p->dst;
    f->bytes = p->bytes;
    f->tag = p->tag;
    f->pair = p->pair;
    f->op = p->op;
    s->first_post = remove_root(part->post, id);
    part->post[id].next = part->post_free;
    part->post_free = id;
    return true;
}
