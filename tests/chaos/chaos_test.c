/* tests/chaos/chaos_test.c - a few hundred fault histories. `make chaos` runs any number of them.
 *
 * Environment: CHAOS_SEEDS number of histories, CHAOS_FROM first seed; CHAOS_SEED runs this one alone and
 * prints its events; CHAOS_MUTATION selects a mutation.
 */
#include "chaos.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>

#define SEEDS 350        /* within this many seeds, mutation_test finds every defect that it injects */

static uint64_t number(const char *name, uint64_t initial)
{
    const char *text = getenv(name);

    return text && *text ? strtoull(text, NULL, 10) : initial;
}

static void run__the_same_seed_gives_the_same_history(void **unused)
{
    struct chaos_result a, b, c;

    (void)unused;
    chaos_run(7, CHAOS_none, false, &a);
    chaos_run(7, CHAOS_none, false, &b);
    chaos_run(8, CHAOS_none, false, &c);
    assert_true(a.digest == b.digest && a.events == b.events);
    assert_true(a.digest != c.digest);
}

static void run__no_promise_is_broken(void **unused)
{
    uint64_t            seeds = number("CHAOS_SEEDS", SEEDS), from = number("CHAOS_FROM", 1);
    struct chaos_result all = { 0 }, r;

    (void)unused;
    for (uint64_t seed = from; seed < from + seeds; seed++) {
        chaos_run(seed, CHAOS_none, false, &r);
        if (*r.broken)
            fail_msg("%s; CHAOS_SEED=%" PRIu64 " shows it", r.broken, seed);
        all.events += r.events, all.faults += r.faults, all.applied += r.applied,
            all.confirmed += r.confirmed;
        all.reverted += r.reverted, all.adopted += r.adopted, all.kills += r.kills, all.terms += r.terms;
        all.relayed += r.relayed, all.lies += r.lies, all.unreadable += r.unreadable,
            all.damaged += r.damaged, all.drills += r.drills;
        all.stalls += r.stalls, all.guarded += r.guarded;
    }
    print_message("# %" PRIu64 " histories: %" PRIu64 " events, %" PRIu64 " faults, %" PRIu64
                  " kills, %" PRIu64 " terms; %" PRIu64 " changes applied, %" PRIu64 " confirmed, %" PRIu64
                  " reverted, %" PRIu64 " foreign edits adopted; %" PRIu64 " lies, %" PRIu64
                  " of them unreadable or refused; %" PRIu64 " files damaged; %" PRIu64
                  " system calls stalled, %" PRIu64 " reverts by guards alone\n",
                  seeds, all.events, all.faults, all.kills, all.terms, all.applied, all.confirmed,
                  all.reverted, all.adopted, all.lies, all.unreadable, all.damaged,
                  all.stalls, all.guarded);
    if (seeds >= 100) {          /* histories without events prove nothing */
        assert_true(all.drills > seeds / 10);
        assert_true(all.applied > seeds * 5);
        assert_true(all.confirmed > seeds / 4);
        assert_true(all.adopted > seeds / 4 && all.kills > seeds);
        assert_true(all.relayed > seeds * 200);          /* reports that passed relays */
        assert_true(all.lies > seeds * 500);
        assert_true(all.stalls > seeds && all.guarded > seeds / 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__the_same_seed_gives_the_same_history),
        cmocka_unit_test(run__no_promise_is_broken),
    };
    struct chaos_result r;

    if (!getenv("CHAOS_SEED"))
        return cmocka_run_group_tests(tests, NULL, NULL);
    chaos_run(number("CHAOS_SEED", 1), chaos_mutation_of(getenv("CHAOS_MUTATION")), true, &r);
    return *r.broken != 0;
}
