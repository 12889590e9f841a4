/* src/work/traffic/kinds/posted_test.c - queue pairs that always have messages posted, in a network without
 * queueing. */
#include "work/traffic/kinds/posted.h"
#include "work/traffic/test_ether.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define HOSTS   6u
#define LINK_PS 1000ull
#define WAY_PS  (20 * LINK_PS)
#define TURN_PS (WAY_PS + LINK_PS)       /* from post to acknowledgement */

static uint64_t even_ps(const struct message *m)
{
    (void)m;
    return WAY_PS;
}

struct posted_fixture {
    struct graph    graph;
    struct traffic *traffic;
    struct ether    ether;
};

static const uint32_t all_hosts[HOSTS] = { 4, 0, 2, 5, 1, 3 };

static void fixture_open(struct posted_fixture *h, const struct posted_traffic *c, uint64_t stop_ps,
                         uint64_t seed)
{
    const struct traffic_common common = { .start_ps = 500, .stop_ps = stop_ps, .prio = 3 };

    graph_star(&h->graph, &(struct graph_star){ HOSTS, 100000000000, LINK_PS });
    h->traffic = traffic_new(&h->graph, seed);
    traffic_add_posted(h->traffic, &common, c, NULL);
    ether_init(&h->ether, h->traffic, LINK_PS, even_ps, seed);
}

static void fixture_close(struct posted_fixture *h)
{
    ether_fini(&h->ether);
    traffic_free(h->traffic);
    graph_fini(&h->graph);
}

/* Messages that start at the beginning, by source and destination, for all patterns. */
static void patterns__senders_and_receivers(void **unused)
{
    static const enum posted_pattern patterns[] = { POSTED_MANY_TO_ONE, POSTED_ALL_TO_ALL, POSTED_PAIRS };

    (void)unused;
    for (uint32_t p = 0; p < 3; p++) {
        struct posted_traffic c = { .pattern = patterns[p], .hosts = all_hosts, .count = p == 0 ? 5 : 6,
                                    .receiver = 3, .qps = 2, .outstanding = 3, .bytes = 9 };
        uint32_t              sent[HOSTS][HOSTS] = { { 0 } };
        struct posted_fixture h;

        fixture_open(&h, &c, 501, 1);
        ether_run(&h.ether, NEVER);
        assert_int_equal(h.ether.flows, posted_messages(&c));
        for (uint32_t i = 0; i < h.ether.flows; i++)
            sent[h.ether.flow[i].src][h.ether.flow[i].dst]++;
        for (uint32_t a = 0; a < HOSTS; a++)
            for (uint32_t b = 0; b < HOSTS; b++) {
                bool is_pair = (a == 4 && b == 5) || (a == 0 && b == 1) || (a == 2 && b == 3);
                bool sends = p == 0 ? b == 3 && a != 3 : p == 1 ? a != b : is_pair;

                assert_int_equal(sent[a][b], sends ? 2 * 3 : 0);
            }
        fixture_close(&h);
    }
}

/* Every queue pair has exactly 'outstanding' messages in flight from its start on. Each is followed by
 * another on the same queue pair at the time of its acknowledgement. */
static void outstanding__is_constant(void **unused)
{
    const struct posted_traffic c = { .pattern = POSTED_MANY_TO_ONE, .hosts = all_hosts, .count = 3,
                                      .receiver = 3, .qps = 2,
                                      .outstanding = 4, .bytes = 9, .spread_ps = 5 * TURN_PS };
    uint64_t                    begin[3][2];
    uint32_t                    count[3][2] = { { 0 } }, worker_of[HOSTS] = { [4] = 0, [0] = 1, [2] = 2 };
    struct posted_fixture       h;

    (void)unused;
    fixture_open(&h, &c, 20 * TURN_PS, 7);
    ether_run(&h.ether, NEVER);
    for (uint32_t i = 0; i < h.ether.flows; i++) {
        const struct message *m = &h.ether.flow[i];
        uint32_t              worker = worker_of[m->src], pair = (uint32_t)(m->tag >> 16),
                              n = count[worker][pair]++;

        assert_true(pair < 2);
        if (n == 0)
            begin[worker][pair] = m->start_ps;
        assert_true(begin[worker][pair] >= 500 && begin[worker][pair] < 500 + 5 * TURN_PS);
        assert_int_equal(m->start_ps, begin[worker][pair] + n / 4 * TURN_PS);
    }
    for (uint32_t i = 0; i < 6; i++)             /* until stop, and no longer */
        assert_int_equal(count[i / 2][i % 2],
                         4 * ((20 * TURN_PS - begin[i / 2][i % 2] + TURN_PS - 1) / TURN_PS));
    fixture_close(&h);
}

/* A period longer than a message's round trip allows one message per period; a shorter one allows
 * 'outstanding'. */
static void period__limits_the_rate(void **unused)
{
    struct posted_traffic c = { .pattern = POSTED_MANY_TO_ONE, .hosts = all_hosts, .count = 1, .receiver = 3,
                                .qps = 1, .outstanding = 3, .bytes = 9, .period_ps = 2 * TURN_PS };
    struct posted_fixture h;

    (void)unused;
    fixture_open(&h, &c, 20 * TURN_PS, 7);
    ether_run(&h.ether, NEVER);
    assert_int_equal(h.ether.flows, 10);
    for (uint32_t i = 0; i < h.ether.flows; i++)
        assert_int_equal(h.ether.flow[i].start_ps, 500 + 2 * TURN_PS * i);
    fixture_close(&h);
    c.period_ps = TURN_PS / 100;
    fixture_open(&h, &c, 20 * TURN_PS, 7);
    ether_run(&h.ether, NEVER);
    /* three messages, a period apart, each replaced when it completes */
    for (uint32_t i = 0; i < h.ether.flows; i++)
        assert_int_equal(h.ether.flow[i].start_ps, 500 + i % 3 * c.period_ps + i / 3 * TURN_PS);
    fixture_close(&h);
}

/* ---- redraws ---- */

#define DRAW_PS (100 * TURN_PS)
#define DRAWS   400u

/* Counts the messages of each queue pair in each draw. */
static void count_draws(const struct ether *e, uint32_t qps, uint32_t sent[DRAWS][HOSTS][4])
{
    for (uint32_t i = 0; i < e->flows; i++) {
        const struct message *m = &e->flow[i];
        uint32_t              draw = (uint32_t)((m->start_ps - 500) / DRAW_PS),
                              pair = (uint32_t)(m->tag >> 16);

        assert_true(draw < DRAWS && pair < qps);
        sent[draw][m->src][pair]++;
    }
}

/* In each draw, at least 2 hosts send all the time, on their first queue pairs. The numbers of hosts and
 * queue pairs are uniform. Bounds are four standard deviations of a uniform draw. */
static void redraw__changes_the_senders(void **unused)
{
    const struct posted_traffic c = { .pattern = POSTED_MANY_TO_ONE, .hosts = all_hosts, .count = 5,
                                      .receiver = 3, .qps = 4,
                                      .outstanding = 1, .bytes = 9, .redraw_ps = DRAW_PS };
    static uint32_t             sent[DRAWS][HOSTS][4];
    uint32_t                    hosts_sum = 0, pairs_sum = 0, often[HOSTS] = { 0 };
    struct posted_fixture       h;

    (void)unused;
    memset(sent, 0, sizeof sent);
    fixture_open(&h, &c, 500 + DRAWS * DRAW_PS, 3);
    ether_run(&h.ether, NEVER);
    count_draws(&h.ether, 4, sent);
    for (uint32_t d = 0; d < DRAWS; d++) {
        uint32_t hosts = 0;

        for (uint32_t a = 0; a < HOSTS; a++) {
            uint32_t pairs = 0;

            for (uint32_t q = 0; q < 4; q++) {
                assert_true(sent[d][a][q] == 0 || sent[d][a][q] == DRAW_PS / TURN_PS);
                assert_true(q == 0 || sent[d][a][q] == 0 || sent[d][a][q - 1] > 0);
                pairs += sent[d][a][q] > 0;
            }
            hosts += pairs > 0;
            often[a] += pairs > 0;
            pairs_sum += pairs;
        }
        assert_true(hosts >= 2 && hosts <= 5);
        hosts_sum += hosts;
    }
    assert_int_equal(often[3], 0);
    assert_true(hosts_sum > 3.5 * DRAWS - 4 * 1.118 * 20 && hosts_sum < 3.5 * DRAWS + 4 * 1.118 * 20);
    assert_true(pairs_sum > 2.5 * hosts_sum - 4 * 1.118 * 38 && pairs_sum < 2.5 * hosts_sum + 4 * 1.118 * 38);
    for (uint32_t i = 0; i < 5; i++)             /* each 0.7 of the time, sd 0.458 */
        assert_true(often[all_hosts[i]] > 0.7 * DRAWS - 4 * 0.458 * 20 &&
                    often[all_hosts[i]] < 0.7 * DRAWS + 4 * 0.458 * 20);
    fixture_close(&h);
}

/* The order of simultaneous events does not matter. */
static void order__of_simultaneous_events_does_not_matter(void **unused)
{
    const struct posted_traffic c = { .pattern = POSTED_ALL_TO_ALL, .hosts = all_hosts, .count = 6, .qps = 2,
                                      .outstanding = 3, .bytes = 9, .redraw_ps = DRAW_PS };
    struct posted_fixture       a, b;

    (void)unused;
    fixture_open(&a, &c, 500 + 3 * DRAW_PS, 1);
    ether_run(&a.ether, NEVER);
    fixture_open(&b, &c, 500 + 3 * DRAW_PS, 1);
    rng_init(&b.ether.rng, 99, 0);
    ether_run(&b.ether, NEVER);
    assert_int_equal(a.ether.flows, b.ether.flows);
    for (uint32_t i = 0; i < a.ether.flows; i++) {
        assert_int_equal(a.ether.flow[i].start_ps, b.ether.flow[i].start_ps);
        assert_int_equal(a.ether.flow[i].src, b.ether.flow[i].src);
        assert_int_equal(a.ether.flow[i].dst, b.ether.flow[i].dst);
        assert_int_equal(a.ether.flow[i].tag, b.ether.flow[i].tag);
    }
    fixture_close(&b);
    fixture_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns__senders_and_receivers),
        cmocka_unit_test(outstanding__is_constant),
        cmocka_unit_test(period__limits_the_rate),
        cmocka_unit_test(redraw__changes_the_senders),
        cmocka_unit_test(order__of_simultaneous_events_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
