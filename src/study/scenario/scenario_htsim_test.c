/* src/study/scenario/scenario_htsim_test.c - htsim files in scenarios. */
#include "study/scenario/scenario.h"

#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A scenario in a temporary folder, with its network in the file "t" and htsim's file "f". */
struct world {
    char            dir[64], name[96];
    struct scenario s;
    struct err      err;
};

static void write_file(const struct world *w, const char *name, const char *text)
{
    char  path[128];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", w->dir, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

/* Node 1 is a switch, so the hosts are nodes 0, 2 and 3. Three links of 2 us. */
static const char mixed_star[] = "4 1 3\n1\n0 1 100Gbps 2us 0\n2 1 100Gbps 2us 0\n3 1 100Gbps 2us 0\n";

static int open_world(struct world *w, const char *scenario, const char *file)
{
    memset(w, 0, sizeof *w);
    snprintf(w->dir, sizeof w->dir, "/tmp/scenario_htsim_test.XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->name, sizeof w->name, "%s/s.yaml", w->dir);
    write_file(w, "t", mixed_star);
    write_file(w, "f", file);
    return scenario_parse(&w->s, w->name, scenario, strlen(scenario), NULL, 0, NULL, &w->err);
}

static void close_world(struct world *w)
{
    char path[128];

    scenario_fini(&w->s);
    for (const char *name = "tf"; *name; name++) {
        snprintf(path, sizeof path, "%s/%c", w->dir, *name);
        unlink(path);
    }
    rmdir(w->dir);
}

struct refused { const char *scenario, *file, *reason; };

static void expect_refused(const struct refused *row, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        struct world w;

        assert_true(open_world(&w, row[i].scenario, row[i].file) < 0);
        if (!strstr(w.err.text, row[i].reason))
            fail_msg("'%s' does not contain '%s'", w.err.text, row[i].reason);
        close_world(&w);
    }
}

#define INCAST ", traffic: [{kind: incast, senders: 2, size: 1KB}]}"

static void read_topology__finds_the_file_next_to_the_scenario(void **unused)
{
    struct world w;

    (void)unused;
    assert_int_equal(0, open_world(&w, "{topology: {kind: htsim, file: f}" INCAST, "Nodes 4\nTiers "
        "2\nPodsize 4\n"
                     "Tier 0\nDownlink_speed_Gbps 25\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 500\n"
                     "Tier 1\nDownlink_speed_Gbps 25\nRadix_Down 2\nDownlink_Latency_ns 500\n"));
    assert_int_equal(4, w.s.graph.hosts);
    assert_int_equal(8, w.s.graph.links);
    close_world(&w);
}

static void read_topology__refuses(void **unused)
{
    static const struct refused row[] = {
        { "{topology: {kind: htsim}" INCAST, "", "/s.yaml:1:12: 'file' is missing in topology htsim" },
        /* the file does not exist: the error has the location of its name */
        { "{topology: {kind: htsim, file: g}" INCAST, "", "/s.yaml:1:32: " },
        { "{topology: {kind: htsim, file: f}" INCAST, "Tiers 7\n", "/f:1: Tiers: 7 is more than 3" },
    };

    (void)unused;
    expect_refused(row, sizeof row / sizeof *row);
}

#define MIXED "{topology: {kind: hpcc, file: t}, traffic: [{kind: htsim"

static const char cm_text[] =
    "Nodes 3\nConnections 3\n0->2 start 0 size 5\n1->0 start 0 size 6\n1->2 start 0 size 7\n";

/* Host i of the file is the i-th host of the network: node 0, 2 or 3. */
static void read_traffic__hosts_stay_hosts(void **unused)
{
    static const uint32_t src[] = { 0, 2, 2 }, dst[] = { 3, 0, 3 };     /* flows with 5, 6 and 7 bytes */
    struct world          w;
    struct flow_spec      f;
    uint32_t              flows = 0;

    (void)unused;
    assert_int_equal(0, open_world(&w, MIXED ", file: f}]}", cm_text));
    assert_int_equal(2, w.s.entry[0].hosts);
    for (uint32_t i = 0; i < traffic_streams(w.s.traffic); i++) {
        assert_true(traffic_is_worker(w.s.traffic, i));
        for (; traffic_next(w.s.traffic, i, &f); flows++) {
            assert_in_range(f.bytes, 5, 7);
            assert_int_equal(traffic_source(w.s.traffic, i), src[f.bytes - 5]);
            assert_int_equal(f.dst, dst[f.bytes - 5]);
        }
    }
    assert_int_equal(flows, 3);
    close_world(&w);
}

/* The time from the end of a connection to the start of one that waits for it. Default: the delay of a
 * link. */
static void read_traffic__delay(void **unused)
{
    struct world w;

    (void)unused;
    assert_int_equal(0, open_world(&w, MIXED ", file: f}]}", cm_text));
    assert_int_equal(2 * PS_PER_US, traffic_signal_ps(w.s.traffic));
    close_world(&w);
    assert_int_equal(0, open_world(&w, MIXED ", file: f, delay: 7us}]}", cm_text));
    assert_int_equal(7 * PS_PER_US, traffic_signal_ps(w.s.traffic));
    close_world(&w);
}

static void read_traffic__refuses(void **unused)
{
    static const struct refused row[] = {
        { MIXED "}]}", "", "/s.yaml:1:45: 'file' is missing in traffic htsim" },
        { MIXED ", file: g}]}", "", "/s.yaml:1:65: " },
        { MIXED ", file: f, delay: 1us}]}", cm_text,
          "/s.yaml:1:75: 'delay' must be 2 us or more, the shortest delay of a link" },
        { MIXED ", file: f}]}", "Nodes 9\nConnections 0\n",
          "/s.yaml:1:65: the connections are for 9 hosts, but the network has 3" },
        { MIXED ", file: f}]}", "Nodes 3\nConnections 1\n0->0 start 0 size 5\n",
          "/f:3: a connection from host 0 to itself" },
    };

    (void)unused;
    expect_refused(row, sizeof row / sizeof *row);
}

/* ---- model htsim ---- */

#define MATRIX "Nodes 16\nConnections 1\n0->15 id 1 start 0 size 4086\n"

/* A flow of one full packet takes the network RTT: six links each way, 1 us each. */
static void model_htsim__runs(void **unused)
{
    struct world w;
    struct sim  *sim;

    (void)unused;
    assert_int_equal(open_world(&w, "model: htsim\nhtsim: {matrix: f}\n", MATRIX), 0);
    assert_int_equal(scenario_start(&w.s, &sim, &w.err), 0);
    assert_int_equal(sim_graph(sim)->hosts, 16);
    assert_false(sim_is_done(sim));
    while (sim_run_until(sim, UINT64_MAX))
        ;
    assert_true(sim_is_done(sim));
    assert_int_equal(sim_done_ps(sim), 6 * (4150 * 80 + PS_PER_US) + 6 * (64 * 80 + PS_PER_US));
    assert_int_equal(sim_counts(sim)->flows_done, 1);
    assert_int_equal(sim_counts(sim)->payload_received, 4086);
    sim_free(sim);
    close_world(&w);
}

static void model_htsim__refuses_threads(void **unused)
{
    struct world w;
    struct sim  *sim;

    (void)unused;
    assert_int_equal(open_world(&w, "model: htsim\nhtsim: {matrix: f}\n", MATRIX), 0);
    w.s.cfg.threads = 2;
    assert_true(scenario_start(&w.s, &sim, &w.err) < 0);
    assert_non_null(strstr(w.err.text, "model htsim runs on one thread, not 2"));
    close_world(&w);
}

static void model_htsim__refuses(void **unused)
{
    static const struct { const char *scenario, *reason; } rows[] = {
        { "model: htsim\n", ":1:1: 'htsim' is missing" },
        { "model: htsim\nhtsim: {}\n", ": 'matrix' is missing" },
        { "htsim: {matrix: f}\n", ":1:1: 'htsim' needs 'model: htsim'" },
        { "model: htsim\nhtsim: {matrix: f}\ncc: dcqcn\n", ":3:1: model htsim has no 'cc'" },
        { "model: htsim\nhtsim: {matrix: f}\ntuner: fixed\n", ":3:1: model htsim has no 'tuner'" },
        { "model: htsim\nhtsim: {matrix: f, tiers: 2}\n", ": 16 hosts do not fill a fat-tree of 2 tiers" },
        { "model: htsim\nhtsim: {matrix: f, load_balancing: rep}\n", "did you mean 'reps'?" },
        { "model: htsim\nhtsim: {matrix: f, mtu: 64}\n", "mtu" },
        { "model: htsim\nhtsim: {matrix: f, topology: t, tiers: 2}\n", "the file named by 'topology' brings its own tiers" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;

        if (open_world(&w, rows[i].scenario, MATRIX) == 0)
            fail_msg("accepted: %s", rows[i].scenario);
        if (!strstr(w.err.text, rows[i].reason))
            fail_msg("'%s' is not in '%s'", rows[i].reason, w.err.text);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_topology__finds_the_file_next_to_the_scenario),
        cmocka_unit_test(read_topology__refuses),
        cmocka_unit_test(read_traffic__hosts_stay_hosts),
        cmocka_unit_test(read_traffic__delay),
        cmocka_unit_test(read_traffic__refuses),
        cmocka_unit_test(model_htsim__runs),
        cmocka_unit_test(model_htsim__refuses_threads),
        cmocka_unit_test(model_htsim__refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
