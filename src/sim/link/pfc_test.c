#include "sim/link/pfc.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void start(struct world *w, uint64_t pause_ps)
{
    struct sim_cfg cfg;
    struct graph   g;

    world_cfg(&cfg, MODEL_NIC);
    cfg.pause_ps = pause_ps;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, PS_PER_US });
    world_of_flows(w, &g, &cfg, NULL, 0);
}

/* A port counts as paused while any class is paused: from the first pause to the last resume. */
static void pfc_on_frame__counts_time_with_any_class_paused(void **unused)
{
    static const struct {
        uint64_t at_ps;
        uint32_t prio;
        bool is_pause;
        uint64_t paused_ps;
        uint8_t paused;
    } row[] = {
        { 100, 3, true, 0, 1 << 3 },
        { 150, 3, true, 50, 1 << 3 },
        { 200, 5, true, 100, 1 << 3 | 1 << 5 },
        { 300, 3, false, 200, 1 << 5 },
        { 400, 3, false, 300, 1 << 5 },
        { 500, 5, false, 400, 0 },
        { 700, 5, false, 400, 0 },
        { 800, 0, true, 400, 1 << 0 },
        { 900, 0, false, 500, 0 },
    };
    struct world w;
    struct port *p;

    (void)unused;
    start(&w, 0);
    p = &w.sim->net.port[0];
    for (uint32_t i = 0; i < sizeof row / sizeof *row; i++) {
        w.sim->engine.now_ps = row[i].at_ps;
        pfc_on_frame(&w.sim->engine, &w.sim->pfc, p, row[i].prio, row[i].is_pause);
        assert_int_equal(p->paused, row[i].paused);
        assert_int_equal(port_paused_ps(p, row[i].at_ps), row[i].paused_ps);
        assert_int_equal(port_paused_ps(p, row[i].at_ps + 10), row[i].paused_ps + (row[i].paused ? 10 : 0));
        assert_int_equal(w.pfc_count, i + 1);
        assert_int_equal(w.pfc[i].at_ps, row[i].at_ps);
        assert_int_equal(w.pfc[i].is_pause, row[i].is_pause);
        assert_int_equal(w.pfc[i].prio, row[i].prio);
    }
    assert_int_equal(p->counters.pauses, 4);
    assert_int_equal(w.sim->engine.counters.pauses, 4);
    assert_int_equal(w.sim->engine.counters.resumes, 5);
    world_end(&w);
}

/* A pause ends pause_ps after the last frame that requested it, separately for each class; a resume ends it
 * earlier. */
static void pfc_on_frame__expires(void **unused)
{
    static const struct { uint64_t at_us; uint32_t prio; bool is_pause; } frame[] = {
        { 10, 3, true }, { 13, 5, true }, { 14, 3, true },       /* class 3 until 19, class 5 until 18 */
        { 30, 3, true }, { 32, 3, false },                       /* cancelled */
        { 36, 3, true },                                         /* until 41 */
    };
    static const struct { uint64_t us; uint8_t paused; } row[] = {
        { 9, 0 },           { 10, 1 << 3 }, { 17, 1 << 3 | 1 << 5 }, { 18, 1 << 3 }, { 19, 0 },
        { 31, 1 << 3 },
        { 33, 0 },          { 35, 0 },      { 36, 1 << 3 },          { 40, 1 << 3 }, { 41, 0 }, { 99, 0 },
    };
    struct world w;
    uint32_t     next = 0;

    (void)unused;
    start(&w, 5 * PS_PER_US);
    for (uint32_t i = 0; i < sizeof row / sizeof *row; i++) {
        for (; next < sizeof frame / sizeof *frame && frame[next].at_us <= row[i].us; next++) {
            sim_run_until(w.sim, frame[next].at_us * PS_PER_US);
            w.sim->engine.now_ps = frame[next].at_us * PS_PER_US;
            pfc_on_frame(&w.sim->engine, &w.sim->pfc, &w.sim->net.port[0], frame[next].prio,
                         frame[next].is_pause);
        }
        sim_run_until(w.sim, row[i].us * PS_PER_US);
        w.sim->engine.now_ps = row[i].us * PS_PER_US;
        assert_int_equal(w.sim->net.port[0].paused, row[i].paused);
    }
    assert_int_equal(port_paused_ps(&w.sim->net.port[0], w.sim->engine.now_ps), (9 + 2 + 5) * PS_PER_US);
    assert_int_equal(w.sim->engine.counters.pauses, 5);
    assert_int_equal(w.sim->engine.counters.resumes, 1);        /* an expired pause sends no frame */
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pfc_on_frame__counts_time_with_any_class_paused),
        cmocka_unit_test(pfc_on_frame__expires),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
