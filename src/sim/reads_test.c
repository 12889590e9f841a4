/* src/sim/reads_test.c - RDMA READ on simulated wires, against closed forms. */
#include "sim/test_world.h"
#include "traffic/perform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS    80            /* at 100 Gb/s */
#define DELAY_PS   PS_PER_US
#define FULL_PS    ((1024 + 62 + 20) * BYTE_PS)
#define REQUEST_PS (2 * ((READ_REQUEST_BYTES + 62 + 20) * BYTE_PS + DELAY_PS))  /* over two hops */
#define ACK_PS     ((66 + 20) * BYTE_PS) /* of the request, before the data */
#define PACKETS    50u

extern const struct traffic_kind traffic_goal;

/* From the arrival of a request to that of the last packet, two hops away. */
static uint64_t data_ps(uint64_t packets)
{
    return ACK_PS + (packets + 1) * FULL_PS + 2 * DELAY_PS;
}

static struct op_result op[64];
static uint32_t         ops;

static void keep_op(void *unused, const struct op_result *r)
{
    (void)unused;
    if (r->kind == OP_READ)
        op[ops++] = *r;
}

/* Ranks 1 .. readers each read 'count' blocks of PACKETS packets from rank 0, all at once. */
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
    trace_init(&trace, "reads", readers + 1);
    for (uint32_t r = 1; r <= readers; r++)
        for (uint32_t i = 0; i < count; i++)
            trace_add(&trace, r, &(struct trace_op){ .type = TRACE_READ, .peer = 0, .size = PACKETS * 1024 });
    assert_int_equal(trace_seal(&trace, &err), 0);
    assert_int_equal(trace_check(&trace, &err), 0);
    t = traffic_new(&g, 1);
    perform_add(t, &traffic_goal, &(struct traffic_common){ .stop_ps = UINT64_MAX, .prio = 3 }, &trace, NULL, 0,
                hosts, reads);
    traffic_use_qps(t, 1);
    assert_int_equal(world_start(&w, &g, &cfg, t, &err), 0);
    ops = 0;
    traffic_on_op(t, keep_op, NULL);
    assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_S));
    assert_int_equal(ops, readers * count);
    world_end(&w);
}

static void reads_begin__a_lone_read_takes_its_request_and_its_data(void **unused)
{
    (void)unused;
    run_reads(1, 1, &(struct reads_cfg){ .limit = 16 });
    assert_int_equal(op[0].bytes, PACKETS * 1024);
    assert_int_equal(op[0].took_ps, REQUEST_PS + data_ps(PACKETS));
    run_reads(1, 1, &(struct reads_cfg){ .limit = 16, .delay_ps = 3 * PS_PER_US });
    /* The ACK of the request is sent meanwhile. */
    assert_int_equal(op[0].took_ps, REQUEST_PS + 3 * PS_PER_US + data_ps(PACKETS) - ACK_PS);
}

/* The responder's link is full until the last packet, and its queue pairs take turns: the reads end one packet
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

/* With one read under way, the next request leaves when the data is complete. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_begin__a_lone_read_takes_its_request_and_its_data),
        cmocka_unit_test(reads_begin__readers_share_the_link_of_the_responder),
        cmocka_unit_test(reads_begin__reads_of_a_queue_pair_are_answered_in_order),
        cmocka_unit_test(reads_begin__reads_beyond_the_limit_wait_at_the_requester),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
