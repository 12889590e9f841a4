/* src/sim/observe/watch_test.c - each packet is counted once, and no flow is disturbed. */
#include "sim/observe/watch.h"
#include "sim/observe/observe.h"
#include "study/scenario/scenario.h"
#include "sim/nic/nic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Four switches in a row, each with a host, so that each is a ToR. */
static const char chain[] =
    "topology:\n"
    "  kind: graph\n"
    "  hosts: 4\n"
    "  switches: 4\n"
    "  links: [{a: h0, b: s0}, {a: h1, b: s1}, {a: h2, b: s2}, {a: h3, b: s3},\n"
    "          {a: s0, b: s1}, {a: s1, b: s2}, {a: s2, b: s3}]\n"
    "traffic: [{kind: incast, senders: [h0], receiver: h3, size: 123456}]\n";

/* Congestion, pauses and CNPs; short flows and long ones. */
static const char busy[] =
    "topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}\n"
    "switch: {buffer: 600KB}\n"
    "knobs: {kmin: 40KB, kmax: 100KB, pmax: 0.2}\n"
    "traffic:\n"
    "  - {kind: poisson, load: 0.5, sizes: FB_Hadoop}\n"
    "  - {kind: incast, senders: 6, size: 64KB, start: 50us, period: 200us}\n"
    "run: 3ms\n";

#define INTERVAL_PS (PS_PER_MS / 4)

static struct sim *start(struct scenario *sc, const char *text, uint32_t threads)
{
    struct sim *s = NULL;
    struct err  err;

    if (scenario_parse(sc, "test", text, strlen(text), NULL, 0, NULL, &err))
        fail_msg("%s", err.text);
    sc->cfg.threads = threads;
    sc->cfg.parts = threads;
    if (scenario_start(sc, &s, &err))
        fail_msg("%s", err.text);
    return s;
}

/* ---- a monitor that sums what it sees ---- */

static uint64_t shown_bytes[16];
static uint32_t adders;

struct adder { uint32_t at; };

static void *adder_create(const struct monitor_cfg *cfg)
{
    struct adder *a = xcalloc(1, sizeof *a);

    (void)cfg;
    a->at = adders++;
    return a;
}

static void adder_on_packet(void *state, const struct flow_key *k, uint32_t bytes, uint64_t now_ps)
{
    (void)k, (void)now_ps;
    shown_bytes[((struct adder *)state)->at] += bytes;
}

static void adder_read(void *state, uint64_t now_ps, struct fsd *f)
{
    (void)state, (void)now_ps;
    *f = (struct fsd){ 0 };
}

static const struct monitor_algo adder = { .on_packet = adder_on_packet, .read = adder_read,
                                           .create = adder_create,
                                           .destroy = free, .name = "adder" };

static void on_packet__counts_a_flow_through_four_switches_once(void **unused)
{
    struct watch_cfg cfg = { .monitor = { &adder }, .monitors = 1 };
    struct scenario  sc;
    struct sim      *s = start(&sc, chain, 1);
    struct watch    *w;

    (void)unused;
    adders = 0;
    memset(shown_bytes, 0, sizeof shown_bytes);
    w = watch_new(s, &cfg);
    sim_run_until(s, NEVER);
    assert_int_equal(adders, 4);
    assert_int_equal(shown_bytes[0], 123456);        /* at the first ToR; ACKs, which
                                                      * enter at the last, are not counted */
    assert_int_equal(shown_bytes[1] + shown_bytes[2] + shown_bytes[3], 0);
    watch_free(w);
    sim_free(s);
    scenario_fini(&sc);
}

/* ---- reports ---- */

struct figures { struct fsd fsd[3]; uint64_t pairs, rtt_ps_sum, base_ps_sum; };

struct run { struct figures seen[16]; uint32_t count; uint64_t digest; };

static void on_done(void *arg, const struct flow_result *r)
{
    struct run *run = arg;

    run->digest = (run->digest ^ r->fct_ps ^ r->start_ps << 20 ^ r->bytes) * 1099511628211ull;
}

static void note(struct run *run, const struct report *r)
{
    struct figures *seen = &run->seen[run->count++];

    for (uint32_t i = 0; i < r->monitors; i++)
        seen->fsd[i] = r->monitor[i].fsd;
    seen->pairs = r->pairs;
    for (uint32_t i = 0; i < r->pairs; i++) {
        /* Short packets are slightly faster than the base, which is for a full packet. */
        assert_true(r->pair[i].rtt_ps_sum * 10 >= r->pair[i].base_rtt_ps * r->pair[i].rtt_samples * 9);
        assert_true(r->pair[i].src != r->pair[i].dst && r->pair[i].src < r->devices &&
                    r->pair[i].dst < r->devices);
        seen->rtt_ps_sum += r->pair[i].rtt_ps_sum;
        seen->base_ps_sum += r->pair[i].base_rtt_ps * (i + 1);
    }
}

static void run_busy(struct run *run, const struct watch_cfg *cfg, uint32_t threads)
{
    struct scenario  sc;
    struct sim      *s = start(&sc, busy, threads);
    struct watch    *w = cfg ? watch_new(s, cfg) : NULL;
    struct observer *o = observer_new(s);
    struct report    r;

    memset(run, 0, sizeof *run);
    observer_init_report(o, &r);
    s->engine.hooks = (struct sim_hooks){ .arg = run, .flow_done = on_done };
    for (uint64_t at = INTERVAL_PS; at <= 3 * PS_PER_MS; at += INTERVAL_PS) {
        sim_run_until(s, at);
        observer_look(o, at, &r);
        note(run, &r);
    }
    report_fini(&r);
    observer_free(o);
    watch_free(w);
    sim_free(s);
    scenario_fini(&sc);
}

static void watch__changes_nothing(void **unused)
{
    struct watch_cfg cfg = { .monitor = { monitor_find("paraleon"), monitor_find("exact"),
                                          monitor_find("host") },
                             .monitors = 3 };
    struct run       with, without;

    (void)unused;
    run_busy(&with, &cfg, 1);
    run_busy(&without, NULL, 1);
    assert_true(with.digest == without.digest);
    assert_true(with.seen[5].fsd[0].mice > 0 && with.seen[5].fsd[1].mice > 0 && with.seen[5].fsd[2].mice > 0);
    assert_true(with.seen[5].pairs > 10 && without.seen[5].pairs == 0);
}

static void watch__sees_the_same_with_many_threads(void **unused)
{
    struct watch_cfg cfg = { .monitor = { monitor_find("paraleon"), monitor_find("netflow"),
                                          monitor_find("host") },
                             .monitors = 3, .cfg = { .netflow_export_ps = PS_PER_MS } };
    struct run       one, many;

    (void)unused;
    run_busy(&one, &cfg, 1);
    run_busy(&many, &cfg, 3);
    assert_true(one.digest == many.digest);
    assert_memory_equal(one.seen, many.seen, sizeof one.seen);
}

/* Ground truth, counted differently: the exact monitor counts the flows whose packets reached a ToR. */
static void read__counts_flows_that_sent_something(void **unused)
{
    struct watch_cfg cfg = { .monitor = { monitor_find("exact") }, .monitors = 1 };
    struct scenario  sc;
    struct sim      *s = start(&sc, chain, 1);
    struct watch    *w = watch_new(s, &cfg);
    struct report    r;

    (void)unused;
    report_init(&r, s->net.nodes, s->net.ports, 0);
    sim_run_until(s, 20 * PS_PER_US);
    watch_read(w, 20 * PS_PER_US, &r);
    assert_int_equal(r.fsd.mice, FSD_ONE);
    assert_int_equal(r.fsd.elephants, 0);
    assert_int_equal(r.pairs, 1);
    assert_true(r.pair[0].rtt_ps_last == r.pair[0].base_rtt_ps);     /* alone in the network */
    sim_run_until(s, NEVER);
    report_clear(&r);
    watch_read(w, PS_PER_MS, &r);
    report_clear(&r);
    watch_read(w, 2 * PS_PER_MS, &r);
    assert_int_equal(r.fsd.mice + r.fsd.elephants, 0);               /* the flow is done */
    assert_int_equal(r.pairs, 0);
    report_fini(&r);
    watch_free(w);
    sim_free(s);
    scenario_fini(&sc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_packet__counts_a_flow_through_four_switches_once),
        cmocka_unit_test(watch__changes_nothing),
        cmocka_unit_test(watch__sees_the_same_with_many_threads),
        cmocka_unit_test(read__counts_flows_that_sent_something),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
