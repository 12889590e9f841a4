#include "work/traffic/traffic.h"
#include "core/units.h"
#include "work/traffic/kinds/flows.h"
#include "work/traffic/kinds/patterns.h"
#include "work/traffic/kinds/poisson.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOSTS 16u

struct traffic_fixture {         /* a star of HOSTS hosts with its traffic */
    struct graph    graph;
    struct traffic *traffic;
    uint32_t        host[HOSTS];
};

static void fixture_init(struct traffic_fixture *h, uint64_t seed)
{
    graph_star(&h->graph, &(struct graph_star){ HOSTS, 100000000000, 1000000 });
    h->traffic = traffic_new(&h->graph, seed);
    for (uint32_t i = 0; i < HOSTS; i++)
        h->host[i] = i;
}

static void fixture_fini(struct traffic_fixture *h)
{
    traffic_free(h->traffic);
    graph_fini(&h->graph);
}

/* A uniform distribution from 1000 to 9000 bytes: mean 5000, variance 8000^2 / 12. */
static void add_poisson(struct traffic_fixture *h, double bps, uint64_t stop_ps, const uint32_t *hosts,
                        uint32_t count)
{
    const struct traffic_common c = { 5 * PS_PER_US, stop_ps, 4 };
    struct cdf                  cdf;
    struct err                  err;

    if (cdf_read(&cdf, "line", "1000 0\n9000 1\n", &err))
        die("%s", err.text);
    traffic_add_poisson(h->traffic, &c, &cdf, bps, hosts, count);
}

/* n events of a Poisson process: n is its mean, plus or minus five times its square root. */
static void poisson__matches_rate_sizes_and_destinations(void **unused)
{
    const double seconds = 0.05, bps = 1e9, flows_mean = bps * seconds / (5000 * 8); /* 1250 per host */
    uint64_t               stop_ps = 5 * PS_PER_US + (uint64_t)(seconds * 1e12);
    double                 count = 0, bytes = 0, to[HOSTS] = { 0 };
    struct flow_spec       f;
    struct traffic_fixture h;

    (void)unused;
    fixture_init(&h, 3);
    add_poisson(&h, bps, stop_ps, h.host, HOSTS);
    assert_int_equal(traffic_streams(h.traffic), HOSTS);
    for (uint32_t i = 0; i < HOSTS; i++) {
        uint64_t last = 5 * PS_PER_US;
        double   own = 0;

        assert_int_equal(traffic_source(h.traffic, i), i);
        for (; traffic_next(h.traffic, i, &f); own++) {
            assert_in_range(f.at_ps, last, stop_ps - 1);
            assert_in_range(f.bytes, 1000, 9000);
            assert_in_range(f.dst, 0, HOSTS - 1);
            assert_int_not_equal(f.dst, i);
            assert_int_equal(f.prio, 4);
            last = f.at_ps;
            bytes += (double)f.bytes;
            to[f.dst]++;
        }
        assert_true(fabs(own - flows_mean) < 5 * sqrt(flows_mean));
        count += own;
    }
    assert_true(fabs(count - HOSTS * flows_mean) < 5 * sqrt(HOSTS * flows_mean));
    assert_true(fabs(bytes / count - 5000) < 5 * (8000 / sqrt(12)) / sqrt(count));
    for (uint32_t i = 0; i < HOSTS; i++)
        assert_true(fabs(to[i] - count / HOSTS) < 5 * sqrt(count / HOSTS));
    fixture_fini(&h);
}

/* Gaps of a Poisson process: a share of 1/e exceeds the mean, and the mean square is twice the squared
 * mean. */
static void poisson__gaps_are_exponential(void **unused)
{
    const double           gap_mean = 5000 * 8 / 1e9 * 1e12;
    double                 count = 0, is_long = 0, squares = 0;
    uint64_t               last = 5 * PS_PER_US;
    struct flow_spec       f;
    struct traffic_fixture h;

    (void)unused;
    fixture_init(&h, 4);
    add_poisson(&h, 1e9, PS_PER_S, h.host, 2);
    for (; traffic_next(h.traffic, 0, &f); last = f.at_ps) {
        double gap = (double)(f.at_ps - last) / gap_mean;

        count++;
        is_long += gap > 1;
        squares += gap * gap;
    }
    assert_true(count > 20000);
    assert_true(fabs(is_long / count - exp(-1)) < 5 * sqrt(exp(-1) * (1 - exp(-1)) / count));
    assert_true(fabs(squares / count - 2) <
                5 * sqrt(20 / count)); /* var of the square of an exponential: 24 - 4 */
    fixture_fini(&h);
}

static uint64_t sum_of_stream(struct traffic *t, uint32_t stream)
{
    struct flow_spec f;
    uint64_t         sum = 0;

    while (traffic_next(t, stream, &f))
        sum = sum * 1000003 + f.at_ps + f.bytes * 31 + f.dst;
    return sum;
}

static void poisson__same_seed_same_flows(void **unused)
{
    struct traffic_fixture a, b, c;

    (void)unused;
    fixture_init(&a, 5), fixture_init(&b, 5), fixture_init(&c, 6);
    add_poisson(&a, 1e9, PS_PER_MS * 10, a.host, HOSTS);
    add_poisson(&b, 1e9, PS_PER_MS * 10, b.host, HOSTS);
    add_poisson(&c, 1e9, PS_PER_MS * 10, c.host, HOSTS);
    for (uint32_t i = 0; i < HOSTS; i++) {
        uint64_t sum = sum_of_stream(b.traffic, i);

        assert_int_equal(sum_of_stream(a.traffic, i), sum);
        assert_int_not_equal(sum_of_stream(c.traffic, i), sum);
    }
    fixture_fini(&a), fixture_fini(&b), fixture_fini(&c);
}

/* A stream is not affected by other entries, added before or after, nor by its neighbors. */
static void poisson__streams_are_independent(void **unused)
{
    struct traffic_fixture alone, both;
    uint64_t               sums[HOSTS];

    (void)unused;
    fixture_init(&alone, 5), fixture_init(&both, 5);
    add_poisson(&alone, 1e9, PS_PER_MS * 10, alone.host, HOSTS);
    add_poisson(&both, 1e9, PS_PER_MS * 10, both.host, HOSTS);
    add_poisson(&both, 3e9, PS_PER_MS * 10, both.host, HOSTS);
    for (uint32_t i = 0; i < HOSTS; i++) {
        sums[i] = sum_of_stream(alone.traffic, i);
        assert_int_not_equal(sum_of_stream(both.traffic, HOSTS + i), sums[i]);
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(sums[i], sums[j]);
    }
    for (uint32_t i = HOSTS; i-- > 0;)
        assert_int_equal(sum_of_stream(both.traffic, i), sums[i]);
    fixture_fini(&alone), fixture_fini(&both);
}

static void incast__repeats_every_period(void **unused)
{
    const struct traffic_common c = { 100, 1000, 2 };
    struct flow_spec            f;
    struct traffic_fixture      h;

    (void)unused;
    fixture_init(&h, 1);
    traffic_add_incast(h.traffic, &c, 777, 400, 15, h.host, 3, 2);
    assert_int_equal(traffic_streams(h.traffic), 3);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 6; k++) {       /* at 100, 500 and 900, two each; 1300 is too late */
            assert_true(traffic_next(h.traffic, i, &f));
            assert_int_equal(f.at_ps, 100 + k / 2 * 400);
            assert_int_equal(f.dst, 15);
            assert_int_equal(f.bytes, 777);
            assert_int_equal(f.prio, 2);
        }
        assert_false(traffic_next(h.traffic, i, &f));
        assert_false(traffic_next(h.traffic, i, &f));
    }
    fixture_fini(&h);
}

static void permutation__is_one_to_one_without_fixed_points(void **unused)
{
    const struct traffic_common c = { 7, NEVER, 1 };
    bool                        has_differed = false;
    uint32_t                    before[HOSTS] = { 0 };

    (void)unused;
    for (uint64_t seed = 0; seed < 50; seed++) {
        bool                   is_hit[HOSTS] = { false };
        struct flow_spec       f;
        struct traffic_fixture h;

        fixture_init(&h, seed);
        traffic_add_permutation(h.traffic, &c, 1000, 0, h.host, HOSTS);
        for (uint32_t i = 0; i < HOSTS; i++) {
            assert_true(traffic_next(h.traffic, i, &f));
            assert_int_equal(f.at_ps, 7);
            assert_int_not_equal(f.dst, i);
            assert_false(is_hit[f.dst]);
            is_hit[f.dst] = true;
            has_differed |= seed > 0 && f.dst != before[i];
            before[i] = f.dst;
            assert_false(traffic_next(h.traffic, i, &f));
        }
        fixture_fini(&h);
    }
    assert_true(has_differed);
}

/* A host's partner is each of the others equally often. */
static void permutation__is_uniform(void **unused)
{
    const struct traffic_common c = { 0, NEVER, 1 };
    double                      hits[4] = { 0 }, n = 6000;

    (void)unused;
    for (uint64_t seed = 0; seed < (uint64_t)n; seed++) {
        struct flow_spec       f;
        struct traffic_fixture h;

        fixture_init(&h, seed);
        traffic_add_permutation(h.traffic, &c, 1000, 0, h.host, 4);
        traffic_next(h.traffic, 0, &f);
        hits[f.dst]++;
        fixture_fini(&h);
    }
    for (int i = 1; i < 4; i++)
        assert_true(fabs(hits[i] - n / 3) < 5 * sqrt(n * 2 / 9));
}

static void permutation__shifts(void **unused)
{
    const struct traffic_common c = { 0, NEVER, 1 };
    const uint32_t              hosts[] = { 3, 9, 4, 12, 0 };
    struct flow_spec            f;
    struct traffic_fixture      h;

    (void)unused;
    fixture_init(&h, 1);
    traffic_add_permutation(h.traffic, &c, 1000, 2, hosts, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(traffic_next(h.traffic, i, &f));
        assert_int_equal(traffic_source(h.traffic, i), hosts[i]);
        assert_int_equal(f.dst, hosts[(i + 2) % 5]);
    }
    fixture_fini(&h);
}

static void all_to_all__reaches_every_host_once(void **unused)
{
    const struct traffic_common c = { 0, NEVER, 1 };
    struct flow_spec            f;
    struct traffic_fixture      h;

    (void)unused;
    fixture_init(&h, 1);
    traffic_add_all_to_all(h.traffic, &c, 1000, h.host, HOSTS);
    for (uint32_t i = 0; i < HOSTS; i++) {
        for (uint32_t k = 1; k < HOSTS; k++) {
            assert_true(traffic_next(h.traffic, i, &f));
            assert_int_equal(f.dst, (i + k) % HOSTS); /* at any time, no two hosts send to the same one */
            assert_int_equal(f.at_ps, 0);
        }
        assert_false(traffic_next(h.traffic, i, &f));
    }
    fixture_fini(&h);
}

/* Every sender starts exactly its flows, in order, within the spread. */
static void many_to_one__starts_are_spread(void **unused)
{
    const struct traffic_common c = { .start_ps = 1000, .stop_ps = NEVER, .prio = 2 };
    struct flow_spec            f;
    struct traffic_fixture      h;

    (void)unused;
    fixture_init(&h, 1);
    traffic_add_many_to_one(h.traffic, &c, 777, 500, 15, h.host, 3, 100);
    assert_int_equal(traffic_streams(h.traffic), 3);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t last = 1000;

        assert_int_equal(traffic_source(h.traffic, i), i);
        for (uint32_t k = 0; k < 100; k++) {
            assert_true(traffic_next(h.traffic, i, &f));
            assert_in_range(f.at_ps, last, 1499);
            assert_int_equal(f.dst, 15);
            assert_int_equal(f.bytes, 777);
            assert_int_equal(f.prio, 2);
            last = f.at_ps;
        }
        assert_false(traffic_next(h.traffic, i, &f));
        assert_false(traffic_next(h.traffic, i, &f));
    }
    fixture_fini(&h);
}

static void many_to_one__without_spread_starts_at_once(void **unused)
{
    const struct traffic_common c = { .start_ps = 1000, .stop_ps = NEVER, .prio = 2 };
    struct flow_spec            f;
    struct traffic_fixture      h;

    (void)unused;
    fixture_init(&h, 1);
    traffic_add_many_to_one(h.traffic, &c, 777, 0, 15, h.host, 1, 5);
    for (uint32_t k = 0; k < 5; k++) {
        assert_true(traffic_next(h.traffic, 0, &f));
        assert_int_equal(f.at_ps, 1000);
    }
    fixture_fini(&h);
}

/* The k-th of n ordered uniform points in (0, 1) has mean k / (n + 1) and variance k (n + 1 - k) / ((n + 1)^2
 * (n + 2)). */
static void many_to_one__starts_are_uniform(void **unused)
{
    enum { N = 4, SEEDS = 4000 };
    const struct traffic_common c = { .start_ps = 0, .stop_ps = NEVER, .prio = 3 };
    double                      sum[N] = { 0 }, squares[N] = { 0 };

    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct flow_spec       f;
        struct traffic_fixture h;

        fixture_init(&h, seed);
        traffic_add_many_to_one(h.traffic, &c, 1, PS_PER_MS, 15, h.host, 1, N);
        for (uint32_t k = 0; k < N; k++) {
            assert_true(traffic_next(h.traffic, 0, &f));
            sum[k] += (double)f.at_ps / PS_PER_MS;
            squares[k] += (double)f.at_ps / PS_PER_MS * ((double)f.at_ps / PS_PER_MS);
        }
        fixture_fini(&h);
    }
    for (uint32_t k = 0; k < N; k++) {
        double mean = (k + 1.0) / (N + 1), variance = (k + 1.0) * (N - k) / ((N + 1) * (N + 1) * (N + 2.0));

        assert_true(fabs(sum[k] / SEEDS - mean) < 5 * sqrt(variance / SEEDS));
        assert_true(fabs(squares[k] / SEEDS - mean * mean - variance) < 0.1 * variance);
    }
}

/* Two hosts with a long flow, three with seven short flows per burst. */
static void add_long_short(struct traffic_fixture *h, uint64_t stop_ps, uint64_t jitter_ps)
{
    const struct traffic_common c = { .start_ps = 1000000, .stop_ps = stop_ps, .prio = 2 };
    const struct long_short     l = { .long_bytes = 5555, .short_bytes = 222, .after_ps = 500000,
                                      .period_ps = 1000000, .jitter_ps = jitter_ps, .spread_ps = 10000,
                                      .receiver = 15, .shorts = 7, .longs = h->host, .long_count = 2,
                                      .from = h->host + 4, .from_count = 3 };

    traffic_add_long_short(h->traffic, &c, &l);
}

static void long_short__long_flows_start_once(void **unused)
{
    struct flow_spec       f;
    struct traffic_fixture h;

    (void)unused;
    fixture_init(&h, 1);
    add_long_short(&h, NEVER, 0);
    assert_int_equal(traffic_streams(h.traffic), 2 + 3);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(traffic_source(h.traffic, i), i);
        assert_true(traffic_next(h.traffic, i, &f));
        assert_int_equal(f.at_ps, 1000000);
        assert_int_equal(f.bytes, 5555);
        assert_int_equal(f.dst, 15);
        assert_false(traffic_next(h.traffic, i, &f));
    }
    fixture_fini(&h);
}

/* Without jitter, burst k is at 1.5 us + k us. Seven flows dealt to three hosts are 3, 2 and 2. The flows of
 * burst 4 start at 5.5 us or later. */
static void long_short__bursts_are_dealt_and_stop(void **unused)
{
    static const uint32_t  share[] = { 3, 2, 2 };
    struct flow_spec       f;
    struct traffic_fixture h;

    (void)unused;
    fixture_init(&h, 1);
    add_long_short(&h, 5500000, 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(traffic_source(h.traffic, 2 + i), 4 + i);
        for (uint32_t k = 0; k < 4 * share[i]; k++) {
            uint64_t burst_ps = 1500000 + k / share[i] * 1000000;

            assert_true(traffic_next(h.traffic, 2 + i, &f));
            assert_in_range(f.at_ps, burst_ps, burst_ps + 9999);
            assert_int_equal(f.bytes, 222);
            assert_int_equal(f.dst, 15);
        }
        assert_false(traffic_next(h.traffic, 2 + i, &f));
        assert_false(traffic_next(h.traffic, 2 + i, &f));
    }
    fixture_fini(&h);
}

/* With jitter, all hosts agree on the time of a burst, which is uniform over its period. */
static void long_short__bursts_are_synchronized_at_random_times(void **unused)
{
    enum { BURSTS = 3000 };
    double                 sum = 0, squares = 0;
    uint64_t               last[3] = { 0 };
    struct flow_spec       f;
    struct traffic_fixture h;

    (void)unused;
    fixture_init(&h, 2);
    add_long_short(&h, NEVER, 990000);
    for (uint32_t k = 0; k < BURSTS; k++) {
        uint64_t period_ps = 1500000 + k * 1000000ull, first = NEVER, end = 0;
        double   at;

        for (uint32_t n = 0; n < 7; n++) {
            assert_true(traffic_next(h.traffic, 2 + n % 3, &f));
            assert_true(f.at_ps >= last[n % 3]);
            last[n % 3] = f.at_ps;
            first = f.at_ps < first ? f.at_ps : first;
            end = f.at_ps > end ? f.at_ps : end;
        }
        assert_true(first >= period_ps && end < period_ps + 1000000);
        assert_true(end - first < 10000);
        at = (double)(first - period_ps) / 990000;
        sum += at;
        squares += at * at;
    }
    /* The first of seven flows starts 1/8 of the spread after the burst: 1.25 of 990. */
    assert_true(fabs(sum / BURSTS - 0.5) < 5 * sqrt(1 / 12.0 / BURSTS) + 0.002);
    assert_true(fabs(squares / BURSTS - 1 / 3.0) < 5 * sqrt(4 / 45.0 / BURSTS) + 0.002);
    fixture_fini(&h);
}

/* Positions in consecutive bursts are independent: the covariance of independent uniform numbers is 0, plus
 * or minus 1/12 over the square root of their count. */
static void long_short__bursts_are_independent(void **unused)
{
    enum { BURSTS = 4000 };
    const struct traffic_common c = { .start_ps = 0, .stop_ps = NEVER, .prio = 2 };
    struct long_short           l = { .long_bytes = 1, .short_bytes = 2, .period_ps = 1000000,
                                      .spread_ps = 1000000, .receiver = 15, .shorts = 1 };
    double                      before = 0, sum = 0;
    struct flow_spec            f;
    struct traffic_fixture      h;

    (void)unused;
    fixture_init(&h, 1);
    l.longs = h.host, l.long_count = 1;
    l.from = h.host + 1, l.from_count = 1;
    traffic_add_long_short(h.traffic, &c, &l);
    for (uint32_t k = 0; k < BURSTS; k++) {
        double at;

        assert_true(traffic_next(h.traffic, 1, &f));
        at = (double)(f.at_ps - k * 1000000ull) / 1000000 - 0.5;
        sum += before * at;
        before = at;
    }
    assert_true(fabs(sum / BURSTS) < 5 / 12.0 / sqrt(BURSTS));
    fixture_fini(&h);
}

static void long_short__few_shorts_need_few_hosts(void **unused)
{
    const struct traffic_common c = { .start_ps = 0, .stop_ps = 10, .prio = 2 };
    struct flow_spec            f;
    struct traffic_fixture      h;
    struct long_short           l = { .long_bytes = 1, .short_bytes = 2, .period_ps = 100, .receiver = 15,
                                      .shorts = 2 };

    (void)unused;
    fixture_init(&h, 1);
    l.longs = h.host, l.long_count = 1;
    l.from = h.host + 1, l.from_count = 10;
    traffic_add_long_short(h.traffic, &c, &l);
    assert_int_equal(traffic_streams(h.traffic), 1 + 2);
    for (uint32_t i = 1; i <= 2; i++) {
        assert_true(traffic_next(h.traffic, i, &f));
        assert_int_equal(f.at_ps, 0);
        assert_false(traffic_next(h.traffic, i, &f));
    }
    fixture_fini(&h);
}

static void list__is_split_by_source(void **unused)
{
    static const struct flow_row flows[] = { { 2, 1, 3, 100, 10, 5000, 0 },
                                              { 0, 1, 4, 101, 20, 5000, 0 },
                                              { 2, 0, 5, 102, 30, 9000, 0 } };
    struct flow_list             list = { malloc(sizeof flows), 3 };
    struct flow_spec              f;
    struct traffic_fixture        h;

    (void)unused;
    memcpy(list.flow, flows, sizeof flows);
    fixture_init(&h, 1);
    traffic_add_list(h.traffic, &list);
    assert_null(list.flow);
    assert_int_equal(traffic_streams(h.traffic), 2);
    assert_int_equal(traffic_source(h.traffic, 1), 2);
    assert_true(traffic_next(h.traffic, 0, &f));
    assert_int_equal(f.bytes, 20);
    assert_false(traffic_next(h.traffic, 0, &f));
    assert_true(traffic_next(h.traffic, 1, &f));
    assert_int_equal(f.at_ps, 5000);
    assert_int_equal(f.dst, 1);
    assert_int_equal(f.dport, 100);
    assert_true(traffic_next(h.traffic, 1, &f));
    assert_int_equal(f.prio, 5);
    assert_int_equal(f.rank, 2);
    assert_false(traffic_next(h.traffic, 1, &f));
    assert_int_equal(traffic_prios(h.traffic), 1 << 3 | 1 << 4 | 1 << 5);
    fixture_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson__matches_rate_sizes_and_destinations),
        cmocka_unit_test(poisson__gaps_are_exponential),
        cmocka_unit_test(poisson__same_seed_same_flows),
        cmocka_unit_test(poisson__streams_are_independent),
        cmocka_unit_test(incast__repeats_every_period),
        cmocka_unit_test(permutation__is_one_to_one_without_fixed_points),
        cmocka_unit_test(permutation__is_uniform),
        cmocka_unit_test(permutation__shifts),
        cmocka_unit_test(all_to_all__reaches_every_host_once),
        cmocka_unit_test(many_to_one__starts_are_spread),
        cmocka_unit_test(many_to_one__without_spread_starts_at_once),
        cmocka_unit_test(many_to_one__starts_are_uniform),
        cmocka_unit_test(long_short__long_flows_start_once),
        cmocka_unit_test(long_short__bursts_are_dealt_and_stop),
        cmocka_unit_test(long_short__bursts_are_synchronized_at_random_times),
        cmocka_unit_test(long_short__bursts_are_independent),
        cmocka_unit_test(long_short__few_shorts_need_few_hosts),
        cmocka_unit_test(list__is_split_by_source),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
