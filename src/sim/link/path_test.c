#include "sim/link/path.h"
#include "sim/test_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void start(struct world *w)
{
    struct sim_cfg cfg;
    struct graph   g;

    world_cfg(&cfg, MODEL_NIC);
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, PS_PER_US });
    world_of_flows(w, &g, &cfg, NULL, 0);
}

/* A port is busy until the instant, and the position within it, at which the last byte has left. */
static void port_is_busy__ends_at_its_order_within_the_instant(void **unused)
{
    const struct port p = { .free_at_ps = 1000, .free_order = 50 };

    (void)unused;
    assert_true(port_is_busy(&p, 999, UINT64_MAX));
    assert_true(port_is_busy(&p, 1000, 49));
    assert_false(port_is_busy(&p, 1000, 50));
    assert_false(port_is_busy(&p, 1001, 0));
}

/* Both causes combined: a frame survives with probability (1 - loss) (1 - ber)^bits. */
static void path_is_hit__has_the_configured_probability(void **unused)
{
    static const struct {
        double loss, ber;
        uint32_t bytes;
    } row[] = { { 0.1, 0, 1000 }, { 0, 1e-5, 1000 }, { 0.05, 2e-5, 500 },
                { 0, 1e-5, 64 },  { 0, 0, 9000 },    { 1, 0, 64 } };
    const uint32_t tries = 20000;

    (void)unused;
    for (uint32_t i = 0; i < sizeof row / sizeof *row; i++) {
        double       hit = 1 - (1 - row[i].loss) * pow(1 - row[i].ber, 8.0 * row[i].bytes), hits = 0;
        struct world w;

        start(&w);
        w.sim->net.port[0].loss = row[i].loss;
        w.sim->net.port[0].ber = row[i].ber;
        for (uint32_t n = 0; n < tries; n++)
            hits += path_is_hit(&w.sim->net.port[0], row[i].bytes);
        assert_true(fabs(hits - tries * hit) <= 5 * sqrt(tries * hit * (1 - hit)) + 1e-6);
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(port_is_busy__ends_at_its_order_within_the_instant),
        cmocka_unit_test(path_is_hit__has_the_configured_probability),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
