/* src/work/traffic/kinds_test.c - properties of every kind of traffic in the list. */
#include "work/traffic/kind.h"

#include "core/units.h"
#include "work/traffic/read.h"
#include "work/traffic/traffic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOSTS  8u
#define RUN_PS (20 * PS_PER_MS)

/* ---- an environment without scenario and simulator ---- */

static int read_two_flows(const char *path, const char *text, const struct graph *g, struct flow_list *list,
                          struct err *err)
{
    static const struct flow_row flows[] = { { 0, 1, 3, 100, 10, 5000, 0 }, { 2, 0, 5, 102, 30, 9000, 0 } };

    assert_null(text);
    (void)g, (void)err;
    assert_string_equal(path, "folder/some.file");
    list->flow = xmalloc(sizeof flows);
    memcpy(list->flow, flows, sizeof flows);
    list->count = 2;
    return 0;
}

static int read_one_conn(const char *path, const char *text, struct flow_matrix *m, struct err *err)
{
    assert_null(text);
    (void)err;
    assert_string_equal(path, "folder/some.file");
    *m = (struct flow_matrix){ .conn = xcalloc(1, sizeof *m->conn), .conns = 1, .nodes = 2 };
    m->conn[0] = (struct matrix_conn){ .src = 1, .dst = 0, .bytes = 9, .trigger = MATRIX_NO_TRIGGER,
                                       .send_done = MATRIX_NO_TRIGGER, .recv_done = MATRIX_NO_TRIGGER };
    return 0;
}

/* Two ranks that compute. */
static int read_two_ranks(const char *path, struct trace *t, struct err *err)
{
    assert_string_equal(path, "folder/some.file");
    trace_init(t, path, 2);
    trace_add(t, 0, &(struct trace_op){ .type = TRACE_CALC, .size = 5 });
    trace_add(t, 1, &(struct trace_op){ .type = TRACE_CALC, .size = 5 });
    return trace_seal(t, err);
}

static int read_rank_files(const char *prefix, const char *groups, struct trace *t, struct err *err)
{
    assert_string_equal(prefix, "folder/some.file");
    assert_null(groups);
    trace_init(t, prefix, 2);
    return trace_seal(t, err);
}

static int read_layers(const char *path, const char *text, uint32_t passes, uint32_t hosts, struct trace *t,
                       struct err *err)
{
    assert_null(text);
    assert_string_equal(path, "folder/some.file");
    assert_int_equal(passes, 1);
    assert_int_equal(hosts, HOSTS);
    trace_init(t, path, 2);
    return trace_seal(t, err);
}

struct kinds_fixture {
    struct graph         graph;
    struct yaml_doc      doc;
    struct reader        r;
    struct err           err;
    struct traffic      *traffic;
    struct traffic_about about[2];
};

static void fixture_open(struct kinds_fixture *h, const char *list)
{
    static const struct traffic_tcp_algorithm tcp[] = { { "reno", false }, { "cubic", false },
                                                        { NULL, false } };
    struct traffic_env                        env = { .run_ps = RUN_PS, .mtu_bytes = 1000,
                                                      .overhead_bytes = 82,
                                                      .tcp = tcp, .read_flows = read_two_flows,
                                                      .read_matrix = read_one_conn,
                                                      .read_goal = read_two_ranks,
                                                      .read_chakra = read_rank_files,
                                                      .read_simai = read_layers };

    memset(h, 0, sizeof *h);
    graph_clos(&h->graph, &(struct graph_clos){ 2, HOSTS / 2, 2, 1, 100000000000, 1000000, 100000000000,
                                                1000000 });
    env.graph = &h->graph;
    h->r = (struct reader){ .name = "folder/s", .what = "a list", .err = &h->err };
    h->traffic = traffic_new(&h->graph, 1);
    assert_int_equal(yaml_parse(&h->doc, "s", list, strlen(list), &h->err), 0);
    traffic_read(&h->r, h->doc.root, &env, h->traffic, h->about);
}

static void fixture_close(struct kinds_fixture *h)
{
    traffic_free(h->traffic);
    reader_fini(&h->r);
    yaml_fini(&h->doc);
    graph_fini(&h->graph);
}

/* ---- minimal keys of each kind ---- */

static const struct { const char *kind, *keys; uint32_t streams, hosts; } least[] = {
    { "flows",       ", file: some.file",     2, 2 },
    { "poisson",     ", sizes: WebSearch",    HOSTS, HOSTS },
    { "incast",      ", senders: 3, size: 1", 3, 3 },
    { "permutation", ", size: 1",             HOSTS, HOSTS },
    { "all_to_all",  ", size: 1",             HOSTS, HOSTS },
    { "many_to_one", "",                      HOSTS - 1, HOSTS - 1 },
    { "long_short",  "",                      1 + 6, 1 + 6 },
    { "posted",      "",                      HOSTS - 1, HOSTS - 1 },
    { "storage",     ", replicas: 2",         HOSTS, HOSTS },
    { "rpc",         "",                      2 * HOSTS, HOSTS },
    { "kv_cache",    ", prefill: 3, decode: 2, prompt: 1, requests: 10000", 3 + 2, 3 },
    { "training",    ", size: 1MB",           HOSTS, HOSTS },
    { "htsim",       ", file: some.file",     2, 1 },
    { "tcp",         ", senders: 2, size: 1", 2, 2 },
    { "goal",        ", file: some.file",     2, 2 },
    { "chakra",      ", file: some.file",     2, 2 },
    { "simai",       ", file: some.file",     2, 2 },
    { "external",    "",                      HOSTS, HOSTS },
};

#define KINDS (sizeof least / sizeof *least)

static uint32_t row_of(const char *kind)
{
    for (uint32_t i = 0; i < KINDS; i++)
        if (strcmp(least[i].kind, kind) == 0)
            return i;
    fail_msg("the kind %s has no row in the table of this test", kind);
    return 0;
}

static void every_kind__has_help_and_keys(void **unused)
{
    (void)unused;
    for (int i = 0; traffic_all[i]; i++) {
        const struct traffic_kind *k = traffic_all[i];

        assert_true(strlen(k->name) > 0 && strlen(k->name) < sizeof((struct traffic_about *)NULL)->kind);
        assert_true(strlen(k->about) > 10);
        assert_non_null(k->read);
        assert_non_null(k->keys[0].name);
        for (const struct key_row *row = k->keys; row->name; row++)
            assert_true(*key_unit_name(row->unit) && row->initial && strlen(row->about) > 1);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(k->name, traffic_all[j]->name);
    }
}

/* Every stream that is not a worker has a flow, to another host, within the run. */
static void check_flows(struct kinds_fixture *h, uint32_t streams)
{
    struct flow_spec f;
    uint32_t         flows = 0;

    assert_int_equal(traffic_streams(h->traffic), streams);
    for (uint32_t i = 0; i < streams; i++) {
        if (traffic_is_worker(h->traffic, i) && traffic_due_ps(h->traffic, i) == NEVER)
            continue;
        if (!traffic_next(h->traffic, i, &f)) {
            assert_int_equal(traffic_failed(h->traffic, i, NULL), 0);
            continue;            /* its random start is after the end of the run */
        }
        flows++;
        if (f.bytes == 0 && traffic_is_worker(h->traffic, i))
            continue;            /* a wake-up */
        assert_true(f.at_ps < RUN_PS && f.bytes > 0 && f.dst < HOSTS);
        assert_int_not_equal(f.dst, traffic_source(h->traffic, i));
    }
    /* a program posts its messages later */
    assert_true(flows > 0 || strcmp(h->about[0].kind, "external") == 0);
}

static void every_kind__reads_its_minimal_section(void **unused)
{
    (void)unused;
    for (int i = 0; traffic_all[i]; i++) {
        uint32_t             row = row_of(traffic_all[i]->name);
        char                 list[200], name[40];
        struct kinds_fixture h;

        snprintf(list, sizeof list, "[{kind: %s%s}]", least[row].kind, least[row].keys);
        fixture_open(&h, list);
        if (h.r.rc)
            fail_msg("%s: %s", list, h.err.text);
        snprintf(name, sizeof name, "%s 1", least[row].kind);
        assert_string_equal(h.about[0].kind, least[row].kind);
        assert_string_equal(h.about[0].name, name);
        assert_int_equal(h.about[0].hosts, least[row].hosts);
        check_flows(&h, least[row].streams);
        fixture_close(&h);
    }
}

/* Random numbers depend on (seed, entry, source) only: later entries do not affect earlier ones. */
static void every_kind__ignores_later_entries(void **unused)
{
    (void)unused;
    for (uint32_t row = 0; row < KINDS; row++) {
        struct kinds_fixture alone, both;
        char                 list[200];

        snprintf(list, sizeof list, "[{kind: %s%s}]", least[row].kind, least[row].keys);
        fixture_open(&alone, list);
        snprintf(list, sizeof list, "[{kind: %s%s}, {kind: permutation, size: 7}]", least[row].kind,
                 least[row].keys);
        fixture_open(&both, list);
        for (uint32_t i = 0; i < traffic_streams(alone.traffic); i++) {
            struct flow_spec a = { 0 }, b = { 0 };
            bool             has_a = traffic_next(alone.traffic, i, &a),
                             has_b = traffic_next(both.traffic, i, &b);

            assert_int_equal(has_a, has_b);
            assert_true(a.at_ps == b.at_ps && a.dst == b.dst && a.bytes == b.bytes && a.rank == b.rank);
        }
        fixture_close(&both);
        fixture_close(&alone);
    }
}

static void traffic_read__lists_kinds_and_keys(void **unused)
{
    struct kinds_fixture h;
    char                 list[100], all[400] = "";

    (void)unused;
    fixture_open(&h, "[{kind: zzz}]");
    for (int i = 0; traffic_all[i]; i++) {
        size_t used = strlen(all);

        assert_non_null(strstr(h.err.text, traffic_all[i]->name));
        snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : traffic_all[i + 1] ? ", " : " and ",
                 traffic_all[i]->name);
    }
    assert_true(strncmp(h.err.text, "folder/s:1:9: 'zzz' is not a kind of traffic; there are ", 56) == 0);
    assert_string_equal(h.err.text + 56, all);
    fixture_close(&h);
    for (int i = 0; traffic_all[i]; i++) {
        snprintf(list, sizeof list, "[{kind: %s, zzzzz: 1}]", traffic_all[i]->name);
        fixture_open(&h, list);
        assert_int_equal(h.r.rc, -EINVAL);
        for (const struct key_row *row = traffic_all[i]->keys; row->name; row++)
            assert_non_null(strstr(h.err.text, row->name));
        fixture_close(&h);
    }
}

/* Room for flows: the maximum concurrency, or all flows that will start, if known. WebSearch at 30 % of 100
 * Gb/s and 1,711,250 bytes each: 2191.4 flows per second and host. */
static void traffic_read__counts_flows(void **unused)
{
    double               flows = 0.3 * 100e9 / 8 / 1711250 * 0.02 * HOSTS, calls;
    struct kinds_fixture h;

    (void)unused;
    fixture_open(&h, "[{kind: poisson, sizes: WebSearch, load: 30%}]");
    assert_int_equal(traffic_flows_at_once(h.traffic), 0);
    assert_in_range(traffic_flows_room(h.traffic), flows + 5 * sqrt(flows), flows + 7 * sqrt(flows) + 7);
    fixture_close(&h);
    fixture_open(&h, "[{kind: storage, storage: 4, depth: 10, replicas: 3, qps: fresh}]");
    assert_int_equal(traffic_flows_room(h.traffic), 2 * 4 * 10 * 2);
    fixture_close(&h);
    fixture_open(&h, "[{kind: storage, storage: 4, depth: 10, replicas: 3, qps: 4}]");
    /* plus persistent queue pairs */
    assert_int_equal(traffic_flows_room(h.traffic), 2 * 4 * 10 * 2 + HOSTS * HOSTS * 4);
    fixture_close(&h);
    fixture_open(&h,
                 "[{kind: training, size: 1MB, qps: fresh}, {kind: training, size: 1MB, at_once: yes, qps: "
                 "fresh}]");
    assert_int_equal(traffic_flows_at_once(h.traffic), 6 * HOSTS + HOSTS * HOSTS);
    fixture_close(&h);
    fixture_open(&h, "[{kind: rpc, sizes: WebSearch, load: 30%, qps: fresh}]");
    calls = 2 * flows;
    assert_in_range(traffic_flows_room(h.traffic), calls + 10 * sqrt(flows), calls + 14 * sqrt(flows) + 14);
    fixture_close(&h);
    fixture_open(&h, "[{kind: posted, qps: 3, outstanding: 5}]");
    assert_int_equal(traffic_flows_at_once(h.traffic), (HOSTS - 1) * 3 * 5);
    fixture_close(&h);
    fixture_open(&h,
                 "[{kind: rpc, sizes: GoogleRPC, load: 90%, qps: 65535}, {kind: rpc, sizes: GoogleRPC, load: "
                 "5%, qps: 65535}]");
    assert_true(traffic_flows_room(h.traffic) <= TRAFFIC_AT_ONCE_MAX);
    fixture_close(&h);
}

/* Entries with different settings get different numbers. The algorithm is an index into the environment's
 * list. */
static void traffic_read__keeps_settings_of_tcp(void **unused)
{
    const struct traffic_tcp *tcp;
    uint32_t                  count;
    struct kinds_fixture      h;

    (void)unused;
    fixture_open(&h, "[{kind: tcp, senders: 2, size: 1}, {kind: tcp, senders: 2, size: 1, mss: 1000}]");
    assert_int_equal(h.r.rc, 0);
    tcp = traffic_tcps(h.traffic, &count);
    assert_int_equal(count, 2);
    assert_int_equal(tcp[0].algorithm, 1);           /* cubic */
    assert_int_equal(tcp[0].mss_bytes, 1448);
    assert_int_equal(tcp[1].mss_bytes, 1000);
    fixture_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind__has_help_and_keys),
        cmocka_unit_test(every_kind__reads_its_minimal_section),
        cmocka_unit_test(every_kind__ignores_later_entries),
        cmocka_unit_test(traffic_read__lists_kinds_and_keys),
        cmocka_unit_test(traffic_read__counts_flows),
        cmocka_unit_test(traffic_read__keeps_settings_of_tcp),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
