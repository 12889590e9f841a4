/* src/work/traffic/parallel_test.c - groups of workers. */
#include "work/traffic/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* 16 workers, tensor 2, pipeline 2, so data 4, of which 2 share experts. Expected groups by hand, after the
 * example in Megatron-LM's parallel_state.py. */
static void worker__by_hand(void **unused)
{
    static const uint32_t tensor[8][2] = { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 }, { 8, 9 }, { 10, 11 },
                                           { 12, 13 }, { 14, 15 } };
    static const uint32_t data[4][4] = { { 0, 2, 4, 6 }, { 1, 3, 5, 7 }, { 8, 10, 12, 14 },
                                         { 9, 11, 13, 15 } };
    static const uint32_t pipeline[8][2] = { { 0, 8 }, { 1, 9 }, { 2, 10 }, { 3, 11 }, { 4, 12 }, { 5, 13 },
                                             { 6, 14 }, { 7, 15 } };
    static const uint32_t expert[8][2] = { { 0, 2 }, { 1, 3 }, { 4, 6 }, { 5, 7 }, { 8, 10 }, { 9, 11 },
                                           { 12, 14 }, { 13, 15 } };
    static const uint32_t same[8][2] = { { 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 }, { 8, 12 }, { 9, 13 },
                                         { 10, 14 }, { 11, 15 } };
    struct parallel       p = { .workers = 16, .tensor = 2, .pipeline = 2, .expert = 2, .context = 4 };

    (void)unused;
    assert_int_equal(parallel_check(&p, NULL), 0);
    assert_int_equal(p.data, 4);
    for (uint32_t g = 0; g < 8; g++)
        for (uint32_t m = 0; m < 2; m++) {
            assert_int_equal(parallel_worker(&p, PARALLEL_TENSOR, g, m), tensor[g][m]);
            assert_int_equal(parallel_worker(&p, PARALLEL_PIPELINE, g, m), pipeline[g][m]);
            assert_int_equal(parallel_worker(&p, PARALLEL_EXPERT, g, m), expert[g][m]);
            assert_int_equal(parallel_worker(&p, PARALLEL_EXPERT_DATA, g, m), same[g][m]);
        }
    for (uint32_t g = 0; g < 4; g++)
        for (uint32_t m = 0; m < 4; m++)
            assert_int_equal(parallel_worker(&p, PARALLEL_DATA, g, m), data[g][m]);
    for (uint32_t g = 0; g < 4; g++)     /* a context group of all that share a data group */
        for (uint32_t m = 0; m < 4; m++)
            assert_int_equal(parallel_worker(&p, PARALLEL_CONTEXT, g, m), data[g][m]);
    p.context = 2;
    for (uint32_t g = 0; g < 8; g++)
        for (uint32_t m = 0; m < 2; m++)
            assert_int_equal(parallel_worker(&p, PARALLEL_CONTEXT, g, m), expert[g][m]);
}

/* In any box, every kind of group contains every worker once, and two crossing groups share at most one
 * worker. */
static void groups__partition_the_workers(void **unused)
{
    (void)unused;
    for (uint32_t t = 1; t <= 4; t++)
        for (uint32_t d = 1; d <= 6; d++)
            for (uint32_t s = 1; s <= 3; s++)
                for (uint32_t e = 1; e <= d; e++) {
                    struct parallel p = { .workers = t * d * s, .tensor = t, .pipeline = s, .expert = e };
                    uint32_t        group_of[PARALLEL_GROUPS][72];

                    if (d % e)
                        continue;
                    assert_int_equal(parallel_check(&p, NULL), 0);
                    assert_int_equal(p.data, d);
                    memset(group_of, 0xff, sizeof group_of);
                    for (int k = 0; k < PARALLEL_GROUPS; k++) {
                        enum parallel_group kind = (enum parallel_group)k;

                        assert_int_equal(parallel_size(&p, kind) * parallel_count(&p, kind), p.workers);
                        for (uint32_t g = 0; g < parallel_count(&p, kind); g++)
                            for (uint32_t m = 0; m < parallel_size(&p, kind); m++) {
                                uint32_t              w = parallel_worker(&p, kind, g, m);
                                struct parallel_place is = parallel_place(&p, kind, w);

                                assert_true(is.group == g && is.member == m);
                                assert_true(w < p.workers);
                                assert_int_equal(group_of[k][w], UINT32_MAX);
                                group_of[k][w] = g;
                            }
                    }
                    for (uint32_t a = 0; a < p.workers; a++)
                        for (uint32_t b = 0; b < a; b++) {
                            bool data = group_of[PARALLEL_DATA][a] == group_of[PARALLEL_DATA][b];
                            bool expert = group_of[PARALLEL_EXPERT][a] == group_of[PARALLEL_EXPERT][b];
                            bool same = group_of[PARALLEL_EXPERT_DATA][a] ==
                                        group_of[PARALLEL_EXPERT_DATA][b];

                            assert_int_equal((group_of[PARALLEL_TENSOR][a] == group_of[PARALLEL_TENSOR][b]) +
                                             data +
                                                 (group_of[PARALLEL_PIPELINE][a] ==
                                                  group_of[PARALLEL_PIPELINE][b]) <= 1, 1);
                            assert_true((!expert || data) && (!same || data) && !(expert && same));
                        }
                }
}

static void check__refuses_uneven_groups(void **unused)
{
    struct parallel p = { .workers = 10, .tensor = 2, .pipeline = 2, .expert = 1 };
    struct err      err;

    (void)unused;
    assert_int_equal(parallel_check(&p, &err), -EINVAL);
    assert_string_equal(err.text,
                        "10 workers cannot be divided into groups of 2 (tensor) times 2 (pipeline)");
    p = (struct parallel){ .workers = 12, .tensor = 2, .pipeline = 2, .expert = 2 };
    assert_int_equal(parallel_check(&p, &err), -EINVAL);
    assert_string_equal(err.text, "3 workers in a data group cannot be divided into groups of 2 (expert)");
    p = (struct parallel){ .workers = 12, .tensor = 2, .pipeline = 2, .expert = 3, .context = 2 };
    assert_int_equal(parallel_check(&p, &err), -EINVAL);
    assert_string_equal(err.text, "3 workers in a data group cannot be divided into groups of 2 (context)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worker__by_hand),
        cmocka_unit_test(groups__partition_the_workers),
        cmocka_unit_test(check__refuses_uneven_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
