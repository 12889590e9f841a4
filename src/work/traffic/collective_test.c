/* src/work/traffic/collective_test.c - executes the messages in random orders that their dependencies allow.
 * Every byte of the small buffers records whose contributions it holds, so the result can be checked.
 */
#include "work/traffic/collective.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORKERS_MAX 19u

/* ---- execution ---- */

enum message_phase { WAITS, ON_ITS_WAY, ARRIVED, SENT };

struct collective_run {
    struct collective_cfg cfg;
    struct collective     c;
    uint8_t              *held;      /* [worker][byte][contributor]: number of contributions */
    uint8_t             **carried;   /* by message: the data it carries */
    enum message_phase   *phase;
    uint32_t             *unmet;     /* by message: open dependencies */
    uint32_t             *moving;    /* messages in flight or arrived */
    uint32_t              count, done;
    struct rng            rng;
};

static uint8_t *bytes_of(const struct collective_run *r, uint32_t worker, uint64_t offset)
{
    return r->held + (worker * r->cfg.bytes + offset) * r->cfg.workers;
}

/* Returns the owner of a byte. The first 'bytes % n' parts have one extra byte. */
static uint32_t owner_of(const struct collective_run *r, uint64_t byte)
{
    uint64_t end = 0;

    for (uint32_t i = 0;; i++) {
        end += r->cfg.bytes / r->cfg.workers + (i < r->cfg.bytes % r->cfg.workers);
        if (byte < end)
            return i;
    }
}

/* A worker has one message in flight at a time; in trees, one on each edge of each tree. */
static bool goes_before(const struct collective_run *r, uint32_t a, uint32_t b)
{
    const struct collective_message *x = &r->c.message[a], *y = &r->c.message[b];
    uint64_t                         half = r->cfg.bytes / 2;

    if (r->cfg.channels)
        return false;            /* a queue pair keeps its messages in order */
    if (r->cfg.kind != COLLECTIVE_TREE_ALL_REDUCE)
        return x->src == y->src;
    return x->src == y->src && x->dst == y->dst && (x->offset < half) == (y->offset < half);
}

static void send_message(struct collective_run *r, uint32_t m)
{
    const struct collective_message *msg = &r->c.message[m];
    size_t                           size = msg->bytes * r->cfg.workers;

    assert_int_equal(r->phase[m], WAITS);
    for (uint32_t i = 0; i < r->count; i++)
        assert_false(goes_before(r, r->moving[i], m));
    r->phase[m] = ON_ITS_WAY;
    r->moving[r->count++] = m;
    if (r->cfg.kind == COLLECTIVE_ALL_TO_ALL)
        return;
    r->carried[m] = malloc(size);
    memcpy(r->carried[m], bytes_of(r, msg->src, msg->offset), size);
}

/* A complete sum replaces the buffer's content; anything else is added. */
static void deliver_message(struct collective_run *r, uint32_t m)
{
    const struct collective_message *msg = &r->c.message[m];
    uint32_t                         n = r->cfg.workers;

    assert_memory_equal(bytes_of(r, msg->src, msg->offset), r->carried[m], msg->bytes * n);
    for (uint64_t i = 0; i < msg->bytes; i++) {
        uint8_t *to = bytes_of(r, msg->dst, msg->offset + i), *from = r->carried[m] + i * n;
        bool     is_whole = true;

        for (uint32_t c = 0; c < n; c++)
            is_whole &= from[c] == 1;
        for (uint32_t c = 0; c < n; c++)
            to[c] = (uint8_t)(is_whole ? from[c] : to[c] + from[c]);
    }
}

static void release(struct collective_run *r, const uint32_t *list, uint32_t count, uint32_t worker)
{
    for (uint32_t i = 0; i < count; i++) {
        /* a worker only reacts to its own messages */
        assert_int_equal(r->c.message[list[i]].src, worker);
        assert_true(r->unmet[list[i]] > 0);
        if (--r->unmet[list[i]] == 0)
            send_message(r, list[i]);
    }
}

/* Executes a random event among those that are possible. */
static void step(struct collective_run *r)
{
    uint32_t                         at = (uint32_t)rng_below(&r->rng, r->count), m = r->moving[at];
    const struct collective_message *msg = &r->c.message[m];

    if (r->phase[m] == ON_ITS_WAY) {
        r->phase[m] = ARRIVED;
        if (r->cfg.kind != COLLECTIVE_ALL_TO_ALL)
            deliver_message(r, m);
        release(r, r->c.arrival + r->c.arrival_at[m], r->c.arrival_at[m + 1] - r->c.arrival_at[m], msg->dst);
    } else {
        r->phase[m] = SENT;
        r->moving[at] = r->moving[--r->count];
        r->done++;
        release(r, r->c.sent + r->c.sent_at[m], r->c.sent_at[m + 1] - r->c.sent_at[m], msg->src);
    }
}

static void fill(struct collective_run *r)
{
    for (uint32_t w = 0; w < r->cfg.workers; w++)
        for (uint64_t i = 0; i < r->cfg.bytes; i++)
            if (r->cfg.kind != COLLECTIVE_ALL_GATHER || owner_of(r, i) == w)
                bytes_of(r, w, i)[w] = 1;
}

static void run_begin(struct collective_run *r, const struct collective_cfg *cfg, uint64_t seed)
{
    *r = (struct collective_run){ .cfg = *cfg };
    assert_int_equal(collective_check(cfg, NULL), 0);
    collective_init(&r->c, cfg);
    rng_init(&r->rng, seed, 0);
    r->carried = calloc(r->c.messages, sizeof *r->carried);
    r->phase = calloc(r->c.messages, sizeof *r->phase);
    r->unmet = calloc(r->c.messages, sizeof *r->unmet);
    r->moving = calloc(r->c.messages, sizeof *r->moving);
    if (cfg->kind != COLLECTIVE_ALL_TO_ALL) {
        r->held = calloc(cfg->workers * cfg->bytes, cfg->workers);
        fill(r);
    }
    for (uint32_t m = 0; m < r->c.messages; m++)
        r->unmet[m] = r->c.waits[m];
    for (uint32_t i = 0; i < r->c.roots; i++) {
        assert_int_equal(r->c.waits[r->c.root[i]], 0);
        send_message(r, r->c.root[i]);
    }
}

static void run_end(struct collective_run *r)
{
    for (uint32_t m = 0; m < r->c.messages; m++)
        free(r->carried[m]);
    free(r->carried);
    free(r->phase);
    free(r->unmet);
    free(r->moving);
    free(r->held);
    collective_fini(&r->c);
}

/* ---- results ---- */

static void expect_outcome(const struct collective_run *r)
{
    for (uint32_t w = 0; w < r->cfg.workers; w++)
        for (uint64_t i = 0; i < r->cfg.bytes; i++) {
            uint32_t owner = owner_of(r, i);

            if (r->cfg.kind == COLLECTIVE_REDUCE_SCATTER && owner != w)
                continue;
            for (uint32_t c = 0; c < r->cfg.workers; c++)
                assert_int_equal(bytes_of(r, w, i)[c], r->cfg.kind != COLLECTIVE_ALL_GATHER || c == owner);
        }
}

static void expect_each_pair_once(const struct collective_run *r)
{
    uint32_t n = r->cfg.workers, *seen = calloc(n * n, sizeof *seen);

    for (uint32_t m = 0; m < r->c.messages; m++) {
        seen[r->c.message[m].src * n + r->c.message[m].dst]++;
        assert_int_equal(r->c.message[m].bytes, r->cfg.bytes);
    }
    for (uint32_t i = 0; i < n * n; i++)
        assert_int_equal(seen[i], i / n != i % n);
    free(seen);
}

static void expect_works(const struct collective_cfg *cfg, uint64_t seed)
{
    struct collective_run r;

    run_begin(&r, cfg, seed);
    while (r.count)
        step(&r);
    assert_int_equal(r.done, r.c.messages);
    if (cfg->kind == COLLECTIVE_ALL_TO_ALL)
        expect_each_pair_once(&r);
    else
        expect_outcome(&r);
    run_end(&r);
}

/* Sizes that divide evenly and sizes that do not; likewise for chunks. */
static void collective__computes_its_result(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < COLLECTIVE_SEND_NEXT; kind++)
        for (uint32_t n = 2; n <= WORKERS_MAX; n++)
            for (uint64_t bytes = n; bytes <= 3 * n; bytes += n > 4 ? n / 2 : 1)
                expect_works(&(struct collective_cfg){ .kind = (enum collective_kind)kind, .workers = n,
                                                       .bytes = bytes, .chunk_bytes = 1 + bytes % 5 }, n + bytes);
}

static void collective__tolerates_any_order(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < COLLECTIVE_SEND_NEXT; kind++)
        for (uint64_t seed = 0; seed < 100; seed++)
            expect_works(&(struct collective_cfg){ .kind = (enum collective_kind)kind, .workers = 7,
                                                   .bytes = 23, .chunk_bytes = 4 }, seed);
}

/* Several rings, with servers of various sizes. */
static void channels__compute_the_result(void **unused)
{
    (void)unused;
    for (uint32_t channels = 1; channels <= 4; channels++)
        for (uint32_t n = 2; n <= 12; n++)
            for (uint32_t server = 1; server <= 4; server++)
                expect_works(&(struct collective_cfg){ .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = n,
                                                       .bytes = channels * n * 3 + 1,
                                                       .chunk_bytes = 2, .channels = channels,
                                                       .server = server }, n);
    expect_works(&(struct collective_cfg){ .kind = COLLECTIVE_ALL_GATHER, .workers = 5, .bytes = 23,
                                           .chunk_bytes = 3, .channels = 1 }, 1);
    expect_works(&(struct collective_cfg){ .kind = COLLECTIVE_REDUCE_SCATTER, .workers = 5, .bytes = 23,
                                           .chunk_bytes = 3, .channels = 1 }, 1);
}

/* Four servers of four workers, four rings: every worker sends to another server in one ring and receives in
 * one, always on its own rail. */
static void channels__use_all_rails(void **unused)
{
    const struct collective_cfg cfg = { .kind = COLLECTIVE_ALL_GATHER, .workers = 16, .bytes = 6400,
                                        .chunk_bytes = 100, .channels = 4, .server = 4 };
    uint64_t          out[16] = { 0 }, in[16] = { 0 };
    struct collective c;

    (void)unused;
    collective_init(&c, &cfg);
    for (uint32_t i = 0; i < c.messages; i++) {
        const struct collective_message *m = &c.message[i];

        if (m->src / 4 == m->dst / 4)
            continue;
        assert_int_equal(m->src % 4, m->dst % 4);
        out[m->src] += m->bytes;
        in[m->dst] += m->bytes;
    }
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(out[i], 1500);          /* 15 of 16 parts of a quarter of the buffer */
        assert_int_equal(in[i], 1500);
    }
    collective_fini(&c);
}

/* Neighbors: the last worker sends nothing forward, the first nothing backward, and no message has
 * dependencies. */
static void send__goes_to_neighbors(void **unused)
{
    (void)unused;
    for (uint32_t n = 2; n <= 9; n++)
        for (uint32_t back = 0; back < 2; back++) {
            const struct collective_cfg cfg = {
                .kind = back ? COLLECTIVE_SEND_PREVIOUS : COLLECTIVE_SEND_NEXT, .workers = n, .bytes = 777 };
            struct collective           c;

            collective_init(&c, &cfg);
            assert_int_equal(c.messages, n - 1);
            assert_int_equal(c.roots, n - 1);
            for (uint32_t m = 0; m < n - 1; m++) {
                assert_int_equal(c.message[m].src, m + back);
                assert_int_equal(c.message[m].dst, m + !back);
                assert_int_equal(c.message[m].bytes, 777);
            }
            assert_int_equal(collective_size_bytes(&cfg), 777);
            collective_fini(&c);
        }
}

/* ---- load and depth ---- */

struct worker_sums { uint64_t out, in; };

static struct worker_sums sums_of(const struct collective *c, uint32_t worker)
{
    struct worker_sums s = { 0, 0 };

    for (uint32_t m = 0; m < c->messages; m++) {
        s.out += c->message[m].src == worker ? c->message[m].bytes : 0;
        s.in += c->message[m].dst == worker ? c->message[m].bytes : 0;
    }
    return s;
}

/* Raises the depth of the listed messages above that of m. Returns true if any depth changed. */
static bool push_down(uint32_t *depth, uint32_t m, const uint32_t *list, const uint32_t *end)
{
    bool has_moved = false;

    for (; list < end; list++)
        if (depth[*list] <= depth[m]) {
            depth[*list] = depth[m] + 1;
            has_moved = true;
        }
    return has_moved;
}

/* Length of the longest dependency chain. */
static uint32_t depth_of(const struct collective *c)
{
    uint32_t *depth = calloc(c->messages, sizeof *depth), longest = 0;
    bool      again = true;

    while (again) {
        again = false;
        for (uint32_t m = 0; m < c->messages; m++) {
            again |= push_down(depth, m, c->arrival + c->arrival_at[m], c->arrival + c->arrival_at[m + 1]);
            again |= push_down(depth, m, c->sent + c->sent_at[m], c->sent + c->sent_at[m + 1]);
            longest = depth[m] + 1 > longest ? depth[m] + 1 : longest;
        }
    }
    free(depth);
    return longest;
}

/* Expected by hand: n workers, parts of 5 bytes. All send and receive the same amount. */
static void expect_load(enum collective_kind kind, uint32_t n, uint64_t bytes, uint64_t load, uint32_t depth)
{
    const struct collective_cfg cfg = { .kind = kind, .workers = n, .bytes = bytes };
    struct collective           c;

    collective_init(&c, &cfg);
    for (uint32_t w = 0; w < n; w++) {
        struct worker_sums s = sums_of(&c, w);

        assert_int_equal(s.out, load);
        assert_int_equal(s.in, load);
        assert_int_equal(c.sends[w], c.receives[w]);
    }
    assert_int_equal(depth_of(&c), depth);
    collective_fini(&c);
}

static void collective__load_and_steps_match_textbooks(void **unused)
{
    (void)unused;
    for (uint32_t n = 2; n <= 40; n++) {
        expect_load(COLLECTIVE_ALL_TO_ALL, n, 5, 5ull * (n - 1), n - 1);
        expect_load(COLLECTIVE_RING_ALL_REDUCE, n, 5 * n, 10ull * (n - 1), 2 * (n - 1));
        expect_load(COLLECTIVE_ALL_GATHER, n, 5 * n, 5ull * (n - 1), n - 1);
        expect_load(COLLECTIVE_REDUCE_SCATTER, n, 5 * n, 5ull * (n - 1), n - 1);
    }
    for (uint32_t log = 1, n = 2; log <= 7; log++, n *= 2)
        expect_load(COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE, n, 5 * n, 10ull * (n - 1), 2 * log);
}

/* 3 workers beyond 8: each gives its 80 bytes to a neighbor, which returns 80 in addition to the exchange
 * among all 8. */
static void collective__halving_folds_the_rest(void **unused)
{
    const struct collective_cfg cfg = { .kind = COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE, .workers = 11,
        .bytes = 80 };
    struct collective           c;

    (void)unused;
    collective_init(&c, &cfg);
    assert_int_equal(c.messages, 2 * 3 + 2 * 3 * 8);
    assert_int_equal(depth_of(&c), 2 + 2 * 3);
    for (uint32_t w = 0; w < 11; w++) {
        struct worker_sums s = sums_of(&c, w);
        uint64_t           load = w >= 6 ? 140 : w % 2 ? 220 : 80;

        assert_int_equal(s.out, load);
        assert_int_equal(s.in, load);
    }
    collective_fini(&c);
}

/* Load as in a ring, with logarithmic depth. Each edge of the two trees carries half of the buffer up and
 * down. */
static void collective__two_trees_share_the_load(void **unused)
{
    (void)unused;
    for (uint32_t n = 2, log = 1; n <= 130; n++) {
        const struct collective_cfg cfg = { .kind = COLLECTIVE_TREE_ALL_REDUCE, .workers = n, .bytes = 1000,
            .chunk_bytes = 1000 };
        struct collective           c;
        uint64_t                    sum = 0;

        log += n > 1u << log;
        collective_init(&c, &cfg);
        for (uint32_t w = 0; w < n; w++) {
            struct worker_sums s = sums_of(&c, w);

            assert_in_range(s.out, 500, 2000);
            assert_in_range(s.in, 500, 2000);
            sum += s.out;
        }
        assert_int_equal(sum, 2000ull * (n - 1));
        assert_in_range(depth_of(&c), 2 * log, 2 * log + 2);
        collective_fini(&c);
    }
}

/* Chunks are pipelined: k chunks are at most k - 1 deeper than one. */
static void collective__chunks_are_a_pipeline(void **unused)
{
    const struct collective_cfg one = { .kind = COLLECTIVE_TREE_ALL_REDUCE, .workers = 20, .bytes = 20000,
        .chunk_bytes = 10000 };
    const struct collective_cfg many = { .kind = COLLECTIVE_TREE_ALL_REDUCE, .workers = 20, .bytes = 20000,
        .chunk_bytes = 100 };
    struct collective           a, b;

    (void)unused;
    collective_init(&a, &one);
    collective_init(&b, &many);
    assert_int_equal(b.messages, 100 * a.messages);
    assert_int_equal(depth_of(&b), depth_of(&a) + 99);
    collective_fini(&a);
    collective_fini(&b);
}

/* ---- refusals and metrics ---- */

/* Each of n workers starts n - 1 messages without dependencies. */
static void collective__at_once_all_are_roots(void **unused)
{
    const struct collective_cfg cfg = { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 7, .bytes = 10,
                                        .is_at_once = true };
    struct collective           c;

    (void)unused;
    collective_init(&c, &cfg);
    assert_int_equal(c.roots, 42);
    assert_int_equal(c.arrival_at[42] + c.sent_at[42], 0);
    for (uint32_t i = 0; i < c.messages; i++) {
        assert_true(c.message[i].bytes == 10 && c.message[i].src != c.message[i].dst);
        for (uint32_t k = 0; k < i; k++)
            assert_true(c.message[k].src != c.message[i].src || c.message[k].dst != c.message[i].dst);
    }
    collective_fini(&c);
}

/* Three servers of four. Messages between servers stay on one rail; a relay forwards messages for other rails
 * on arrival. Every worker finally gets one message from each other worker. */
static void pxn__no_message_leaves_its_rail(void **unused)
{
    (void)unused;
    for (int at_once = 0; at_once < 2; at_once++) {
        const struct collective_cfg cfg = { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 12, .bytes = 7,
                                            .is_at_once = at_once, .server = 4, .is_by_rail = true };
        uint32_t                    out[12] = { 0 }, final[12] = { 0 };
        struct collective           c;

        collective_init(&c, &cfg);
        assert_int_equal(c.messages, 12 * 11 + 12 * 2 * 3);
        assert_int_equal(c.messages, collective_messages(&cfg));
        for (uint32_t m = 0; m < c.messages; m++) {
            const struct collective_message *is = &c.message[m];
            bool                             leaves = is->src / 4 != is->dst / 4, is_relayed = false;

            assert_true(!leaves || is->src % 4 == is->dst % 4);
            for (uint32_t i = c.arrival_at[m]; i < c.arrival_at[m + 1]; i++)
                is_relayed |= !leaves && c.waits[c.arrival[i]] == 1 &&
                              c.message[c.arrival[i]].dst / 4 != is->dst / 4 && c.arrival[i] == m + 1;
            out[is->src] += leaves;
            final[is->dst] += !is_relayed;
        }
        for (uint32_t i = 0; i < 12; i++) {
            /* messages of its server's four workers to two other servers */
            assert_int_equal(out[i], 2 * 4);
            assert_int_equal(final[i], 11);
        }
        collective_fini(&c);
    }
}

static void collective_check__refuses(void **unused)
{
    static const struct {
        struct collective_cfg cfg;
        int                   rc;
        const char           *why;
    } rows[] = {
        { { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 1, .bytes = 10 }, -EINVAL,
          "a collective takes two workers or more" },
        { { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 2 }, -EINVAL,
          "0 bytes cannot be divided among 2 workers" },
        { { .kind = COLLECTIVE_ALL_GATHER, .workers = 11, .bytes = 10 }, -EINVAL,
          "10 bytes cannot be divided among 11 workers" },
        { { .kind = COLLECTIVE_TREE_ALL_REDUCE, .workers = 4, .bytes = 10 }, -EINVAL, "a chunk of 0 bytes" },
        { { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 4, .bytes = 10, .channels = 2 }, -EINVAL,
          "all_to_all has no rings and so no channels" },
        { { .kind = COLLECTIVE_ALL_GATHER, .workers = 4, .bytes = 10, .channels = 3, .chunk_bytes = 1 },
          -EINVAL,
          "10 bytes cannot be divided among 3 channels and 4 workers" },
        { { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 4, .bytes = 1ull << 40, .channels = 1,
            .chunk_bytes = 1 }, -E2BIG,
          "more than 16777215 messages: use fewer workers or larger chunks" },
        { { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 4097, .bytes = 10 }, -E2BIG,
          "more than 16777215 messages: use fewer workers" },
        { { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 2897, .bytes = 9999 }, -E2BIG,
          "more than 16777215 messages: use fewer workers" },
        { { .kind = COLLECTIVE_TREE_ALL_REDUCE, .workers = 3, .bytes = 4194306, .chunk_bytes = 1 }, -E2BIG,
          "more than 16777215 messages: use fewer workers or larger chunks" },
        { { .kind = COLLECTIVE_TREE_ALL_REDUCE, .workers = 1000000, .bytes = 1ull << 48, .chunk_bytes = 1 },
            -E2BIG,
          "more than 16777215 messages: use fewer workers or larger chunks" },
    };
    const struct collective_cfg most[] = { { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 2000, .bytes = 1 },
                                           { .kind = COLLECTIVE_TREE_ALL_REDUCE, .workers = 3,
                                               .bytes = 1000000, .chunk_bytes = 1 },
                                           { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 1024,
                                               .channels = 8, .bytes = 64000000, .chunk_bytes = 512 << 10 } };
    struct err                  err;

    (void)unused;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(collective_check(&rows[i].cfg, &err), rows[i].rc);
        assert_string_equal(err.text, rows[i].why);
    }
    assert_int_equal(collective_check(&most[0], &err), 0);
    assert_int_equal(collective_check(&most[1], &err), 0);
    assert_int_equal(collective_check(&most[2], &err), 0);
}

/* The tables of PERFORMANCE.md in nccl-tests, for 8 ranks. */
static void collective__size_and_factor_as_in_nccl_tests(void **unused)
{
    const struct collective_cfg a2a = { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 8, .bytes = 100 };
    const struct collective_cfg ring = { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 8, .bytes = 100 };

    (void)unused;
    assert_true(collective_bus_factor(COLLECTIVE_RING_ALL_REDUCE, 8) == 1.75);
    assert_true(collective_bus_factor(COLLECTIVE_TREE_ALL_REDUCE, 8) == 1.75);
    assert_true(collective_bus_factor(COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE, 8) == 1.75);
    assert_true(collective_bus_factor(COLLECTIVE_ALL_GATHER, 8) == 0.875);
    assert_true(collective_bus_factor(COLLECTIVE_REDUCE_SCATTER, 8) == 0.875);
    assert_true(collective_bus_factor(COLLECTIVE_ALL_TO_ALL, 8) == 0.875);
    assert_int_equal(collective_size_bytes(&a2a), 800);
    assert_int_equal(collective_size_bytes(&ring), 100);
}

/* By hand: 4 workers send 6 messages of 2500 bytes: 3 packets, 2500 + 3 x 82 bytes, 80 ps each at 100 Gb/s. A
 * slower link takes proportionally longer. */
static void collective_link__by_hand(void **unused)
{
    const struct collective_cfg cfg = { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 4, .bytes = 10000 };
    uint64_t                    rate_bps[4] = { 100000000000, 100000000000, 100000000000, 100000000000 };
    uint64_t                    busy_ps[4];
    struct collective           c;

    (void)unused;
    collective_init(&c, &cfg);
    rate_bps[2] = 25000000000;
    collective_link_ps(&c, 1024, 82, rate_bps, busy_ps);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(busy_ps[i], 6 * 2746 * (i == 2 ? 320 : 80));
    collective_fini(&c);
}

/* Four workers, skew 1: shares of 1, 1/2, 1/3, 1/4 of 4 x 1200 bytes, most for worker 3. By rail, each worker
 * gets messages from the two of the other server with the same bytes. */
static void all_to_all__with_skew(void **unused)
{
    static const uint64_t to[4] = { 1152, 768, 576, 2304 };

    (void)unused;
    for (uint32_t server = 1; server <= 2; server++) {
        const struct collective_cfg cfg = { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 4, .bytes = 1200,
                                            .skew = 1, .hottest = 3, .server = server, .is_by_rail = true };
        uint64_t                    got[4] = { 0 };
        struct collective           c;

        collective_init(&c, &cfg);
        for (uint32_t m = 0; m < c.messages; m++)
            if (c.message[m].src / server != c.message[m].dst / server)
                got[c.message[m].dst] += c.message[m].bytes;
        for (uint32_t w = 0; w < 4; w++)
            assert_int_equal(got[w], (4 - server) * to[w]);
        collective_fini(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collective__computes_its_result),
        cmocka_unit_test(collective__tolerates_any_order),
        cmocka_unit_test(channels__compute_the_result),
        cmocka_unit_test(channels__use_all_rails),
        cmocka_unit_test(send__goes_to_neighbors),
        cmocka_unit_test(all_to_all__with_skew),
        cmocka_unit_test(collective__load_and_steps_match_textbooks),
        cmocka_unit_test(collective__halving_folds_the_rest),
        cmocka_unit_test(collective__two_trees_share_the_load),
        cmocka_unit_test(collective__chunks_are_a_pipeline),
        cmocka_unit_test(collective__at_once_all_are_roots),
        cmocka_unit_test(pxn__no_message_leaves_its_rail),
        cmocka_unit_test(collective_check__refuses),
        cmocka_unit_test(collective__size_and_factor_as_in_nccl_tests),
        cmocka_unit_test(collective_link__by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
