/* Tests of random scenarios: every seed gives a valid one, and they differ. */
#include "study/scenario/draw.h"
#include "study/scenario/scenario.h"
#include "sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEEDS 400

static char *draw(uint64_t seed, uint64_t hops, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);

    draw_workload(seed, hops, out);
    fclose(out);
    return text;
}

/* All scenarios are parsed, which includes all refusals of the reader. Every 20th is also started. */
static void draw_workload__every_seed_is_valid(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct scenario scenario;
        struct sim     *sim;
        struct err      err;
        size_t          length;
        char           *text = draw(seed, 1000000, &length);

        if (scenario_parse(&scenario, "drawn", text, length, NULL, 0, NULL, &err))
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, err.text, text);
        if (seed % 20 == 0) {
            if (scenario_start(&scenario, &sim, &err))
                fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
            sim_free(sim);
        }
        scenario_fini(&scenario);
        free(text);
    }
}

static void draw_workload__same_seed_same_text(void **state)
{
    size_t one_length, other_length, third_length;
    char  *one = draw(3, 1000000, &one_length), *other = draw(3, 1000000, &other_length),
        *third = draw(4, 1000000, &third_length);

    (void)state;
    assert_int_equal(one_length, other_length);
    assert_memory_equal(one, other, one_length);
    assert_true(third_length != one_length || memcmp(one, third, one_length) != 0);
    free(one);
    free(other);
    free(third);
}

/* Every kind of network and traffic occurs in at least 2 % of the scenarios. */
static void draw_workload__covers_every_kind(void **state)
{
    static const char *const needed[] = {
        "kind: star", "kind: clos", "kind: fat_tree", "kind: graph", "kind: rail_optimized",
        "kind: multi_plane", "link_rates:",
        "links_down:", "lossless: no", "retransmit: selective", "kind: poisson", "kind: rpc", "kind: incast",
        "kind: storage",
        "kind: posted", "kind: training", "kind: tcp", "groups:", "for:",
    };
    uint32_t seen[sizeof(needed) / sizeof(*needed)] = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        size_t length;
        char  *text = draw(seed, 1000000, &length);

        for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
            seen[i] += strstr(text, needed[i]) != NULL;
        free(text);
    }
    for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
        if (seen[i] < SEEDS / 50)
            fail_msg("%s: only in %u of %d scenarios", needed[i], seen[i], SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draw_workload__every_seed_is_valid),
        cmocka_unit_test(draw_workload__same_seed_same_text),
        cmocka_unit_test(draw_workload__covers_every_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
