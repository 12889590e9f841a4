#include "work/traffic/kinds/storage.h"

#include "sim/test_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define HOSTS   16u
#define PS_BYTE 80ull            /* 100 Gbps */
#define REQUEST 64u

struct storage_fixture {         /* a star: the first hosts compute, the last ones store */
    struct world      world;
    struct op_result *op;
    uint32_t          ops, ops_max;
};

static void on_op(void *arg, const struct op_result *r)
{
    struct storage_fixture *c = arg;

    c->op = world_grow(c->op, c->ops, &c->ops_max, sizeof *c->op);
    c->op[c->ops++] = *r;
}

static void fixture_init(struct storage_fixture *c, const struct storage *storage, uint64_t stop_ps,
                         uint64_t seed, double loss)
{
    const struct traffic_common common = { .start_ps = 5 * PS_PER_US, .stop_ps = stop_ps, .prio = 3 };
    uint32_t                    host[HOSTS];
    struct storage              s = *storage;
    struct sim_cfg              cfg;
    struct graph                g;
    struct traffic             *t;
    struct err                  err;

    *c = (struct storage_fixture){ .op = NULL };
    graph_star(&g, &(struct graph_star){ HOSTS, 100 * GBPS, PS_PER_US });
    for (uint32_t i = 0; i < HOSTS; i++)
        host[i] = i;
    for (uint32_t i = 0; i < g.links; i++)
        g.link[i].loss = loss;
    s.compute = host;
    s.storage = host + HOSTS - s.storages;
    world_cfg(&cfg, MODEL_NIC);
    cfg.seed = seed;
    t = traffic_new(&g, seed);
    traffic_add_storage(t, &common, &s);
    if (s.verb == VERB_READ)
        traffic_use_qps(t, 1);
    traffic_on_op(t, on_op, c);
    if (world_start(&c->world, &g, &cfg, t, &err))
        die("%s", err.text);
    if (!world_finish(&c->world, 100 * PS_PER_US, PS_PER_S))
        die("is not done");
}

static void fixture_fini(struct storage_fixture *c)
{
    world_end(&c->world);
    free(c->op);
}

static uint64_t frame_ps(uint64_t payload)
{
    return (payload + 62 + 20) * PS_BYTE;
}

#define ACK_PS ((66 + 20) * PS_BYTE)

/* Time from the first bit sent to the last bit received over two links, by hand. All frames leave back to
 * back. The last one, unless it is the only one, reaches the switch while the previous full frame is still
 * being forwarded. */
static uint64_t one_way_ps(uint64_t bytes)
{
    uint64_t full = bytes / 1024, rest = bytes % 1024;
    uint64_t all = full * frame_ps(1024) + (rest ? frame_ps(rest) : 0);

    if (bytes <= 1024)
        return 2 * frame_ps(bytes) + 2 * PS_PER_US;
    return all + frame_ps(1024) + 2 * PS_PER_US;
}

static void presets__match_the_paper(void **unused)
{
    static const struct { const char *name; double reads; uint64_t least, most; } rows[] = {
        { "oltp", 0.5, 512, 65536 },       { "olap", 0.5, 262144, 4194304 }, { "vdi", 0.2, 1024, 65536 },
        { "exchange", 0.6, 32768, 524288 }, { "video", 0.2, 65536, 65536 },   { "backup", 0.4, 16384, 65536 },
    };
    const struct storage_preset *p = storage_presets;

    (void)unused;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++, p++) {
        assert_string_equal(p->name, rows[i].name);
        assert_true(p->reads == rows[i].reads);
        assert_int_equal(p->block_min, rows[i].least);
        assert_int_equal(p->block_max, rows[i].most);
    }
    assert_null(p->name);
}

/* One client, one operation at a time. A host acknowledges a message before it sends the following one. (A
 * frame with less than 4 bytes of payload is shorter than an acknowledgement, and would wait for it at the
 * switch.) */
static void read__alone_takes_the_wire_time(void **unused)
{
    static const uint64_t sizes[] = { 4, 64, 1000, 1024, 1028, 4096, 65536, 100000 };

    (void)unused;
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct storage s = { .computes = 1, .storages = 3, .reads = 1, .block_min = sizes[i],
                                   .block_max = sizes[i], .request_bytes = REQUEST, .depth = 1,
                                   .replicas = 3 };
        uint64_t               took_ps = one_way_ps(REQUEST) + ACK_PS + one_way_ps(sizes[i]);
        struct storage_fixture c;

        fixture_init(&c, &s, 200 * PS_PER_US, 1, 0);
        assert_true(c.ops > 5);
        for (uint32_t k = 0; k < c.ops; k++) {
            assert_int_equal(c.op[k].kind, OP_READ);
            assert_int_equal(c.op[k].bytes, sizes[i]);
            assert_int_equal(c.op[k].took_ps, took_ps + (k > 0 ? ACK_PS : 0));
        }
        fixture_fini(&c);
    }
}

/* The same with RDMA READ. The result of the flow is that of the operation. */
static void read__by_rdma_takes_the_wire_time(void **unused)
{
    static const uint64_t sizes[] = { 64, 1024, 1028, 65536, 100000 };
    const uint64_t        wait_ps = 3 * PS_PER_US;

    (void)unused;
    for (uint32_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        uint64_t             bytes = sizes[i / 2];
        const struct storage s = { .computes = 1, .storages = 1, .reads = 1, .block_min = bytes, .block_max = bytes,
                                   .request_bytes = REQUEST, .depth = 1, .replicas = 1, .verb = VERB_READ,
                                   .reads_cfg = { .limit = 16, .delay_ps = i % 2 ? wait_ps : 0 } };
        uint64_t took_ps = one_way_ps(READ_REQUEST_BYTES) + (i % 2 ? wait_ps : ACK_PS) + one_way_ps(bytes);
        struct storage_fixture c;

        fixture_init(&c, &s, 200 * PS_PER_US, 1, 0);
        assert_true(c.ops > 5);
        assert_int_equal(c.world.done_count, c.ops);
        assert_int_equal(sim_counts(c.world.sim)->flows_started, c.ops);
        assert_int_equal(sim_counts(c.world.sim)->bytes_started, c.ops * bytes);
        for (uint32_t k = 0; k < c.ops; k++) {
            const struct flow_result *f = &c.world.done[k];

            assert_int_equal(c.op[k].kind, OP_READ);
            assert_int_equal(c.op[k].took_ps, took_ps + (k > 0 ? ACK_PS : 0));
            assert_int_equal(f->src, HOSTS - 1);
            assert_int_equal(f->dst, 0);
            assert_int_equal(f->bytes, bytes);
            assert_int_equal(f->start_ps, c.op[k].start_ps);
            assert_int_equal(f->fct_ps, c.op[k].took_ps);
            assert_int_equal(f->ideal_ps, took_ps);
        }
        fixture_fini(&c);
    }
}

/* Both CPUs post, poll and copy. */
static void read__includes_the_time_of_cpus(void **unused)
{
    const struct host_times host = { .post = { .ps = 2 * PS_PER_US }, .poll = { .ps = 3 * PS_PER_US }, .copy_bps = GBPS };
    const struct storage    s = { .computes = 1, .storages = 1, .reads = 1, .block_min = 4096, .block_max = 4096,
                                  .request_bytes = REQUEST, .depth = 1, .replicas = 1, .host = host };
    struct storage          by_read = s;
    uint64_t                copy_ps = 4096 * 8000ull, request_ps = REQUEST * 8000ull;
    struct storage_fixture  c;

    (void)unused;
    fixture_init(&c, &s, 2 * PS_PER_MS, 1, 0);
    assert_true(c.ops > 20);
    for (uint32_t k = 0; k < c.ops; k++)
        assert_int_equal(c.op[k].took_ps,
                         2 * 5 * PS_PER_US + request_ps + copy_ps + one_way_ps(REQUEST) + one_way_ps(4096));
    fixture_fini(&c);
    by_read.verb = VERB_READ;
    by_read.reads_cfg.limit = 16;
    fixture_init(&c, &by_read, 2 * PS_PER_MS, 1, 0);         /* the storage node's CPU is not used */
    assert_true(c.ops > 20);
    for (uint32_t k = 0; k < c.ops; k++)
        assert_int_equal(c.op[k].took_ps, 5 * PS_PER_US + copy_ps + one_way_ps(READ_REQUEST_BYTES) + ACK_PS +
                                              one_way_ps(4096));
    fixture_fini(&c);
}

/* Many operations share a client's CPU, which does one thing at a time: it limits their rate. Thinking does
 * not. */
static void read__rate_is_that_of_the_cpu(void **unused)
{
    for (uint32_t i = 0; i < 3; i++) {
        const struct host_time kinds[] = {
            { .ps = 2 * PS_PER_US },
            { .kind = TIME_UNIFORM, .ps = PS_PER_US, .ps_max = 3 * PS_PER_US },
            { .kind = TIME_EXPONENTIAL, .ps = 2 * PS_PER_US },
        };
        const struct storage s = { .computes = 1, .storages = 3, .reads = 1, .block_min = 1024, .block_max = 1024,
                                   .request_bytes = REQUEST, .depth = 64, .replicas = 1, .verb = VERB_READ,
                                   .reads_cfg = { .limit = 64 },
                                   .host = { .post = kinds[i], .poll = { .ps = 3 * PS_PER_US },
                                             .think = { .ps = 10 * PS_PER_US } } };
        struct storage_fixture c;
        double                 want = 10e-3 / 5e-6;

        (void)unused;
        fixture_init(&c, &s, 10 * PS_PER_MS, 1, 0);
        /* 2000 posts: five standard deviations of an exponential sum are 5 %; 64 more operations end after
         * stop */
        assert_true(fabs(c.ops - 64 - want) < (i ? 0.05 : 0.01) * want);
        for (uint32_t k = 1; k < c.ops; k++)         /* in order, and at least a poll apart */
            assert_true(c.op[k].start_ps + c.op[k].took_ps >=
                        c.op[k - 1].start_ps + c.op[k - 1].took_ps + 3 * PS_PER_US);
        fixture_fini(&c);
    }
}

/* One at a time, the client thinks between an operation's end and the next one's start. */
static void read__the_client_thinks(void **unused)
{
    const struct storage   s = { .computes = 1, .storages = 1, .reads = 1, .block_min = 1024, .block_max = 1024,
                                 .request_bytes = REQUEST, .depth = 1, .replicas = 1,
                                 .host = { .think = { .kind = TIME_UNIFORM, .ps = 5 * PS_PER_US, .ps_max = 9 * PS_PER_US } } };
    struct storage_fixture c;
    double                 sum = 0;

    (void)unused;
    fixture_init(&c, &s, 10 * PS_PER_MS, 1, 0);
    for (uint32_t k = 1; k < c.ops; k++) {
        uint64_t gap_ps = c.op[k].start_ps - c.op[k - 1].start_ps - c.op[k - 1].took_ps;

        assert_in_range(gap_ps, 5 * PS_PER_US, 9 * PS_PER_US);
        sum += (double)gap_ps;
    }
    assert_true(fabs(sum / (c.ops - 1) / 7e6 - 1) < 0.03);
    fixture_fini(&c);
}

static void write__without_copies_takes_the_wire_time(void **unused)
{
    const struct storage s = { .computes = 1, .storages = 3, .reads = 0,
                               .block_min = 10000, .block_max = 10000,
                               .request_bytes = REQUEST, .depth = 1, .replicas = 1 };
    struct storage_fixture c;

    (void)unused;
    fixture_init(&c, &s, 200 * PS_PER_US, 1, 0);
    assert_true(c.ops > 5);
    for (uint32_t k = 0; k < c.ops; k++) {
        assert_int_equal(c.op[k].kind, OP_WRITE);
        assert_int_equal(c.op[k].took_ps,
                         one_way_ps(10000) + ACK_PS + one_way_ps(REQUEST) + (k > 0 ? ACK_PS : 0));
    }
    fixture_fini(&c);
}

/* A block of one packet. The primary sends one copy after the other, and the last copy determines the
 * time. */
static void write__with_copies_waits_for_the_last(void **unused)
{
    (void)unused;
    for (uint32_t replicas = 2; replicas <= 4; replicas++) {
        const struct storage s = { .computes = 1, .storages = 5, .reads = 0,
                                   .block_min = 900, .block_max = 900,
                                   .request_bytes = REQUEST, .depth = 1, .replicas = replicas };
        struct storage_fixture c;
        uint64_t               took_ps = one_way_ps(900);                        /* to the primary */

        took_ps += ACK_PS + (replicas - 2) * frame_ps(900) + one_way_ps(900);    /* to the last replica */
        took_ps += ACK_PS + one_way_ps(REQUEST);                                 /* back to the primary */
        took_ps += ACK_PS + one_way_ps(REQUEST);                                 /* and to the client */
        fixture_init(&c, &s, 200 * PS_PER_US, 1, 0);
        assert_true(c.ops > 5);
        for (uint32_t k = 0; k < c.ops; k++)
            assert_int_equal(c.op[k].took_ps, took_ps + (k > 0 ? ACK_PS : 0));
        fixture_fini(&c);
    }
}

/* A write of B bytes moves B bytes per replica, and as many answers. */
static void write__moves_its_block_to_every_replica(void **unused)
{
    (void)unused;
    for (uint32_t replicas = 1; replicas <= 4; replicas++) {
        const struct storage s = { .computes = 5, .storages = 4, .reads = 0,
                                   .block_min = 5000, .block_max = 5000,
                                   .request_bytes = REQUEST, .depth = 3, .replicas = replicas };
        struct storage_fixture c;

        fixture_init(&c, &s, 300 * PS_PER_US, 2, 0);
        assert_true(c.ops > 100);
        assert_int_equal(sim_counts(c.world.sim)->bytes_done,
                         (uint64_t)c.ops * replicas * (5000 + REQUEST));
        assert_int_equal(sim_counts(c.world.sim)->payload_received,
                         sim_counts(c.world.sim)->bytes_done);
        assert_int_equal(c.world.done_count, 2 * c.ops * replicas);
        fixture_fini(&c);
    }
}

/* Copies go from one storage node to others. Two copies of a write go to different nodes; all nodes are
 * equally likely. */
static void write__copies_go_to_different_nodes(void **unused)
{
    const struct storage s = { .computes = 1, .storages = 5, .reads = 0,
                               .block_min = 900, .block_max = 900,
                               .request_bytes = REQUEST, .depth = 1, .replicas = 3 };
    const uint32_t         first = HOSTS - 5;    /* first storage node */
    double                 pairs[5][5] = { { 0 } }, to[5] = { 0 }, copies = 0, writes;
    struct storage_fixture c;

    (void)unused;
    fixture_init(&c, &s, 40 * PS_PER_MS, 3, 0);
    writes = c.ops;
    assert_true(writes > 2500);
    for (uint32_t i = 0; i < c.world.done_count; i++) {
        const struct flow_result *f = &c.world.done[i];

        if (f->bytes == 900 && f->src == 0)
            to[f->dst - first]++;
        if (f->bytes != 900 || f->src == 0)
            continue;
        assert_in_range(f->src, first, HOSTS - 1);
        assert_in_range(f->dst, first, HOSTS - 1);
        assert_int_not_equal(f->src, f->dst);
        pairs[f->src - first][f->dst - first]++;
        copies++;
        for (uint32_t k = 0; k < i && k < 20; k++) {     /* these flows end shortly after each other */
            const struct flow_result *g = &c.world.done[i - 1 - k];

            if (g->bytes == 900 && g->src == f->src && g->start_ps == f->start_ps)
                assert_int_not_equal(g->dst, f->dst);
        }
    }
    assert_true(copies == 2 * writes);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(fabs(to[i] - writes / 5) < 5 * sqrt(writes / 5));
        for (uint32_t k = 0; k < 5; k++)
            assert_true(i == k || fabs(pairs[i][k] - copies / 20) < 5 * sqrt(copies / 20));
    }
    fixture_fini(&c);
}

/* The share of reads is within five standard deviations. The sum of squares has the chi-square distribution
 * with 7 degrees of freedom: mean 7, variance 14. */
static void mix__matches_the_configuration(void **unused)
{
    const struct storage s = { .computes = 8, .storages = 4, .reads = 0.3,
                               .block_min = 1000, .block_max = 8999,
                               .request_bytes = REQUEST, .depth = 4, .replicas = 1 };
    double                 count[8] = { 0 }, reads = 0, square = 0, n;
    struct storage_fixture c;

    (void)unused;
    fixture_init(&c, &s, 5 * PS_PER_MS, 4, 0);
    n = c.ops;
    assert_true(n > 5000);
    for (uint32_t i = 0; i < c.ops; i++) {
        assert_int_equal(c.op[i].bytes % 1000, 0);
        assert_in_range(c.op[i].bytes, 1000, 8000);
        count[c.op[i].bytes / 1000 - 1]++;
        reads += c.op[i].kind == OP_READ;
    }
    assert_true(fabs(reads - 0.3 * n) < 5 * sqrt(n * 0.3 * 0.7));
    for (int i = 0; i < 8; i++)
        square += (count[i] - n / 8) * (count[i] - n / 8) / (n / 8);
    assert_true(square < 7 + 5 * sqrt(14));
    fixture_fini(&c);
}

static int by_number(const void *a, const void *b)
{
    return *(const uint64_t *)a < *(const uint64_t *)b ? -1 : *(const uint64_t *)a > *(const uint64_t *)b;
}

/* A closed loop: in each of clients x depth slots, an operation begins when the previous one ends, until
 * stop. The sorted start times, without the first of each slot, are therefore the sorted end times before
 * stop. */
static void loop__is_closed(void **unused)
{
    const struct storage s = { .computes = 6, .storages = 3, .reads = 0.5,
                               .block_min = 500, .block_max = 20000,
                               .request_bytes = REQUEST, .depth = 5, .replicas = 2 };
    const uint32_t         slots = 6 * 5;
    const uint64_t         stop_ps = PS_PER_MS;
    struct storage_fixture c;
    uint64_t              *begin, *end;

    (void)unused;
    fixture_init(&c, &s, stop_ps, 5, 0);
    begin = xcalloc(c.ops, sizeof *begin);
    end = xcalloc(c.ops, sizeof *end);
    for (uint32_t i = 0; i < c.ops; i++) {
        begin[i] = c.op[i].start_ps;
        end[i] = c.op[i].start_ps + c.op[i].took_ps;
        assert_true(begin[i] < stop_ps);
    }
    qsort(begin, c.ops, sizeof *begin, by_number);
    qsort(end, c.ops, sizeof *end, by_number);
    assert_true(c.ops > 10 * slots);
    for (uint32_t i = 0; i < c.ops; i++) {
        if (i < slots)
            assert_int_equal(begin[i], 5 * PS_PER_US);
        else
            assert_int_equal(begin[i], end[i - slots]);
        assert_true((end[i] >= stop_ps) == (i >= c.ops - slots));
    }
    free(begin);
    free(end);
    fixture_fini(&c);
}

/* Little's law: operations per second x mean latency = operations in progress. The cut at the end is about
 * one latency. */
static void loop__obeys_littles_law(void **unused)
{
    const struct storage s = { .computes = 9, .storages = 3, .reads = 0.5,
                               .block_min = 4096, .block_max = 65536,
                               .request_bytes = REQUEST, .depth = 8, .replicas = 3 };
    const double           slots = 9 * 8, seconds = 10e-3 - 5e-6;
    double                 ended = 0, took_s = 0;
    struct storage_fixture c;

    (void)unused;
    fixture_init(&c, &s, 10 * PS_PER_MS, 6, 0);
    for (uint32_t i = 0; i < c.ops; i++) {
        ended += c.op[i].start_ps + c.op[i].took_ps < 10 * PS_PER_MS;
        took_s += (double)c.op[i].took_ps / 1e12;
    }
    assert_true(fabs(ended / seconds * (took_s / c.ops) / slots - 1) < 0.02);
    fixture_fini(&c);
}

/* Packets are lost and retransmitted. No read or write is lost or counted twice. */
static void loop__survives_losses(void **unused)
{
    const struct storage s = { .computes = 6, .storages = 3, .reads = 0.5,
                               .block_min = 500, .block_max = 20000,
                               .request_bytes = REQUEST, .depth = 4, .replicas = 3 };
    struct storage_fixture c;
    uint32_t               first = 0, last = 0;

    (void)unused;
    fixture_init(&c, &s, 20 * PS_PER_MS, 7, 0.001);
    assert_true(sim_counts(c.world.sim)->dropped_wire > 50);
    for (uint32_t i = 0; i < c.ops; i++) {
        first += c.op[i].start_ps == 5 * PS_PER_US;
        last += c.op[i].start_ps + c.op[i].took_ps >= 20 * PS_PER_MS;
    }
    assert_int_equal(first, 6 * 4);
    assert_int_equal(last, 6 * 4);
    fixture_fini(&c);
}

static uint64_t digest(const struct storage *s, uint64_t seed)
{
    struct storage_fixture c;
    uint64_t               sum = 0;

    fixture_init(&c, s, 500 * PS_PER_US, seed, 0);
    for (uint32_t i = 0; i < c.ops; i++)
        sum = sum * 1000003 + c.op[i].kind + c.op[i].bytes * 31 + c.op[i].start_ps * 7 + c.op[i].took_ps;
    fixture_fini(&c);
    return sum;
}

static void loop__same_seed_same_results(void **unused)
{
    const struct storage s = { .computes = 6, .storages = 3, .reads = 0.5,
                               .block_min = 500, .block_max = 20000,
                               .request_bytes = REQUEST, .depth = 4, .replicas = 3 };

    (void)unused;
    assert_true(digest(&s, 1) == digest(&s, 1));
    assert_true(digest(&s, 1) != digest(&s, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets__match_the_paper),
        cmocka_unit_test(read__alone_takes_the_wire_time),
        cmocka_unit_test(read__by_rdma_takes_the_wire_time),
        cmocka_unit_test(read__includes_the_time_of_cpus),
        cmocka_unit_test(read__rate_is_that_of_the_cpu),
        cmocka_unit_test(read__the_client_thinks),
        cmocka_unit_test(write__without_copies_takes_the_wire_time),
        cmocka_unit_test(write__with_copies_waits_for_the_last),
        cmocka_unit_test(write__moves_its_block_to_every_replica),
        cmocka_unit_test(write__copies_go_to_different_nodes),
        cmocka_unit_test(mix__matches_the_configuration),
        cmocka_unit_test(loop__is_closed),
        cmocka_unit_test(loop__obeys_littles_law),
        cmocka_unit_test(loop__survives_losses),
        cmocka_unit_test(loop__same_seed_same_results),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
