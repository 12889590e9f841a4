/* src/work/traffic/iteration_test.c - the messages and bounds of iterations with several steps. */
#include "work/traffic/iteration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct iteration_step steps[] = {
    { 5000, { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 2, .bytes = 4000 }, PARALLEL_TENSOR, 3, 0, false,
      false, 0 },
    { 70, { .kind = COLLECTIVE_SEND_NEXT, .workers = 2, .bytes = 1000 }, PARALLEL_PIPELINE, 1, 0, false,
        false, 0 },
};
static const struct iteration_cfg cfg = { { 4, 2, 1, 2, 1, 1 }, steps, 2 };

/* Workers 0, 1 and 2, 3 are tensor groups; 0, 2 and 1, 3 are pipelines. Every message occurs once, waits for
 * its worker and its predecessor, and is followed only by messages of its own collective. */
static void iteration_init__by_hand(void **unused)
{
    struct iteration it;

    (void)unused;
    iteration_init(&it, &cfg);
    assert_int_equal(it.stages, 4);
    assert_int_equal(it.messages, 3 * 8 + 2);
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t                 group = i % 8 / 4, second = i % 4 / 2;
        struct iteration_message m = iteration_find(&it, i);
        const struct collective *c = m.c;

        assert_int_equal(m.stage, i / 8);
        assert_int_equal(m.first + m.m, i);
        assert_int_equal(iteration_worker(&it, &m, c->message[m.m].src), 2 * group + i % 2);
        assert_int_equal(iteration_worker(&it, &m, c->message[m.m].dst), 2 * group + !(i % 2));
        assert_int_equal(c->message[m.m].bytes, 2000);
        /* its sent and received messages of the first step */
        assert_int_equal(c->waits[m.m], second ? 2 : 0);
        assert_int_equal(c->arrival_at[m.m + 1] - c->arrival_at[m.m], !second);
        assert_int_equal(c->sent_at[m.m + 1] - c->sent_at[m.m], !second);
        if (!second) {
            assert_int_equal(m.first + c->sent[c->sent_at[m.m]], i + 2);
            assert_int_equal(m.first + c->arrival[c->arrival_at[m.m]], (i ^ 1) + 2);
        }
    }
    for (uint32_t i = 24; i < 26; i++) {
        struct iteration_message m = iteration_find(&it, i);

        assert_int_equal(m.stage, 3);
        assert_int_equal(iteration_worker(&it, &m, m.c->message[m.m].src), i - 24);
        assert_int_equal(iteration_worker(&it, &m, m.c->message[m.m].dst), i - 24 + 2);
        assert_int_equal(m.c->waits[m.m], 0);
    }
    for (uint32_t w = 0; w < 4; w++) {
        for (uint32_t stage = 0; stage < 3; stage++) {
            struct iteration_own own = iteration_own(&it, stage, w);

            assert_int_equal(it.stage[stage].compute_ps, 5000);
            assert_int_equal(it.count[stage * 4 + w], 4);
            assert_int_equal(own.count, 2);
            for (uint32_t i = 0; i < 2; i++)
                assert_int_equal(own.first + own.own[i], stage * 8 + w / 2 * 4 + w % 2 + 2 * i);
        }
        assert_int_equal(it.count[3 * 4 + w], 1);
        assert_int_equal(iteration_own(&it, 3, w).count, w < 2);
    }
    assert_true(iteration_bytes(&it) == 24 * 2000 + 2 * 1000);
    iteration_fini(&it);
}

/* 100 Gb/s: three times 2 x 2000 bytes plus 2 x 2 packets' overhead of 82, one way; then 1000 + 82. Worker
 * 3's link is four times slower. */
static void iteration_bound__by_hand(void **unused)
{
    uint64_t rate_bps[4] = { 100000000000, 100000000000, 100000000000, 25000000000 };

    (void)unused;
    assert_int_equal(iteration_bound_ps(&cfg, 1024, 82, rate_bps),
                     3 * 5000 + 70 + (3 * (4000 + 4 * 82) + 1082) * 320);
    rate_bps[3] = rate_bps[0];
    assert_int_equal(iteration_bound_ps(&cfg, 1024, 82, rate_bps),
                     3 * 5000 + 70 + (3 * (4000 + 4 * 82) + 1082) * 80);
}

/* Overlapped: the larger of link time and computing time. Pipelined: filling counts, sending does not. */
static void iteration_bound__with_overlap(void **unused)
{
    const uint64_t             rate_bps[4] = { 100000000000, 100000000000, 100000000000, 100000000000 };
    const uint64_t             busy = (4000 + 4 * 82) * 80ull;
    struct iteration_step      step = { 5000, { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 2,
        .bytes = 4000 },
                                        PARALLEL_TENSOR, 3, 11, true, false, 0 };
    const struct iteration_cfg one = { { 4, 2, 1, 2, 1, 1 }, &step, 1 },
                               pipeline = { { 4, 1, 1, 4, 1, 1 }, &step, 1 };

    (void)unused;
    assert_int_equal(iteration_bound_ps(&one, 1024, 82, rate_bps), 3 * busy);
    step.compute_ps = 2 * busy;
    assert_int_equal(iteration_bound_ps(&one, 1024, 82, rate_bps), 11 + 6 * busy);
    step = (struct iteration_step){ 500000, { .kind = COLLECTIVE_SEND_PREVIOUS, .workers = 4, .bytes = 10 },
                                    PARALLEL_PIPELINE, 7, 11, false, true, 0 };
    assert_int_equal(iteration_bound_ps(&pipeline, 1024, 82, rate_bps), 11 + (7 + 4 - 1) * 500000);
}

static void iteration_check__counts(void **unused)
{
    struct iteration_step ring = { 0, { .kind = COLLECTIVE_RING_ALL_REDUCE, .bytes = 10 * 1000 * 1000 },
                                   PARALLEL_DATA, 40, 0, false, false, 0 };
    struct iteration_cfg  c = { { 10240, 8, 160, 8, 1, 1 }, &ring, 1 };

    (void)unused;
    assert_int_equal(iteration_check(&c, NULL), 0);      /* 40 x 64 rings of 2 x 160 x 159: 130 million */
    ring.times = ITERATION_MESSAGES_MAX / (64 * 2 * 160 * 159);
    assert_int_equal(iteration_check(&c, NULL), 0);
    ring.times++;
    assert_int_equal(iteration_check(&c, NULL), -E2BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iteration_init__by_hand),
        cmocka_unit_test(iteration_bound__by_hand),
        cmocka_unit_test(iteration_bound__with_overlap),
        cmocka_unit_test(iteration_check__counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
