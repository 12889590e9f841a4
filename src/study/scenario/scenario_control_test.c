/* src/study/scenario/scenario_control_test.c - one congestion control for all hosts, or different ones for
 * some hosts; combinations that are refused. */
#include "study/scenario/scenario.h"

#include "sim/cc/cc.h"
#include "sim/nic/nic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define STAR    "topology: {kind: star, hosts: 4}\n"
#define INCAST  "traffic: [{kind: incast, senders: 1, size: 1MB}]\n"

static void parse(struct scenario *s, const char *text)
{
    struct err err = { "" };

    if (scenario_parse(s, "s.yaml", text, strlen(text), NULL, 0, NULL, &err))
        fail_msg("%s", err.text);
}

/* Expects an error at this place that contains 'why'. */
static void refuse(const char *text, const char *place, const char *why)
{
    struct scenario s;
    struct err      err = { "" };

    if (scenario_parse(&s, "s.yaml", text, strlen(text), NULL, 0, NULL, &err) == 0)
        fail_msg("accepted: %s", text);
    if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, why))
        fail_msg("'%s' is not '%s...%s'", err.text, place, why);
}

static void scenario_read_cc__name_or_kind(void **state)
{
    const char     *texts[] = { "cc: swift\n" STAR INCAST, "cc: {kind: swift}\n" STAR INCAST };
    char            buf[SIM_CC_TEXT_MAX];
    struct scenario s;

    (void)state;
    for (int i = 0; i < 2; i++) {
        parse(&s, texts[i]);
        assert_ptr_equal(s.cfg.cc, cc_find("swift"));
        assert_int_equal(s.cfg.cc_others, 0);
        assert_null(s.cfg.cc_by_node);
        assert_string_equal(sim_cc_text(&s.cfg, buf), "swift");
        scenario_fini(&s);
    }
    parse(&s, "cc: {others: []}\n" STAR INCAST);
    assert_ptr_equal(s.cfg.cc, cc_find("dcqcn"));
    scenario_fini(&s);
}

static void scenario_read_cc_others__some_hosts(void **state)
{
    struct scenario s;
    struct sim     *sim;
    struct err      err;
    char            buf[SIM_CC_TEXT_MAX];

    (void)state;
    parse(
        &s,
        "cc: {kind: dcqcn, others: [{kind: rlcc, hosts: [h3, h1]}, {kind: swift, hosts: 1}]}\n" STAR INCAST);
    assert_string_equal(sim_cc_text(&s.cfg, buf), "dcqcn, rlcc (2 hosts), swift (1 host)");
    assert_non_null(s.rlcc);                 /* loaded, although it is not the default control */
    assert_int_equal(scenario_start(&s, &sim, &err), 0);
    assert_ptr_equal(sim->net.host[0].cc, cc_find("swift"));
    assert_ptr_equal(sim->net.host[1].cc, cc_find("rlcc"));
    assert_ptr_equal(sim->net.host[2].cc, cc_find("dcqcn"));
    assert_ptr_equal(sim->net.host[3].cc, cc_find("rlcc"));
    assert_ptr_equal(sim->net.host[1].cc_cfg, sim->net.host[3].cc_cfg);
    assert_ptr_not_equal(sim->net.host[0].cc_cfg, sim->net.host[2].cc_cfg);
    sim_free(sim);
    scenario_fini(&s);
}

/* Model uet: flows of class 4 are queue pairs of RoCE with DCQCN, and only that class has PFC. */
static void scenario_read_cc_others__some_classes(void **state)
{
    struct scenario s;
    struct sim     *sim;
    struct err      err;
    char            buf[SIM_CC_TEXT_MAX];

    (void)state;
    parse(
        &s,
        "model: uet\ncc: {kind: nscc, others: [{kind: dcqcn, classes: [4]}]}\nswitch: {lossless: yes}\n" STAR
        "traffic: [{kind: incast, senders: 1, size: 1MB}, {kind: permutation, size: 1MB, prio: 4}]\n");
    assert_string_equal(sim_cc_text(&s.cfg, buf), "nscc, dcqcn (class 4)");
    assert_int_equal(scenario_start(&s, &sim, &err), 0);
    assert_ptr_equal(sim->net.host[0].cc, cc_find("dcqcn"));
    assert_ptr_equal(sim->cfg.cc, cc_find("nscc"));
    assert_ptr_not_equal(sim->net.host[0].cc_cfg, sim->hosts.own_control[0].cfg);
    assert_int_equal(sim->sw.trim.prios, 1 << 3);
    assert_int_equal(sim->sw.lossless_prios & (1 << 3 | 1 << 4 | 1 << 7), 1 << 4);
    assert_true(sim->hosts.pair_rto_ps > sim_settings(sim)->rto_ps);
    sim_free(sim);
    scenario_fini(&s);
}

static void scenario_read_cc_others__refused(void **state)
{
    (void)state;
    refuse("cc: {kind: rlc}\n" STAR INCAST, "s.yaml:1:12: ", "did you mean 'rlcc'?");
    refuse("cc: {king: rlcc}\n" STAR INCAST, "s.yaml:1:6: ", "did you mean 'kind'?");
    refuse("cc: [rlcc]\n" STAR INCAST, "s.yaml:1:5: ", "cc must be a map");
    refuse("cc:\n  kind: rlcc\n  others: [{kind: dcqnc, hosts: 2}]\n" STAR INCAST, "s.yaml:3:19: ",
           "did you mean 'dcqcn'?");
    refuse("cc:\n  kind: rlcc\n  others: [{kind: dcqcn}]\n" STAR INCAST, "s.yaml:3:", "'hosts'");
    refuse("cc:\n  others: [{hosts: 2}]\n" STAR INCAST, "s.yaml:2:", "'kind'");
    refuse("cc:\n  others: [{kind: rlcc, hosts: 5}]\n" STAR INCAST, "s.yaml:2:32: ", "5");
    refuse("cc:\n  others: [{kind: rlcc, hosts: 0}]\n" STAR INCAST, "s.yaml:2:32: ", "0");
    refuse("cc:\n  others: [{kind: rlcc, hosts: []}]\n" STAR INCAST, "s.yaml:2:32: ", "1 hosts or more");
    refuse("cc:\n  others: [{kind: rlcc, hosts: [h9]}]\n" STAR INCAST, "s.yaml:2:33: ", "no host 'h9'");
    refuse("cc:\n  others: [{kind: rlcc, hosts: 2}, {kind: rttcc, hosts: [h1]}]\n" STAR INCAST,
           "s.yaml:2:57: ",
           "the host h1 has a control of its own already");
    refuse("model: hpcc\ncc:\n  others: [{kind: dcqcn, hosts: 2}]\n" STAR INCAST, "s.yaml:3:3: ",
           "need the model nic");
}

/* Controls that need different packet formats, or different answers of receivers, cannot be combined: in
 * either order, and also among 'others'. */
static void scenario_read_cc_others__refuses_incompatible_controls(void **state)
{
    static const struct { const char *a, *b, *why; } row[] = {
        { "hpcc", "dcqcn", "telemetry in the headers" }, { "hpcc_pint", "hpcc", "telemetry in the headers" },
        { "dctcp", "dcqcn", "marks into ACKs" },         { "dctcp", "rttcc", "marks into ACKs" },
        { "dcqcn_plus", "dcqcn", "in turn" },            { "dcqcn_plus", "rlcc", "in turn" },
    };
    char text[300];

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int k = 0; k < 2; k++) {
            const char *a = k ? row[i].b : row[i].a, *b = k ? row[i].a : row[i].b;

            snprintf(text, sizeof text, "cc:\n  kind: %s\n  others: [{kind: %s, hosts: 2}]\n" STAR INCAST, a,
                     b);
            refuse(text, "s.yaml:3:19: ", row[i].why);
            snprintf(text, sizeof text, "cc:\n  kind: none\n  others:\n    - {kind: %s, hosts: [h0]}\n    - "
                "{kind: %s, hosts: [h1]}\n"
                     STAR INCAST, a, b);
            refuse(text, "s.yaml:", "do not go together");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_read_cc__name_or_kind),
        cmocka_unit_test(scenario_read_cc_others__some_hosts),
        cmocka_unit_test(scenario_read_cc_others__some_classes),
        cmocka_unit_test(scenario_read_cc_others__refused),
        cmocka_unit_test(scenario_read_cc_others__refuses_incompatible_controls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
