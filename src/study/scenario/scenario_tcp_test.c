#include "study/scenario/scenario.h"
#include "sim/state/state.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define STAR "{topology: {kind: star, hosts: 4}, "

static int parse(struct scenario *s, const char *text, struct err *err)
{
    return scenario_parse(s, "s.yaml", text, strlen(text), NULL, 0, NULL, err);
}

static void read__defaults(void **unused)
{
    struct scenario s;
    struct sim     *sim;
    struct err      err;

    (void)unused;
    if (parse(&s, STAR "traffic: [{kind: tcp, senders: 2, size: 1MB}, {kind: incast, senders: 2, size: "
        "1MB}]}", &err))
        die("%s", err.text);
    assert_int_equal(s.cfg.tcps, 1);
    assert_string_equal(s.cfg.tcp[0].algo->name, "cubic");
    assert_int_equal(s.cfg.tcp[0].mss_bytes, 1448);
    assert_int_equal(s.cfg.tcp[0].burst_bytes, 64000);
    assert_int_equal(s.cfg.tcp[0].rto_ps_min, PS_PER_MS);
    assert_int_equal(s.cfg.tcp[0].wake_ps_max, 2 * PS_PER_US);
    assert_false(s.cfg.tcp[0].is_ecn);
    assert_int_equal(scenario_start(&s, &sim, &err), 0);
    assert_int_equal(sim_settings(sim)->lossy_prios, 1 << 1);
    assert_int_equal(sim->sw.lossless_prios, 0xff & ~(1 << 1));
    sim_free(sim);
    scenario_fini(&s);
}

/* A class that RDMA uses, too, stays lossless, unless 'lossy' is given. */
static void read__lossy_classes(void **unused)
{
    static const struct { const char *text; uint8_t lossy; } row[] = {
        { STAR "traffic: [{kind: tcp, prio: 3, senders: 2, size: 1MB}, {kind: incast, senders: 2, size: "
          "1MB}]}", 0 },
        { STAR "traffic: [{kind: tcp, prio: 3, senders: 2, size: 1MB}]}", 1 << 3 },
        { STAR "switch: {lossy: [3, 5]}, traffic: [{kind: tcp, senders: 2, size: 1MB}]}", 1 << 3 | 1 << 5 },
        { STAR "switch: {lossy: []}, traffic: [{kind: tcp, senders: 2, size: 1MB}]}", 0 },
    };

    (void)unused;
    for (uint32_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct scenario s;
        struct sim     *sim;
        struct err      err;

        if (parse(&s, row[i].text, &err) || scenario_start(&s, &sim, &err))
            die("%s", err.text);
        assert_int_equal(sim_settings(sim)->lossy_prios, row[i].lossy);
        sim_free(sim);
        scenario_fini(&s);
    }
}

/* Entries with equal settings share them; dctcp enables ECN. */
static void read__settings_are_shared(void **unused)
{
    struct scenario s;
    struct err      err;

    (void)unused;
    if (parse(&s, STAR "run: 1ms, traffic: [{kind: tcp, algorithm: dctcp, sizes: WebSearch, load: 0.1}, "
                       "{kind: tcp, senders: 2, size: 1MB, algorithm: newreno, ecn: yes}, "
                       "{kind: tcp, algorithm: dctcp, senders: [h0], size: 1KB}]}", &err))
        die("%s", err.text);
    assert_int_equal(s.cfg.tcps, 2);
    assert_true(s.cfg.tcp[0].is_ecn && s.cfg.tcp[1].is_ecn);
    assert_float_equal(s.entry[0].load, 0.1, 1e-12);
    scenario_fini(&s);
}

static void read__refuses(void **unused)
{
    static const struct { const char *text, *why; } row[] = {
        { STAR "traffic: [{kind: tcp, senders: 2, size: 1MB, algorithm: cubik}]}",
          "s.yaml:1:92: 'cubik' is not an algorithm of TCP; did you mean 'cubic'?" },
        { STAR "traffic: [{kind: tcp, senders: 2, size: 1MB, mss: 20}]}", "mss" },
        { STAR "traffic: [{kind: tcp, senders: 2, size: 1MB, min_rto: 1us}]}", "min_rto must be 10 us .. "
          "1000000 s, not 1us" },
        { STAR "traffic: [{kind: tcp, senders: 2, size: 1MB, algorithm: dctcp, ecn: no}]}", "dctcp requires "
          "ECN" },
        { STAR "traffic: [{kind: tcp, senders: 2, size: 1MB, load: 0.3}]}",
               "'load' cannot be combined with 'senders'" },
        { STAR "run: 1ms, traffic: [{kind: tcp, sizes: WebSearch, senders: 2}]}",
               "'senders' cannot be combined with 'sizes'" },
        { STAR "traffic: [{kind: tcp, sizes: WebSearch}]}", "tcp traffic needs an end" },
        { STAR "traffic: [{kind: tcp, size: 1MB}]}", "'senders'" },
        { STAR "traffic: [{kind: tcp, sender: 2, size: 1MB}]}", "did you mean 'senders'?" },
        { STAR "model: hpcc, traffic: [{kind: tcp, senders: 2, size: 1MB}]}", "no tcp in this model" },
        { STAR "switch: {lossy: [8]}, traffic: [{kind: tcp, senders: 2, size: 1MB}]}", "class" },
        { STAR "switch: {ecn_by_class: [{class: 1, kmin: 9KB, kmax: 8KB, pmax: 1}]}, "
               "traffic: [{kind: tcp, senders: 2, size: 1MB}]}", "'kmin' (9 KB) must not be above 'kmax' (8 "
                   "KB)" },
        { STAR "switch: {ecn_by_class: [{class: 1, kmin: 8KB, kmax: 8KB, pmax: 1}, {class: 1, kmin: 8KB, "
               "kmax: 8KB, pmax: 1}]}, traffic: [{kind: tcp, senders: 2, size: 1MB}]}", "the class 1 is "
                   "given twice" },
        { STAR "switch: {ecn_by_class: [{class: 1, kmin: 8KB, kmax: 8KB}]}, "
               "traffic: [{kind: tcp, senders: 2, size: 1MB}]}", "pmax" },
    };

    (void)unused;
    for (uint32_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct scenario s;
        struct err      err;

        if (parse(&s, row[i].text, &err) == 0)
            fail_msg("accepted: %s", row[i].text);
        if (!strstr(err.text, row[i].why) || strncmp(err.text, "s.yaml:1:", 9) != 0)
            fail_msg("'%s' does not contain '%s'", err.text, row[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__defaults),
        cmocka_unit_test(read__lossy_classes),
        cmocka_unit_test(read__settings_are_shared),
        cmocka_unit_test(read__refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
