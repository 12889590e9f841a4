/* src/work/traffic/kinds/training_test.c - iterations and barriers, in a network without queueing. */
#include "work/traffic/test_training.h"
#include "work/traffic/test_ether.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOSTS    9u
#define LINK_PS  1000ull
#define BYTE_PS  10ull
#define SLOW     5u              /* a host whose messages take ten times longer */

static uint64_t even_ps(const struct message *m)
{
    return LINK_PS + BYTE_PS * m->bytes;
}

static uint64_t straggling_ps(const struct message *m)
{
    return m->src == SLOW ? 10 * even_ps(m) : even_ps(m);
}

struct training_fixture {        /* workers on hosts 8, 7, .. of a star */
    struct graph graph;
    struct ether ether;
};

static void fixture_open(struct training_fixture *h, const struct traffic_common *common,
                         const struct traffic_training *cfg,
                         uint64_t (*way_ps)(const struct message *), uint64_t seed)
{
    static const uint32_t hosts[HOSTS] = { 8, 7, 6, 5, 4, 3, 2, 1, 0 };
    struct traffic       *t;

    graph_star(&h->graph, &(struct graph_star){ HOSTS, 100000000000, LINK_PS });
    t = traffic_new(&h->graph, 1);
    traffic_add_training(t, common, cfg, hosts);
    ether_init(&h->ether, t, LINK_PS, way_ps, seed);
}

static void fixture_close(struct training_fixture *h)
{
    traffic_free(h->ether.traffic);
    ether_fini(&h->ether);
    graph_fini(&h->graph);
}

static struct traffic_training ring(uint32_t workers, uint64_t bytes)
{
    const struct collective_cfg c = { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = workers,
        .bytes = bytes };

    return (struct traffic_training){ c, 50000, 3000, UINT32_MAX };
}

/* By hand: a step of 4 workers with 100 bytes each takes 1000 propagation, 1000 data, 1000 back; six steps.
 * The next iteration starts after 3000 for the barrier and 50000 computing. */
static void training__iterations_by_hand(void **unused)
{
    const struct traffic_common   common = { .start_ps = 700, .stop_ps = 300000, .prio = 3 };
    const struct traffic_training cfg = ring(4, 400);
    struct training_fixture       h;

    (void)unused;
    fixture_open(&h, &common, &cfg, even_ps, 1);
    ether_run(&h.ether, NEVER);
    assert_int_equal(h.ether.ops, 5);
    for (uint32_t i = 0; i < h.ether.ops; i++) {
        const struct op_result *r = &h.ether.op[i];

        assert_int_equal(r->kind, OP_ITERATION);
        assert_int_equal(r->traffic, 0);
        assert_int_equal(r->bytes, 400);
        assert_int_equal(r->start_ps, 700 + i * (18000 + 53000));
        assert_int_equal(r->took_ps, 18000);
    }
    assert_int_equal(h.ether.flows, 5 * 2 * 3 * 4);
    for (uint32_t i = 0; i < h.ether.flows; i++) {
        const struct message *m = &h.ether.flow[i];

        assert_int_equal(m->start_ps, 700 + i / 24 * 71000 + i % 24 / 4 * 3000);
        assert_int_equal(m->dst, m->src == 5 ? 8 : m->src - 1);      /* worker i is on host 8 - i */
        assert_int_equal(m->bytes, 100);
    }
    fixture_close(&h);
}

/* Each of the six steps takes 500 more. */
static void training__steps_have_a_cost(void **unused)
{
    const struct traffic_common common = { .start_ps = 700, .stop_ps = 800, .prio = 3 };
    struct traffic_training     cfg = ring(4, 400);
    struct training_fixture     h;

    (void)unused;
    cfg.step_ps = 500;
    fixture_open(&h, &common, &cfg, even_ps, 1);
    ether_run(&h.ether, NEVER);
    assert_int_equal(h.ether.ops, 1);
    assert_int_equal(h.ether.op[0].took_ps, 18000 + 6 * 500);
    fixture_close(&h);
}

/* Two channels of 200 bytes, 50 for each worker, in chunks of 25: a message takes 1000 + 250, its ACK 1000. A
 * channel has six steps of two chunks, one at a time: 12 times that sum plus the cost. Without a cost, chunks
 * overlap. */
static void training__a_channel_takes_one_step_at_a_time(void **unused)
{
    static const uint64_t       costs[] = { 0, 500 }, took[] = { 6 * 1250 + 1000, 12 * (500 + 2250) };
    const struct traffic_common common = { .start_ps = 700, .stop_ps = 800, .prio = 3 };

    (void)unused;
    for (uint32_t i = 0; i < 2; i++) {
        struct traffic_training cfg = ring(4, 400);
        struct training_fixture h;

        cfg.collective.channels = 2;
        cfg.collective.chunk_bytes = 25;
        cfg.step_ps = costs[i];
        fixture_open(&h, &common, &cfg, even_ps, 1);
        ether_run(&h.ether, NEVER);
        assert_int_equal(h.ether.ops, 1);
        assert_int_equal(h.ether.op[0].took_ps, took[i]);
        fixture_close(&h);
    }
}

/* No iteration starts at or after stop: the second one would start at 71700. */
static void training__stops(void **unused)
{
    (void)unused;
    for (uint64_t stop_ps = 71699; stop_ps <= 71701; stop_ps++) {
        const struct traffic_common   common = { .start_ps = 700, .stop_ps = stop_ps, .prio = 3 };
        const struct traffic_training cfg = ring(4, 400);
        struct training_fixture       h;

        fixture_open(&h, &common, &cfg, even_ps, 1);
        ether_run(&h.ether, NEVER);
        assert_int_equal(h.ether.ops, stop_ps > 71700 ? 2 : 1);
        assert_int_equal(h.ether.flows, h.ether.ops * 24);
        fixture_close(&h);
    }
}

static void training__ends_after_its_iterations(void **unused)
{
    const struct traffic_common common = { .start_ps = 0, .stop_ps = NEVER, .prio = 3 };
    struct traffic_training     cfg = ring(HOSTS, 1000);
    struct training_fixture     h;

    (void)unused;
    cfg.iterations = 7;
    fixture_open(&h, &common, &cfg, even_ps, 1);
    ether_run(&h.ether, NEVER);
    assert_int_equal(h.ether.ops, 7);
    assert_int_equal(h.ether.flows, 7 * 2 * 8 * 9);
    fixture_close(&h);
}

/* The size of an all-to-all includes a worker's own part. */
static void training__reports_the_size_of_nccl_tests(void **unused)
{
    const struct traffic_common   common = { .start_ps = 0, .stop_ps = NEVER, .prio = 3 };
    const struct traffic_training cfg = { { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 5, .bytes = 300 }, 0,
                                          LINK_PS, 1 };
    struct training_fixture       h;

    (void)unused;
    fixture_open(&h, &common, &cfg, even_ps, 1);
    ether_run(&h.ether, NEVER);
    assert_int_equal(h.ether.ops, 1);
    assert_int_equal(h.ether.op[0].bytes, 1500);
    assert_int_equal(h.ether.op[0].took_ps, 4 * (LINK_PS + 3000 + LINK_PS));
    fixture_close(&h);
}

/* For every kind of collective, all workers wait for a slow one. In each iteration, the last acknowledgement
 * precedes the first flow of the next by exactly the time of computing and barrier. */
static void barrier__waits_for_the_last(void **unused)
{
    const struct traffic_common common = { .start_ps = 0, .stop_ps = NEVER, .prio = 3 };

    (void)unused;
    for (int kind = 0; kind < COLLECTIVE_KINDS; kind++) {
        const struct collective_cfg   c = { (enum collective_kind)kind, HOSTS, 2000, 300, false, 0, 0,
                                            false };
        const struct traffic_training cfg = { c, 777, 5555, 4 };
        uint32_t                      at = 0, each;
        struct training_fixture       h;

        fixture_open(&h, &common, &cfg, straggling_ps, 1);
        ether_run(&h.ether, NEVER);
        assert_int_equal(h.ether.ops, 4);
        each = h.ether.flows / 4;
        assert_int_equal(h.ether.flows, 4 * each);
        for (uint32_t k = 0; k < 4; k++) {
            uint64_t first = NEVER, last = 0;

            for (uint32_t i = 0; i < each; i++, at++) {
                const struct message *m = &h.ether.flow[at];
                uint64_t              end = m->start_ps + straggling_ps(m) + LINK_PS;

                first = m->start_ps < first ? m->start_ps : first;
                last = end > last ? end : last;
            }
            assert_int_equal(h.ether.op[k].start_ps, first);
            assert_int_equal(h.ether.op[k].took_ps, last - first);
            assert_true(at == h.ether.flows || h.ether.flow[at].start_ps == last + 777 + 5555);
        }
        fixture_close(&h);
    }
}

/* ---- several steps ---- */

static uint64_t uneven_ps(const struct message *m)
{
    return LINK_PS * (1 + (m->src * 7919u + m->dst * 104729u + m->tag * 15485863u) % 50);
}

/* 8 workers, tensor 2, pipeline 2, data 2: four steps, six stages. */
static const struct iteration_step four_steps[] = {
    { 1000, { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 2, .bytes = 100 }, PARALLEL_TENSOR, 3, 0, false,
      false, 0 },
    { 0, { .kind = COLLECTIVE_SEND_NEXT, .workers = 2, .bytes = 300 }, PARALLEL_PIPELINE, 1, 0, false, false,
        0 },
    { 555, { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 8, .bytes = 40, .is_at_once = true }, PARALLEL_ALL, 1,
        0, false, false, 0 },
    { 70, { .kind = COLLECTIVE_ALL_GATHER, .workers = 2, .bytes = 200 }, PARALLEL_DATA, 1, 0, false, false,
        0 },
};
static const struct traffic_steps steps_cfg = { { { 8, 2, 2, 2, 1, 1 }, four_steps, 4 }, 640, 4000, LINK_PS,
    3 };

static void steps_open(struct training_fixture *h, uint64_t (*way_ps)(const struct message *), uint64_t seed)
{
    static const uint32_t       hosts[8] = { 8, 3, 0, 5, 1, 7, 2, 6 };
    const struct traffic_common common = { .start_ps = 700, .stop_ps = NEVER, .prio = 3 };
    struct traffic             *t;

    graph_star(&h->graph, &(struct graph_star){ HOSTS, 100000000000, LINK_PS });
    t = traffic_new(&h->graph, 1);
    traffic_add_training_steps(t, &common, &steps_cfg, hosts);
    ether_init(&h->ether, t, LINK_PS, way_ps, seed);
}

/* Derives from the observed messages when each worker finished each stage. No worker sends a message of a
 * stage before it has entered it. Workers are in different stages most of the time. */
static void check_iteration(const struct training_fixture *h, const struct iteration *it, uint32_t first,
                            const struct op_result *op)
{
    uint64_t begin[8], end[8];

    for (uint32_t w = 0; w < 8; w++)
        end[w] = op->start_ps;
    for (uint32_t stage = 0; stage < it->stages; stage++) {
        uint64_t first_ps[8];
        uint32_t sends[8] = { 0 };

        for (uint32_t w = 0; w < 8; w++) {
            begin[w] = end[w] += it->stage[stage].compute_ps;
            first_ps[w] = NEVER;
        }
        for (uint32_t i = first; i < first + it->messages; i++) {
            const struct message    *m = &h->ether.flow[i];
            struct iteration_message is = iteration_find(it, (uint32_t)m->tag);
            uint32_t                 src = iteration_worker(it, &is, is.c->message[is.m].src),
                                     dst = iteration_worker(it, &is, is.c->message[is.m].dst);
            uint64_t                 arrival = m->start_ps + uneven_ps(m), sent = arrival + LINK_PS;

            if (is.stage != stage)
                continue;
            assert_true(m->start_ps >= begin[src]);
            sends[src]++;
            first_ps[src] = m->start_ps < first_ps[src] ? m->start_ps : first_ps[src];
            end[src] = sent > end[src] ? sent : end[src];
            end[dst] = arrival > end[dst] ? arrival : end[dst];
        }
        /* in all collectives here, every sending worker can start at once */
        for (uint32_t w = 0; w < 8; w++)
            assert_true(sends[w] == 0 || first_ps[w] == begin[w]);
    }
    for (uint32_t w = 0; w < 8; w++)
        assert_true(end[w] <= op->start_ps + op->took_ps);
    for (uint32_t w = 1; w < 8; w++)
        end[0] = end[w] > end[0] ? end[w] : end[0];
    assert_int_equal(end[0], op->start_ps + op->took_ps);
}

static void steps__workers_advance_independently(void **unused)
{
    struct iteration it;

    (void)unused;
    iteration_init(&it, &steps_cfg.iteration);
    assert_int_equal(it.stages, 6);
    assert_int_equal(it.messages, 3 * 4 * 4 + 4 + 56 + 4 * 2);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct training_fixture h;

        steps_open(&h, uneven_ps, seed);
        ether_run(&h.ether, NEVER);
        assert_int_equal(h.ether.ops, 3);
        assert_int_equal(h.ether.flows, 3 * it.messages);
        for (uint32_t k = 0; k < 3; k++) {
            assert_int_equal(h.ether.op[k].bytes, 640);
            check_iteration(&h, &it, k * it.messages, &h.ether.op[k]);
            if (k > 0)
                assert_int_equal(h.ether.op[k].start_ps,
                                 h.ether.op[k - 1].start_ps + h.ether.op[k - 1].took_ps + LINK_PS + 4000);
        }
        fixture_close(&h);
    }
    iteration_fini(&it);
}

/* Uniform network: computing, plus one way and one ACK for each step of each collective. A worker that only
 * receives in the pipeline step is earlier by the ACK, and waits in the next step, in which all take part. */
static void steps__times_add_up(void **unused)
{
    const uint64_t          bytes = 3 * 2 * 50 + 300 + 40 + 100, messages = 3 * 2 + 1 + 1 + 1;
    struct training_fixture h;

    (void)unused;
    steps_open(&h, even_ps, 1);
    ether_run(&h.ether, NEVER);
    for (uint32_t k = 0; k < h.ether.ops; k++)
        assert_int_equal(h.ether.op[k].took_ps,
                         3 * 1000 + 555 + 70 + bytes * BYTE_PS + messages * 2 * LINK_PS);
    fixture_close(&h);
}

/* ---- overlap of computing and communication ---- */

static void open_steps(struct training_fixture *h, const struct traffic_steps *cfg,
                       uint64_t (*way_ps)(const struct message *), uint64_t seed)
{
    static const uint32_t       hosts[HOSTS] = { 8, 3, 0, 5, 1, 7, 2, 6, 4 };
    const struct traffic_common common = { .start_ps = 700, .stop_ps = NEVER, .prio = 3 };
    struct traffic             *t;

    graph_star(&h->graph, &(struct graph_star){ HOSTS, 100000000000, LINK_PS });
    t = traffic_new(&h->graph, 1);
    traffic_add_training_steps(t, &common, cfg, hosts);
    ether_init(&h->ether, t, LINK_PS, way_ps, seed);
}

/* Expects all three iterations to take want_ps. */
static void assert_took(const struct iteration_cfg *cfg, uint64_t want_ps)
{
    const struct traffic_steps steps = { *cfg, 640, 4000, LINK_PS, 3 };
    uint64_t                   rate_bps[HOSTS];
    struct training_fixture    h;

    open_steps(&h, &steps, even_ps, 1);
    ether_run(&h.ether, NEVER);
    assert_int_equal(h.ether.ops, 3);
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(h.ether.op[k].took_ps, want_ps);
        assert_int_equal(h.ether.op[k].start_ps, 700 + k * (want_ps + LINK_PS + 4000));
    }
    fixture_close(&h);
    for (uint32_t i = 0; i < HOSTS; i++)         /* messages do not queue here: links are fast enough */
        rate_bps[i] = 8 * PS_PER_S * 1000;
    assert_true(iteration_bound_ps(cfg, 1024, 0, rate_bps) <= want_ps);
}

/* p stages that compute for t and forward m micro-batches in c each: (m + p - 1) t + (p - 1) c, and the same
 * on the way back. In lock step it would be m (t + c + ACK). */
static void pipeline__fills_and_drains(void **unused)
{
    const uint64_t t = 5000, back = 9000, c = LINK_PS + 300 * BYTE_PS;

    (void)unused;
    for (uint32_t p = 2; p <= HOSTS; p++)
        for (uint32_t m = 1; m <= 12; m++) {
            const struct iteration_step both[] = {
                { t, { .kind = COLLECTIVE_SEND_NEXT, .workers = p, .bytes = 300 }, PARALLEL_PIPELINE, m, 0,
                  false, true, 0 },
                { back, { .kind = COLLECTIVE_SEND_PREVIOUS, .workers = p, .bytes = 300 }, PARALLEL_PIPELINE,
                  m, 0, false, true, 0 },
            };

            assert_took(&(struct iteration_cfg){ { p, 1, 1, p, 1, 1 }, both, 1 },
                        (m + p - 1) * t + (p - 1) * c);
            assert_took(&(struct iteration_cfg){ { p, 1, 1, p, 1, 1 }, both, 2 },
                        (m + p - 1) * (t + back) + 2 * (p - 1) * c);
        }
}

/* p stages of two workers. Between receiving and sending a micro-batch, workers compute u and exchange 100
 * bytes with their neighbor, r times. If they wait, an exchange takes u + a each: the way and the ACK. If
 * they go on, only the last exchange shows, after the last computing. */
static void pipeline__with_steps_inside(void **unused)
{
    const uint64_t t = 5000, u = 7000, c = LINK_PS + 300 * BYTE_PS, a = 2 * LINK_PS + 100 * BYTE_PS;

    (void)unused;
    assert_true(a < u);
    for (uint32_t p = 2; p <= 4; p++)
        for (uint32_t m = 1; m <= 5; m++)
            for (uint32_t r = 1; r <= 3; r++)
                for (uint32_t is_overlapped = 0; is_overlapped < 2; is_overlapped++) {
                    const struct iteration_step steps[] = {
                        { t, { .kind = COLLECTIVE_SEND_NEXT, .workers = p, .bytes = 300 }, PARALLEL_PIPELINE,
                          m, 0, false, true, 1 },
                        { u, { .kind = COLLECTIVE_ALL_GATHER, .workers = 2, .bytes = 200 }, PARALLEL_TENSOR,
                          r, 0, is_overlapped, false, 0 },
                    };
                    uint64_t each = t + r * (u + (is_overlapped ? 0 : a));

                    assert_took(&(struct iteration_cfg){ { 2 * p, 2, 1, p, 1, 1 }, steps, 2 },
                                (m + p - 1) * each + (p - 1) * c + (is_overlapped ? a : 0));
                }
}

/* Messages that take longer than computing still overlap, and 'before' computing counts once. The last ACK
 * arrives after the last computing. */
static void pipeline__overlaps_sending_and_computing(void **unused)
{
    const uint64_t              t = 500, c = LINK_PS + 300 * BYTE_PS;
    const struct iteration_step step = { t, { .kind = COLLECTIVE_SEND_NEXT, .workers = 3, .bytes = 300 },
                                         PARALLEL_PIPELINE, 7, 1234, false, true, 0 };

    (void)unused;
    assert_took(&(struct iteration_cfg){ { 6, 2, 1, 3, 1, 1 }, &step, 1 },
                1234 + (7 + 3 - 2) * t + 2 * c + LINK_PS);
}

/* A worker sends micro-batch k after computing it: after k - 1, and after it has arrived from the
 * predecessor. */
static void pipeline__waits_for_its_predecessor(void **unused)
{
    enum { P = 5, M = 9, T = 7000 };
    const struct iteration_step step = { T, { .kind = COLLECTIVE_SEND_NEXT, .workers = P, .bytes = 300 },
                                         PARALLEL_PIPELINE, M, 0, false, true, 0 };
    const struct traffic_steps  cfg = { { { P, 1, 1, P, 1, 1 }, &step, 1 }, 640, 0, LINK_PS, 2 };
    struct iteration            it;

    (void)unused;
    iteration_init(&it, &cfg.iteration);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct training_fixture h;

        open_steps(&h, &cfg, uneven_ps, seed);
        ether_run(&h.ether, NEVER);
        assert_int_equal(h.ether.flows, 2 * M * (P - 1));
        for (uint32_t k = 0; k < 2; k++) {
            uint64_t done[P] = { 0 }, came[P][M] = { { 0 } }, last = 0;

            for (uint32_t w = 0; w < P; w++) {
                done[w] = h.ether.op[k].start_ps;
                for (uint32_t batch = 0; batch < M; batch++) {
                    done[w] = (came[w][batch] > done[w] ? came[w][batch] : done[w]) + T;
                    last = done[w] > last ? done[w] : last;
                    for (uint32_t i = k * M * (P - 1); i < (k + 1) * M * (P - 1); i++) {
                        const struct message    *m = &h.ether.flow[i];
                        struct iteration_message is = iteration_find(&it, (uint32_t)m->tag);

                        if (is.stage != batch || is.c->message[is.m].src != w)
                            continue;
                        assert_int_equal(m->start_ps, done[w]);
                        came[w + 1][batch] = m->start_ps + uneven_ps(m);
                        last = came[w + 1][batch] + LINK_PS > last ? came[w + 1][batch] + LINK_PS : last;
                    }
                }
            }
            assert_int_equal(h.ether.op[k].took_ps, last - h.ether.op[k].start_ps);
        }
        fixture_close(&h);
    }
    iteration_fini(&it);
}

/* n buckets, each computed for t, then reduced in C: n t + C if computing dominates, t + n C if reducing
 * does. */
static void overlap__hides_the_shorter(void **unused)
{
    const uint64_t comm = 2 * 3 * (2 * LINK_PS + 100 * BYTE_PS);

    (void)unused;
    for (uint64_t t = comm / 2; t <= 2 * comm; t += comm / 2)
        for (uint32_t n = 1; n <= 6; n++) {
            const struct iteration_step step = { t, { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 4,
                .bytes = 400 }, PARALLEL_DATA, n, 0, true, false, 0 };

            assert_took(&(struct iteration_cfg){ { 8, 2, 4, 1, 1, 1 }, &step, 1 },
                        t > comm ? n * t + comm : t + n * comm);
        }
}

/* Groups of one kind run one collective at a time; other kinds do not wait for it. */
static void overlap__is_serial_per_kind_of_group(void **unused)
{
    const uint64_t data = 2 * 3 * (2 * LINK_PS + 100 * BYTE_PS), tensor = 2 * (2 * LINK_PS + 50 * BYTE_PS);

    (void)unused;
    for (uint64_t t = 10; t <= 20000; t += 1999) {
        const struct iteration_step steps[] = {
            { 3000, { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 4, .bytes = 400 }, PARALLEL_DATA, 1, 0,
                true,
              false, 0 },
            { t, { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 2, .bytes = 100 }, PARALLEL_TENSOR, 3, 0,
                false,
              false, 0 },
            { 50, { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 4, .bytes = 400 }, PARALLEL_DATA, 1, 0,
                false,
              false, 0 },
        };
        uint64_t overlapped = 3 * (t + tensor), first = 3000 + (data > overlapped ? data : overlapped);
        uint64_t ready = 3000 + overlapped + 50, reduced = 3000 + data;

        assert_took(&(struct iteration_cfg){ { 8, 2, 4, 1, 1, 1 }, steps, 2 }, first);
        assert_took(&(struct iteration_cfg){ { 8, 2, 4, 1, 1, 1 }, steps, 3 },
                    (ready > reduced ? ready : reduced) + data);
    }
}

static int by_start(const void *a_, const void *b_)
{
    const struct message *a = a_, *b = b_;

    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    return a->tag < b->tag ? -1 : a->tag > b->tag;
}

/* In a uniform network nearly all events coincide with another. */
static void training__order_of_simultaneous_events_does_not_matter(void **unused)
{
    const struct traffic_common common = { .start_ps = 0, .stop_ps = NEVER, .prio = 3 };

    (void)unused;
    for (int kind = 0; kind < COLLECTIVE_KINDS; kind++) {
        const struct traffic_training cfg = { { (enum collective_kind)kind, HOSTS, 900, 50, false, 0, 0,
                                                false }, 10, 1000, 3 };
        struct training_fixture       a, b;

        fixture_open(&a, &common, &cfg, even_ps, 0);
        ether_run(&a.ether, NEVER);
        for (uint64_t seed = 1; seed <= 10; seed++) {
            fixture_open(&b, &common, &cfg, even_ps, seed);
            ether_run(&b.ether, NEVER);
            assert_int_equal(a.ether.ops, b.ether.ops);
            for (uint32_t i = 0; i < a.ether.ops; i++) {
                assert_int_equal(a.ether.op[i].start_ps, b.ether.op[i].start_ps);
                assert_int_equal(a.ether.op[i].took_ps, b.ether.op[i].took_ps);
            }
            assert_int_equal(a.ether.flows, b.ether.flows);
            qsort(a.ether.flow, a.ether.flows, sizeof *a.ether.flow, by_start);
            qsort(b.ether.flow, b.ether.flows, sizeof *b.ether.flow, by_start);
            for (uint32_t i = 0; i < a.ether.flows; i++)
                assert_int_equal(by_start(&a.ether.flow[i], &b.ether.flow[i]), 0);
            fixture_close(&b);
        }
        fixture_close(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training__iterations_by_hand),
        cmocka_unit_test(training__steps_have_a_cost),
        cmocka_unit_test(training__a_channel_takes_one_step_at_a_time),
        cmocka_unit_test(training__stops),
        cmocka_unit_test(training__ends_after_its_iterations),
        cmocka_unit_test(training__reports_the_size_of_nccl_tests),
        cmocka_unit_test(barrier__waits_for_the_last),
        cmocka_unit_test(steps__workers_advance_independently),
        cmocka_unit_test(steps__times_add_up),
        cmocka_unit_test(pipeline__fills_and_drains),
        cmocka_unit_test(pipeline__with_steps_inside),
        cmocka_unit_test(pipeline__overlaps_sending_and_computing),
        cmocka_unit_test(pipeline__waits_for_its_predecessor),
        cmocka_unit_test(overlap__hides_the_shorter),
        cmocka_unit_test(overlap__is_serial_per_kind_of_group),
        cmocka_unit_test(training__order_of_simultaneous_events_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
