/* tests/chaos/mutation_test.c - proves that fault histories find defects: removes each safeguard that they
 * can observe.
 *
 * Environment: CHAOS_MUTATION runs only this mutation.
 */
#include "chaos.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>

#define SEEDS_MAX 1000

/* A seed that found each mutation before. It is tried first, which saves time. If it no longer does, all
 * seeds are tried. */
static const uint64_t found_before[CHAOS_MUTATION_KINDS] = {
    [CHAOS_no_lease] = 132, [CHAOS_no_term] = 13, [CHAOS_no_read_back] = 17, [CHAOS_no_guard] = 5,
    [CHAOS_any_name] = 10, [CHAOS_any_gap] = 8, [CHAOS_no_observe] = 12, [CHAOS_no_refusal] = 15,
    [CHAOS_no_gap] = 12, [CHAOS_no_foreign] = 43, [CHAOS_no_freeze] = 20, [CHAOS_full_disk] = 5,
    [CHAOS_any_approval] = 2, [CHAOS_no_pause] = 10, [CHAOS_short_pause] = 302, [CHAOS_no_rollback] = 14,
    [CHAOS_one_copy] = 6, [CHAOS_no_log_repair] = 12, [CHAOS_no_deadman] = 1,
};

/* Returns true if the history of a seed breaks a promise in this world. */
static bool is_broken_by(enum chaos_mutation mutation, uint64_t seed)
{
    struct chaos_result r;

    chaos_run(seed, mutation, false, &r);
    if (*r.broken)
        print_message("# %-14s %s\n", chaos_mutation_name(mutation), r.broken);
    return *r.broken;
}

static bool is_found(enum chaos_mutation mutation)
{
    if (found_before[mutation] && is_broken_by(mutation, found_before[mutation]))
        return true;
    for (uint64_t seed = 1; seed <= SEEDS_MAX; seed++)
        if (is_broken_by(mutation, seed))
            return true;
    return false;
}

static void run__every_mutation_is_found(void **unused)
{
    uint32_t missed = 0;

    (void)unused;
    for (int m = CHAOS_none + 1; m < CHAOS_MUTATION_KINDS; m++)
        if (!is_found((enum chaos_mutation)m)) {
            print_message("# %s was not found\n", chaos_mutation_name((enum chaos_mutation)m));
            missed++;
        }
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(run__every_mutation_is_found) };

    if (getenv("CHAOS_MUTATION"))
        return !is_found(chaos_mutation_of(getenv("CHAOS_MUTATION")));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
