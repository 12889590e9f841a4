/* src/study/scenario/scenario_hpcc_test.c - configs of the ConWeave fork. For configs of the HPCC fork see
 * scenario_test.c. */
#include "study/scenario/scenario.h"

#include "core/units.h"
#include "work/traffic/traffic.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[128];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void remove_file(const char *dir, const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    unlink(path);
}

/* Two hosts behind one switch; the second link is faster and longer. */
static const char topology[] = "3 1 2\n2\n0 2 100Gbps 1000ns 0.000000\n1 2 200Gbps 2000ns 0.000000\n";
static const char flows[] = "2 \n0 1 3 1000 2.000000412\n1 0 3 2000 2.000005624\n";

#define MAPS "KMAX_MAP 2 100000000000 400 200000000000 400\nKMIN_MAP 2 100000000000 100 200000000000 100\n" \
             "PMAX_MAP 2 100000000000 0.20 200000000000 0.20\n"
#define CONFIG                                                                                               \
    "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nBUFFER_SIZE 9\nCC_MODE 1\nENABLE_PFC 1\nENABLE_IRN 0\n" \
    "HAS_WIN 0\nRP_TIMER 300 \nMIN_RATE 100Mb/s\n" MAPS

static int read_scenario(struct scenario *s, const char *text, const char *config, struct err *err)
{
    char dir[] = "/tmp/scenario_hpcc_test.XXXXXX", path[64];
    int rc;

    assert_non_null(mkdtemp(dir));
    write_file(dir, "topology.txt", topology);
    write_file(dir, "flow.txt", flows);
    write_file(dir, "config.txt", config);
    snprintf(path, sizeof path, "%s/s.yaml", dir);
    rc = scenario_parse(s, path, text, strlen(text), NULL, 0, NULL, err);
    remove_file(dir, "topology.txt");
    remove_file(dir, "flow.txt");
    remove_file(dir, "config.txt");
    rmdir(dir);
    return rc;
}

static int read_config(struct scenario *s, const char *config, struct err *err)
{
    return read_scenario(s, "hpcc: config.txt\n", config, err);
}

static void conweave__has_its_own_switch_settings(void **unused)
{
    struct scenario s;
    struct err err;

    (void)unused;
    if (read_config(&s, CONFIG "LB_MODE 0\n", &err))
        fail_msg("%s", err.text);
    assert_int_equal(MODEL_CONWEAVE, s.cfg.model);
    assert_int_equal(ORDER_NS3, s.cfg.order);
    assert_int_equal(4, s.cfg.pfc_shift);                        /* alpha 1/16 */
    assert_int_equal(0, s.cfg.headroom_bytes);                   /* each port has its own headroom */
    assert_int_equal(2096, s.cfg.reserve_bytes);
    assert_int_equal(5 * PS_PER_US, s.cfg.pause_ps);
    assert_int_equal(4 * PS_PER_US, s.cfg.nack_gap_ps);
    assert_int_equal(4 * PS_PER_MS, s.cfg.rto_ps);
    assert_true(s.cfg.has_ack_prio && s.cfg.ack_prio == 0 && s.cfg.nack_is_cnp);
    assert_int_equal(9 << 20, s.cfg.buffer_bytes);
    assert_true(s.cfg.ack_unpaused && !s.cfg.ack_droppable && s.cfg.window_bytes == 0);
    assert_int_equal(2, s.cfg.ecn_rates);
    assert_int_equal(2, s.entry[0].hosts);
    scenario_fini(&s);
}

static void hpcc__keeps_its_switch_settings(void **unused)
{
    struct scenario s;
    struct err err;

    (void)unused;
    if (read_config(&s, CONFIG, &err))
        fail_msg("%s", err.text);
    assert_int_equal(3, s.cfg.pfc_shift);
    assert_int_equal(0, s.cfg.headroom_bytes);
    assert_int_equal(4096, s.cfg.reserve_bytes);
    assert_int_equal(3072, s.cfg.resume_bytes);
    assert_true(s.cfg.ack_droppable && !s.cfg.ack_unpaused);
    scenario_fini(&s);
}

static void conweave__refused_with_the_line_of_the_config(void **unused)
{
    struct scenario s;
    struct err err;

    (void)unused;
    assert_true(read_config(&s, "\nLB_MODE 2\n", &err) < 0);
    assert_non_null(strstr(err.text, "/config.txt:2: LB_MODE 2 (drill) is not modelled"));
    assert_true(read_config(&s, CONFIG "LB_MODE 0\nPAUSE_TIME 0\n", &err) < 0);
    assert_non_null(strstr(err.text, "/config.txt: a PAUSE_TIME of less than 1 us pauses no port"));
}

/* The balancer and the seed of the config are used, unless the scenario sets them. */
static void conweave__balancer_and_seed(void **unused)
{
    struct scenario s;
    struct err err;

    (void)unused;
    if (read_config(&s, CONFIG "LB_MODE 6\nRANDOM_SEED 7\nPAUSE_TIME 3\n", &err))
        fail_msg("%s", err.text);
    assert_string_equal("letflow", s.cfg.lb->name);
    assert_int_equal(7, s.cfg.seed);
    assert_int_equal(3 * PS_PER_US, s.cfg.pause_ps);
    scenario_fini(&s);
    if (read_config(&s, CONFIG "LB_MODE 9\nCONWEAVE_PATH_PAUSE_TIME 16\n", &err))
        fail_msg("%s", err.text);
    assert_string_equal("conweave", s.cfg.lb->name);
    assert_true(s.cfg.knobs.value[KNOB_conweave_pause] == 16 && s.cfg.knobs.value[KNOB_conweave_wait] == 500);
    scenario_fini(&s);
    if (read_scenario(&s, "hpcc: config.txt\nlb: ecmp\nseed: 9\n", CONFIG "LB_MODE 6\nRANDOM_SEED 7\n", &err))
        fail_msg("%s", err.text);
    assert_string_equal("ecmp", s.cfg.lb->name);
    assert_int_equal(9, s.cfg.seed);
    scenario_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conweave__has_its_own_switch_settings),
        cmocka_unit_test(hpcc__keeps_its_switch_settings),
        cmocka_unit_test(conweave__refused_with_the_line_of_the_config),
        cmocka_unit_test(conweave__balancer_and_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
