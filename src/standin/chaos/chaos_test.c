/* src/standin/chaos/chaos_test.c - a thousand fault histories, and proof that they would find what is wrong.
 *
 * Environment: CHAOS_SEEDS so many histories, CHAOS_FROM from this seed on; CHAOS_SEED this one alone, and what happens in it.
 */
#include "standin/chaos/chaos.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>

static uint64_t number(const char *name, uint64_t initial)
{
    const char *text = getenv(name);

    return text && *text ? strtoull(text, NULL, 10) : initial;
}

static void run__the_same_seed_gives_the_same_history(void **unused)
{
    struct chaos_result a, b, c;

    (void)unused;
    chaos_run(7, 0, false, &a);
    chaos_run(7, 0, false, &b);
    chaos_run(8, 0, false, &c);
    assert_true(a.digest == b.digest && a.events == b.events);
    assert_true(a.digest != c.digest);
}

static void run__no_promise_is_broken(void **unused)
{
    uint64_t            seeds = number("CHAOS_SEEDS", 1000), from = number("CHAOS_FROM", 1);
    struct chaos_result all = { 0 }, r;

    (void)unused;
    for (uint64_t seed = from; seed < from + seeds; seed++) {
        chaos_run(seed, 0, false, &r);
        if (*r.broken)
            fail_msg("%s; CHAOS_SEED=%" PRIu64 " shows it", r.broken, seed);
        all.events += r.events, all.faults += r.faults, all.applied += r.applied, all.confirmed += r.confirmed;
        all.reverted += r.reverted, all.adopted += r.adopted, all.kills += r.kills, all.terms += r.terms;
        all.relayed += r.relayed;
    }
    print_message("# %" PRIu64 " histories: %" PRIu64 " events, %" PRIu64 " faults, %" PRIu64 " kills, %" PRIu64
                  " terms; %" PRIu64 " changes applied, %" PRIu64 " confirmed, %" PRIu64 " reverted, %" PRIu64
                  " foreign edits adopted\n", seeds, all.events, all.faults, all.kills, all.terms, all.applied,
                  all.confirmed, all.reverted, all.adopted);
    if (seeds >= 100) {          /* histories in which nothing happens prove nothing */
        assert_true(all.applied > seeds * 5);
        assert_true(all.confirmed > seeds / 4);
        assert_true(all.adopted > seeds / 4 && all.kills > seeds);
        assert_true(all.relayed > seeds * 200);          /* reports that went through relays */
    }
}

/* The first seed of 300 whose history breaks a promise if agents do not keep one; 0: none. */
static uint64_t first_broken(unsigned skip)
{
    struct chaos_result r;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        chaos_run(seed, skip, false, &r);
        if (*r.broken) {
            print_message("# without it: %s\n", r.broken);
            return seed;
        }
    }
    return 0;
}

static void run__an_agent_without_leases_is_found(void **unused)
{
    (void)unused;
    assert_true(first_broken(CHAOS_NO_LEASE));
}

static void run__an_agent_without_terms_is_found(void **unused)
{
    (void)unused;
    assert_true(first_broken(CHAOS_NO_TERM));
}

static void run__an_agent_that_does_not_read_back_is_found(void **unused)
{
    (void)unused;
    assert_true(first_broken(CHAOS_NO_READ_BACK));
}

static void run__an_agent_without_a_log_is_found(void **unused)
{
    (void)unused;
    assert_true(first_broken(CHAOS_NO_AUDIT));
}

static void run__an_agent_without_guardrails_is_found(void **unused)
{
    (void)unused;
    assert_true(first_broken(CHAOS_NO_GUARD));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__the_same_seed_gives_the_same_history),
        cmocka_unit_test(run__no_promise_is_broken),
        cmocka_unit_test(run__an_agent_without_leases_is_found),
        cmocka_unit_test(run__an_agent_without_terms_is_found),
        cmocka_unit_test(run__an_agent_that_does_not_read_back_is_found),
        cmocka_unit_test(run__an_agent_without_a_log_is_found),
        cmocka_unit_test(run__an_agent_without_guardrails_is_found),
    };
    struct chaos_result r;

    if (!getenv("CHAOS_SEED"))
        return cmocka_run_group_tests(tests, NULL, NULL);
    chaos_run(number("CHAOS_SEED", 1), (unsigned)number("CHAOS_SKIP", 0), true, &r);
    return *r.broken != 0;
}
