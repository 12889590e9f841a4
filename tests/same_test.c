/* tests/same_test.c - the same scenario and seed give bit-identical results: in small steps, and equal
 * to the digests below, with any compiler, optimisation or processor.
 *
 * A change of the model changes the digests: `same_test print` prints the new rows. Any other change must
 * not.
 */
#include "digest.h"
#include "worlds.h"

#include "core/units.h"
#include "study/scenario/scenario.h"
#include "sim/state/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void on_done(void *arg, const struct flow_result *r)
{
    uint64_t *digest = arg;

    *digest = digest_add_flow(*digest, r);
}

/* Runs a scenario to its end, in steps of 'step_ps' or at once (0). */
static uint64_t run(const struct world_text *a, uint64_t seed, uint64_t step_ps)
{
    uint64_t        digest = DIGEST_EMPTY;
    struct scenario scenario;
    struct sim     *s;
    struct err      err;

    if (scenario_parse(&scenario, a->name, a->text, strlen(a->text), NULL, 0, &seed, &err) ||
        scenario_start(&scenario, &s, &err))
        die("%s", err.text);
    s->engine.hooks = (struct sim_hooks){ &digest, on_done, NULL };
    while (sim_run_until(s, step_ps ? s->engine.now_ps + step_ps : NEVER))
        continue;
    assert_true(s->is_done);
    assert_true(s->engine.counters.flows_done > 10);
    assert_true(!s->hosts.hf2t || s->engine.counters.delayed > 0);        /* the world uses the feature
                                                                           * it is meant to test */
    assert_true(!s->cfg.is_selective ||
                (s->engine.counters.nacks_sent > 0 && s->engine.counters.payload_dropped > 0));
    digest = digest_add_counters(digest, &s->engine.counters);
    sim_free(s);
    scenario_fini(&scenario);
    return digest;
}

static void run__matches_the_stored_digests(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < WORLDS; i++) {
        uint64_t digest = run(&worlds[i], 1, 0);

        if (digest != worlds[i].digest)
            fail_msg("%s: digest 0x%016llx, expected 0x%016llx", worlds[i].name, (unsigned long long)digest,
                     (unsigned long long)worlds[i].digest);
    }
}

/* Pausing and resuming a run does not change its result; another seed does. */
static void run__is_the_same_in_steps(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < WORLDS; i++) {
        uint64_t at_once = run(&worlds[i], 7, 0);

        assert_int_equal(run(&worlds[i], 7, 1234567), at_once);
        assert_int_not_equal(at_once, worlds[i].digest);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__matches_the_stored_digests),
        cmocka_unit_test(run__is_the_same_in_steps),
    };

    if (argc > 1 && strcmp(argv[1], "print") == 0) {
        for (uint32_t i = 0; i < WORLDS; i++)
            printf("%s 0x%016llx\n", worlds[i].name, (unsigned long long)run(&worlds[i], 1, 0));
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
