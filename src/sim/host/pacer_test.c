/* src/sim/host/pacer_test.c - flows that are held by a window which grows with their rate. */
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define FULL_PS  ((1024 + 62 + 20) * 80)             /* at 100 Gb/s */
#define RISE_PS  PS_PER_MS

/* A control with a tenth of the line rate at first, and all of it when somebody asks again. */
static uint64_t rise_ps;

static void rising_start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state, (void)now;
    *out = (struct cc_out){ .rate_bps = 10 * GBPS, .window_bytes = UINT64_MAX, .due_ps = rise_ps };
}

static void rising_on_due(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state, (void)now;
    out->rate_bps = 100 * GBPS;
    out->due_ps = NEVER;
}

static void rising_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)cfg, (void)k, (void)link;
}

static const struct cc_algo rising = { .start = rising_start, .on_due = rising_on_due, .configure = rising_configure,
                                       .name = "rising", .about = "a rate that rises once" };

/* One flow that may have ten packets on their way at full rate, one at a tenth of it; all of them are lost. */
static void start_held(struct world *w)
{
    struct graph   g;
    struct sim_cfg cfg;
    struct port   *p;

    world_cfg(&cfg, MODEL_NIC);
    cfg.cc = &rising;
    cfg.knobs.value[KNOB_roce_cc_prio_mask] = 0xff;
    cfg.window_bytes = 10 * 1024;
    cfg.window_by_rate = true;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, PS_PER_US });
    world_of_flows(w, &g, &cfg, &(struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = 100 * 1024 }, 1);
    p = w->sim->net.host[0].port;
    p->loss = 1;
    p->is_lossy = true;
    p->slow_path = SLOW_LINK;
    sim_run_until(w->sim, RISE_PS - 1);
    sim_check(w->sim);
    assert_int_equal(w->sim->engine.counters.data_sent, 1);
}

static void expect_opened(struct world *w)
{
    sim_check(w->sim);
    sim_run_until(w->sim, RISE_PS + 9 * FULL_PS);
    sim_check(w->sim);
    assert_int_equal(w->sim->engine.counters.data_sent, 10);
    sim_run_until(w->sim, 2 * RISE_PS);
    assert_int_equal(w->sim->engine.counters.data_sent, 10);
    world_end(w);
}

/* The rate rises by itself, as timers of a control have it. */
static void held__goes_when_its_rate_rises(void **unused)
{
    struct world w;

    (void)unused;
    rise_ps = RISE_PS;
    start_held(&w);
    expect_opened(&w);
}

/* Somebody turns knobs, and what has expired meanwhile is made up for. */
static void held__goes_when_knobs_change(void **unused)
{
    struct world w;

    (void)unused;
    rise_ps = NEVER;
    start_held(&w);
    sim_apply(w.sim, &w.sim->cfg.knobs);
    expect_opened(&w);
}

static void held__goes_when_the_knobs_of_its_host_change(void **unused)
{
    struct world w;

    (void)unused;
    rise_ps = NEVER;
    start_held(&w);
    sim_apply_host(w.sim, 0, &w.sim->cfg.knobs);
    expect_opened(&w);
}

/* DCQCN, losses and windows by rate: at any moment, knobs may change. */
static void held__none_is_forgotten(void **unused)
{
    static const enum sim_model models[] = { MODEL_NIC, MODEL_HPCC, MODEL_CONWEAVE };
    struct flow_row             flow[24];

    (void)unused;
    for (uint32_t i = 0; i < 24; i++)
        flow[i] = (struct flow_row){ .src = i % 8, .dst = 8, .prio = 3, .dport = (uint16_t)(i + 1), .bytes = 2000000 };
    for (int m = 0; m < 3; m++) {
        struct graph   g;
        struct sim_cfg cfg;
        struct world   w;

        world_cfg(&cfg, models[m]);
        cfg.cc = cc_find(models[m] == MODEL_NIC ? "dcqcn" : "dcqcn_hpcc");
        cfg.window_bytes = 60000;
        cfg.window_by_rate = true;
        cfg.rto_ps = PS_PER_MS;
        cfg.knobs.value[KNOB_kmin] = 5;
        cfg.knobs.value[KNOB_kmax] = 20;
        graph_star(&g, &(struct graph_star){ 9, 100 * GBPS, 5 * PS_PER_US });
        for (uint32_t i = 0; i < g.links; i++)
            g.link[i].loss = 0.02;
        world_of_flows(&w, &g, &cfg, flow, 24);
        for (uint64_t at = 10; at <= 3000; at += 10) {
            struct knobs k = w.sim->cfg.knobs;

            sim_run_until(w.sim, at * PS_PER_US);
            k.value[KNOB_rpg_ai_rate] = at % 100 == 0 ? 500 : 5;
            sim_apply(w.sim, &k);
            sim_check(w.sim);
        }
        assert_true(w.sim->engine.counters.payload_received > 1000000);
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held__goes_when_its_rate_rises),
        cmocka_unit_test(held__goes_when_knobs_change),
        cmocka_unit_test(held__goes_when_the_knobs_of_its_host_change),
        cmocka_unit_test(held__none_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
