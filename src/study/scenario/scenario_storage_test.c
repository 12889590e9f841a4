/* src/study/scenario/scenario_storage_test.c - traffic of the kinds storage, rpc, many_to_one and
 * long_short. */
#include "study/scenario/scenario.h"
#include "work/traffic/traffic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define STAR "topology: {kind: star, hosts: 8}\nrun: 20ms\n"                 /* lines 1 and 2 */
#define OPEN "topology: {kind: star, hosts: 8}\n\n"                          /* no end */
#define SMALL "topology: {kind: star, hosts: 3}\nrun: 20ms\n"

struct row { const char *text, *message; };

static void refuse_all(const struct row *row)
{
    for (; row->text; row++) {
        struct scenario s;
        struct err      err = { "" };

        if (scenario_parse(&s, "s.yaml", row->text, strlen(row->text), NULL, 0, NULL, &err) == 0)
            fail_msg("accepted: %s", row->text);
        assert_string_equal(err.text, row->message);
        assert_null(s.traffic);  /* nothing is left */
    }
}

static void storage__is_refused(void **unused)
{
    static const struct row rows[] = {
        { STAR "traffic: [{kind: storage, depth: 0}]\n", "s.yaml:3:34: depth must be 1 .. 4096, not 0" },
        { STAR "traffic: [{kind: storage, depth: 4097}]\n",
          "s.yaml:3:34: depth must be 1 .. 4096, not 4097" },
        { STAR "traffic: [{kind: storage, replicas: 1, block_min: 8KB, block_max: 4KB}]\n",
          "s.yaml:3:51: 'block_min' (8 KB) must not be above 'block_max' (4 KB)" },
        { STAR "traffic: [{kind: storage, replicas: 1, block_min: 128KB}]\n",
          "s.yaml:3:51: 'block_min' (128 KB) must not be above 'block_max' (65.54 KB)" },
        { STAR "traffic: [{kind: storage, preset: olap, replicas: 1, block_max: 1KB}]\n",
          "s.yaml:3:65: 'block_min' (262.1 KB) must not be above 'block_max' (1 KB)" },
        { STAR "traffic: [{kind: storage, block_min: 0}]\n",
          "s.yaml:3:38: block_min must be 1 B .. 1.1 TB, not 0" },
        { STAR "traffic: [{kind: storage, request: 0}]\n",
          "s.yaml:3:36: request must be 1 B .. 1.1 TB, not 0" },
        { STAR "traffic: [{kind: storage, reads: 110%}]\n", "s.yaml:3:34: reads must be 0 .. 1, not 110%" },
        { STAR "traffic: [{kind: storage, preset: oltb}]\n",
          "s.yaml:3:35: 'oltb' is not a preset of storage; did you mean 'oltp'?" },
        { STAR "traffic: [{kind: storage, replica: 2}]\n",
          "s.yaml:3:27: 'replica' is not a key of traffic storage; did you mean 'replicas'?" },
        { STAR "traffic: [{kind: storage, replicas: 0}]\n", "s.yaml:3:37: replicas must be 1 .. 16, not 0" },
        { STAR "traffic: [{kind: storage, replicas: 5, storage: 4}]\n",
          "s.yaml:3:37: 5 replicas need as many storage nodes, and there are 4" },
        { STAR "traffic: [{kind: storage}]\n",
          "s.yaml:3:11: 3 replicas need as many storage nodes, and there are 2" },
        { SMALL "traffic: [{kind: storage, replicas: 2}]\n",
          "s.yaml:3:37: 2 replicas need as many storage nodes, and there is 1" },
        { STAR "traffic: [{kind: storage, storage: [h1, h2, h3], compute: [h0, h3]}]\n",
          "s.yaml:3:36: h3 is already a compute node" },
        { STAR "traffic: [{kind: storage, hosts: 4, storage: [h1, h2, h3], compute: [h0]}]\n",
          "s.yaml:3:34: 'hosts' has no effect with lists of 'compute' and 'storage'; remove it" },
        { STAR "traffic: [{kind: storage, storage: 8}]\n", "s.yaml:3:36: storage must be 1 .. 7, not 8" },
        { STAR "traffic: [{kind: storage, storage: 3, compute: 6}]\n",
          "s.yaml:3:48: compute must be 1 .. 5, not 6" },
        { STAR "traffic: [{kind: storage, storage: [h0, h1, h2, h3, h4, h5, h6, h7]}]\n",
          "s.yaml:3:11: no host is left for 'compute'" },
        { STAR "traffic: [{kind: storage, hosts: 2, compute: [h0, h1]}]\n",
          "s.yaml:3:11: no host is left for 'storage'" },
        { STAR "traffic: [{kind: storage, storage: [h9]}]\n", "s.yaml:3:37: there is no host 'h9'" },
        { STAR "traffic: [{kind: storage, start: 3ms, stop: 2ms}]\n",
          "s.yaml:3:45: 'stop' must be after 'start'" },
        { STAR "traffic: [{kind: storage, start: 30ms}]\n", "s.yaml:3:34: the run is over by then" },
        { OPEN "traffic: [{kind: storage}]\n",
          "s.yaml:3:11: storage traffic needs an end: give it 'stop', or the scenario 'run'" },
        { "topology: {kind: star, hosts: 1}\nrun: 1ms\ntraffic: [{kind: storage}]\n",
          "s.yaml:3:11: 1 hosts are too few for storage" },
        { "topology: {kind: star, hosts: 200}\nrun: 1ms\ntraffic: [{kind: storage, depth: 1000}]\n",
          "s.yaml:3:34: 150 compute nodes with 1000 reads and writes each of 3 replicas: more than 300000 at "
          "once" },
        { NULL, NULL },
    };

    (void)unused;
    refuse_all(rows);
}

static void rpc__is_refused(void **unused)
{
    static const struct row rows[] = {
        { STAR "traffic: [{kind: rpc, answer: 0}]\n", "s.yaml:3:31: answer must be 1 B .. 281.5 TB, not 0" },
        { STAR "traffic: [{kind: rpc, clients: 8, servers: [h3]}]\n",
          "s.yaml:3:44: h3 is the only server and also a client: it has no other server to call" },
        { STAR "traffic: [{kind: rpc, servers: 0}]\n", "s.yaml:3:32: servers must be 1 .. 8, not 0" },
        { STAR "traffic: [{kind: rpc, clients: []}]\n", "s.yaml:3:32: 'clients' must name 1 hosts or more" },
        { STAR "traffic: [{kind: rpc, sizes: SolarRCP}]\n",
          "s.yaml:3:30: 'SolarRCP' is neither a built-in table of sizes nor a file; did you mean "
          "'SolarRPC'?" },
        { STAR "traffic: [{kind: rpc, load: 0}]\n", "s.yaml:3:29: load must be 1e-06 .. 1000, not 0" },
        { STAR "traffic: [{kind: rpc, load: 110%}]\n",
          "s.yaml:3:29: too much load: h0 would send 110 Gb/s, but its link carries 100 Gb/s" },
        { STAR "traffic: [{kind: poisson, sizes: FB_Hadoop, load: 60%}, {kind: rpc, load: 50%}]\n",
          "s.yaml:3:75: too much load: h0 would send 110 Gb/s, but its link carries 100 Gb/s" },
        { STAR "traffic: [{kind: rpc, of: bisection}]\n",
          "s.yaml:3:27: there is no traffic between racks: all hosts are behind one switch" },
        { OPEN "traffic: [{kind: rpc}]\n",
          "s.yaml:3:11: rpc traffic needs an end: give it 'stop', or the scenario 'run'" },
        { STAR "traffic: [{kind: rpc, start: 2ms, stop: 2ms}]\n",
          "s.yaml:3:41: 'stop' must be after 'start'" },
        { NULL, NULL },
    };

    (void)unused;
    refuse_all(rows);
}

static void posted__is_refused(void **unused)
{
    static const struct row rows[] = {
        { STAR "traffic: [{kind: posted, qps: 0}]\n", "s.yaml:3:31: qps must be 1 .. 65535, not 0" },
        { STAR "traffic: [{kind: posted, outstanding: 0}]\n", "s.yaml:3:39: outstanding must be 1 .. 65535, "
          "not 0" },
        { STAR "traffic: [{kind: posted, pattern: all_to_one}]\n",
          "s.yaml:3:35: 'all_to_one' is not a value of pattern; did you mean 'many_to_one'?" },
        { STAR "traffic: [{kind: posted, pattern: all_to_all, receiver: h0}]\n",
          "s.yaml:3:57: only many_to_one has a receiver" },
        { STAR "traffic: [{kind: posted, pattern: pairs, hosts: 5}]\n",
          "s.yaml:3:49: pairs need an even number of hosts, not 5" },
        { STAR "traffic: [{kind: posted, hosts: [h7]}]\n", "s.yaml:3:33: the receiver h7 is among the "
          "senders" },
        { STAR "traffic: [{kind: posted, size: 1KB, sizes: WebSearch}]\n",
          "s.yaml:3:44: give 'sizes' or 'size', not both" },
        { STAR "traffic: [{kind: posted, spread: 21ms}]\n",
          "s.yaml:3:34: starts are spread until 21 ms, but no flow starts after 20 ms" },
        { STAR "traffic: [{kind: posted, redraw: 1ns}]\n",
          "s.yaml:3:34: 20000000 redraws of 7 hosts are too many: 'redraw' must be longer" },
        { STAR "traffic: [{kind: posted, pattern: all_to_all, qps: 60000, outstanding: 40}]\n",
          "s.yaml:3:11: 134400000 flows at once are too many: there may be 33554432, all entries together; "
          "let fewer hosts send, or one after the other" },
        { OPEN "traffic: [{kind: posted}]\n",
          "s.yaml:3:11: posted traffic needs an end: give it 'stop', or the scenario 'run'" },
        { "model: hpcc\n" STAR "traffic: [{kind: posted}]\n",
          "s.yaml:4:18: in this model every flow has its own queue pair: kind posted is not supported" },
        { NULL, NULL },
    };

    (void)unused;
    refuse_all(rows);
}

static void many_to_one__is_refused(void **unused)
{
    static const struct row rows[] = {
        { STAR "traffic: [{kind: many_to_one, hosts: 7, qps: 1171}]\n",
          "s.yaml:3:46: 7 hosts with 1171 queue pairs each: more than 8192 flows" },
        { STAR "traffic: [{kind: many_to_one, qps: 8193}]\n",
          "s.yaml:3:36: qps must be 1 .. 8192, not 8193" },
        { STAR "traffic: [{kind: many_to_one, qps: 0}]\n", "s.yaml:3:36: qps must be 1 .. 8192, not 0" },
        { STAR "traffic: [{kind: many_to_one, hosts: 8}]\n", "s.yaml:3:38: hosts must be 1 .. 7, not 8" },
        { STAR "traffic: [{kind: many_to_one, hosts: [h0, h7]}]\n",
          "s.yaml:3:38: the receiver h7 is among the senders" },
        { STAR "traffic: [{kind: many_to_one, spread: 21ms}]\n",
          "s.yaml:3:39: starts are spread until 21 ms, but no flow starts after 20 ms" },
        { STAR "traffic: [{kind: many_to_one, start: 1ms, stop: 1500us}]\n",
          "s.yaml:3:11: starts are spread until 2 ms, but no flow starts after 1.5 ms" },
        { STAR "traffic: [{kind: many_to_one, size: 0}]\n",
          "s.yaml:3:37: size must be 1 B .. 281.5 TB, not 0" },
        { OPEN "traffic: [{kind: many_to_one}]\n",
          "s.yaml:3:11: many_to_one traffic needs an end: give it 'size', or the scenario 'run'" },
        { STAR "traffic: [{kind: many_to_one, start: 20ms}]\n", "s.yaml:3:38: the run is over by then" },
        { NULL, NULL },
    };

    (void)unused;
    refuse_all(rows);
}

static void long_short__is_refused(void **unused)
{
    static const struct row rows[] = {
        { STAR "traffic: [{kind: long_short, period: 0}]\n", "s.yaml:3:38: 'period' must be more than 0" },
        { STAR "traffic: [{kind: long_short, shorts: 0}]\n",
          "s.yaml:3:38: shorts must be 1 .. 65536, not 0" },
        { STAR "traffic: [{kind: long_short, period: 1us}]\n",
          "s.yaml:3:11: 'spread' must not be above 'period': bursts would overlap" },
        { STAR "traffic: [{kind: long_short, period: 1ms, jitter: 995us}]\n",
          "s.yaml:3:51: 'jitter' and 'spread' together must not be above 'period': bursts would overlap" },
        { STAR "traffic: [{kind: long_short, long: [h7]}]\n",
          "s.yaml:3:36: the receiver h7 is among the senders" },
        { STAR "traffic: [{kind: long_short, from: [h1, h7]}]\n",
          "s.yaml:3:36: the receiver h7 is among the senders" },
        { STAR "traffic: [{kind: long_short, after: 20ms}]\n",
          "s.yaml:3:37: the short flows would begin after the last possible start" },
        { STAR "traffic: [{kind: long_short, stop: 500us}]\n",
          "s.yaml:3:11: the short flows would begin after the last possible start" },
        { STAR "traffic: [{kind: long_short, short_size: 0}]\n",
          "s.yaml:3:42: short_size must be 1 B .. 281.5 TB, not 0" },
        { OPEN "traffic: [{kind: long_short}]\n",
          "s.yaml:3:11: long_short traffic needs an end: give it 'stop', or the scenario 'run'" },
        { OPEN "traffic: [{kind: long_short, stop: 10ms}]\n",
          "s.yaml:3:11: long_short traffic needs an end: give it 'long_size', or the scenario 'run'" },
        { STAR "traffic: [{kind: long_short, start: 5ms, stop: 4ms}]\n",
          "s.yaml:3:48: 'stop' must be after 'start'" },
        { NULL, NULL },
    };

    (void)unused;
    refuse_all(rows);
}

/* Errors in a user's table have its file name and line. */
static void sizes__of_a_file_are_refused(void **unused)
{
    static const struct { const char *table, *message; } rows[] = {
        { "0 0\n# most\n1000 0.5\n2000 0.9\n", "%s:4: the last probability must be 1, not 0.9" },
        { "0 0\n1000 0.5\n900 1\n", "%s:3: sizes must not decrease, but 900 follows 1000" },
    };

    (void)unused;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char            path[] = "/tmp/sizes.XXXXXX", text[256], message[256];
        int             file = mkstemp(path);
        struct scenario s;
        struct err      err;

        assert_true(file >= 0);
        assert_int_equal(write(file, rows[i].table, strlen(rows[i].table)), (ssize_t)strlen(rows[i].table));
        close(file);
        snprintf(text, sizeof text, STAR "traffic: [{kind: rpc, sizes: %s}]\n", path);
        snprintf(message, sizeof message, rows[i].message, path);
        assert_true(scenario_parse(&s, "s.yaml", text, strlen(text), NULL, 0, NULL, &err) < 0);
        assert_string_equal(err.text, message);
        unlink(path);
    }
}

/* ---- accepted scenarios ---- */

static void parse(struct scenario *s, const char *text)
{
    struct err err;

    if (scenario_parse(s, "s.yaml", text, strlen(text), NULL, 0, NULL, &err))
        fail_msg("%s", err.text);
}

/* Workers of storage are streams: first the clients, which act at the start, then the storage nodes, which
 * wait. */
static void expect_roles(const char *keys, uint32_t computes, const uint32_t *hosts, uint32_t count)
{
    char            text[256];
    struct scenario s;

    snprintf(text, sizeof text, STAR "traffic: [{kind: storage, replicas: 1, start: 1ms%s}]\n", keys);
    parse(&s, text);
    assert_int_equal(s.entry[0].hosts, count);
    assert_int_equal(traffic_streams(s.traffic), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(traffic_source(s.traffic, i), hosts[i]);
        assert_true(traffic_due_ps(s.traffic, i) == (i < computes ? PS_PER_MS : NEVER));
    }
    scenario_fini(&s);
}

static void storage__assigns_roles(void **unused)
{
    (void)unused;
    expect_roles("", 6, (const uint32_t[]){ 0, 1, 2, 4, 5, 6, 3, 7 }, 8);    /* one in four stores */
    expect_roles(", hosts: 4", 3, (const uint32_t[]){ 0, 1, 2, 3 }, 4);
    expect_roles(", hosts: [h7, h2, h5]", 2, (const uint32_t[]){ 7, 2, 5 }, 3);
    expect_roles(", storage: 4", 4, (const uint32_t[]){ 0, 2, 4, 6, 1, 3, 5, 7 }, 8);
    expect_roles(", storage: 3", 5, (const uint32_t[]){ 0, 2, 3, 5, 6, 1, 4, 7 }, 8);
    expect_roles(", storage: [h0, h1]", 6, (const uint32_t[]){ 2, 3, 4, 5, 6, 7, 0, 1 }, 8);
    expect_roles(", storage: [h0, h1], compute: 2", 2, (const uint32_t[]){ 2, 3, 0, 1 }, 4);
    expect_roles(", compute: [h6, h4]", 2, (const uint32_t[]){ 6, 4, 0, 1, 2, 3, 5, 7 }, 8);
    expect_roles(", compute: [h6, h4], storage: 2", 2, (const uint32_t[]){ 6, 4, 2, 7 }, 4);
    expect_roles(", compute: [h6, h4], storage: [h1]", 2, (const uint32_t[]){ 6, 4, 1 }, 3);
}

/* The size of a client's first message distinguishes reads from writes: with 0 % reads all messages are
 * blocks. */
static void storage__preset_can_be_overridden(void **unused)
{
    struct flow_spec f;
    struct scenario  s;

    (void)unused;
    parse(&s, STAR "traffic: [{kind: storage, preset: video, reads: 0, replicas: 1, depth: 3}]\n");
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(traffic_next(s.traffic, 0, &f));
        assert_int_equal(f.bytes, 65536);
        assert_true(f.dst == 3 || f.dst == 7);
    }
    assert_false(traffic_next(s.traffic, 0, &f));
    scenario_fini(&s);
    parse(&s, STAR "traffic: [{kind: storage, preset: video, reads: 100%, replicas: 1, request: 99}]\n");
    assert_true(traffic_next(s.traffic, 0, &f));
    assert_int_equal(f.bytes, 99);
    scenario_fini(&s);
    parse(&s, STAR "traffic: [{kind: storage, reads: 0, block_min: 7KB, block_max: 7KB, replicas: 1}]\n");
    assert_true(traffic_next(s.traffic, 0, &f));
    assert_int_equal(f.bytes, 7000);
    scenario_fini(&s);
}

/* Clients are the first hosts, servers the last ones. Streams: two servers, which are workers, then three
 * clients. */
static void rpc__assigns_hosts(void **unused)
{
    static const uint32_t hosts[] = { 6, 7, 0, 1, 2 };
    struct scenario       s;

    (void)unused;
    parse(&s, STAR "traffic: [{kind: rpc, clients: 3, servers: 2, load: 40%}]\n");
    assert_int_equal(s.entry[0].hosts, 3);
    assert_true(s.entry[0].bps_per_host == 4e10);
    assert_int_equal(traffic_streams(s.traffic), 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(traffic_source(s.traffic, i), hosts[i]);
        assert_true(traffic_is_worker(s.traffic, i) == (i < 2));
    }
    scenario_fini(&s);
}

/* Two racks of five, with one uplink of 100 Gbps each. All four clients are in the first rack. Two servers
 * are there as well, one of which is the client h0; the third is in the other rack. So 1/2 of the requests of
 * h0 leave the rack, and 1/3 of those of h1 .. h3: 3/2 in total. */
static void rpc__load_of_the_bisection(void **unused)
{
    static const char text[] = "topology: {kind: clos, tors: 2, hosts_per_tor: 5, spines: 1}\nrun: 1ms\n"
                               "traffic: [{kind: rpc, clients: 4, servers: [h0, h4, h5], load: 15%, "
                               "of: bisection}]\n";
    struct scenario   s;

    (void)unused;
    parse(&s, text);
    assert_true(fabs(s.entry[0].bps_per_host / (0.15 * 200e9 / 1.5) - 1) < 1e-12);
    scenario_fini(&s);
}

/* Without a size, a flow is larger than what its host can send before the end of the run. */
static void many_to_one__without_a_size_does_not_end(void **unused)
{
    struct flow_spec f;
    struct scenario  s;

    (void)unused;
    parse(&s, STAR "traffic: [{kind: many_to_one, start: 4ms, qps: 2}]\n");
    assert_int_equal(traffic_streams(s.traffic), 7);
    assert_true(traffic_next(s.traffic, 0, &f));
    assert_int_equal(f.bytes, 200000001);        /* 100 Gbps x 16 ms, plus one byte */
    assert_in_range(f.at_ps, 4 * PS_PER_MS, 5 * PS_PER_MS);
    assert_int_equal(f.dst, 7);
    scenario_fini(&s);
    parse(&s, OPEN "traffic: [{kind: many_to_one, hosts: [h2], qps: 8192, size: 1MB, receiver: h0, "
                  "spread: 0}]\n");
    assert_int_equal(traffic_streams(s.traffic), 1);
    assert_true(traffic_next(s.traffic, 0, &f));
    assert_int_equal(f.bytes, 1000000);
    assert_int_equal(f.dst, 0);
    scenario_fini(&s);
}

/* The defaults: one long flow, and six short flows from the six other hosts. */
static void long_short__assigns_hosts(void **unused)
{
    struct flow_spec f;
    struct scenario  s;

    (void)unused;
    parse(&s, STAR "traffic: [{kind: long_short}]\n");
    assert_int_equal(s.entry[0].hosts, 7);
    assert_int_equal(traffic_streams(s.traffic), 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(traffic_source(s.traffic, i), i);
        assert_true(traffic_next(s.traffic, i, &f));
        assert_int_equal(f.dst, 7);
        assert_int_equal(f.bytes, i == 0 ? 250000001 : 200000);
        assert_true(i == 0 ? f.at_ps == 0 : f.at_ps >= PS_PER_MS && f.at_ps < 11 * PS_PER_MS);
    }
    scenario_fini(&s);
    parse(&s, "topology: {kind: star, hosts: 2}\nrun: 20ms\ntraffic: [{kind: long_short, shorts: 3}]\n");
    assert_int_equal(traffic_streams(s.traffic), 2);     /* only one sender, so both are from h0 */
    assert_int_equal(traffic_source(s.traffic, 1), 0);
    scenario_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storage__is_refused),
        cmocka_unit_test(rpc__is_refused),
        cmocka_unit_test(posted__is_refused),
        cmocka_unit_test(many_to_one__is_refused),
        cmocka_unit_test(long_short__is_refused),
        cmocka_unit_test(sizes__of_a_file_are_refused),
        cmocka_unit_test(storage__assigns_roles),
        cmocka_unit_test(storage__preset_can_be_overridden),
        cmocka_unit_test(rpc__assigns_hosts),
        cmocka_unit_test(rpc__load_of_the_bisection),
        cmocka_unit_test(many_to_one__without_a_size_does_not_end),
        cmocka_unit_test(long_short__assigns_hosts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
