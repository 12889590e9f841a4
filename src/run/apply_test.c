/* src/run/apply_test.c - decisions on parts of a network: the resulting settings, and refusals. */
#include "run/sim_world.h"
#include "run/simulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* h0, h1 at tor0; h2, h3 at tor1; two spines. Nodes 0-3 are hosts, 4 and 5 ToRs, 6 and 7 spines. */
#define NETWORK "topology: {kind: clos, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Gbps, delay: 1us}\n" \
                "knobs: {kmin: 100KB, kmax: 400KB, pmax: 0.2}\n" \
                "traffic: [{kind: incast, senders: [h0, h1], receiver: h2, size: 20MB}]\nrun: 2ms\n"

struct fixture { struct simulation s; struct world world; struct applier applier; };

static void open_network(struct fixture *f)
{
    struct simulation_input input = { .name = "test", .text = NETWORK, .text_bytes = strlen(NETWORK),
                                      .threads = 1 };
    struct err              err;

    if (simulation_open(&f->s, &input, &err))
        fail_msg("%s", err.text);
    sim_world_init(&f->world, f->s.sim, PS_PER_MS);
    f->applier = (struct applier){ .sim = f->s.sim, .world = &f->world };
}

static void close_network(struct fixture *f)
{
    world_fini(&f->world);
    simulation_close(&f->s);
}

static struct scoped_set part(enum scope_kind kind, uint32_t index, enum knob knob, double value)
{
    struct scoped_set p = { .scope = { kind, index } };

    knob_set_add(&p.set, knob, value);
    return p;
}

static struct outcome apply(struct fixture *f, const struct scoped_set *parts, uint32_t count)
{
    struct decision d = { .number = 5, .has_knobs = true, .knobs = f->s.sim->cfg.knobs, .part = parts,
                          .parts = count };
    struct outcome  o;

    apply_decision(&f->applier, &d, &o);
    assert_int_equal(o.number, 5);
    return o;
}

static void assert_kmin(const struct fixture *f, uint32_t node, uint32_t kmin_bytes, uint32_t kmax_bytes)
{
    const struct node *n = &f->s.sim->net.node[node];

    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        assert_int_equal(f->s.sim->net.port[i].ecn.kmin_bytes, kmin_bytes);
        assert_int_equal(f->s.sim->net.port[i].ecn.kmax_bytes, kmax_bytes);
    }
}

/* A tier, a device of it with another threshold, and one queue; then none of them. */
static void apply__thresholds_by_tier_device_and_queue(void **state)
{
    struct fixture    f;
    struct scoped_set parts[3];
    uint32_t          queue = 0;

    (void)state;
    open_network(&f);
    while (f.world.port[f.world.queue[queue].port].device != 6)
        queue++;
    parts[0] = part(SCOPE_TIER, WORLD_TORS, KNOB_kmin, 30);
    parts[1] = part(SCOPE_DEVICE, 5, KNOB_kmax, 50);
    parts[2] = part(SCOPE_QUEUE, queue, KNOB_kmin, 7);
    assert_int_equal(apply(&f, parts, 3).kind, OUTCOME_APPLIED);
    assert_kmin(&f, 4, 30000, 400000);
    assert_kmin(&f, 5, 30000, 50000);
    assert_kmin(&f, 7, 100000, 400000);
    for (uint32_t i = 0; i < f.world.device[6].ports; i++)
        assert_int_equal(f.s.sim->net.port[f.world.device[6].first_port + i].ecn.kmin_bytes,
                         f.world.device[6].first_port + i == f.world.queue[queue].port ? 7000 : 100000);
    assert_int_equal(apply(&f, NULL, 0).kind, OUTCOME_APPLIED);
    for (uint32_t n = 4; n < 8; n++)
        assert_kmin(&f, n, 100000, 400000);
    close_network(&f);
}

/* If no cut leaves less than 100 % of the rate, h0 keeps its rate and h1 yields; after a reset, both are
 * equal again. */
static void apply__rate_control_of_one_host(void **state)
{
    struct scoped_set none_cut = part(SCOPE_DEVICE, 0, KNOB_rpg_min_dec_fac, 100);
    const struct sim *s;
    struct fixture    f;

    (void)state;
    open_network(&f);
    s = f.s.sim;
    assert_int_equal(apply(&f, &none_cut, 1).kind, OUTCOME_APPLIED);
    sim_run_until(f.s.sim, PS_PER_MS);
    assert_true(s->flows.flow[1].src == 0 && s->flows.flow[2].src == 1);
    assert_true(s->flows.flow[1].acked > 3 * s->flows.flow[2].acked && s->flows.flow[2].acked > 0);
    assert_ptr_not_equal(s->net.host[0].cc_cfg, s->net.host[1].cc_cfg);
    assert_int_equal(apply(&f, NULL, 0).kind, OUTCOME_APPLIED);
    for (uint32_t i = 1; i < s->net.hosts; i++)
        assert_memory_equal(s->net.host[i].cc_cfg, s->net.host[0].cc_cfg, CC_CFG_MAX);
    close_network(&f);
}

/* A refused decision has no effect at all. */
static void apply__refuses_unsupported_decisions_with_a_reason(void **state)
{
    static const struct { enum scope_kind kind; uint32_t index; enum knob knob; const char *why; } rows[] = {
        { SCOPE_DEVICE, 0, KNOB_min_time_between_cnps,
          "'min_time_between_cnps' cannot be set for h0 alone in a simulated network" },
        { SCOPE_DEVICE, 0, KNOB_kmin, "'kmin' cannot be set for h0 alone in a simulated network" },
        { SCOPE_TIER, 1, KNOB_rpg_ai_rate, "'rpg_ai_rate' cannot be set for tier 1 alone in a simulated "
          "network" },
        { SCOPE_DEVICE, 8, KNOB_kmin, "a setting is for a part of the network that is not there" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scoped_set parts[] = { part(SCOPE_TIER, WORLD_TORS, KNOB_kmin, 30),
                                      part(rows[i].kind, rows[i].index, rows[i].knob, 9) };
        struct fixture    f;
        struct decision   d = { .number = 1, .has_knobs = true, .part = parts, .parts = 2 };
        struct outcome    o;

        open_network(&f);
        d.knobs = f.s.sim->cfg.knobs;
        d.knobs.value[KNOB_rpg_hai_rate] = 77;
        apply_decision(&f.applier, &d, &o);
        assert_int_equal(o.kind, OUTCOME_REFUSED);
        assert_string_equal(o.why, rows[i].why);
        assert_kmin(&f, 4, 100000, 400000);
        assert_true(f.s.sim->cfg.knobs.value[KNOB_rpg_hai_rate] == 50);
        close_network(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apply__thresholds_by_tier_device_and_queue),
        cmocka_unit_test(apply__rate_control_of_one_host),
        cmocka_unit_test(apply__refuses_unsupported_decisions_with_a_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
