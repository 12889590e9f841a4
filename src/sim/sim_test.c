#include "sim/sim.h"
#include "sim/change.h"
#include "sim/partition.h"
#include "sim/test_world.h"
#include "work/traffic/kinds/patterns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define DELAY_PS PS_PER_US

static void star(struct graph *g, uint32_t hosts)
{
    graph_star(g, &(struct graph_star){ hosts, 100 * GBPS, DELAY_PS });
}

/* Two racks of two hosts, one spine: links 0 to 3 lead to hosts, 4 and 5 to the spine. */
static void racks(struct graph *g)
{
    graph_clos(g, &(struct graph_clos){ .tors = 2, .hosts_per_tor = 2, .spines = 1, .parallel = 1,
                                        .rate_bps = 100 * GBPS, .delay_ps = DELAY_PS,
                                        .fabric_rate_bps = 100 * GBPS, .fabric_delay_ps = DELAY_PS });
}

/* ---- simultaneous flow starts ---- */

/* Starts 'streams' flows from host 0 to host 1 at the same time: entry i of the traffic is stream i. */
static void start_together(struct world *w, uint32_t streams)
{
    const struct traffic_common at_start = { .stop_ps = NEVER, .prio = 3 };
    const uint32_t              from = 0;
    struct sim_cfg              cfg;
    struct graph                g;
    struct traffic             *t;
    struct err                  err;

    world_cfg(&cfg, MODEL_NIC);
    star(&g, 3);
    t = traffic_new(&g, 1);
    for (uint32_t i = 0; i < streams; i++)
        traffic_add_incast(t, &at_start, 1, 0, 1, &from, 1, 1);
    assert_int_equal(0, world_start(w, &g, &cfg, t, &err));
}

/* Source ports are assigned in the order of starts, so they reveal it. */
static void new__flows_of_a_node_start_in_the_order_of_streams(void **unused)
{
    static const uint32_t streams[] = { 3, 4096, 4097, 9000 };

    (void)unused;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        struct world w;

        start_together(&w, streams[i]);
        assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
        assert_int_equal(streams[i], w.done_count);
        for (uint32_t k = 0; k < w.done_count; k++)
            assert_int_equal(w.done[k].traffic, w.done[k].sport - 0xc000);
        world_end(&w);
    }
}

/* No two streams have the same order key, and those of a node come before those of the next. */
static void number_streams__is_a_total_order(void **unused)
{
    struct world w;

    (void)unused;
    start_together(&w, 4096);
    for (uint32_t i = 0; i < 4096; i++)
        assert_int_equal(i, w.sim->program.place[i]);
    assert_int_equal(1 << 12, engine_turn_number(w.sim->net.node[1].next_number) & ~0xfffu);
    world_end(&w);
    start_together(&w, 4097);
    assert_int_equal(4096, w.sim->program.place[4096]);
    assert_int_equal(1 << 13, engine_turn_number(w.sim->net.node[1].next_number) & ~0xfffu);
    world_end(&w);
}

/* ---- link changes ---- */

static const struct link_change changes[] = {
    { 10 * PS_PER_US, 4, false }, { 10 * PS_PER_US, 0, false }, { 20 * PS_PER_US, 4, true },
    { 30 * PS_PER_US, 0, true },
};

static struct sim *start_with_changes(void)
{
    struct sim_cfg cfg;
    struct graph   g;
    struct sim    *s;
    struct err     err;

    racks(&g);
    world_cfg(&cfg, MODEL_NIC);
    cfg.change = (struct link_change *)changes;      /* is only read */
    cfg.changes = sizeof changes / sizeof *changes;
    assert_int_equal(0, sim_new(&s, &g, &cfg, traffic_new(&g, 1), &err));
    return s;
}

/* The configuration belongs to the caller: here it is read-only. */
static void new__does_not_modify_the_changes(void **unused)
{
    struct sim *s = start_with_changes();

    (void)unused;
    assert_ptr_not_equal(s->cfg.change, changes);
    sim_run_until(s, PS_PER_MS);
    sim_check(s);
    sim_free(s);
}

/* Each change takes effect at both ends of its link, and nowhere else. */
static void change_on_epoch__changes_both_ends(void **unused)
{
    static const struct { uint64_t at_ps; bool is_0_down, is_4_down; } rows[] = {
        { 10 * PS_PER_US - 1, false, false }, { 10 * PS_PER_US, true, true },
        { 20 * PS_PER_US, true, false },      { 30 * PS_PER_US, false, false },
    };
    struct sim *s = start_with_changes();

    (void)unused;
    assert_true(s->net.epoch_ps[3] == NEVER);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sim_run_until(s, rows[i].at_ps);
        for (uint32_t n = 0; n < s->net.ports; n++) {
            const struct port *p = &s->net.port[n];

            assert_int_equal(p->is_down, (p->link == 0 && rows[i].is_0_down) ||
                                         (p->link == 4 && rows[i].is_4_down));
        }
    }
    sim_free(s);
}

static void run_until__ports_follow_the_changes(void **unused)
{
    /* By time in us: whether the links 0 and 4 are down. */
    static const struct { uint64_t us; bool down0, down4; } row[] = {
        { 9, false, false }, { 10, true, true }, { 19, true, true }, { 20, true, false },
        { 30, false, false },
    };
    struct sim *s = start_with_changes();

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        sim_run_until(s, row[i].us * PS_PER_US);
        for (uint32_t p = 0; p < s->net.ports; p++) {
            const struct port *port = &s->net.port[p];

            assert_int_equal(port->is_down, port->link == 0 ? row[i].down0 : port->link == 4 && row[i].down4);
        }
    }
    sim_free(s);
}

/* Both ends of a link that comes up wait for the PFC state of the other, but this does not count as
 * paused. */
static void run_until__waiting_for_a_link_does_not_count_as_paused(void **unused)
{
    struct sim *s = start_with_changes();
    uint32_t    waiting = 0;

    (void)unused;
    sim_run_until(s, 30 * PS_PER_US);
    for (uint32_t p = 0; p < s->net.ports; p++) {
        waiting += s->net.port[p].paused != 0;
        assert_int_equal(0, port_paused_ps(&s->net.port[p], 30 * PS_PER_US));
    }
    assert_true(waiting > 0);
    sim_run_until(s, PS_PER_MS);
    for (uint32_t p = 0; p < s->net.ports; p++) {
        assert_int_equal(0, s->net.port[p].paused);
        assert_int_equal(0, port_paused_ps(&s->net.port[p], PS_PER_MS));
    }
    assert_int_equal(0, s->engine.counters.pauses);
    sim_free(s);
}

/* ---- failing runs ---- */

/* Four hosts send to each other across the spine. */
static void start_busy(struct world *w, uint32_t parts)
{
    struct flow_row flow[4];
    struct sim_cfg  cfg;
    struct graph    g;

    for (uint32_t i = 0; i < 4; i++)
        flow[i] = (struct flow_row){ .src = i, .dst = (i + 2) % 4, .prio = 3, .dport = 1, .bytes = 1000000 };
    world_cfg(&cfg, MODEL_NIC);
    cfg.parts = parts;
    racks(&g);
    world_of_flows(w, &g, &cfg, flow, 4);
}

/* Returns the world, or one of its parts. */
static struct sim *part(const struct world *w, uint32_t i)
{
    return partition_part(w->sim, i);
}

static void run_until__reports_too_many_packets(void **unused)
{
    (void)unused;
    for (uint32_t parts = 1; parts <= 2; parts++) {
        struct world w;

        start_busy(&w, parts);
        assert_null(sim_failure(w.sim));
        part(&w, parts - 1)->engine.packets.limit = part(&w, parts - 1)->engine.packets.first + 10;
        assert_false(sim_run_until(w.sim, PS_PER_S));
        assert_non_null(sim_failure(w.sim));
        assert_string_equal("more than 10 packets at once: more is sent than the network carries",
                            sim_failure(w.sim)->text);
        assert_false(w.sim->is_done);
        assert_false(sim_run_until(w.sim, 2 * PS_PER_S));        /* nor does it continue later */
        world_end(&w);
    }
}

static const char *const too_many = "more than 3 flows at once: more is sent than the network carries";

static void run_until__reports_too_many_flows(void **unused)
{
    struct world w;

    (void)unused;
    start_busy(&w, 1);
    w.sim->flows.limit = w.sim->flows.first + 3;
    assert_false(sim_run_until(w.sim, PS_PER_S));
    assert_string_equal(too_many, sim_failure(w.sim)->text);
    assert_int_equal(3, w.sim->engine.counters.flows_started);
    sim_check(w.sim);
    world_end(&w);
}

/* Each part has as much memory for flows as the world alone, but together they may not have more flows. */
static void run_until__reports_too_many_flows_of_all_parts(void **unused)
{
    struct world w;

    (void)unused;
    start_busy(&w, 1);
    assert_null(w.sim->parts);
    for (uint32_t parts = 2; parts <= 4; parts *= 2) {
        uint32_t     each = w.sim->flows.limit;
        struct world divided;

        start_busy(&divided, parts);
        assert_int_equal(divided.sim->flows.limit, partition_count(divided.sim->parts) * each);
        divided.sim->flows.limit = partition_count(divided.sim->parts) * 4;
        assert_false(sim_run_until(divided.sim, PS_PER_S));
        assert_string_equal(too_many, sim_failure(divided.sim)->text);
        sim_check(divided.sim);
        world_end(&divided);
    }
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new__flows_of_a_node_start_in_the_order_of_streams),
        cmocka_unit_test(number_streams__is_a_total_order),
        cmocka_unit_test(new__does_not_modify_the_changes),
        cmocka_unit_test(change_on_epoch__changes_both_ends),
        cmocka_unit_test(run_until__ports_follow_the_changes),
        cmocka_unit_test(run_until__waiting_for_a_link_does_not_count_as_paused),
        cmocka_unit_test(run_until__reports_too_many_packets),
        cmocka_unit_test(run_until__reports_too_many_flows),
        cmocka_unit_test(run_until__reports_too_many_flows_of_all_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
