/* src/sim/lb/entropy_test.c - oracles: each round visits every path once; penalties and reuse counted by
 * hand. */
#include "sim/lb/entropy.h"

#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define PATHS 16u

static uint32_t drawn;           /* how many numbers were drawn; they increase by an odd step */

static uint32_t draw(void *arg)
{
    (void)arg;
    return 7 + 5 * drawn++;
}

static struct entropy_cfg start(struct entropy *e, enum entropy_kind kind)
{
    struct entropy_cfg c = { .kind = kind, .paths = PATHS, .freezes = true, .draw = draw };

    drawn = 0;
    entropy_init(e, &c);
    return c;
}

static uint16_t next(struct entropy *e, const struct entropy_cfg *c)
{
    return entropy_next(e, c, 1000, 10);
}

/* Counts how often each path is chosen in one round. */
static void round_of(struct entropy *e, const struct entropy_cfg *c, uint32_t hits[PATHS])
{
    memset(hits, 0, PATHS * sizeof *hits);
    for (uint32_t i = 0; i < PATHS; i++)
        hits[next(e, c) & (PATHS - 1)]++;
}

static void oblivious__every_path_once_per_round(void **unused)
{
    struct entropy     e;
    struct entropy_cfg c = start(&e, ENTROPY_OBLIVIOUS);
    uint32_t           hits[PATHS];

    (void)unused;
    assert_int_equal(drawn, 2);
    for (int i = 0; i < 5; i++) {
        round_of(&e, &c, hits);
        for (uint32_t j = 0; j < PATHS; j++)
            assert_int_equal(hits[j], 1);
        assert_int_equal(drawn, 3 + i);          /* one number per round */
    }
    entropy_fini(&e);
}

/* A trimmed packet costs 4 points: the path is skipped, and loses one point each time. */
static void bitmap__skips_a_penalised_path(void **unused)
{
    struct entropy     e;
    struct entropy_cfg c = start(&e, ENTROPY_BITMAP);
    uint32_t           seen = 0;
    uint64_t           skipped = 0;

    (void)unused;
    c.skipped = &skipped;
    entropy_learn(&e, &c, 0, 5, ENTROPY_TRIMMED);
    assert_int_equal(e.penalty[5], 4);
    entropy_learn(&e, &c, 0, 5, ENTROPY_TIMEOUT);
    assert_int_equal(e.penalty[5], 15);
    entropy_learn(&e, &c, 0, 5, ENTROPY_GOOD);
    assert_int_equal(e.penalty[5], 15);
    for (uint32_t i = 0; e.penalty[5]; i++) {
        assert_true(i < 15 * PATHS);
        seen += (next(&e, &c) & (PATHS - 1)) == 5;
    }
    assert_int_equal(seen, 0);
    assert_int_equal(skipped, 15);
    for (uint32_t i = 0; i < 2 * PATHS; i++)
        seen += (next(&e, &c) & (PATHS - 1)) == 5;
    assert_true(seen >= 1);
    entropy_fini(&e);
}

/* If all paths have penalties, one is used nevertheless. */
static void bitmap__all_penalised(void **unused)
{
    struct entropy     e;
    struct entropy_cfg c = start(&e, ENTROPY_BITMAP);

    (void)unused;
    for (uint16_t i = 0; i < PATHS; i++)
        entropy_learn(&e, &c, 0, i, ENTROPY_TIMEOUT);
    for (uint32_t i = 0; i < 3 * PATHS; i++)
        next(&e, &c);
    entropy_fini(&e);
}

static void mixed__uses_good_paths_again_in_order(void **unused)
{
    struct entropy     e;
    struct entropy_cfg c = start(&e, ENTROPY_MIXED);

    (void)unused;
    for (uint16_t i = 0; i < 200; i++)
        entropy_learn(&e, &c, 0, (uint16_t)(i * 3), ENTROPY_GOOD);
    for (uint16_t i = 0; i < 200; i++)
        assert_int_equal(next(&e, &c), i * 3);
    assert_int_equal(e.good_count, 0);
    entropy_fini(&e);
}

/* The first packets of a window try paths 1, 2, ..; then good paths are reused; then random ones. */
static void reps_legacy__tries_then_reuses(void **unused)
{
    struct entropy     e;
    struct entropy_cfg c = start(&e, ENTROPY_REPS_LEGACY);

    (void)unused;
    assert_int_equal(drawn, 0);
    for (uint16_t i = 0; i < 10; i++)
        assert_int_equal(entropy_next(&e, &c, i, 10), i + 1);
    entropy_learn(&e, &c, 0, 9, ENTROPY_GOOD);
    entropy_learn(&e, &c, 0, 4, ENTROPY_MARKED);
    assert_int_equal(entropy_next(&e, &c, 10, 10), 9);
    assert_int_equal(entropy_next(&e, &c, 10, 10), 7);   /* drawn */
    entropy_fini(&e);
}

/* A ring of eight: each good path is used once. A timeout freezes them for 10 ms, and 16 random ones
 * follow. */
static void reps__reuses_and_freezes(void **unused)
{
    struct entropy     e;
    struct entropy_cfg c = start(&e, ENTROPY_REPS);

    (void)unused;
    for (uint16_t i = 0; i < 12; i++)            /* the first four are overwritten */
        entropy_learn(&e, &c, 0, i, ENTROPY_GOOD);
    for (uint16_t i = 4; i < 12; i++)
        assert_int_equal(next(&e, &c), i);
    assert_int_equal(drawn, 0);
    next(&e, &c);
    assert_int_equal(drawn, 1);
    entropy_learn(&e, &c, 1000, 0, ENTROPY_TIMEOUT);
    assert_true(e.is_frozen);
    for (int i = 0; i < 24; i++)
        assert_int_equal(next(&e, &c), i % 8 < 4 ? 8 + i % 8 : i % 8);
    assert_int_equal(drawn, 1);
    entropy_learn(&e, &c, 1001 + 10 * PS_PER_MS, 3, ENTROPY_GOOD);
    assert_false(e.is_frozen);
    for (int i = 0; i < 16; i++)
        next(&e, &c);
    assert_int_equal(drawn, 17);
    assert_int_equal(next(&e, &c), 3);
    entropy_fini(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oblivious__every_path_once_per_round),
        cmocka_unit_test(bitmap__skips_a_penalised_path),
        cmocka_unit_test(bitmap__all_penalised),
        cmocka_unit_test(mixed__uses_good_paths_again_in_order),
        cmocka_unit_test(reps_legacy__tries_then_reuses),
        cmocka_unit_test(reps__reuses_and_freezes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
