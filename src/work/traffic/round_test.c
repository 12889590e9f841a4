/* src/work/traffic/round_test.c - ranks execute collectives over a network without delay that reorders
 * messages. */
#include "work/traffic/round.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define RANKS_MAX 16u

struct round_letter { uint32_t from, to; uint64_t tag, bytes; };

struct round_fixture {
    struct trace        trace;
    struct plans       *plans;
    struct rounds       rounds[RANKS_MAX];
    struct round_posts  posts;
    bool                is_over[RANKS_MAX];
    struct round_letter letter[10000];
    uint32_t            letters, delivered;
    uint64_t            sent_bytes[RANKS_MAX];
};

/* Sends what a rank has to send. over: its operation, if its collective is over. */
static void go_on(struct round_fixture *h, uint32_t rank, uint32_t over)
{
    for (uint32_t i = 0; i < h->posts.count; i++) {
        const struct round_post *post = &h->posts.post[i];

        assert_true(h->letters < sizeof h->letter / sizeof *h->letter);
        h->letter[h->letters++] = (struct round_letter){ rank, post->rank, post->tag, post->bytes };
        h->sent_bytes[rank] += post->bytes;
    }
    h->posts.count = 0;
    if (over == ROUND_GOES_ON)
        return;
    assert_int_equal(over, 0);
    assert_false(h->is_over[rank]);
    h->is_over[rank] = true;
}

static struct trace_op op_of(const struct round_fixture *h, uint32_t rank)
{
    return h->trace.rank[rank].op[0];
}

/* Delivers the most recently posted message first. */
static void deliver(struct round_fixture *h)
{
    struct round_letter  l = h->letter[--h->letters];
    struct round_message m = round_message_of(l.tag);
    struct trace_op      op = op_of(h, l.from);

    assert_int_equal(m.op, 0);
    go_on(h, l.to, round_on_arrival(&h->rounds[l.to], round_of(&h->rounds[l.to], &op), &m, &h->posts));
    go_on(h, l.from, round_on_sent(&h->rounds[l.from], round_of(&h->rounds[l.from], &op), &m, &h->posts));
    h->delivered++;
}

static void run_collective(struct round_fixture *h, uint32_t ranks, enum trace_collective kind,
                           uint64_t bytes, const struct plan_cfg *cfg)
{
    struct err err;
    double     messages;

    *h = (struct round_fixture){ 0 };
    trace_init(&h->trace, "t", ranks);
    for (uint32_t i = 0; i < ranks; i++)
        trace_add(&h->trace, i, &(struct trace_op){ .type = TRACE_COLLECTIVE, .collective = (uint8_t)kind,
                                                    .size = bytes });
    assert_int_equal(trace_seal(&h->trace, &err), 0);
    assert_int_equal(trace_check(&h->trace, &err), 0);
    h->plans = plans_new(cfg, ranks);
    assert_int_equal(plans_check(h->plans, &h->trace, &messages, &err), 0);
    for (uint32_t i = 0; i < ranks; i++)
        h->rounds[i] = (struct rounds){ &h->trace, h->plans, i, NULL };
    for (uint32_t i = 0; i < ranks; i++) {           /* early messages arrive before the last ranks start */
        struct trace_op op = op_of(h, i);

        while (h->letters)
            deliver(h);
        assert_false(h->is_over[0]);
        go_on(h, i, round_begin(&h->rounds[i], round_of(&h->rounds[i], &op), 0, &h->posts));
    }
    while (h->letters)
        deliver(h);
    assert_int_equal(h->delivered, messages);
    for (uint32_t i = 0; i < ranks; i++) {
        assert_true(h->is_over[i]);
        assert_null(h->rounds[i].first);
    }
    free(h->posts.post);
    plans_free(h->plans);
    trace_fini(&h->trace);
}

static struct round_fixture hall;

/* Every rank of a ring sends 2 (n-1) / n of an all-reduce, for any number of channels. */
static void ring__bytes_and_messages(void **unused)
{
    (void)unused;
    for (uint32_t channels = 0; channels <= 4; channels += 2) {
        run_collective(&hall, 8, TRACE_ALL_REDUCE, 8 * 4096,
                       &(struct plan_cfg){ .all_reduce = COLLECTIVE_RING_ALL_REDUCE, .channels = channels,
                                           .chunk_bytes = 1u << 20 });
        assert_int_equal(hall.delivered, 8 * 14 * (channels ? channels : 1));
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(hall.sent_bytes[i], 14 * 4096);
    }
}

static void tree_halving_and_all_to_all__end(void **unused)
{
    (void)unused;
    run_collective(&hall, 16, TRACE_ALL_REDUCE, 1u << 20,
                   &(struct plan_cfg){ .all_reduce = COLLECTIVE_TREE_ALL_REDUCE, .chunk_bytes = 1u << 16 });
    run_collective(&hall, 16, TRACE_ALL_REDUCE, 1u << 20,
                   &(struct plan_cfg){ .all_reduce = COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE });
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(hall.sent_bytes[i], 2 * 15 * (1u << 20) / 16);
    run_collective(&hall, 5, TRACE_ALL_TO_ALL, 5000,
                   &(struct plan_cfg){ .all_reduce = COLLECTIVE_RING_ALL_REDUCE });
    assert_int_equal(hall.delivered, 20);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(hall.sent_bytes[i], 4000);
}

/* An all-reduce of n bytes by dimension costs a rank n (1 - 1/8) to scatter among 8, an all-reduce of n/8
 * between 2, and n (1 - 1/8) to gather: as much as one ring. A dimension of one rank has no messages. */
static void dims__phase_by_phase(void **unused)
{
    const uint64_t bytes = 16 * 1000;

    (void)unused;
    run_collective(&hall, 16, TRACE_ALL_REDUCE, bytes,
                   &(struct plan_cfg){ .all_reduce = COLLECTIVE_RING_ALL_REDUCE, .dim = { 8, 1, 2 },
                                       .dims = 3 });
    assert_int_equal(hall.delivered, 2 * (8 * 7) + 8 * (2 * 2) + 2 * (8 * 7));
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(hall.sent_bytes[i], 2 * 15 * bytes / 16);
    run_collective(&hall, 16, TRACE_ALL_GATHER, 1000,
                   &(struct plan_cfg){ .all_reduce = COLLECTIVE_RING_ALL_REDUCE, .dim = { 4, 4 },
                                       .dims = 2 });
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(hall.sent_bytes[i], 15 * 1000);
    run_collective(&hall, 16, TRACE_REDUCE_SCATTER, 16000,
                   &(struct plan_cfg){ .all_reduce = COLLECTIVE_RING_ALL_REDUCE, .dim = { 4, 4 },
                                       .dims = 2 });
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(hall.sent_bytes[i], 15 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring__bytes_and_messages),
        cmocka_unit_test(tree_halving_and_all_to_all__end),
        cmocka_unit_test(dims__phase_by_phase),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
