#include "work/traffic/kinds/rpc_traffic.h"

#include "sim/test_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define HOSTS   12u
#define PS_BYTE 80ull            /* 100 Gbps */
#define ANSWER  64u

struct rpc_fixture {             /* a star of hosts that call each other */
    struct world      world;
    struct op_result *op;
    uint32_t          ops, ops_max;
};

static void on_op(void *arg, const struct op_result *r)
{
    struct rpc_fixture *o = arg;

    o->op = world_grow(o->op, o->ops, &o->ops_max, sizeof *o->op);
    o->op[o->ops++] = *r;
}

/* 'clients' are the first hosts, 'servers' the last ones. */
static void fixture_init(struct rpc_fixture *o, const struct rpc *rpc, const char *sizes, uint64_t stop_ps,
                         uint64_t seed, double loss)
{
    const struct traffic_common common = { .start_ps = 7 * PS_PER_US, .stop_ps = stop_ps, .prio = 3 };
    uint32_t                    host[HOSTS];
    struct rpc                  r = *rpc;
    struct sim_cfg              cfg;
    struct graph                g;
    struct cdf                  cdf;
    struct traffic             *t;
    struct err                  err;

    *o = (struct rpc_fixture){ .op = NULL };
    graph_star(&g, &(struct graph_star){ HOSTS, 100 * GBPS, PS_PER_US });
    for (uint32_t i = 0; i < HOSTS; i++)
        host[i] = i;
    for (uint32_t i = 0; i < g.links; i++)
        g.link[i].loss = loss;
    r.client = host;
    r.server = host + HOSTS - r.servers;
    world_cfg(&cfg, MODEL_NIC);
    cfg.seed = seed;
    t = traffic_new(&g, seed);
    if (cdf_read(&cdf, "sizes", sizes, &err))
        die("%s", err.text);
    traffic_add_rpc(t, &common, &cdf, &r);
    assert_null(cdf.bytes);      /* ownership has passed */
    if (r.verb == VERB_READ)
        traffic_use_qps(t, 1);
    traffic_on_op(t, on_op, o);
    if (world_start(&o->world, &g, &cfg, t, &err) || !world_finish(&o->world, 100 * PS_PER_US, PS_PER_S))
        die("%s", err.text);
}

static void fixture_fini(struct rpc_fixture *o)
{
    world_end(&o->world);
    free(o->op);
}

static bool is_request(const struct flow_result *f)
{
    return f->bytes != ANSWER;
}

/* Two links, one packet each way. The acknowledgement of the request leaves before the answer. */
static void call__takes_the_wire_time(void **unused)
{
    const struct rpc   r = { .clients = 1, .servers = 1, .bps_per_client = 1e8, .answer_bytes = ANSWER };
    const uint64_t     alone_ps = 4 * PS_PER_US + PS_BYTE * (2 * (1000 + 82) + (66 + 20) + 2 * (ANSWER + 82));
    struct rpc_fixture o;
    uint32_t           alone = 0;

    (void)unused;
    fixture_init(&o, &r, "1000 0\n1000 1\n", 10 * PS_PER_MS, 1, 0);
    assert_true(o.ops > 80);
    for (uint32_t i = 0; i < o.ops; i++) {
        assert_int_equal(o.op[i].kind, OP_CALL);
        assert_int_equal(o.op[i].bytes, 1000);
        assert_true(o.op[i].took_ps >= alone_ps);
        alone += o.op[i].took_ps == alone_ps;
    }
    assert_true(alone > o.ops * 9 / 10);         /* one in 80 us on average: few collide */
    fixture_fini(&o);
}

/* Time from the request to the last byte of data, over two links each. The data follows the ACK of the
 * request. */
#define READ_PS(bytes) (4 * PS_PER_US + PS_BYTE * (2 * (READ_REQUEST_BYTES + 82) + (66 + 20) + 2 * ((bytes) + 82)))

static void call__by_read_takes_the_wire_time(void **unused)
{
    const struct rpc   r = { .clients = 1, .servers = 1, .bps_per_client = 1e8, .verb = VERB_READ, .reads = { 16, 0 } };
    struct rpc_fixture o;
    uint32_t           alone = 0;

    (void)unused;
    fixture_init(&o, &r, "1000 0\n1000 1\n", 10 * PS_PER_MS, 1, 0);
    assert_true(o.ops > 80);
    assert_int_equal(o.world.done_count, o.ops);
    for (uint32_t i = 0; i < o.ops; i++) {
        assert_int_equal(o.op[i].kind, OP_CALL);
        assert_int_equal(o.op[i].bytes, 1000);
        assert_true(o.op[i].took_ps >= READ_PS(1000));
        alone += o.op[i].took_ps == READ_PS(1000);
        assert_int_equal(o.world.done[i].fct_ps, o.op[i].took_ps);
        assert_int_equal(o.world.done[i].ideal_ps, READ_PS(1000));
    }
    assert_true(alone > o.ops * 9 / 10);
    fixture_fini(&o);
}

/* More calls than may be outstanding. With a limit of one, calls end at least the time of a read apart. In
 * the second run, hosts 5 .. 7 are both clients and servers, and packets are lost. */
static void call__by_read_waits_for_earlier_ones(void **unused)
{
    const struct rpc   one = { .clients = 1, .servers = 1, .bps_per_client = 5e9, .verb = VERB_READ,
                               .reads = { 1, 0 } };
    const struct rpc   many = { .clients = 8, .servers = 7, .bps_per_client = 5e9, .verb = VERB_READ,
                                .reads = { 2, 0 } };
    struct rpc_fixture o;

    (void)unused;
    fixture_init(&o, &one, "1000 0\n1000 1\n", PS_PER_MS, 2, 0);
    assert_true(o.ops > 200);
    for (uint32_t i = 1; i < o.ops; i++)
        assert_true(o.op[i].start_ps + o.op[i].took_ps - o.op[i - 1].start_ps - o.op[i - 1].took_ps >=
                    READ_PS(1000));
    fixture_fini(&o);
    fixture_init(&o, &many, "500 0\n9000 1\n", PS_PER_MS, 2, 0.002);
    assert_true(o.ops > 500);
    assert_int_equal(o.world.done_count, o.ops);
    fixture_fini(&o);
}

/* The client posts, the server polls and posts, and the client polls: 10 us in total, with 3 us per poll and
 * 2 us per post. */
static void call__includes_the_time_of_cpus(void **unused)
{
    const struct rpc   r = { .clients = 1, .servers = 1, .bps_per_client = 1e8, .answer_bytes = ANSWER,
                             .host = { .post = { .ps = 2 * PS_PER_US }, .poll = { .ps = 3 * PS_PER_US } } };
    const uint64_t     alone_ps = 14 * PS_PER_US + PS_BYTE * (2 * (1000 + 82) + 2 * (ANSWER + 82));
    struct rpc_fixture o;
    uint32_t           alone = 0;

    (void)unused;
    fixture_init(&o, &r, "1000 0\n1000 1\n", 10 * PS_PER_MS, 1, 0);
    assert_true(o.ops > 80);
    for (uint32_t i = 0; i < o.ops; i++) {
        assert_true(o.op[i].took_ps >= alone_ps);
        alone += o.op[i].took_ps == alone_ps;
    }
    assert_true(alone > o.ops * 2 / 3);
    fixture_fini(&o);
}

/* Each request is answered once, to its sender. A call starts with its request. */
static void call__is_one_request_and_one_answer(void **unused)
{
    const struct rpc   r = { .clients = 8, .servers = 7, .bps_per_client = 2e10, .answer_bytes = ANSWER };
    struct rpc_fixture o;
    uint64_t           starts = 0, op_starts = 0, products = 0, op_products = 0;
    int64_t            open[HOSTS] = { 0 };
    uint32_t           requests = 0;

    (void)unused;
    fixture_init(&o, &r, "500 0\n9000 1\n", PS_PER_MS, 2, 0);
    for (uint32_t i = 0; i < o.world.done_count; i++) {
        const struct flow_result *f = &o.world.done[i];

        assert_int_not_equal(f->src, f->dst);
        if (is_request(f)) {
            assert_in_range(f->src, 0, 7);
            assert_in_range(f->dst, HOSTS - 7, HOSTS - 1);
            open[f->src]++;
            starts += f->start_ps;
            products += f->start_ps * f->bytes;
            requests++;
        } else {
            open[f->dst]--;
        }
    }
    for (uint32_t i = 0; i < o.ops; i++) {
        op_starts += o.op[i].start_ps;
        op_products += o.op[i].start_ps * o.op[i].bytes;
    }
    for (uint32_t i = 0; i < HOSTS; i++)
        assert_int_equal(open[i], 0);
    assert_true(requests > 1000);
    assert_int_equal(o.ops, requests);
    assert_true(starts == op_starts);
    assert_true(products == op_products);        /* each call has its own bytes */
    fixture_fini(&o);
}

/* Hosts 5 .. 7 are clients and servers: they call each of the six other servers, the pure clients each of the
 * seven. */
static void request__rate_and_destinations_match(void **unused)
{
    const struct rpc   r = { .clients = 8, .servers = 7, .bps_per_client = 1e10, .answer_bytes = ANSWER };
    const double       mean = 1e10 / 8 * (10e-3 - 7e-6) / 2000;  /* requests per client: 6245 */
    double             to[HOSTS][HOSTS] = { { 0 } };
    struct rpc_fixture o;

    (void)unused;
    fixture_init(&o, &r, "1000 0\n3000 1\n", 10 * PS_PER_MS, 3, 0);
    for (uint32_t i = 0; i < o.world.done_count; i++)
        if (is_request(&o.world.done[i]))
            to[o.world.done[i].src][o.world.done[i].dst]++;
    for (uint32_t src = 0; src < 8; src++) {
        double others = src >= 5 ? 6 : 7, sum = 0;

        for (uint32_t dst = 5; dst < HOSTS; dst++) {
            sum += to[src][dst];
            if (dst == src)
                assert_true(to[src][dst] == 0);
            else
                assert_true(fabs(to[src][dst] - mean / others) < 5 * sqrt(mean / others));
        }
        assert_true(fabs(sum - mean) < 5 * sqrt(mean));
    }
    fixture_fini(&o);
}

static uint64_t digest(uint64_t seed, double loss, uint32_t *ops, uint32_t *flows)
{
    const struct rpc   r = { .clients = 12, .servers = 12, .bps_per_client = 3e10, .answer_bytes = ANSWER };
    struct rpc_fixture o;
    uint64_t           sum = 0;

    fixture_init(&o, &r, "500 0\n9000 1\n", PS_PER_MS, seed, loss);
    for (uint32_t i = 0; i < o.ops; i++)
        sum = sum * 1000003 + o.op[i].start_ps * 7 + o.op[i].took_ps;
    *ops = o.ops;
    *flows = o.world.done_count;
    fixture_fini(&o);
    return sum;
}

static void call__same_seed_same_results(void **unused)
{
    uint32_t ops, flows;
    uint64_t one = digest(1, 0, &ops, &flows);

    (void)unused;
    assert_true(one == digest(1, 0, &ops, &flows));
    assert_true(one != digest(2, 0, &ops, &flows));
}

static void call__survives_losses(void **unused)
{
    uint32_t ops, flows;

    (void)unused;
    digest(1, 0.002, &ops, &flows);
    assert_true(ops > 1000);
    assert_int_equal(flows, 2 * ops);
}

/* Overloaded servers: thousands of calls are open at the clients, and all are answered in the end. */
static void call__many_may_be_open(void **unused)
{
    const struct rpc   r = { .clients = 8, .servers = 1, .bps_per_client = 9e10, .answer_bytes = ANSWER };
    struct rpc_fixture o;
    uint32_t           open = 0;

    (void)unused;
    fixture_init(&o, &r, "900 0\n1100 1\n", 200 * PS_PER_US, 4, 0);
    for (uint32_t i = 0; i < o.ops; i++)         /* all requests start before 200 us */
        open += o.op[i].start_ps + o.op[i].took_ps > 200 * PS_PER_US;
    assert_true(open > 8 * 1000);
    assert_int_equal(o.world.done_count, 2 * o.ops);
    fixture_fini(&o);
}

/* One call at a time, without a network: its slot is reused for the next call. */
static void call__slots_are_reused(void **unused)
{
    const struct traffic_common common = { .start_ps = 0, .stop_ps = PS_PER_S, .prio = 3 };
    const uint32_t              client = 0, server = 1;
    struct rpc                  r = { .client = &client, .server = &server, .clients = 1, .servers = 1,
                                      .bps_per_client = 1e9, .answer_bytes = ANSWER };
    struct rpc_fixture          o = { .op = NULL };
    struct flow_spec            f;
    struct graph                g;
    struct cdf                  cdf;
    struct traffic             *t;
    struct err                  err;

    (void)unused;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, PS_PER_US });
    t = traffic_new(&g, 1);
    assert_int_equal(cdf_read(&cdf, "sizes", "500 0\n9000 1\n", &err), 0);
    traffic_add_rpc(t, &common, &cdf, &r);
    traffic_on_op(t, on_op, &o);
    for (uint32_t i = 0; i < 1000; i++) {
        struct message request, answer;

        assert_true(traffic_next(t, 1, &f));
        assert_in_range(f.tag, 0, 10);
        request = (struct message){ client, server, 0, f.bytes, f.tag, f.at_ps };
        traffic_on_arrival(t, f.at_ps + 5, &request);
        assert_int_equal(traffic_due_ps(t, 0), request.start_ps + 5);
        assert_true(traffic_next(t, 0, &f));
        answer = (struct message){ server, f.dst, 0, f.bytes, f.tag, f.at_ps };
        traffic_on_arrival(t, f.at_ps + 7, &answer);
        assert_int_equal(o.ops, i + 1);
        assert_int_equal(o.op[i].took_ps, 12);
        assert_int_equal(o.op[i].bytes, request.bytes);
    }
    traffic_free(t);
    graph_fini(&g);
    free(o.op);
}

/* Calls that are never answered: a client opens the maximum number, then fails. */
static void calls__above_the_limit_fail(void **unused)
{
    const struct traffic_common common = { .stop_ps = NEVER };
    const uint32_t              client = 0, server = 1;
    struct rpc                  rpc = { .client = &client, .server = &server, .clients = 1, .servers = 1,
                                        .bps_per_client = 1e9, .answer_bytes = ANSWER };
    struct graph                g;
    struct flow_spec            f;
    struct traffic             *t;
    struct cdf                  cdf;
    struct err                  err = { "" };
    uint64_t                    calls = 0;

    (void)unused;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, PS_PER_US });
    t = traffic_new(&g, 1);
    assert_int_equal(cdf_read(&cdf, "sizes", "100 0\n200 1\n", &err), 0);
    traffic_add_rpc(t, &common, &cdf, &rpc);
    while (traffic_next(t, 1, &f))
        assert_int_equal(f.tag, ++calls);
    assert_int_equal(calls, (1u << 22) - 1);
    assert_int_equal(traffic_failed(t, 1, &err), -ENOBUFS);
    assert_string_equal(err.text, "more than 4194303 calls at once");
    traffic_free(t);
    graph_fini(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call__takes_the_wire_time),
        cmocka_unit_test(call__by_read_takes_the_wire_time),
        cmocka_unit_test(call__by_read_waits_for_earlier_ones),
        cmocka_unit_test(call__includes_the_time_of_cpus),
        cmocka_unit_test(call__is_one_request_and_one_answer),
        cmocka_unit_test(request__rate_and_destinations_match),
        cmocka_unit_test(call__same_seed_same_results),
        cmocka_unit_test(call__survives_losses),
        cmocka_unit_test(call__many_may_be_open),
        cmocka_unit_test(call__slots_are_reused),
        cmocka_unit_test(calls__above_the_limit_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
