/* src/work/traffic/kinds/htsim_traffic_test.c - flows with triggers, in a network without queueing. */
#include "work/traffic/kinds/htsim_traffic.h"
#include "work/traffic/test_ether.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINK_PS  1000ull
#define DELAY_PS 5000ull
#define NONE     MATRIX_NO_TRIGGER

/* A flow of n bytes arrives after 1000 + n and is acknowledged 1000 later. */
static uint64_t way_ps(const struct message *m)
{
    return LINK_PS + m->bytes;
}

/* Two switches among six hosts: nodes 1 and 4 are switches. */
static void make_graph(struct graph *g)
{
    graph_init(g);
    for (uint32_t i = 0; i < 8; i++)
        graph_add_node(g, i == 1 || i == 4, NULL);
}

static const uint32_t node_of[6] = { 0, 2, 3, 5, 6, 7 };

struct test_matrix {
    const struct matrix_conn    *conn;
    uint32_t                    conns;
    const struct matrix_trigger *trigger;
    uint32_t                    triggers;
};

static void run(struct ether *e, struct graph *g, const struct test_matrix *m,
                const struct traffic_common *common, uint64_t seed)
{
    struct flow_matrix cm = { .conns = m->conns, .triggers = m->triggers, .nodes = 6 };
    struct traffic *t;

    make_graph(g);
    cm.conn = xcalloc(m->conns + 1ul, sizeof *cm.conn);
    cm.trigger = xcalloc(m->triggers + 1ul, sizeof *cm.trigger);
    memcpy(cm.conn, m->conn, m->conns * sizeof *cm.conn);
    if (m->triggers)
        memcpy(cm.trigger, m->trigger, m->triggers * sizeof *cm.trigger);
    t = traffic_new(g, 1);
    traffic_add_matrix(t, common, &cm, DELAY_PS);
    assert_null(cm.conn);
    ether_init(e, t, LINK_PS, way_ps, seed);
    ether_run(e, NEVER);
}

static void end(struct ether *e, struct graph *g)
{
    traffic_free(e->traffic);
    ether_fini(e);
    graph_fini(g);
}

/* Expects every connection to start once, at at_ps; NEVER: not at all. */
static void expect_starts(const struct test_matrix *m, const struct traffic_common *common,
                          const uint64_t *at_ps)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t     flows = 0;
        struct graph g;
        struct ether e;

        run(&e, &g, m, common, seed);
        for (uint32_t i = 0; i < m->conns; i++)
            flows += at_ps[i] != NEVER;
        assert_int_equal(e.flows, flows);
        for (uint32_t i = 0; i < e.flows; i++) {
            const struct message    *f = &e.flow[i];
            const struct matrix_conn *c = &m->conn[f->tag];

            assert_int_equal(f->start_ps, at_ps[f->tag]);
            assert_int_equal(f->src, node_of[c->src]);
            assert_int_equal(f->dst, node_of[c->dst]);
            assert_int_equal(f->bytes, c->bytes);
        }
        end(&e, &g);
    }
}

/* Rows of struct matrix_conn: src, dst, id, trigger, send_done, recv_done, line, start_ps, bytes. */

static const struct traffic_common from_zero = { .start_ps = 0, .stop_ps = NEVER, .prio = 3 };

/* Times in any order, several per pair, several at once. */
static void cm__starts_at_its_time(void **unused)
{
    static const struct matrix_conn conn[] = {
        { 0, 5, 0, NONE, NONE, NONE, 0, 500, 10 },
        { 0, 5, 0, NONE, NONE, NONE, 0, 100, 20 },
        { 3, 1, 0, NONE, NONE, NONE, 0, 100, 30 },
        { 0, 4, 0, NONE, NONE, NONE, 0, 100, 40 },
        { 5, 0, 0, NONE, NONE, NONE, 0, 0, 50 },
    };
    const struct test_matrix    m = { conn, 5, NULL, 0 };
    const uint64_t              plain[] = { 500, 100, 100, 100, 0 };
    const uint64_t              late[] = { NEVER, 7100, 7100, 7100, 7000 };
    const struct traffic_common shifted = { .start_ps = 7000, .stop_ps = 7500, .prio = 3 };

    (void)unused;
    expect_starts(&m, &from_zero, plain);
    expect_starts(&m, &shifted, late);           /* from 7000, and none at or after 7500 */
}

/* Connection 0 fires on its acknowledgement, at 100 + 2000; 1 on its arrival, at 200 + 1000. Two wait for
 * each. */
static void oneshot__starts_all_that_wait(void **unused)
{
    static const struct matrix_conn conn[] = {
        { 0, 1, 0, NONE, 0, NONE, 0, 0, 100 },
        { 2, 3, 0, NONE, NONE, 1, 0, 0, 200 },
        { 4, 0, 0, 0, NONE, NONE, 0, 0, 1 },
        { 0, 4, 0, 0, NONE, NONE, 0, 0, 1 },
        { 3, 0, 0, 1, NONE, NONE, 0, 0, 1 },
        { 1, 0, 0, 1, NONE, NONE, 0, 0, 1 },
    };
    static const struct matrix_trigger trigger[] = { { MATRIX_ONESHOT, 1, 0, 1 },
                                                     { MATRIX_ONESHOT, 2, 0, 2 } };
    const struct test_matrix          m = { conn, 6, trigger, 2 };
    const uint64_t                    at_ps[] = { 0, 0, 2100 + DELAY_PS, 2100 + DELAY_PS, 1200 + DELAY_PS,
                                                  1200 + DELAY_PS };

    (void)unused;
    expect_starts(&m, &from_zero, at_ps);
}

/* Fired at 1100, 1200 and twice at 1500: waiting connections start in file order. */
static void multishot__starts_one_each_time(void **unused)
{
    static const struct matrix_conn conn[] = {
        { 5, 1, 0, 0, NONE, NONE, 0, 0, 1 },
        { 0, 1, 0, NONE, NONE, 0, 0, 0, 500 },
        { 1, 2, 0, NONE, NONE, 0, 0, 0, 200 },
        { 4, 1, 0, 0, NONE, NONE, 0, 0, 1 },
        { 2, 3, 0, NONE, NONE, 0, 0, 0, 100 },
        { 3, 4, 0, NONE, NONE, 0, 0, 0, 500 },
        { 3, 1, 0, 0, NONE, NONE, 0, 0, 1 },
        { 5, 2, 0, 0, NONE, NONE, 0, 0, 1 },
    };
    static const struct matrix_trigger trigger[] = { { MATRIX_MULTISHOT, 9, 0, 1 } };
    const struct test_matrix          m = { conn, 8, trigger, 1 };
    const uint64_t                    at_ps[] = {
        1100 + DELAY_PS, 0, 0, 1200 + DELAY_PS, 0, 0, 1500 + DELAY_PS, 1500 + DELAY_PS
    };

    (void)unused;
    expect_starts(&m, &from_zero, at_ps);
}

/* A barrier of three, reached at 2100, 2200 and 1300. The flows it starts reach the next barrier 2001
 * later. */
static void barrier__waits_for_all(void **unused)
{
    static const struct matrix_conn conn[] = {
        { 0, 1, 0, NONE, 0, NONE, 0, 0, 100 },
        { 1, 2, 0, NONE, 0, NONE, 0, 0, 200 },
        { 2, 0, 0, NONE, NONE, 0, 0, 0, 300 },
        { 0, 2, 0, 0, 1, NONE, 0, 0, 1 },
        { 1, 0, 0, 0, 1, NONE, 0, 0, 1 },
        { 2, 1, 0, 1, NONE, NONE, 0, 0, 1 },
    };
    static const struct matrix_trigger trigger[] = { { MATRIX_BARRIER, 1, 3, 1 },
                                                     { MATRIX_BARRIER, 2, 2, 2 } };
    const struct test_matrix          m = { conn, 6, trigger, 2 };
    const uint64_t                    first = 2200 + DELAY_PS, second = first + 2001 + DELAY_PS;
    const uint64_t                    at_ps[] = { 0, 0, 0, first, first, second };
    const struct traffic_common       stopped = { .start_ps = 0, .stop_ps = second, .prio = 3 };
    const uint64_t                    cut[] = { 0, 0, 0, first, first, NEVER };

    (void)unused;
    expect_starts(&m, &from_zero, at_ps);
    expect_starts(&m, &stopped, cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cm__starts_at_its_time),
        cmocka_unit_test(oneshot__starts_all_that_wait),
        cmocka_unit_test(multishot__starts_one_each_time),
        cmocka_unit_test(barrier__waits_for_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
