#include "study/report/about.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_said(uint64_t rate_bps, bool is_clos, const char *cc, enum sim_model model,
                        const char *part)
{
    struct card    card = { 0 };
    struct sim_cfg cfg;
    struct graph   g;
    struct world   w;

    world_cfg(&cfg, model);
    cfg.cc = cc_find(cc);
    if (is_clos)
        graph_clos(&g, &(struct graph_clos){ 2, 2, 1, 1, rate_bps, PS_PER_US, rate_bps, PS_PER_US });
    else
        graph_star(&g, &(struct graph_star){ 2, rate_bps, PS_PER_US });
    world_of_flows(&w, &g, &cfg, NULL, 0);
    about_hardware(&card, w.sim);
    assert_true(*part ? strstr(card_text(&card, CARD_SURE), part) != NULL : card.text[CARD_SURE] == NULL);
    card_fini(&card);
    world_end(&w);
}

/* The rows of docs/hardware.md, and cases outside of them. */
static void about_hardware__names_the_nearest_row_if_any(void **unused)
{
    (void)unused;
    assert_said(400 * GBPS, false, "none", MODEL_NIC, "within 0.2 %");
    assert_said(25 * GBPS, false, "dcqcn", MODEL_NIC, "1.4 times too long");
    assert_said(100 * GBPS, false, "dcqcn", MODEL_NIC,
                "none of congestion control on NICs above 25 Gb/s is public");
    assert_said(400 * GBPS, true, "none", MODEL_NIC, "nothing like it is validated beyond one switch");
    assert_said(10 * GBPS, true, "none", MODEL_NIC, "9 of 10 series of reads of 400 KiB and more are within 2 % in p50");
    assert_said(100 * GBPS, false, "none", MODEL_HPCC, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(about_hardware__names_the_nearest_row_if_any) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
