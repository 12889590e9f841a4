/* src/study/twin/maker_test.c - which hosts of a cell run jobs and closed loops. */
#include "study/twin/maker.h"
#include "study/run/simulation.h"
#include "study/twin/twin_trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char scenario[] = "topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, "
                               "delay: 1us}\n"
                               "traffic: [{kind: permutation, size: 1MB}]\nrun: 1ms\n";

static struct predictor make(const struct traffic_model *m)
{
    struct simulation_input in = { .name = "test", .text = scenario, .text_bytes = strlen(scenario),
                                   .threads = 1 };
    struct twin             t = { .input = { .name = "test", .text = scenario,
                                          .text_bytes = strlen(scenario) } };
    struct predictor        p = { 0 };
    struct world            w;
    uint64_t                until_ps;
    struct err              err;

    if (twin_world(&t, &w, &until_ps, &err) || twin_maker.make(&in, &w, m, &p, &err))
        fail_msg("%s", err.text);
    world_fini(&w);
    return p;
}

/* Marks the hosts of all entries of a kind, and returns their number. */
static uint32_t hosts_of(const struct predictor *p, const char *kind, const char *key, bool *is_in)
{
    const struct twin *t = p->arg;
    uint32_t           count = 0;

    for (const struct yaml_node *e = yaml_get(t->input.over->root, "traffic")->child; e; e = e->next)
        if (strcmp(yaml_get(e, "kind")->text, kind) == 0)
            for (const struct yaml_node *h = yaml_get(e, key)->child; h; h = h->next, count++)
                is_in[strtoul(h->text + 1, NULL, 10)] = true;
    return count;
}

static struct traffic_model half_and_half(double local)
{
    struct traffic_model m = { .window_s = 3e-3, .jobs = 1, .loop_senders = 0.5, .outstanding = 3,
                               .loop_bps_per_host = 5e9,
                               .loop_sizes = { 2, { { 10000, 0 }, { 20000, 1 } } } };

    m.job[0] = (struct traffic_job){ .bytes = 1000000, .senders = 0.5, .peers = 1, .times = 14,
                                     .bps_per_host = 20e9, .local = local };
    return m;
}

/* Half of the hosts are workers and half have closed loops. No host has both, whether rings are packed into
 * racks or spread over them. */
static void make__jobs_and_loops_have_hosts_of_their_own(void **state)
{
    (void)state;
    for (double local = 0; local <= 1; local++) {
        struct traffic_model m = half_and_half(local);
        struct predictor     p = make(&m);
        bool                 job[16] = { false }, loop[16] = { false };

        assert_int_equal(hosts_of(&p, "training", "workers", job), 8);
        assert_int_equal(hosts_of(&p, "posted", "hosts", loop), 8);
        for (int i = 0; i < 16; i++)
            assert_true(job[i] != loop[i]);
        twin_maker.drop(&p);
    }
}

/* Jobs and loops need all hosts, so they share them. */
static void make__loops_share_hosts_if_there_are_too_few(void **state)
{
    struct traffic_model m = half_and_half(0);
    struct predictor     p;
    bool                 loop[16] = { false };

    (void)state;
    m.job[0].senders = m.loop_senders = 1;
    p = make(&m);
    assert_int_equal(hosts_of(&p, "posted", "hosts", loop), 16);
    twin_maker.drop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(make__jobs_and_loops_have_hosts_of_their_own),
        cmocka_unit_test(make__loops_share_hosts_if_there_are_too_few),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
