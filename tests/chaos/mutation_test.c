/* tests/chaos/mutation_test.c - proof that fault histories find what is wrong: each fix that they can see is taken away.
 *
 * Environment: CHAOS_MUTATION the one of this name alone.
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

/* The first seed whose history breaks a promise in this world; 0: none of SEEDS_MAX. */
static uint64_t first_broken(enum chaos_mutation mutation)
{
    struct chaos_result r;

    for (uint64_t seed = 1; seed <= SEEDS_MAX; seed++) {
        chaos_run(seed, mutation, false, &r);
        if (*r.broken) {
            print_message("# %-14s %4" PRIu64 " histories; %s\n", chaos_mutation_name(mutation), seed, r.broken);
            return seed;
        }
    }
    return 0;
}

static void run__every_mutation_is_found(void **unused)
{
    uint32_t missed = 0;

    (void)unused;
    for (int m = CHAOS_none + 1; m < CHAOS_MUTATION_KINDS; m++)
        if (!first_broken((enum chaos_mutation)m)) {
            print_message("# %s was not found\n", chaos_mutation_name((enum chaos_mutation)m));
            missed++;
        }
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(run__every_mutation_is_found) };

    if (getenv("CHAOS_MUTATION"))
        return !first_broken(chaos_mutation_of(getenv("CHAOS_MUTATION")));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
