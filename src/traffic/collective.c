#include "traffic/collective.h"

#include "core/units.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#define NO_MESSAGE UINT32_MAX

const char *const collective_names[] = {
    [COLLECTIVE_ALL_TO_ALL] = "all_to_all",
    [COLLECTIVE_RING_ALL_REDUCE] = "ring_all_reduce",
    [COLLECTIVE_TREE_ALL_REDUCE] = "tree_all_reduce",
    [COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE] = "halving_doubling_all_reduce",
    [COLLECTIVE_ALL_GATHER] = "all_gather",
    [COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter",
    [COLLECTIVE_SEND_NEXT] = "send_next",
    [COLLECTIVE_SEND_PREVIOUS] = "send_previous",
    [COLLECTIVE_KINDS] = NULL,
};

/* ---- how many messages ---- */

static uint64_t chunks_of(uint64_t bytes, uint64_t chunk_bytes)
{
    return bytes / chunk_bytes + (bytes % chunk_bytes != 0);
}

static uint32_t log2_of(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

/* Where part i of n begins; parts differ by a byte at most. */
static uint64_t part_at(uint64_t bytes, uint32_t n, uint32_t i)
{
    uint64_t rest = bytes % n;

    return bytes / n * i + (i < rest ? i : rest);
}

/* Once around the ring, or twice. */
static uint32_t steps_of(const struct collective_cfg *cfg)
{
    return (cfg->kind == COLLECTIVE_RING_ALL_REDUCE ? 2 : 1) * (cfg->workers - 1);
}

/* Every part goes so many steps. */
static uint64_t channel_messages(const struct collective_cfg *cfg)
{
    uint64_t chunks = 0, all;

    if (cfg->bytes / cfg->chunk_bytes > COLLECTIVE_MESSAGES_MAX)
        return UINT64_MAX;
    for (uint32_t c = 0; c < cfg->channels; c++) {
        uint64_t share = part_at(cfg->bytes, cfg->channels, c + 1) - part_at(cfg->bytes, cfg->channels, c);

        for (uint32_t i = 0; i < cfg->workers; i++)
            chunks += chunks_of(part_at(share, cfg->workers, i + 1) - part_at(share, cfg->workers, i), cfg->chunk_bytes);
    }
    all = chunks * steps_of(cfg);
    return all;
}

/* Whether something goes by two messages: see collective.h. Otherwise each worker is a server of its own. */
static bool goes_by_rail(const struct collective_cfg *cfg)
{
    return cfg->kind == COLLECTIVE_ALL_TO_ALL && cfg->is_by_rail && cfg->server > 1 && cfg->workers % cfg->server == 0;
}

uint64_t collective_messages(const struct collective_cfg *cfg)
{
    uint64_t n = cfg->workers, core = 1ull << log2_of(cfg->workers), half = cfg->bytes / 2, chunks;

    if (cfg->channels)
        return channel_messages(cfg);
    switch (cfg->kind) {
    case COLLECTIVE_RING_ALL_REDUCE:
        return 2 * n * (n - 1);
    case COLLECTIVE_TREE_ALL_REDUCE:
        chunks = chunks_of(half, cfg->chunk_bytes) + chunks_of(cfg->bytes - half, cfg->chunk_bytes);
        return chunks > COLLECTIVE_MESSAGES_MAX ? chunks : 2 * (n - 1) * chunks;
    case COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE:
        return 2 * core * log2_of(cfg->workers) + 2 * (n - core);
    case COLLECTIVE_SEND_NEXT:
    case COLLECTIVE_SEND_PREVIOUS:
        return n - 1;
    default:                     /* those for other places of other servers are two */
        return n * (n - 1) + (goes_by_rail(cfg) ? n * (n / cfg->server - 1) * (cfg->server - 1) : 0);
    }
}

/* Whether messages are of the given size, and not parts of a buffer. */
static bool is_whole(enum collective_kind kind)
{
    return kind == COLLECTIVE_ALL_TO_ALL || kind == COLLECTIVE_SEND_NEXT || kind == COLLECTIVE_SEND_PREVIOUS;
}

bool collective_has_rings(enum collective_kind kind)
{
    return kind == COLLECTIVE_RING_ALL_REDUCE || kind == COLLECTIVE_ALL_GATHER || kind == COLLECTIVE_REDUCE_SCATTER;
}

int collective_check(const struct collective_cfg *cfg, struct err *err)
{
    if (cfg->workers < 2)
        return err_set(err, EINVAL, "a collective takes two workers or more");
    if (cfg->channels && !collective_has_rings(cfg->kind))
        return err_set(err, EINVAL, "%s has no rings and so no channels", collective_names[cfg->kind]);
    if (cfg->channels && cfg->bytes / cfg->channels < cfg->workers)
        return err_set(err, EINVAL, "%llu bytes cannot be divided among %u channels and %u workers",
                       (unsigned long long)cfg->bytes, cfg->channels, cfg->workers);
    if (is_whole(cfg->kind) ? cfg->bytes == 0 : cfg->bytes < cfg->workers)
        return err_set(err, EINVAL, "%llu bytes cannot be divided among %u workers",
                       (unsigned long long)cfg->bytes, cfg->workers);
    if ((cfg->kind == COLLECTIVE_TREE_ALL_REDUCE || cfg->channels) && cfg->chunk_bytes == 0)
        return err_set(err, EINVAL, "a chunk of 0 bytes");
    if (collective_messages(cfg) > COLLECTIVE_MESSAGES_MAX)
        return err_set(err, E2BIG, "more than %u messages: %s", COLLECTIVE_MESSAGES_MAX,
                       cfg->kind == COLLECTIVE_TREE_ALL_REDUCE || cfg->channels ? "use fewer workers or larger chunks"
                                                               : "use fewer workers");
    return 0;
}

/* ---- building ---- */

struct edge { uint32_t before, after; };
struct edges { struct edge *edge; uint32_t count, max; };

struct builder {
    struct collective *c;
    struct edges       arrivals, sents;
    uint32_t          *last_sent, *last_arrival;     /* by worker, of the steps that are over; NO_MESSAGE */
    uint32_t           step_first;                   /* message of this step */
};

static uint32_t *none_of(uint32_t count)
{
    uint32_t *a = xcalloc(count, sizeof *a);

    for (uint32_t i = 0; i < count; i++)
        a[i] = NO_MESSAGE;
    return a;
}

static uint32_t add_message(struct builder *b, uint32_t src, uint32_t dst, uint64_t offset, uint64_t bytes)
{
    struct collective *c = b->c;

    assert(src != dst && bytes > 0);
    c->message[c->messages] = (struct collective_message){ src, dst, bytes, offset };
    c->sends[src]++;
    c->receives[dst]++;
    return c->messages++;
}

static void add_edge(struct builder *b, struct edges *e, uint32_t before, uint32_t after)
{
    if (e->count == e->max) {
        e->max = e->max ? 2 * e->max : 256;
        e->edge = xrealloc(e->edge, e->max * sizeof *e->edge);
    }
    e->edge[e->count++] = (struct edge){ before, after };
    b->c->waits[after]++;
}

static void follow_arrival(struct builder *b, uint32_t before, uint32_t after)
{
    assert(b->c->message[before].dst == b->c->message[after].src);
    add_edge(b, &b->arrivals, before, after);
}

static void follow_sent(struct builder *b, uint32_t before, uint32_t after)
{
    assert(b->c->message[before].src == b->c->message[after].src);
    add_edge(b, &b->sents, before, after);
}

/* A message of this step: it follows what its source sent and received in the step before. */
static void add_to_step(struct builder *b, uint32_t src, uint32_t dst, uint64_t offset, uint64_t bytes)
{
    uint32_t m = add_message(b, src, dst, offset, bytes);

    if (b->last_sent[src] != NO_MESSAGE)
        follow_sent(b, b->last_sent[src], m);
    if (b->last_arrival[src] != NO_MESSAGE)
        follow_arrival(b, b->last_arrival[src], m);
}

static void end_step(struct builder *b)
{
    for (; b->step_first < b->c->messages; b->step_first++) {
        const struct collective_message *m = &b->c->message[b->step_first];

        b->last_sent[m->src] = b->step_first;
        b->last_arrival[m->dst] = b->step_first;
    }
}

/* Edges, in lists by what comes before. */
static void list_edges(const struct edges *e, uint32_t messages, uint32_t **at, uint32_t **list)
{
    *at = xcalloc(messages + 2ul, sizeof **at);
    *list = xcalloc(e->count + 1ul, sizeof **list);
    for (uint32_t i = 0; i < e->count; i++)
        (*at)[e->edge[i].before + 2]++;
    for (uint32_t m = 2; m <= messages; m++)
        (*at)[m] += (*at)[m - 1];
    for (uint32_t i = 0; i < e->count; i++)      /* at[m + 1] runs from the start of m's list to its end */
        (*list)[(*at)[e->edge[i].before + 1]++] = e->edge[i].after;
}

static void list_roots(struct collective *c)
{
    for (uint32_t m = 0; m < c->messages; m++)
        c->roots += c->waits[m] == 0;
    c->root = xcalloc(c->roots, sizeof *c->root);
    c->roots = 0;
    for (uint32_t m = 0; m < c->messages; m++)
        if (c->waits[m] == 0)
            c->root[c->roots++] = m;
}

/* ---- rings and pairs ---- */

/* n-1 steps: in step k worker i passes part i + shift - k on to i + 1. */
static void go_round(struct builder *b, const struct collective_cfg *cfg, uint32_t shift)
{
    uint32_t n = cfg->workers;

    for (uint32_t k = 0; k < n - 1; k++) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t part = (i + shift + n - k) % n;
            uint64_t at = part_at(cfg->bytes, n, part);

            add_to_step(b, i, (i + 1) % n, at, part_at(cfg->bytes, n, part + 1) - at);
        }
        end_step(b);
    }
}

/* ---- channels ---- */

/* The i-th worker of ring c: servers one after the other, every second one the other way round. */
static uint32_t worker_of(const struct collective_cfg *cfg, uint32_t c, uint32_t i)
{
    uint32_t size = cfg->server && cfg->workers % cfg->server == 0 ? cfg->server : 1;
    uint32_t server = i / size, place = i % size;

    if (server % 2)
        place = size - 1 - place;
    return server * size + (place + c) % size;
}

/* A part goes around the ring in chunks, from place 'from' on. */
static void pass_part(struct builder *b, const struct collective_cfg *cfg, uint32_t c, uint32_t from, uint64_t at, uint64_t end)
{
    uint32_t n = cfg->workers, steps = steps_of(cfg);

    while (at < end) {
        uint64_t bytes = end - at < cfg->chunk_bytes ? end - at : cfg->chunk_bytes;

        for (uint32_t k = 0; k < steps; k++) {
            uint32_t m = add_message(b, worker_of(cfg, c, (from + k) % n), worker_of(cfg, c, (from + k + 1) % n), at, bytes);

            if (k)
                follow_arrival(b, m - 1, m);
        }
        at += bytes;
    }
}

/* Part i begins at place i + shift of the ring. */
static void go_round_channels(struct builder *b, const struct collective_cfg *cfg, uint32_t shift)
{
    for (uint32_t c = 0; c < cfg->channels; c++) {
        uint64_t at = part_at(cfg->bytes, cfg->channels, c), share = part_at(cfg->bytes, cfg->channels, c + 1) - at;

        for (uint32_t i = 0; i < cfg->workers; i++)
            pass_part(b, cfg, c, (i + shift) % cfg->workers, at + part_at(share, cfg->workers, i),
                      at + part_at(share, cfg->workers, i + 1));
    }
}

/* The worker of the source's server that has the destination's place; the source itself if there is no need for another. */
static uint32_t relay_of(const struct collective_cfg *cfg, uint32_t src, uint32_t dst)
{
    if (!goes_by_rail(cfg) || src / cfg->server == dst / cfg->server)
        return src;
    return src / cfg->server * cfg->server + dst % cfg->server;
}

/* One step, or all of them at once. What a relay has in hand is no part of its own step. */
static void go_pairwise_step(struct builder *b, const struct collective_cfg *cfg, uint32_t k)
{
    uint32_t n = cfg->workers, *first = xcalloc(n, sizeof *first), *last = xcalloc(n, sizeof *last);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t dst = (i + k) % n, relay = relay_of(cfg, i, dst);

        first[i] = last[dst] = b->c->messages;
        add_to_step(b, i, relay == i ? dst : relay, 0, cfg->bytes);
        if (relay == i)
            continue;
        last[dst] = add_message(b, relay, dst, 0, cfg->bytes);
        follow_arrival(b, first[i], last[dst]);
    }
    for (uint32_t i = 0; i < n && !cfg->is_at_once; i++) {
        b->last_sent[i] = first[i];
        b->last_arrival[i] = last[i];
    }
    free(first);
    free(last);
}

static void go_pairwise(struct builder *b, const struct collective_cfg *cfg)
{
    for (uint32_t k = 1; k < cfg->workers; k++)
        go_pairwise_step(b, cfg, k);
}

/* What the stages of a pipeline do between two steps of their work. */
static void send_to_neighbours(struct builder *b, const struct collective_cfg *cfg, bool is_back)
{
    for (uint32_t i = 0; i + 1 < cfg->workers; i++)
        add_to_step(b, i + is_back, i + !is_back, 0, cfg->bytes);
    end_step(b);
}

/* ---- halving and doubling ---- */

/* Of the first 2 x extra workers every second takes part, of the others all. */
static uint32_t core_worker(uint32_t v, uint32_t extra)
{
    return v < extra ? 2 * v + 1 : v + extra;
}

/* Extra workers give their all to their neighbours, or get it back. */
static void fold(struct builder *b, const struct collective_cfg *cfg, uint32_t extra, bool is_back)
{
    for (uint32_t i = 0; i < extra; i++)
        add_to_step(b, 2 * i + is_back, 2 * i + !is_back, 0, cfg->bytes);
    end_step(b);
}

/* The parts v holds before the exchange over 'mask': those before it, over lower bits, have halved them. */
static uint32_t first_part(uint32_t v, uint32_t mask, uint32_t core)
{
    uint32_t first = 0;

    for (uint32_t bit = 1; bit < mask; bit <<= 1)
        if (v & bit)
            first += core / (2 * bit);
    return first;
}

/* Halving: gives away the half that its partner keeps. Doubling: gives its own half. */
static void exchange(struct builder *b, const struct collective_cfg *cfg, uint32_t core, uint32_t mask,
                     bool is_doubling)
{
    uint32_t half = core / (2 * mask);

    for (uint32_t v = 0; v < core; v++) {
        bool     is_upper = ((v & mask) != 0) == is_doubling;
        uint32_t first = first_part(v, mask, core) + (is_upper ? half : 0);
        uint64_t at = part_at(cfg->bytes, core, first);

        add_to_step(b, core_worker(v, cfg->workers - core), core_worker(v ^ mask, cfg->workers - core), at,
                    part_at(cfg->bytes, core, first + half) - at);
    }
    end_step(b);
}

static void halve_and_double(struct builder *b, const struct collective_cfg *cfg)
{
    uint32_t core = 1u << log2_of(cfg->workers);

    fold(b, cfg, cfg->workers - core, false);
    for (uint32_t mask = 1; mask < core; mask <<= 1)
        exchange(b, cfg, core, mask, false);
    for (uint32_t mask = core / 2; mask > 0; mask >>= 1)
        exchange(b, cfg, core, mask, true);
    fold(b, cfg, cfg->workers - core, true);
}

/* ---- trees ---- */

/* The binary tree in which the in-order walk is 1, 2, .. n-1, and 0 stands above its top as the root. Odd
 * numbers are leaves. */
static uint32_t tree_parent(uint32_t v, uint32_t n)
{
    uint32_t bit = v & -v, up = (v ^ bit) | bit << 1;

    return up < n ? up : v ^ bit;
}

/* The second tree is the first with other names, such that who was odd is even: mirrored, or, since an odd
 * number of workers mirrored keeps its parity, shifted by one. */
static uint32_t worker_at(uint32_t v, uint32_t n, bool is_second)
{
    if (!is_second)
        return v;
    return n % 2 ? (v + 1) % n : n - 1 - v;
}

struct tree {
    uint32_t  n;
    bool      is_second;
    uint32_t *up, *down;         /* by place in the tree: this chunk's message to the parent, and from it */
};

static void add_chunk_messages(struct builder *b, struct tree *t, uint64_t at, uint64_t bytes)
{
    for (uint32_t v = 1; v < t->n; v++) {
        uint32_t child = worker_at(v, t->n, t->is_second);
        uint32_t parent = worker_at(tree_parent(v, t->n), t->n, t->is_second);
        uint32_t up = add_message(b, child, parent, at, bytes);
        uint32_t down = add_message(b, parent, child, at, bytes);

        if (t->up[v] != NO_MESSAGE) {
            follow_sent(b, t->up[v], up);
            follow_sent(b, t->down[v], down);
        }
        t->up[v] = up;
        t->down[v] = down;
    }
}

/* The root has one child: what comes up from it is whole and goes down again. */
static void add_chunk_order(struct builder *b, const struct tree *t)
{
    for (uint32_t v = 1; v < t->n; v++) {
        uint32_t parent = tree_parent(v, t->n);

        if (parent == 0) {
            follow_arrival(b, t->up[v], t->down[v]);
        } else {
            follow_arrival(b, t->up[v], t->up[parent]);
            follow_arrival(b, t->down[parent], t->down[v]);
        }
    }
}

static void grow_tree(struct builder *b, const struct collective_cfg *cfg, bool is_second)
{
    uint32_t    n = cfg->workers;
    uint64_t    half = cfg->bytes / 2, at = is_second ? half : 0, end = is_second ? cfg->bytes : half;
    struct tree t = { n, is_second, none_of(n), none_of(n) };

    while (at < end) {
        uint64_t bytes = end - at < cfg->chunk_bytes ? end - at : cfg->chunk_bytes;

        add_chunk_messages(b, &t, at, bytes);
        add_chunk_order(b, &t);
        at += bytes;
    }
    free(t.up);
    free(t.down);
}

/* ---- the whole ---- */

static void build(struct builder *b, const struct collective_cfg *cfg)
{
    if (cfg->channels) {         /* reduce_scatter: place i ends with part i */
        go_round_channels(b, cfg, cfg->kind == COLLECTIVE_REDUCE_SCATTER);
        return;
    }
    switch (cfg->kind) {
    case COLLECTIVE_ALL_TO_ALL:
        go_pairwise(b, cfg);
        break;
    case COLLECTIVE_RING_ALL_REDUCE:     /* worker i ends the first round with part i + 1 */
        go_round(b, cfg, 0);
        go_round(b, cfg, 1);
        break;
    case COLLECTIVE_TREE_ALL_REDUCE:
        grow_tree(b, cfg, false);
        grow_tree(b, cfg, true);
        break;
    case COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE:
        halve_and_double(b, cfg);
        break;
    case COLLECTIVE_ALL_GATHER:          /* worker i begins with part i */
        go_round(b, cfg, 0);
        break;
    case COLLECTIVE_REDUCE_SCATTER:      /* worker i ends with part i */
        go_round(b, cfg, cfg->workers - 1);
        break;
    case COLLECTIVE_SEND_NEXT:
    case COLLECTIVE_SEND_PREVIOUS:
        send_to_neighbours(b, cfg, cfg->kind == COLLECTIVE_SEND_PREVIOUS);
        break;
    case COLLECTIVE_KINDS:
        break;
    }
}

void collective_init(struct collective *c, const struct collective_cfg *cfg)
{
    uint64_t       count = collective_messages(cfg);
    struct builder b = { .c = c, .last_sent = none_of(cfg->workers), .last_arrival = none_of(cfg->workers) };

    assert(collective_check(cfg, NULL) == 0);
    *c = (struct collective){
        .message = xcalloc(count, sizeof *c->message),
        .waits = xcalloc(count, sizeof *c->waits),
        .sends = xcalloc(cfg->workers, sizeof *c->sends),
        .receives = xcalloc(cfg->workers, sizeof *c->receives),
        .workers = cfg->workers,
    };
    build(&b, cfg);
    assert(c->messages == count);
    list_edges(&b.arrivals, c->messages, &c->arrival_at, &c->arrival);
    list_edges(&b.sents, c->messages, &c->sent_at, &c->sent);
    list_roots(c);
    free(b.arrivals.edge);
    free(b.sents.edge);
    free(b.last_sent);
    free(b.last_arrival);
}

void collective_fini(struct collective *c)
{
    free(c->message);
    free(c->waits);
    free(c->root);
    free(c->arrival_at);
    free(c->arrival);
    free(c->sent_at);
    free(c->sent);
    free(c->sends);
    free(c->receives);
    *c = (struct collective){ 0 };
}

/* ---- measures ---- */

uint64_t collective_size_bytes(const struct collective_cfg *cfg)
{
    return cfg->kind == COLLECTIVE_ALL_TO_ALL ? cfg->bytes * cfg->workers : cfg->bytes;
}

double collective_bus_factor(enum collective_kind kind, uint32_t workers)
{
    double others = (double)(workers - 1) / workers;

    switch (kind) {
    case COLLECTIVE_RING_ALL_REDUCE:
    case COLLECTIVE_TREE_ALL_REDUCE:
    case COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE:
        return 2 * others;
    case COLLECTIVE_SEND_NEXT:
    case COLLECTIVE_SEND_PREVIOUS:
        return 1;
    default:
        return others;
    }
}

static uint64_t time_ps(uint64_t bytes, uint64_t rate_bps)
{
    return (uint64_t)((unsigned __int128)bytes * 8 * PS_PER_S / rate_bps);
}

void collective_link_ps(const struct collective *c, uint32_t mtu_bytes, uint32_t overhead_bytes, const uint64_t *rate_bps,
                        uint64_t *busy_ps)
{
    uint64_t *out = xcalloc(c->workers, sizeof *out), *in = xcalloc(c->workers, sizeof *in);

    for (uint32_t i = 0; i < c->messages; i++) {
        const struct collective_message *m = &c->message[i];
        uint64_t                         wire = m->bytes + chunks_of(m->bytes, mtu_bytes) * overhead_bytes;

        out[m->src] += wire;
        in[m->dst] += wire;
    }
    for (uint32_t i = 0; i < c->workers; i++)
        busy_ps[i] = time_ps(out[i] > in[i] ? out[i] : in[i], rate_bps[i]);
    free(in);
    free(out);
}
