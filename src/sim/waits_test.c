/* src/sim/waits_test.c - small worlds that are stopped while a flow waits for a known reason. */
#include "sim/stall.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTES 102400u            /* 100 packets */

/* A tenth of the line rate. */
static void slow_start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state, (void)now;
    *out = (struct cc_out){ .rate_bps = 10 * GBPS, .window_bytes = UINT64_MAX, .due_ps = NEVER };
}

static void slow_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)cfg, (void)k, (void)link;
}

static const struct cc_algo slow = { .start = slow_start, .configure = slow_configure, .name = "slow",
                                     .about = "" };

/* Hosts 0 to 2 at one switch; 'flows' flows from host 0 to host 2, and one from host 1. */
static void start(struct world *w, struct sim_cfg *cfg, uint32_t flows, uint32_t qps)
{
    struct flow_list list = { xcalloc(flows + 1ul, sizeof *list.flow), flows + 1 };
    struct traffic  *t;
    struct graph     g;
    struct err       err;

    graph_star(&g, &(struct graph_star){ 3, 100 * GBPS, PS_PER_US });
    t = traffic_new(&g, 1);
    for (uint32_t i = 0; i < flows; i++)
        list.flow[i] = (struct flow_row){ .src = 0, .dst = 2, .prio = 3, .dport = 1, .bytes = BYTES };
    list.flow[flows] = (struct flow_row){ .src = 1, .dst = 2, .prio = 3, .dport = 1, .bytes = 1024 };
    traffic_add_list(t, &list);
    traffic_use_qps(t, qps);
    if (world_start(w, &g, cfg, t, &err))
        fail_msg("%s", err.text);
}

/* At 'at_ps', 'right' flows wait for this reason; the others wait for other reasons. */
static void expect(struct world *w, uint64_t at_ps, enum wait wait, uint64_t right)
{
    uint64_t      count[WAITS], sum = 0;
    struct waits *waits;

    sim_run_until(w->sim, at_ps);
    waits = waits_new(w->sim);
    waits_count(waits, count);
    for (uint32_t i = 0; i < WAITS; i++)
        sum += count[i];
    if (count[wait] != right)
        fail_msg("%llu flows wait for '%s', not %llu", (unsigned long long)count[wait], wait_names[wait],
                 (unsigned long long)right);
    assert_int_equal(sum, w->sim->engine.counters.flows_started - w->sim->engine.counters.flows_done);
    waits_free(waits);
}

static void stop_link(struct sim_cfg *cfg, uint64_t at_ps)
{
    cfg->change = xcalloc(1, sizeof *cfg->change);
    cfg->change[cfg->changes++] = (struct link_change){ at_ps, 0, false };
}

/* A packet takes 88.48 ns on a wire; a round trip takes 4.19 us. */
static void waits__names_each_reason(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start(&w, &cfg, 4, 0);                       /* at line rate */
    expect(&w, 50 * PS_PER_NS, WAIT_TURN, 4);
    expect(&w, 50 * PS_PER_NS, WAIT_ACK, 1);     /* the flow of host 1 */
    expect(&w, 100 * PS_PER_US, WAIT_ACK, 0);
    world_end(&w);

    start(&w, &cfg, 4, 1);                       /* the same on one queue pair */
    expect(&w, 50 * PS_PER_NS, WAIT_QUEUE_PAIR, 3);
    world_end(&w);

    cfg.cc = &slow;
    start(&w, &cfg, 4, 0);
    expect(&w, 500 * PS_PER_NS, WAIT_PACER, 4);
    world_end(&w);

    cfg.cc = cc_find("none");
    cfg.window_bytes = 2048;
    start(&w, &cfg, 1, 0);
    expect(&w, 2 * PS_PER_US, WAIT_WINDOW, 1);
    world_end(&w);

    cfg.window_bytes = 0;
    stop_link(&cfg, PS_PER_US);
    start(&w, &cfg, 1, 0);
    expect(&w, 20 * PS_PER_US, WAIT_LINK, 1);
    expect(&w, 20 * PS_PER_US, WAIT_ACK, 0);
    world_end(&w);
}

/* Host 0's link loses the last packet: when the ACKs of the others are back, nothing of its flow is in
 * flight. */
static void waits__distinguishes_a_loss_from_a_packet_in_flight(void **unused)
{
    (void)unused;
    for (uint32_t has_timer = 0; has_timer < 2; has_timer++) {
        struct sim_cfg cfg;
        struct world   w;
        struct port   *p;

        world_cfg(&cfg, MODEL_NIC);
        cfg.rto_ps = has_timer ? PS_PER_MS : 0;
        start(&w, &cfg, 1, 0);
        p = w.sim->net.host[0].port;
        sim_run_until(w.sim, 99 * 88480 - 1);    /* 99 of 100 packets have left */
        p->loss = 1;
        p->is_lossy = true;
        p->slow_path = SLOW_LINK;
        expect(&w, 10 * PS_PER_US, WAIT_ACK, 1);
        expect(&w, 100 * PS_PER_US, has_timer ? WAIT_TIMEOUT : WAIT_FOREVER, 1);
        world_end(&w);
    }
}

/* The port to host 2 is paused forever: packets wait there, and the pause spreads to host 0. */
static void waits__sees_pauses_on_the_path(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;
    struct port   *out;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.window_bytes = 10240;
    start(&w, &cfg, 1, 0);
    out = w.sim->net.host[2].port->peer;
    out->paused = 1 << 3;
    expect(&w, 50 * PS_PER_US, WAIT_PAUSE, 2);   /* the window is closed, but the pause is the reason */
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits__names_each_reason),
        cmocka_unit_test(waits__distinguishes_a_loss_from_a_packet_in_flight),
        cmocka_unit_test(waits__sees_pauses_on_the_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
