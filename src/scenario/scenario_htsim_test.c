/* src/scenario/scenario_htsim_test.c */
#include "scenario/scenario_htsim.h"

#include "core/units.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A scenario whose text is one section, in a folder of its own with one file called "f". */
struct world {
    char                    dir[64], name[96], file[96];
    struct scenario         s;
    struct scenario_reader  r;
    struct scenario_traffic about;
    struct entry            e;
    struct err              err;
};

static void open_world(struct world *w, const char *section, const char *file)
{
    FILE *out;

    memset(w, 0, sizeof *w);
    snprintf(w->dir, sizeof w->dir, "/tmp/scenario_htsim_test.XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->name, sizeof w->name, "%s/s.yaml", w->dir);
    snprintf(w->file, sizeof w->file, "%s/f", w->dir);
    out = fopen(w->file, "w");
    assert_non_null(out);
    fputs(file, out);
    fclose(out);
    w->r.s = &w->s;
    w->r.name = w->name;
    w->r.err = &w->err;
    assert_int_equal(0, yaml_parse(&w->r.doc, "s", section, strlen(section), &w->err));
    w->e.r = &w->r;
    w->e.about = &w->about;
    w->e.sec = (struct section){ &w->r, "traffic htsim", NULL, w->r.doc.root, false };
}

static void close_world(struct world *w)
{
    reader_fini(&w->r);
    graph_fini(&w->s.graph);
    unlink(w->file);
    rmdir(w->dir);
}

static void read_topology__file_beside_the_scenario(void **unused)
{
    struct world w;

    (void)unused;
    open_world(&w, "{file: f}", "Nodes 4\nTiers 2\nPodsize 4\n"
               "Tier 0\nDownlink_speed_Gbps 25\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 500\n"
               "Tier 1\nDownlink_speed_Gbps 25\nRadix_Down 2\nDownlink_Latency_ns 500\n");
    scenario_read_htsim_topology(&w.r, &w.e.sec);
    assert_int_equal(0, w.r.rc);
    assert_int_equal(4, w.s.graph.hosts);
    assert_int_equal(8, w.s.graph.links);
    close_world(&w);
}

static void read_topology__refuses(void **unused)
{
    static const struct { const char *section, *reason; } row[] = {
        { "{}", "/s.yaml:1:1: 'file' is missing in traffic htsim" },
        { "{file: g}", "/s.yaml:1:8: " },                /* there is no such file: where it is named */
        { "{file: f}", "/f:1: Tiers: 7 is more than 3" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct world w;

        open_world(&w, row[i].section, "Tiers 7\n");
        scenario_read_htsim_topology(&w.r, &w.e.sec);
        assert_true(w.r.rc < 0);
        if (!strstr(w.err.text, row[i].reason))
            fail_msg("'%s' does not say '%s'", w.err.text, row[i].reason);
        close_world(&w);
    }
}

static const char cm_text[] =
    "Nodes 3\nConnections 3\n0->2 start 0 size 5\n1->0 start 0 size 6\n1->2 start 0 size 7\n";

/* A switch is node 1, so that the hosts are the nodes 0, 2 and 3; three links of 2 us. */
static void make_mixed_star(struct graph *g)
{
    graph_init(g);
    for (uint32_t i = 0; i < 4; i++)
        graph_add_node(g, i == 1, NULL);
    for (uint32_t i = 0; i < 4; i++)
        if (i != 1)
            graph_add_link(g, &(struct graph_link){ i, 1, 100000000000, 2 * PS_PER_US, 0, 0 });
}

static void read_cm__hosts_stay_hosts(void **unused)
{
    struct world w;
    struct flow_matrix cm;
    uint64_t delay_ps;

    (void)unused;
    open_world(&w, "{file: f}", cm_text);
    make_mixed_star(&w.s.graph);
    assert_true(scenario_read_htsim_cm(&w.e, &cm, &delay_ps));
    assert_int_equal(2, cm.conn[0].dst);
    assert_int_equal(1, cm.conn[1].src);
    assert_int_equal(2, w.about.hosts);
    assert_int_equal(2 * PS_PER_US, delay_ps);
    flow_matrix_fini(&cm);
    close_world(&w);
}

/* The second host of the file is node 2: a switch is node 1. */
static void read_traffic__adds_the_connections(void **unused)
{
    struct world w;
    bool is_source[4] = { false };

    (void)unused;
    open_world(&w, "{file: f}", cm_text);
    make_mixed_star(&w.s.graph);
    w.s.traffic = traffic_new(&w.s.graph, 1);
    scenario_read_htsim_traffic(&w.e);
    assert_int_equal(0, w.r.rc);
    for (uint32_t i = 0; i < traffic_streams(w.s.traffic); i++) {
        assert_true(traffic_is_worker(w.s.traffic, i));
        is_source[traffic_source(w.s.traffic, i)] = true;
    }
    assert_true(is_source[0] && is_source[2] && !is_source[1]);
    traffic_free(w.s.traffic);
    close_world(&w);
}

static void read_cm__delay(void **unused)
{
    struct world w;
    struct flow_matrix cm;
    uint64_t delay_ps;

    (void)unused;
    open_world(&w, "{file: f, delay: 7us}", cm_text);
    make_mixed_star(&w.s.graph);
    assert_true(scenario_read_htsim_cm(&w.e, &cm, &delay_ps));
    assert_int_equal(7 * PS_PER_US, delay_ps);
    flow_matrix_fini(&cm);
    close_world(&w);
}

static void read_cm__refuses(void **unused)
{
    static const struct { const char *section, *file, *reason;
    } row[] = {
        { "{}", "", "/s.yaml:1:1: 'file' is missing" },
        { "{file: f, delay: 1us}", cm_text,
          "/s.yaml:1:18: 'delay' must be 2us or more, the shortest delay of a link" },
        { "{file: f}", "Nodes 9\nConnections 0\n",
          "/s.yaml:1:8: the connections are for 9 hosts, but the network has 3" },
        { "{file: f}", "Nodes 3\nConnections 1\n0->0 start 0 size 5\n",
          "/f:3: a connection from host 0 to itself" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct world w;
        struct flow_matrix cm;
        uint64_t delay_ps;

        open_world(&w, row[i].section, row[i].file);
        make_mixed_star(&w.s.graph);
        assert_false(scenario_read_htsim_cm(&w.e, &cm, &delay_ps));
        if (!strstr(w.err.text, row[i].reason))
            fail_msg("'%s' does not say '%s'", w.err.text, row[i].reason);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_topology__file_beside_the_scenario),
        cmocka_unit_test(read_topology__refuses),
        cmocka_unit_test(read_cm__hosts_stay_hosts),
        cmocka_unit_test(read_traffic__adds_the_connections),
        cmocka_unit_test(read_cm__delay),
        cmocka_unit_test(read_cm__refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
