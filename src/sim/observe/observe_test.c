/* src/sim/observe/observe_test.c - the sum of all reports equals the final counters, and no flow is
 * disturbed.
 */
#include "sim/observe/observe.h"
#include "study/scenario/scenario.h"
#include "sim/nic/nic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Small buffers, so that there are pauses; two entries; flows that do not finish. */
static const char busy[] =
    "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}\n"
    "switch: {buffer: 300KB}\n"
    "traffic:\n"
    "  - {kind: poisson, load: 0.4, sizes: WebSearch}\n"
    "  - {kind: incast, senders: 6, size: 64KB, start: 50us, period: 200us}\n"
    "knobs: {kmin: 40KB, kmax: 100KB, pmax: 0.2}\n"
    "run: 1ms\n";

/* Packets are lost and retransmitted. */
static const char lossy[] =
    "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us, loss: 0.01}\n"
    "traffic: [{kind: incast, senders: 3, size: 200KB}]\n";

#define END_PS (500 * PS_PER_US)

struct tape {                    /* results of finished flows */
    uint64_t digest, flows;
};

static void on_done(void *arg, const struct flow_result *r)
{
    struct tape *t = arg;

    t->digest = (t->digest ^ r->fct_ps ^ r->start_ps << 20 ^ r->bytes) * 1099511628211ull;
    t->flows++;
}

static struct sim *start(struct scenario *sc, const char *text, struct tape *tape)
{
    struct sim *s = NULL;
    struct err  err;

    if (scenario_parse(sc, "test", text, strlen(text), NULL, 0, NULL, &err) || scenario_start(sc, &s, &err))
        fail_msg("%s", err.text);
    *tape = (struct tape){ 0 };
    s->engine.hooks = (struct sim_hooks){ .arg = tape, .flow_done = on_done };
    return s;
}

struct total {
    struct report sum;           /* sums and peaks over all reports */
    uint64_t      entry[2];
    uint64_t     *tx_bytes, *marked, *paused_ps, *queue_max;     /* by port */
};

static void total_init(struct total *t, const struct sim *s)
{
    memset(t, 0, sizeof *t);
    t->tx_bytes = xcalloc(s->net.ports, sizeof *t->tx_bytes);
    t->marked = xcalloc(s->net.ports, sizeof *t->marked);
    t->paused_ps = xcalloc(s->net.ports, sizeof *t->paused_ps);
    t->queue_max = xcalloc(s->net.ports, sizeof *t->queue_max);
}

static void total_fini(struct total *t)
{
    free(t->tx_bytes);
    free(t->marked);
    free(t->paused_ps);
    free(t->queue_max);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void total_add(struct total *t, const struct report *r)
{
    assert_int_equal(r->start_ps, t->sum.end_ps);
    t->sum.end_ps = r->end_ps;
    for (int i = 0; i < FIGURE_COUNTERS; i++)
        t->sum.count[i] += r->count[i];
    assert_int_equal(r->flows_active, t->sum.flows_started - t->sum.flows_done);
    t->sum.marked_packets += r->marked_packets;
    t->sum.dropped_packets += r->dropped_packets;
    t->sum.paused_ps += r->paused_ps;
    t->sum.rtt_ps_peak = larger(t->sum.rtt_ps_peak, r->rtt_ps_peak);
    t->sum.queue_bytes_max = larger(t->sum.queue_bytes_max, r->queue_bytes_max);
    for (uint32_t i = 0; i < r->entries; i++)
        t->entry[i] += r->entry_bytes[i];
    for (uint32_t i = 0; i < r->ports; i++) {
        t->tx_bytes[i] += r->port[i].tx_bytes;
        t->marked[i] += r->port[i].marked_packets;
        t->paused_ps[i] += r->port[i].paused_ps;
        t->queue_max[i] = larger(t->queue_max[i], r->port[i].queue_bytes_max);
        assert_true(r->port[i].paused_ps <= r->end_ps - r->start_ps);
    }
}

static void check_counters(const struct total *t, const struct sim *s)
{
    const struct sim_counters *c = &s->engine.counters;

    assert_int_equal(t->sum.end_ps, END_PS);
    assert_int_equal(t->sum.payload_bytes, c->payload_received);
    assert_int_equal(t->sum.data_packets, c->data_sent);
    assert_int_equal(t->sum.cnps, c->cnps_sent);
    assert_int_equal(t->sum.nacks, c->nacks_sent);
    assert_memory_equal(t->sum.count, c->count, sizeof c->count);
    assert_int_equal(t->sum.dropped_packets,
                     c->dropped_buffer + c->dropped_wire + c->dropped_down + c->dropped_no_route);
    assert_true(t->sum.rtt_ps_peak >= c->rtt_ps_sum / c->rtt_samples);
}

/* Compares with the same run without observers. */
static void check_ports(const struct total *t, const struct sim *s, const struct sim *plain)
{
    uint64_t marked = 0, paused_ps = 0, queue_max = 0;

    for (uint32_t i = 0; i < s->net.ports; i++) {
        const struct port_counters *c = &plain->net.port[i].counters;

        assert_int_equal(t->tx_bytes[i], c->tx_bytes);
        assert_int_equal(t->marked[i], c->marked_packets);
        assert_int_equal(t->paused_ps[i], port_paused_ps(&plain->net.port[i], END_PS));
        assert_int_equal(t->queue_max[i], c->queue_bytes_max);
        assert_int_equal(s->net.port[i].counters.queue_bytes_max, c->queue_bytes_max);
        marked += c->marked_packets;
        paused_ps += t->paused_ps[i];
        queue_max = larger(queue_max, c->queue_bytes_max);
    }
    assert_int_equal(t->sum.marked_packets, marked);
    assert_int_equal(t->sum.paused_ps, paused_ps);
    assert_int_equal(t->sum.queue_bytes_max, queue_max);
}

/* Compares with the acknowledged bytes, flow by flow. */
static void check_entries(const struct total *t, const struct sim *s)
{
    uint64_t acked[2] = { s->entry_bytes_done[0], s->entry_bytes_done[1] };

    for (uint32_t i = 1; i < s->flows.used; i++)
        if (s->flows.flow[i].phase == FLOW_ACTIVE)
            acked[s->flows.flow[i].traffic] += s->flows.flow[i].acked;
    assert_int_equal(t->entry[0], acked[0]);
    assert_int_equal(t->entry[1], acked[1]);
}

static void look_every(const char *text, uint64_t interval_ps, const struct sim *plain,
                       const struct tape *plain_tape)
{
    struct observer *o;
    struct scenario  sc;
    struct report    r;
    struct total     total;
    struct tape      tape;
    struct sim      *s = start(&sc, text, &tape);
    uint64_t         reports = 0;

    o = observer_new(s);
    observer_init_report(o, &r);
    total_init(&total, s);
    for (uint64_t at = 0; at < END_PS;) {
        at = END_PS - at > interval_ps ? at + interval_ps : END_PS;
        sim_run_until(s, at);
        observer_look(o, at, &r);
        total_add(&total, &r);
        assert_int_equal(r.number, ++reports);
        for (uint32_t i = 0; i < r.devices; i++)
            assert_true(!r.device[i].is_missing && r.device[i].age_ps == 0);
    }
    report_fini(&r);
    observer_free(o);
    check_counters(&total, s);
    check_ports(&total, s, plain);
    if (sc.entries == 2)
        check_entries(&total, s);
    assert_int_equal(tape.flows, plain_tape->flows);
    assert_int_equal(tape.digest, plain_tape->digest);
    sim_check(s);
    total_fini(&total);
    sim_free(s);
    scenario_fini(&sc);
}

static void check_all_intervals(const char *text, struct sim_counters *counters)
{
    static const uint64_t intervals_ps[] = { PS_PER_US, 7777777, 10 * PS_PER_US, 333 * PS_PER_US, PS_PER_S };
    struct scenario sc;
    struct tape     tape;
    struct sim     *plain = start(&sc, text, &tape);

    sim_run_until(plain, END_PS);
    for (unsigned i = 0; i < sizeof intervals_ps / sizeof *intervals_ps; i++)
        look_every(text, intervals_ps[i], plain, &tape);
    *counters = plain->engine.counters;
    sim_free(plain);
    scenario_fini(&sc);
}

static void look__sums_to_the_counters_for_any_interval(void **state)
{
    struct sim_counters c;

    (void)state;
    check_all_intervals(busy, &c);
    assert_true(c.pauses > 0 && c.cnps_sent > 0 && c.flows_done > 0 && c.flows_done < c.flows_started);
}

static void look__sums_to_the_counters_when_packets_are_lost(void **state)
{
    struct sim_counters c;

    (void)state;
    check_all_intervals(lossy, &c);
    assert_true(c.nacks_sent > 0 && c.dropped_wire > 0);
}

/* A queue that only shrinks was longest at the start of the interval. */
static void look__peaks_are_per_interval(void **state)
{
    static const char text[] = "topology: {kind: star, hosts: 5, rate: 100Gbps, delay: 1us}\n"
                               "cc: none\n"
                               "traffic: [{kind: incast, senders: 4, size: 100KB}]\n";
    struct observer *o;
    struct scenario  sc;
    struct report    r;
    struct tape      tape;
    struct sim      *s = start(&sc, text, &tape);
    uint64_t         held = 0;

    (void)state;
    o = observer_new(s);
    observer_init_report(o, &r);
    /* 400 KB arrive in 8.6 us and leave in 35: about 300 KB wait at 10 us. */
    sim_run_until(s, 10 * PS_PER_US);
    observer_look(o, 10 * PS_PER_US, &r);
    assert_true(r.queue_bytes_max > 280000 && r.queue_bytes_max < 340000);
    assert_true(r.queue_bytes <= r.queue_bytes_max + 10000);
    for (uint64_t at = 11; at < 30; at++) {
        held = r.queue_bytes;
        sim_run_until(s, at * PS_PER_US);
        observer_look(o, at * PS_PER_US, &r);
        /* one queue holds everything except the frame on the wire */
        assert_true(r.queue_bytes < held && r.queue_bytes_max <= held && r.queue_bytes_max + 2000 > held);
    }
    report_fini(&r);
    observer_free(o);
    sim_free(s);
    scenario_fini(&sc);
}

/* Ultra Ethernet reports what arrives while it arrives, also where queue pairs repeat selectively. */
static void look__counts_bytes_of_ultra_ethernet_as_they_arrive(void **state)
{
    static const char text[] = "model: uet\n"
                               "topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 1us}\n"
                               "host: {retransmit: selective}\n"
                               "traffic: [{kind: incast, senders: 1, size: 1MB}]\n";
    struct observer *o;
    struct scenario  sc;
    struct report    r;
    struct tape      tape;
    struct sim      *s = start(&sc, text, &tape);

    (void)state;
    o = observer_new(s);
    observer_init_report(o, &r);
    sim_run_until(s, 50 * PS_PER_US);
    observer_look(o, 50 * PS_PER_US, &r);
    assert_true(r.entry_bytes[0] > 500000 && r.entry_bytes[0] < 625000);
    report_fini(&r);
    observer_free(o);
    sim_free(s);
    scenario_fini(&sc);
}

static void look__reports_the_current_knobs(void **state)
{
    struct observer *o;
    struct scenario  sc;
    struct report    r;
    struct tape      tape;
    struct sim      *s = start(&sc, busy, &tape);
    struct knobs     knobs = s->cfg.knobs;

    (void)state;
    o = observer_new(s);
    observer_init_report(o, &r);
    sim_run_until(s, 10 * PS_PER_US);
    observer_look(o, 10 * PS_PER_US, &r);
    assert_true(r.knobs.value[KNOB_kmin] == 40);
    knobs.value[KNOB_kmin] = 20;
    sim_apply(s, &knobs);
    sim_run_until(s, 20 * PS_PER_US);
    observer_look(o, 20 * PS_PER_US, &r);
    assert_true(r.knobs.value[KNOB_kmin] == 20);
    report_fini(&r);
    observer_free(o);
    sim_free(s);
    scenario_fini(&sc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look__sums_to_the_counters_for_any_interval),
        cmocka_unit_test(look__sums_to_the_counters_when_packets_are_lost),
        cmocka_unit_test(look__peaks_are_per_interval),
        cmocka_unit_test(look__counts_bytes_of_ultra_ethernet_as_they_arrive),
        cmocka_unit_test(look__reports_the_current_knobs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
