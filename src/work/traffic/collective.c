#include "work/traffic/collective.h"

#include "core/units.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define NO_MESSAGE UINT32_MAX

const char *const collective_names[] = {
    [COLLECTIVE_ALL_TO_ALL] = "all_to_all", [COLLECTIVE_RING_ALL_REDUCE] = "ring_all_reduce",
    [COLLECTIVE_TREE_ALL_REDUCE] = "tree_all_reduce",
    [COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE] = "halving_doubling_all_reduce",
    [COLLECTIVE_ALL_GATHER] = "all_gather", [COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter",
    [COLLECTIVE_SEND_NEXT] = "send_next", [COLLECTIVE_SEND_PREVIOUS] = "send_previous",
    [COLLECTIVE_KINDS] = NULL,
};

/* ---- message counts ---- */

static uint64_t chunks_of(uint64_t bytes, uint64_t chunk_bytes)
{
    return bytes / chunk_bytes + (bytes % chunk_bytes != 0);
}

static uint32_t log2_of(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

/* Returns the offset of part i of n. Parts differ by at most one byte. */
static uint64_t part_at(uint64_t bytes, uint32_t n, uint32_t i)
{
    uint64_t rest = bytes % n;

    return bytes / n * i + (i < rest ? i : rest);
}

/* Steps around the ring: once, or twice for an all-reduce. */
static uint32_t steps_of(const struct collective_cfg *cfg)
{
    return (cfg->kind == COLLECTIVE_RING_ALL_REDUCE ? 2 : 1) * (cfg->workers - 1);
}

static uint64_t channel_messages(const struct collective_cfg *cfg)
{
    uint64_t chunks = 0;

    if (cfg->bytes / cfg->chunk_bytes > COLLECTIVE_MESSAGES_MAX)
        return UINT64_MAX;
    for (uint32_t c = 0; c < cfg->channels; c++) {
        uint64_t share = part_at(cfg->bytes, cfg->channels, c + 1) - part_at(cfg->bytes, cfg->channels, c);

        for (uint32_t i = 0; i < cfg->workers; i++)
            chunks += chunks_of(part_at(share, cfg->workers, i + 1) - part_at(share, cfg->workers, i),
                                cfg->chunk_bytes);
    }
    uint64_t all = chunks * steps_of(cfg);
    return all;
}

/* True if messages between rails are relayed within the server (collective.h). Otherwise each worker is its
 * own server. */
static bool uses_rails(const struct collective_cfg *cfg)
{
    return cfg->kind == COLLECTIVE_ALL_TO_ALL && cfg->is_by_rail && cfg->server > 1 &&
           cfg->workers % cfg->server == 0;
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
    default:                     /* messages to other rails of other servers take two hops */
        return n * (n - 1) + (uses_rails(cfg) ? n * (n / cfg->server - 1) * (cfg->server - 1) : 0);
    }
}

/* True if 'bytes' is the size of each message rather than of a buffer that is divided. */
static bool has_whole_messages(enum collective_kind kind)
{
    return kind == COLLECTIVE_ALL_TO_ALL || kind == COLLECTIVE_SEND_NEXT || kind == COLLECTIVE_SEND_PREVIOUS;
}

bool collective_has_rings(enum collective_kind kind)
{
    return kind == COLLECTIVE_RING_ALL_REDUCE || kind == COLLECTIVE_ALL_GATHER ||
           kind == COLLECTIVE_REDUCE_SCATTER;
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
    if (has_whole_messages(cfg->kind) ? cfg->bytes == 0 : cfg->bytes < cfg->workers)
        return err_set(err, EINVAL, "%llu bytes cannot be divided among %u workers",
                       (unsigned long long)cfg->bytes, cfg->workers);
    if ((cfg->kind == COLLECTIVE_TREE_ALL_REDUCE || cfg->channels) && cfg->chunk_bytes == 0)
        return err_set(err, EINVAL, "a chunk of 0 bytes");
    if (collective_messages(cfg) > COLLECTIVE_MESSAGES_MAX)
        return err_set(err, E2BIG, "more than %u messages: %s", COLLECTIVE_MESSAGES_MAX,
                       cfg->kind == COLLECTIVE_TREE_ALL_REDUCE || cfg->channels
                       ? "use fewer workers or larger chunks"
                                                               : "use fewer workers");
    return 0;
}

/* ---- building ---- */

struct collective_edge { uint32_t before, after; };
struct collective_edges { struct collective_edge *edge; uint32_t count, max; };

struct collective_builder {
    struct collective      *c;
    struct collective_edges arrivals, sents;
    uint32_t               *last_sent, *last_arrival;    /* by worker: last message of the completed steps,
                                                          * or NO_MESSAGE */
    uint32_t                step_first;                  /* first message of the current step */
    uint64_t               *bytes_to;                    /* with skew, by worker: bytes of a message to it */
};

static uint32_t *none_of(uint32_t count)
{
    uint32_t *a = xcalloc(count, sizeof *a);

    for (uint32_t i = 0; i < count; i++)
        a[i] = NO_MESSAGE;
    return a;
}

static uint32_t add_message(struct collective_builder *b, uint32_t src, uint32_t dst, uint64_t offset,
                            uint64_t bytes)
{
    struct collective *c = b->c;

    assert(src != dst && bytes > 0);
    c->message[c->messages] = (struct collective_message){ src, dst, bytes, offset };
    c->sends[src]++;
    c->receives[dst]++;
    return c->messages++;
}

static void add_edge(struct collective_builder *b, struct collective_edges *e, uint32_t before,
                     uint32_t after)
{
    e->edge = xgrow(e->edge, e->count, &e->max, 256, sizeof *e->edge);
    e->edge[e->count++] = (struct collective_edge){ before, after };
    b->c->waits[after]++;
}

static void follow_arrival(struct collective_builder *b, uint32_t before, uint32_t after)
{
    assert(b->c->message[before].dst == b->c->message[after].src);
    add_edge(b, &b->arrivals, before, after);
}

static void follow_sent(struct collective_builder *b, uint32_t before, uint32_t after)
{
    assert(b->c->message[before].src == b->c->message[after].src);
    add_edge(b, &b->sents, before, after);
}

/* Adds a message to the current step. It follows the messages that its source sent and received in the
 * previous step. */
static void add_to_step(struct collective_builder *b, uint32_t src, uint32_t dst, uint64_t offset,
                        uint64_t bytes)
{
    uint32_t m = add_message(b, src, dst, offset, bytes);

    if (b->last_sent[src] != NO_MESSAGE)
        follow_sent(b, b->last_sent[src], m);
    if (b->last_arrival[src] != NO_MESSAGE)
        follow_arrival(b, b->last_arrival[src], m);
}

static void end_step(struct collective_builder *b)
{
    for (; b->step_first < b->c->messages; b->step_first++) {
        const struct collective_message *m = &b->c->message[b->step_first];

        b->last_sent[m->src] = b->step_first;
        b->last_arrival[m->dst] = b->step_first;
    }
}

/* Converts the edges to adjacency lists, indexed by the earlier message. */
static void list_edges(const struct collective_edges *e, uint32_t messages, uint32_t **at, uint32_t **list)
{
    *at = xcalloc(messages + 2ul, sizeof **at);
    *list = xcalloc(e->count + 1ul, sizeof **list);
    for (uint32_t i = 0; i < e->count; i++)
        (*at)[e->edge[i].before + 2]++;
    for (uint32_t m = 2; m <= messages; m++)
        (*at)[m] += (*at)[m - 1];
    for (uint32_t i = 0; i < e->count; i++)      /* at[m + 1] moves from the start of m's list to its end */
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

/* ---- single ring and pairwise exchange ---- */

/* Ring pass of n-1 steps. In step k, worker i sends part i + shift - k to worker i + 1. */
static void add_ring_pass(struct collective_builder *b, const struct collective_cfg *cfg, uint32_t shift)
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

/* ---- channels: several rings ---- */

/* Returns the i-th worker of ring c, which traverses every second server backwards. */
static uint32_t ring_worker(const struct collective_cfg *cfg, uint32_t c, uint32_t i)
{
    uint32_t size = cfg->server && cfg->workers % cfg->server == 0 ? cfg->server : 1;
    uint32_t server = i / size, place = i % size;

    if (server % 2)
        place = size - 1 - place;
    return server * size + (place + c) % size;
}

/* Sends a part around the ring in chunks, starting at position 'from'. */
static void add_part_chunks(struct collective_builder *b, const struct collective_cfg *cfg, uint32_t c,
                            uint32_t from, uint64_t at, uint64_t end)
{
    uint32_t n = cfg->workers, steps = steps_of(cfg);

    while (at < end) {
        uint64_t bytes = end - at < cfg->chunk_bytes ? end - at : cfg->chunk_bytes;

        for (uint32_t k = 0; k < steps; k++) {
            uint32_t m = add_message(b, ring_worker(cfg, c, (from + k) % n),
                                     ring_worker(cfg, c, (from + k + 1) % n), at, bytes);

            if (k)
                follow_arrival(b, m - 1, m);
        }
        at += bytes;
    }
}

/* Part i starts at position i + shift of the ring. */
static void add_ring_channels(struct collective_builder *b, const struct collective_cfg *cfg, uint32_t shift)
{
    for (uint32_t c = 0; c < cfg->channels; c++) {
        uint64_t at = part_at(cfg->bytes, cfg->channels, c),
                 share = part_at(cfg->bytes, cfg->channels, c + 1) - at;

        for (uint32_t i = 0; i < cfg->workers; i++)
            add_part_chunks(b, cfg, c, (i + shift) % cfg->workers, at + part_at(share, cfg->workers, i),
                            at + part_at(share, cfg->workers, i + 1));
    }
}

/* Returns the worker on the destination's rail in the source's server, or the source if it needs no relay. */
static uint32_t relay_of(const struct collective_cfg *cfg, uint32_t src, uint32_t dst)
{
    if (!uses_rails(cfg) || src / cfg->server == dst / cfg->server)
        return src;
    return src / cfg->server * cfg->server + dst % cfg->server;
}

/* Sizes of messages by receiver: Zipf's law, with a mean of 'bytes'. */
static uint64_t *skewed_bytes(const struct collective_cfg *cfg)
{
    uint64_t *bytes = xcalloc(cfg->workers, sizeof *bytes);
    double    sum = 0;

    for (uint32_t r = 0; r < cfg->workers; r++)
        sum += pow(r + 1.0, -cfg->skew);
    for (uint32_t r = 0; r < cfg->workers; r++) {
        double share = pow(r + 1.0, -cfg->skew) / sum;

        bytes[(cfg->hottest + r) % cfg->workers] =
            (uint64_t)fmax(1, (double)cfg->bytes * cfg->workers * share);
    }
    return bytes;
}

static void add_pairwise(struct collective_builder *b, const struct collective_cfg *cfg)
{
    b->bytes_to = cfg->skew > 0 ? skewed_bytes(cfg) : NULL;
    for (uint32_t k = 1; k < cfg->workers; k++) {
        /* One step, or all steps at once. Relayed messages do not count for the relay's own step. */
        uint32_t n = cfg->workers, *first = xcalloc(n, sizeof *first), *last = xcalloc(n, sizeof *last);

        for (uint32_t i = 0; i < n; i++) {
            uint32_t dst = (i + k) % n, relay = relay_of(cfg, i, dst);
            uint64_t bytes = b->bytes_to ? b->bytes_to[dst] : cfg->bytes;

            first[i] = last[dst] = b->c->messages;
            add_to_step(b, i, relay == i ? dst : relay, 0, bytes);
            if (relay == i)
                continue;
            last[dst] = add_message(b, relay, dst, 0, bytes);
            follow_arrival(b, first[i], last[dst]);
        }
        for (uint32_t i = 0; i < n && !cfg->is_at_once; i++) {
            b->last_sent[i] = first[i];
            b->last_arrival[i] = last[i];
        }
        free(first);
        free(last);
    }
    free(b->bytes_to);
}

static void add_neighbor_sends(struct collective_builder *b, const struct collective_cfg *cfg, bool is_back)
{
    for (uint32_t i = 0; i + 1 < cfg->workers; i++)
        add_to_step(b, i + is_back, i + !is_back, 0, cfg->bytes);
    end_step(b);
}

/* ---- recursive halving and doubling ---- */

/* Maps a core index to a worker: every second of the first 2 x extra workers, and all others. */
static uint32_t core_worker(uint32_t v, uint32_t extra)
{
    return v < extra ? 2 * v + 1 : v + extra;
}

/* Extra workers send their whole buffer to a neighbor, or receive the result back from it. */
static void add_fold(struct collective_builder *b, const struct collective_cfg *cfg, uint32_t extra,
                     bool is_back)
{
    for (uint32_t i = 0; i < extra; i++)
        add_to_step(b, 2 * i + is_back, 2 * i + !is_back, 0, cfg->bytes);
    end_step(b);
}

/* Returns the first part that v holds before the exchange over 'mask'. Earlier exchanges, over lower bits,
 * have halved its range. */
static uint32_t first_part(uint32_t v, uint32_t mask, uint32_t core)
{
    uint32_t first = 0;

    for (uint32_t bit = 1; bit < mask; bit <<= 1)
        if (v & bit)
            first += core / (2 * bit);
    return first;
}

/* One exchange. Halving: sends the half that the partner keeps. Doubling: sends its own half. */
static void add_exchange(struct collective_builder *b, const struct collective_cfg *cfg, uint32_t core,
                         uint32_t mask, bool is_doubling)
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

static void add_halving_doubling(struct collective_builder *b, const struct collective_cfg *cfg)
{
    uint32_t core = 1u << log2_of(cfg->workers);

    add_fold(b, cfg, cfg->workers - core, false);
    for (uint32_t mask = 1; mask < core; mask <<= 1)
        add_exchange(b, cfg, core, mask, false);
    for (uint32_t mask = core / 2; mask > 0; mask >>= 1)
        add_exchange(b, cfg, core, mask, true);
    add_fold(b, cfg, cfg->workers - core, true);
}

/* ---- trees ---- */

/* Returns the parent in a binary tree whose in-order traversal is 1, 2, .. n-1. Node 0 is the root, above the
 * top of that tree. Odd nodes are leaves. */
static uint32_t tree_parent(uint32_t v, uint32_t n)
{
    uint32_t bit = v & -v, up = (v ^ bit) | bit << 1;

    return up < n ? up : v ^ bit;
}

/* Maps a tree node to a worker. The second tree is the first one relabeled, so that odd nodes become even:
 * mirrored, or, for an odd number of workers (mirroring keeps parity), shifted by one. */
static uint32_t tree_worker(uint32_t v, uint32_t n, bool is_second)
{
    if (!is_second)
        return v;
    return n % 2 ? (v + 1) % n : n - 1 - v;
}

struct collective_tree {
    uint32_t  n;
    bool      is_second;
    uint32_t *up, *down;         /* by tree node: this chunk's message to the parent, and the one from it */
};

static void add_chunk_messages(struct collective_builder *b, struct collective_tree *t, uint64_t at,
                               uint64_t bytes)
{
    for (uint32_t v = 1; v < t->n; v++) {
        uint32_t child = tree_worker(v, t->n, t->is_second);
        uint32_t parent = tree_worker(tree_parent(v, t->n), t->n, t->is_second);
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

/* The root has one child. The reduced chunk that arrives from it goes back down. */
static void add_chunk_order(struct collective_builder *b, const struct collective_tree *t)
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

static void add_tree(struct collective_builder *b, const struct collective_cfg *cfg, bool is_second)
{
    uint32_t               n = cfg->workers;
    uint64_t               half = cfg->bytes / 2, at = is_second ? half : 0,
                           end = is_second ? cfg->bytes : half;
    struct collective_tree t = { n, is_second, none_of(n), none_of(n) };

    while (at < end) {
        uint64_t bytes = end - at < cfg->chunk_bytes ? end - at : cfg->chunk_bytes;

        add_chunk_messages(b, &t, at, bytes);
        add_chunk_order(b, &t);
        at += bytes;
    }
    free(t.up);
    free(t.down);
}

/* ---- entry points ---- */

static void build(struct collective_builder *b, const struct collective_cfg *cfg)
{
    if (cfg->channels) {         /* reduce_scatter: position i ends with part i */
        add_ring_channels(b, cfg, cfg->kind == COLLECTIVE_REDUCE_SCATTER);
        return;
    }
    switch (cfg->kind) {
    case COLLECTIVE_ALL_TO_ALL:
        add_pairwise(b, cfg);
        break;
    case COLLECTIVE_RING_ALL_REDUCE:     /* after the first pass, worker i holds part i + 1 */
        add_ring_pass(b, cfg, 0);
        add_ring_pass(b, cfg, 1);
        break;
    case COLLECTIVE_TREE_ALL_REDUCE:
        add_tree(b, cfg, false);
        add_tree(b, cfg, true);
        break;
    case COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE:
        add_halving_doubling(b, cfg);
        break;
    case COLLECTIVE_ALL_GATHER:          /* worker i starts with part i */
        add_ring_pass(b, cfg, 0);
        break;
    case COLLECTIVE_REDUCE_SCATTER:      /* worker i ends with part i */
        add_ring_pass(b, cfg, cfg->workers - 1);
        break;
    case COLLECTIVE_SEND_NEXT:
    case COLLECTIVE_SEND_PREVIOUS:
        add_neighbor_sends(b, cfg, cfg->kind == COLLECTIVE_SEND_PREVIOUS);
        break;
    case COLLECTIVE_KINDS:
        break;
    }
}

void collective_init(struct collective *c, const struct collective_cfg *cfg)
{
    uint64_t                  count = collective_messages(cfg);
    struct collective_builder b = { .c = c, .last_sent = none_of(cfg->workers),
                                    .last_arrival = none_of(cfg->workers) };

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
    free(c->own_at);
    free(c->own);
    *c = (struct collective){ 0 };
}

void collective_list_own(struct collective *c, bool with_receives)
{
    c->own_at = xcalloc(c->workers + 2ul, sizeof *c->own_at);
    c->own = xcalloc((1ul + with_receives) * c->messages + 1, sizeof *c->own);
    for (uint32_t w = 0; w < c->workers; w++)
        c->own_at[w + 2] = c->own_at[w + 1] + c->sends[w] + (with_receives ? c->receives[w] : 0);
    /* own_at[w + 1] moves from the start of w's list to its end */
    for (uint32_t m = 0; m < c->messages; m++) {
        c->own[c->own_at[c->message[m].src + 1]++] = m;
        if (with_receives)
            c->own[c->own_at[c->message[m].dst + 1]++] = m;
    }
}

/* ---- metrics ---- */

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

void collective_link_ps(const struct collective *c, uint32_t mtu_bytes, uint32_t overhead_bytes,
                        const uint64_t *rate_bps, uint64_t *busy_ps)
{
    uint64_t *out = xcalloc(c->workers, sizeof *out), *in = xcalloc(c->workers, sizeof *in);

    for (uint32_t i = 0; i < c->messages; i++) {
        const struct collective_message *m = &c->message[i];
        uint64_t                         wire = m->bytes + chunks_of(m->bytes, mtu_bytes) * overhead_bytes;

        out[m->src] += wire;
        in[m->dst] += wire;
    }
    for (uint32_t i = 0; i < c->workers; i++)
        busy_ps[i] = (uint64_t)((unsigned __int128)(out[i] > in[i] ? out[i] : in[i]) * 8 * PS_PER_S /
                                rate_bps[i]);
    free(in);
    free(out);
}
