/* src/sim/skip/lanes_test.c - paths, loads and queues of ports, computed by hand. */
#include "sim/skip/lanes.h"
#include "sim/link/path.h"
#include "sim/sim.h"
#include "sim/test_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define LINE_BPS (100 * GBPS)

struct fixture { struct world w; struct lanes lanes; struct lane_path path[3]; };

/* Hosts 0 to 3 at one switch. Flow 1: 0 to 2; flow 2: 1 to 2; flow 3: 2 to 0. A frame of 1106 bytes with
 * spacing has an ACK of 86. */
static void open_star(struct fixture *f)
{
    const struct flow_row row[] = {
        { .start_ps = 1000, .src = 0, .dst = 2, .prio = 3, .bytes = 1000000, .dport = 1 },
        { .start_ps = 1000, .src = 1, .dst = 2, .prio = 3, .bytes = 1000000, .dport = 2 },
        { .start_ps = 1000, .src = 2, .dst = 0, .prio = 3, .bytes = 1000000, .dport = 3 },
    };
    struct sim_cfg        cfg;
    struct graph          g;

    world_cfg(&cfg, MODEL_NIC);
    graph_star(&g, &(struct graph_star){ 4, LINE_BPS, PS_PER_US });
    world_of_flows(&f->w, &g, &cfg, row, 3);
    sim_run_until(f->w.sim, 2000);
    lanes_init(&f->lanes, f->w.sim);
    for (uint32_t i = 0; i < 3; i++)
        lanes_find_path(f->w.sim, &f->w.sim->flows.flow[i + 1], &f->path[i]);
}

static void close_star(struct fixture *f)
{
    lanes_fini(&f->lanes, f->w.sim);
    world_end(&f->w);
}

static const struct port *port_at(const struct fixture *f, uint32_t flow, uint32_t hop)
{
    return &f->w.sim->net.port[f->path[flow - 1].data.hop[hop].port];
}

static void lanes_find_path__star(void **unused)
{
    struct fixture f;

    (void)unused;
    open_star(&f);
    for (uint32_t i = 0; i < 3; i++) {
        const struct flow *flow = &f.w.sim->flows.flow[i + 1];

        assert_int_equal(f.path[i].data.hops, 2);
        assert_int_equal(f.path[i].ack.hops, 2);
        assert_int_equal(port_at(&f, i + 1, 0)->node->id, flow->src);
        assert_true(port_at(&f, i + 1, 1)->is_switch);
        assert_int_equal(port_at(&f, i + 1, 1)->peer->node->id, flow->dst);
        /* data: 1106 bytes twice; ACK: 86 bytes twice; four link delays */
        assert_int_equal(f.path[i].rtt_ps, 2 * (1106 + 86) * 80 + 4 * PS_PER_US);
    }
    assert_int_equal(port_at(&f, 1, 1)->id, port_at(&f, 2, 1)->id);
    close_star(&f);
}

/* Two flows may use 90 % of a port; a lone one all of it. */
static void lanes_room__excludes_the_rates_of_other_flows(void **unused)
{
    struct fixture     f;
    const struct port *out;

    (void)unused;
    open_star(&f);
    out = port_at(&f, 1, 1);
    lanes_add(&f.lanes, f.w.sim, &f.path[0], 40 * GBPS);
    assert_true(lanes_room_bps(&f.lanes, out, 40 * GBPS) == LINE_BPS);
    assert_true(lanes_room_bps(&f.lanes, port_at(&f, 1, 0), 40 * GBPS) == UINT64_MAX);
    assert_true(lanes_crowded_ps(&f.lanes, f.w.sim, out) == NEVER);
    lanes_add(&f.lanes, f.w.sim, &f.path[1], 30 * GBPS);
    assert_int_equal(lanes_room_bps(&f.lanes, out, 40 * GBPS), 60 * GBPS);
    assert_int_equal(lanes_room_bps(&f.lanes, out, 30 * GBPS), 50 * GBPS);
    assert_true(lanes_crowded_ps(&f.lanes, f.w.sim, out) == NEVER);
    lanes_change(&f.lanes, f.w.sim, &f.path[1], 30 * GBPS, 51 * GBPS);
    assert_int_equal(lanes_crowded_ps(&f.lanes, f.w.sim, out), f.w.sim->engine.now_ps);
    assert_int_equal(lanes_room_bps(&f.lanes, out, 51 * GBPS), 50 * GBPS);
    lanes_remove(&f.lanes, f.w.sim, &f.path[0], 40 * GBPS);
    assert_true(lanes_crowded_ps(&f.lanes, f.w.sim, out) == NEVER);
    assert_int_equal(f.lanes.lane[out->id].count, 1);
    assert_int_equal(f.lanes.lane[out->id].data_bps, 51 * GBPS);
    close_star(&f);
}

/* Data of flow 3 and ACKs of flow 1 share the port to host 0: 86 of 1106 bytes too much. The bytes by which
 * its queue grows in a nanosecond. */
#define GROWS (86.0 / 1106 * 12.5)

/* Flow 3 is held, and then flow 1 starts. Returns after how many nanoseconds the first packet is marked. */
static double first_mark_ns(struct fixture *f)
{
    const struct port *out = port_at(f, 3, 1);

    lanes_add(&f->lanes, f->w.sim, &f->path[2], LINE_BPS);
    lanes_hold(&f->lanes, f->w.sim, &f->path[2]);
    assert_true(lanes_crowded_ps(&f->lanes, f->w.sim, out) == NEVER);
    lanes_add(&f->lanes, f->w.sim, &f->path[0], LINE_BPS);
    uint64_t at_ps = lanes_crowded_ps(&f->lanes, f->w.sim, out);
    /* at the sending host itself, ACKs only slow data down */
    assert_true(lanes_crowded_ps(&f->lanes, f->w.sim, port_at(f, 3, 0)) == NEVER);
    lanes_remove(&f->lanes, f->w.sim, &f->path[0], LINE_BPS);
    assert_true(lanes_crowded_ps(&f->lanes, f->w.sim, out) == NEVER);
    lanes_unhold(&f->lanes, &f->path[2]);
    lanes_remove(&f->lanes, f->w.sim, &f->path[2], LINE_BPS);
    return (double)(at_ps - f->w.sim->engine.now_ps) / 1000;
}

static void lanes_crowded__when_acks_have_filled_the_queue_to_kmax(void **unused)
{
    struct fixture f;
    struct port   *out;

    (void)unused;
    open_star(&f);
    out = &f.w.sim->net.port[port_at(&f, 3, 1)->id];
    out->ecn.kmax_bytes = out->ecn.kmin_bytes;           /* from here on every packet is marked */
    assert_true(fabs(first_mark_ns(&f) * GROWS / out->ecn.kmin_bytes - 1) < 0.001);
    close_star(&f);
}

/* Above kmin the probability of a mark grows with time t, packets come at a constant rate, and so t^2 is
 * exponential: the mean of t is sqrt(pi / 2) / sqrt(c), where c t is the rate of marks. */
static void lanes_crowded__the_first_mark_is_random(void **unused)
{
    struct fixture f;
    struct port   *out;
    double         sum = 0, c;

    (void)unused;
    open_star(&f);
    out = &f.w.sim->net.port[port_at(&f, 3, 1)->id];
    out->ecn.kmax_bytes = 1000 * out->ecn.kmin_bytes;
    c = 12.5 / 1106 * GROWS * out->ecn.pmax / (out->ecn.kmax_bytes - out->ecn.kmin_bytes);
    for (uint32_t i = 0; i < 4000; i++)
        sum += first_mark_ns(&f) - out->ecn.kmin_bytes / GROWS;
    assert_true(fabs(sum / 4000 / (sqrt(acos(-1) / 2) / sqrt(c)) - 1) < 0.03);  /* 3.6 standard errors */
    close_star(&f);
}

static void lanes_list__data_flows_come_first(void **unused)
{
    struct fixture     f;
    const struct lane *to_0;

    (void)unused;
    open_star(&f);
    to_0 = &f.lanes.lane[port_at(&f, 3, 1)->id];
    lanes_list(&f.lanes, &f.path[0], 1);
    lanes_list(&f.lanes, &f.path[2], 3);
    assert_true(to_0->held_all == 2 && to_0->held_data == 1 && to_0->held[0] == 3 && to_0->held[1] == 1);
    lanes_unlist(&f.lanes, &f.path[2], 3);
    assert_true(to_0->held_all == 1 && to_0->held_data == 0 && to_0->held[0] == 1);
    lanes_unlist(&f.lanes, &f.path[0], 1);
    assert_int_equal(to_0->held_all, 0);
    close_star(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_find_path__star),
        cmocka_unit_test(lanes_room__excludes_the_rates_of_other_flows),
        cmocka_unit_test(lanes_list__data_flows_come_first),
        cmocka_unit_test(lanes_crowded__when_acks_have_filled_the_queue_to_kmax),
        cmocka_unit_test(lanes_crowded__the_first_mark_is_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
