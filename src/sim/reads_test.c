/* src/sim/reads_test.c - RDMA READ on simulated wires, against closed forms. */
#include "sim/test_world.h"
#include "work/traffic/kinds/trace_traffic.h"
#include "work/traffic/reads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS    80            /* at 100 Gb/s */
#define DELAY_PS   PS_PER_US
#define FULL_PS    ((1024 + 62 + 20) * BYTE_PS)
#define REQUEST_PS (2 * ((READ_REQUEST_BYTES + 62 + 20) * BYTE_PS + DELAY_PS))  /* over two hops */
#define ACK_PS     ((66 + 20) * BYTE_PS) /* ACK of the request, before the data */
#define PACKETS    50u

extern const struct traffic_kind traffic_goal;

/* Returns the time from the arrival of a request to that of the last data packet, two hops away. */
static uint64_t data_ps(uint64_t packets)
{
    return ACK_PS + (packets + 1) * FULL_PS + 2 * DELAY_PS;
}

#define RTO_PS     (4 * PS_PER_MS)
#define LONE_PS    (REQUEST_PS + data_ps(PACKETS))

static struct op_result op[64];
static uint32_t         ops;
static uint64_t         resent_bytes;

/* Fault to inject: the link of a rank is down for a while, or all links lose packets. */
static struct { uint32_t rank; uint64_t from_ps, to_ps; double loss; bool is_selective; } fault;

static void keep_op(void *unused, const struct op_result *r)
{
    (void)unused;
    if (r->kind == OP_READ)
        op[ops++] = *r;
}

/* Flow results are those of operations: data of the responder that ends at the requester. */
static void check_flows(const struct world *w, const struct reads_cfg *reads)
{
    resent_bytes = 0;
    assert_int_equal(w->done_count, ops);
    assert_int_equal(w->sim->engine.counters.flows_done, ops);
    for (uint32_t i = 0; i < ops; i++) {
        uint32_t k = 0;

        while (k < ops && (op[k].start_ps != w->done[i].start_ps || op[k].took_ps != w->done[i].fct_ps))
            k++;
        assert_int_not_equal(k, ops);
        assert_int_equal(w->done[i].bytes, PACKETS * 1024);
        assert_int_equal(w->done[i].ideal_ps, LONE_PS + (reads->delay_ps ? reads->delay_ps - ACK_PS : 0));
        resent_bytes += w->done[i].resent_bytes;
    }
}

/* Ranks 1 .. readers each read 'count' blocks of PACKETS packets from rank 0, all at the same time. */
static void run_reads(uint32_t readers, uint32_t count, const struct reads_cfg *reads)
{
    uint32_t       hosts[8] = { 0 }, found = 0;
    struct sim_cfg cfg;
    struct graph   g;
    struct trace   trace;
    struct traffic *t;
    struct world   w;
    struct err     err;

    world_cfg(&cfg, MODEL_NIC);
    graph_star(&g, &(struct graph_star){ readers + 1, 100 * GBPS, DELAY_PS });
    for (uint32_t i = 0; i < g.nodes; i++)
        if (!g.node[i].is_switch)
            hosts[found++] = i;
    cfg.is_selective = fault.is_selective;
    cfg.reorder_ps = 10 * PS_PER_US;
    for (uint32_t i = 0; i < g.links; i++)
        g.link[i].loss = fault.loss;
    if (fault.to_ps) {
        cfg.changes = 2;
        cfg.change = xcalloc(2, sizeof *cfg.change);
        cfg.change[0] = (struct link_change){ fault.from_ps, fault.rank, false };
        cfg.change[1] = (struct link_change){ fault.to_ps, fault.rank, true };
    }
    trace_init(&trace, "reads", readers + 1);
    for (uint32_t r = 1; r <= readers; r++)
        for (uint32_t i = 0; i < count; i++)
            trace_add(&trace, r, &(struct trace_op){ .type = TRACE_READ, .peer = 0, .size = PACKETS * 1024 });
    assert_int_equal(trace_seal(&trace, &err), 0);
    assert_int_equal(trace_check(&trace, &err), 0);
    t = traffic_new(&g, 1);
    perform_add(t, &traffic_goal, &(struct traffic_common){ .stop_ps = UINT64_MAX, .prio = 3 },
                &trace, NULL, 0,
                hosts, reads);
    traffic_use_qps(t, 1);
    assert_int_equal(world_start(&w, &g, &cfg, t, &err), 0);
    ops = 0;
    traffic_on_op(t, keep_op, NULL);
    assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_S));
    assert_int_equal(ops, readers * count);
    check_flows(&w, reads);
    world_end(&w);
}

static void reads_begin__a_lone_read_takes_its_request_and_its_data(void **unused)
{
    (void)unused;
    run_reads(1, 1, &(struct reads_cfg){ .limit = 16 });
    assert_int_equal(op[0].bytes, PACKETS * 1024);
    assert_int_equal(op[0].took_ps, REQUEST_PS + data_ps(PACKETS));
    run_reads(1, 1, &(struct reads_cfg){ .limit = 16, .delay_ps = 3 * PS_PER_US });
    /* The ACK of the request is sent during the wait. */
    assert_int_equal(op[0].took_ps, REQUEST_PS + 3 * PS_PER_US + data_ps(PACKETS) - ACK_PS);
}

/* The responder's link is full until the last packet, and its queue pairs alternate: the reads end one packet
 * after the other. */
static void reads_begin__readers_share_the_link_of_the_responder(void **unused)
{
    (void)unused;
    run_reads(3, 1, &(struct reads_cfg){ .limit = 16 });
    for (uint32_t i = 0; i < 3; i++)
        assert_in_range(op[i].took_ps, REQUEST_PS + data_ps(3 * PACKETS) - (2 - i) * FULL_PS - 500 * BYTE_PS,
                        REQUEST_PS + data_ps(3 * PACKETS) - (2 - i) * FULL_PS + 500 * BYTE_PS);
}

static void reads_begin__reads_of_a_queue_pair_are_answered_in_order(void **unused)
{
    uint64_t request_ps = (READ_REQUEST_BYTES + 62 + 20) * BYTE_PS;

    (void)unused;
    run_reads(1, 4, &(struct reads_cfg){ .limit = 4 });
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(op[i].took_ps, REQUEST_PS + data_ps((i + 1) * PACKETS),
                        REQUEST_PS + data_ps((i + 1) * PACKETS) + 4 * request_ps);
}

/* With one outstanding read, the next request leaves when the data is complete. */
static void reads_begin__reads_beyond_the_limit_wait_at_the_requester(void **unused)
{
    uint64_t lone_ps = REQUEST_PS + data_ps(PACKETS);

    (void)unused;
    run_reads(1, 4, &(struct reads_cfg){ .limit = 1 });
    for (uint32_t i = 0; i < 4; i++)                 /* an ACK of the data may be on the wire */
        assert_in_range(op[i].took_ps, (i + 1) * lone_ps, (i + 1) * lone_ps + i * ACK_PS);
    run_reads(1, 4, &(struct reads_cfg){ .limit = 2 });
    assert_in_range(op[3].took_ps, REQUEST_PS + data_ps(4 * PACKETS), 3 * lone_ps);
}

/* ---- errors ---- */

/* The requester retransmits it after a timeout. */
static void reads_error__a_lost_request_is_repeated(void **unused)
{
    (void)unused;
    fault.rank = 1, fault.from_ps = DELAY_PS / 2, fault.to_ps = 100 * PS_PER_US;
    run_reads(1, 1, &(struct reads_cfg){ .limit = 16 });
    assert_int_equal(op[0].took_ps, RTO_PS + LONE_PS);
    assert_int_equal(resent_bytes, 0);               /* data bytes */
    fault.to_ps = 0;
}

/* The packets of one link delay are lost on a wire that goes down. When it is up and the switch has sent its
 * PFC state, the responder continues. The requester detects the gap two hops later, and the responder goes
 * back another two hops later. */
static void reads_error__lost_data_is_repeated_from_the_hole(void **unused)
{
    uint64_t trip_ps = 4 * DELAY_PS + 2 * FULL_PS + 2 * ACK_PS, outage_ps = 30 * PS_PER_US, took_ps;

    (void)unused;
    fault.rank = 0, fault.from_ps = REQUEST_PS + ACK_PS + 20 * FULL_PS,
    fault.to_ps = fault.from_ps + outage_ps;
    run_reads(1, 1, &(struct reads_cfg){ .limit = 16 });
    took_ps = op[0].took_ps;
    assert_in_range(took_ps, LONE_PS + outage_ps + trip_ps + 2 * DELAY_PS,
                    LONE_PS + outage_ps + trip_ps + 2 * DELAY_PS + 2 * FULL_PS);
    assert_true(resent_bytes >= DELAY_PS / FULL_PS * 1024);
    fault.is_selective = true;                       /* retransmits less */
    run_reads(1, 1, &(struct reads_cfg){ .limit = 16 });
    assert_true(resent_bytes < 15 * 1024);
    assert_true(op[0].took_ps >= LONE_PS + outage_ps);
    fault.is_selective = false;
    fault.to_ps = 0;
}

/* The end of the data is lost: only a timeout of the responder repairs it. */
static void reads_error__the_lost_end_of_data_is_repeated_after_a_time_out(void **unused)
{
    (void)unused;
    fault.rank = 0, fault.from_ps = REQUEST_PS + ACK_PS + PACKETS * FULL_PS + DELAY_PS / 2;
    fault.to_ps = fault.from_ps + 100 * PS_PER_US;
    run_reads(1, 1, &(struct reads_cfg){ .limit = 16 });
    assert_in_range(op[0].took_ps, RTO_PS, RTO_PS + 2 * LONE_PS);
    assert_true(resent_bytes > 0);
    fault.to_ps = 0;
}

/* The reads behind it wait, and keep their order. */
static void reads_error__reads_beyond_the_limit_wait_for_a_repeated_one(void **unused)
{
    (void)unused;
    fault.rank = 1, fault.from_ps = DELAY_PS / 2, fault.to_ps = 100 * PS_PER_US;
    run_reads(1, 4, &(struct reads_cfg){ .limit = 1 });
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(op[i].took_ps, RTO_PS + (i + 1) * LONE_PS, RTO_PS + (i + 1) * LONE_PS + i * ACK_PS);
    fault.to_ps = 0;
}

/* Requests, data and ACKs are lost, some of them repeatedly. */
static void reads_error__all_end_on_lossy_links(void **unused)
{
    (void)unused;
    fault.loss = 0.01;
    run_reads(3, 20, &(struct reads_cfg){ .limit = 2 });
    assert_true(resent_bytes > 0);
    fault.is_selective = true;
    run_reads(3, 20, &(struct reads_cfg){ .limit = 2 });
    assert_true(resent_bytes > 0);
    fault.is_selective = false;
    fault.loss = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_begin__a_lone_read_takes_its_request_and_its_data),
        cmocka_unit_test(reads_begin__readers_share_the_link_of_the_responder),
        cmocka_unit_test(reads_begin__reads_of_a_queue_pair_are_answered_in_order),
        cmocka_unit_test(reads_begin__reads_beyond_the_limit_wait_at_the_requester),
        cmocka_unit_test(reads_error__a_lost_request_is_repeated),
        cmocka_unit_test(reads_error__lost_data_is_repeated_from_the_hole),
        cmocka_unit_test(reads_error__the_lost_end_of_data_is_repeated_after_a_time_out),
        cmocka_unit_test(reads_error__reads_beyond_the_limit_wait_for_a_repeated_one),
        cmocka_unit_test(reads_error__all_end_on_lossy_links),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
