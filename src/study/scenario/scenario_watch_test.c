/* src/study/scenario/scenario_watch_test.c - the sections monitor and tuner. */
#include "core/units.h"
#include "study/scenario/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* lines 1 and 2 */
#define NETWORK "topology: {kind: star, hosts: 4}\ntraffic: [{kind: incast, senders: 3, size: 1MB}]\n"

struct row { const char *text, *set, *message; };

static int parse(struct scenario *s, const char *text, const char *set, struct err *err)
{
    char whole[600] = NETWORK;

    strcat(whole, text);
    return scenario_parse(s, "s.yaml", whole, strlen(whole), &set, set != NULL, NULL, err);
}

static void read_text(struct scenario *s, const char *text, const char *set)
{
    struct err err = { "" };

    if (parse(s, text, set, &err))
        fail_msg("%s", err.text);
}

static void refuse_all(const struct row *row)
{
    for (; row->text; row++) {
        struct scenario s;
        struct err      err = { "" };

        if (parse(&s, row->text, row->set, &err) == 0)
            fail_msg("accepted: %s %s", row->text, row->set ? row->set : "");
        assert_string_equal(err.text, row->message);
        assert_null(s.tuner.kind);           /* nothing is left */
        assert_null(s.tuner.option);
    }
}

/* ---- monitor ---- */

static void monitor__is_a_name_a_list_or_a_map(void **unused)
{
    static const struct { const char *text, *set, *names[4]; } rows[] = {
        { "", NULL, { NULL } },
        { "monitor: netflow\n", NULL, { "netflow" } },
        { "monitor: [exact, paraleon]\n", NULL, { "exact", "paraleon" } },
        { "monitor: {kind: host, requests: 64}\n", NULL, { "host" } },
        { "monitor: {kind: [elastic, exact, none]}\n", NULL, { "elastic", "exact", "none" } },
        { "monitor: {tau: 2MB}\n", NULL, { NULL } },         /* for a monitor that the tuner adds */
        { "monitor: netflow\n", "monitor=[paraleon, exact]", { "paraleon", "exact" } },
        { "", "monitor.kind=exact", { "exact" } },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct scenario s;
        uint32_t        n = 0;

        read_text(&s, rows[i].text, rows[i].set);
        for (; rows[i].names[n]; n++)
            assert_string_equal(s.watch.monitor[n]->name, rows[i].names[n]);
        assert_int_equal(s.watch.monitors, n);
        scenario_fini(&s);
    }
}

static void monitor__has_initial_values(void **unused)
{
    struct scenario           s;
    const struct monitor_cfg *cfg = &s.watch.cfg;

    (void)unused;
    read_text(&s, "monitor: paraleon\nseed: 7\n", NULL);
    assert_int_equal(cfg->states.tau_bytes, 1000000);
    assert_int_equal(cfg->states.delta, 3);
    assert_int_equal(cfg->states.share, FLOW_SHARE_SIZE);
    assert_false(cfg->states.with_bins);
    assert_int_equal(cfg->sketch.heavy_bytes, 150 * 1024);
    assert_int_equal(cfg->sketch.light_bytes, 450 * 1024);
    assert_false(cfg->heavy_only);
    assert_int_equal(cfg->netflow_one_in, 100);
    assert_int_equal(cfg->netflow_export_ps, PS_PER_S);
    assert_int_equal(cfg->host_requests, 1024);
    assert_int_equal(cfg->seed, 7);
    scenario_fini(&s);
}

static void monitor__reads_given_values(void **unused)
{
    struct scenario           s;
    const struct monitor_cfg *cfg = &s.watch.cfg;

    (void)unused;
    read_text(&s, "monitor:\n  kind: [paraleon, netflow, host]\n  tau: 2MB\n  delta: 5\n  share: sigmoid\n"
                  "  heavy: 64KiB\n  light: 32KiB\n  heavy_only: yes\n  bins: yes\n  sample: 10\n"
                  "  export: 10ms\n  requests: 32\n", "monitor.delta=6");
    assert_int_equal(s.watch.monitors, 3);
    assert_int_equal(cfg->states.tau_bytes, 2000000);
    assert_int_equal(cfg->states.delta, 6);              /* from the command line */
    assert_int_equal(cfg->states.share, FLOW_SHARE_SIGMOID);
    assert_int_equal(cfg->sketch.heavy_bytes, 64 * 1024);
    assert_int_equal(cfg->sketch.light_bytes, 32 * 1024);
    assert_true(cfg->heavy_only);
    assert_true(cfg->states.with_bins);
    assert_int_equal(cfg->netflow_one_in, 10);
    assert_int_equal(cfg->netflow_export_ps, 10 * PS_PER_MS);
    assert_int_equal(cfg->host_requests, 32);
    scenario_fini(&s);
    read_text(&s, "monitor: {kind: paraleon, share: artifact}\n", NULL);
    assert_int_equal(s.watch.cfg.states.share, FLOW_SHARE_ARTIFACT);
    scenario_fini(&s);
}

static void monitor__is_refused_with_the_location(void **unused)
{
    static const struct row rows[] = {
        { "monitor: exakt\n", NULL, "s.yaml:3:10: 'exakt' is not a monitor; did you mean 'exact'?" },
        { "monitor: telescope\n", NULL, "s.yaml:3:10: 'telescope' is not a monitor; there are paraleon, "
          "elastic, netflow, host, none and exact" },
        { "monitor:\n  kind: paraloen\n", NULL,
          "s.yaml:4:9: 'paraloen' is not a monitor; did you mean 'paraleon'?" },
        { "monitor: [exact, nteflow]\n", NULL,
          "s.yaml:3:18: 'nteflow' is not a monitor; did you mean 'netflow'?" },
        { "monitor: [exact, [none]]\n", NULL, "s.yaml:3:18: 'this' is not a monitor" },
        { "monitor: [exact, none, exact]\n", NULL, "s.yaml:3:24: the monitor exact is listed twice" },
        { "monitor: {kind: [host, host]}\n", NULL, "s.yaml:3:24: the monitor host is listed twice" },
        { "monitor: {tua: 1MB}\n", NULL, "s.yaml:3:11: 'tua' is not a key of monitor; did you mean 'tau'?" },
        { "monitor: {tau: 0}\n", NULL, "s.yaml:3:16: tau must be 1 B .. 4.295 GB, not 0" },
        { "monitor: {tau: 5us}\n", NULL, "s.yaml:3:16: tau: '5us' is not a size; write 1500, 64KB, 32MiB" },
        { "monitor:\n  kind: exact\n  delta: 0\n", NULL, "s.yaml:5:10: delta must be 1 .. 65534, not 0" },
        { "monitor: {share: half}\n", NULL,
          "s.yaml:3:18: 'half' is not a value of share; there are size, sigmoid and artifact" },
        { "monitor: {share: sise}\n", NULL,
          "s.yaml:3:18: 'sise' is not a value of share; did you mean 'size'?" },
        { "monitor: {heavy: 63}\n", NULL, "s.yaml:3:18: heavy must be 64 B .. 1.074 GB, not 63" },
        { "monitor: {light: 1}\n", NULL, "s.yaml:3:18: light must be 2 B .. 1.074 GB, not 1" },
        { "monitor: {sample: 0}\n", NULL, "s.yaml:3:19: sample must be 1 .. 1073741824, not 0" },
        { "monitor: {export: 0s}\n", NULL, "s.yaml:3:19: export must be 1 ps .. 1000000 s, not 0s" },
        { "monitor: {requests: 0}\n", NULL, "s.yaml:3:21: requests must be 1 .. 16777216, not 0" },
        { "", "monitor=exakt", "--set monitor=exakt: 'exakt' is not a monitor; did you mean 'exact'?" },
        { "monitor: {kind: exact}\n", "monitor.tau=0",
          "--set monitor.tau=0: tau must be 1 B .. 4.295 GB, not 0" },
        { NULL, NULL, NULL },
    };

    (void)unused;
    refuse_all(rows);
}

/* ---- tuner ---- */

static void tuner__is_a_name_or_a_map(void **unused)
{
    struct scenario s;

    (void)unused;
    read_text(&s, "", NULL);
    assert_null(s.tuner.kind);
    scenario_fini(&s);
    read_text(&s, "tuner: paraleon\n", NULL);
    assert_string_equal(s.tuner.kind, "paraleon");
    assert_string_equal(s.tuner.place, "s.yaml:3:8: ");
    assert_int_equal(s.tuner.options, 0);
    assert_int_equal(s.tuner.start_ps, 0);
    scenario_fini(&s);
    read_text(&s, "tuner:\n  start: 3ms\n  kind: fixed\n", NULL);
    assert_string_equal(s.tuner.kind, "fixed");
    assert_string_equal(s.tuner.place, "s.yaml:5:9: ");
    assert_int_equal(s.tuner.options, 0);
    assert_int_equal(s.tuner.start_ps, 3 * PS_PER_MS);
    scenario_fini(&s);
    read_text(&s, "tuner: {kind: fixed, monitor_delay: 2ms, dispatch_delay: 30us}\n", NULL);
    assert_true(s.tuner.monitor_delay_ps == 2 * PS_PER_MS && s.tuner.dispatch_delay_ps == 30 * PS_PER_US);
    assert_int_equal(s.tuner.options, 0);
    scenario_fini(&s);
}

/* Options are kept as written, in their order. The tuner decides whether it has such an option. */
static void tuner__keeps_options_with_their_places(void **unused)
{
    static const struct option_text want[] = {
        { "theta", "0.05", "s.yaml:5:3: " },
        { "nonsense", "a b", "s.yaml:6:3: " },
        { "guided", "no", "--set tuner.guided=no: " },
    };
    struct scenario s;

    (void)unused;
    read_text(&s, "tuner:\n  kind: paraleon\n  theta: 0.05\n  nonsense: a b\n", "tuner.guided=no");
    assert_int_equal(s.tuner.options, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(s.tuner.option[i].key, want[i].key);
        assert_string_equal(s.tuner.option[i].text, want[i].text);
        assert_string_equal(s.tuner.option[i].place, want[i].place);
    }
    scenario_fini(&s);
}

/* Values of the command line replace those of the file. */
static void tuner__is_changed_by_the_command_line(void **unused)
{
    struct scenario s;

    (void)unused;
    read_text(&s, "tuner: {kind: paraleon, theta: 0.05}\n", "tuner.theta=0.1");
    assert_int_equal(s.tuner.options, 1);
    assert_string_equal(s.tuner.option[0].text, "0.1");
    scenario_fini(&s);
    read_text(&s, "tuner: {kind: paraleon, theta: 0.05}\n", "tuner=expert");
    assert_string_equal(s.tuner.kind, "expert");
    assert_string_equal(s.tuner.place, "--set tuner=expert: ");
    assert_int_equal(s.tuner.options, 0);
    scenario_fini(&s);
    read_text(&s, "", "tuner={kind: random, budget: 5, start: 1ms}");
    assert_string_equal(s.tuner.kind, "random");
    assert_string_equal(s.tuner.option[0].place, "--set tuner={kind: random, budget: 5, start: 1ms}: ");
    assert_int_equal(s.tuner.start_ps, PS_PER_MS);
    scenario_fini(&s);
}

/* The command line may add options to a section that is only a name. */
static void tuner__reads_options_next_to_a_name(void **unused)
{
    struct scenario s;

    (void)unused;
    read_text(&s, "tuner: chameleon\n", "tuner.beta=0.02");
    assert_string_equal(s.tuner.kind, "chameleon");
    assert_string_equal(s.tuner.place, "s.yaml:3:8: ");
    assert_int_equal(s.tuner.options, 1);
    assert_string_equal(s.tuner.option[0].key, "beta");
    assert_string_equal(s.tuner.option[0].text, "0.02");
    assert_string_equal(s.tuner.option[0].place, "--set tuner.beta=0.02: ");
    scenario_fini(&s);
    read_text(&s, "monitor: netflow\n", "monitor.sample=7");
    assert_string_equal(s.watch.monitor[0]->name, "netflow");
    assert_int_equal(s.watch.cfg.netflow_one_in, 7);
    scenario_fini(&s);
}

/* 'record' is not an option of the tuner's algorithm: it requests a record of what the tuner sees and
 * sets. */
static void tuner__may_be_recorded(void **unused)
{
    static const struct { const char *text, *set; bool is_recorded; const char *place; } rows[] = {
        { "tuner: acc\n", NULL, false, NULL },
        { "tuner: {kind: acc, record: yes}\n", NULL, true, "s.yaml:3:28: " },
        { "tuner: {record: off, kind: acc}\n", NULL, false, "s.yaml:3:17: " },
        { "tuner: acc\n", "tuner.record=yes", true, "--set tuner.record=yes: " },
        { "tuner: {kind: acc, record: yes}\n", "tuner.record=no", false, "--set tuner.record=no: " },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct scenario s;

        read_text(&s, rows[i].text, rows[i].set);
        assert_int_equal(s.tuner.is_recorded, rows[i].is_recorded);
        assert_int_equal(s.tuner.options, 0);
        if (rows[i].place)
            assert_string_equal(s.tuner.record_place, rows[i].place);
        else
            assert_null(s.tuner.record_place);
        scenario_fini(&s);
    }
}

static void tuner__is_refused_with_the_location(void **unused)
{
    static const struct row rows[] = {
        { "tuner: {theta: 0.1}\n", NULL, "s.yaml:3:8: 'kind' is missing in tuner" },
        { "tuner: [paraleon]\n", NULL, "s.yaml:3:8: which tuner? see anole list tuner" },
        { "tuner:\n", NULL, "s.yaml:3:7: which tuner? see anole list tuner" },
        { "tuner: {kind: [paraleon]}\n", NULL, "s.yaml:3:15: which tuner? see anole list tuner" },
        { "tuner: {kind: paraleon, theta: [1]}\n", NULL, "s.yaml:3:32: 'theta' must be a single value" },
        { "tuner: {kind: paraleon, eta: 0.7, start: 5KB}\n", NULL,
          "s.yaml:3:42: start: '5KB' is not a time; write 5us, 3ms, 200ns" },
        { "tuner: {kind: paraleon, start: [1ms]}\n", NULL, "s.yaml:3:32: 'start' must be a single value, "
          "not a list" },
        { "tuner: {kind: acc, record: maybe}\n", NULL, "s.yaml:3:28: record: 'maybe' is neither true nor "
          "false" },
        { "tuner: {kind: acc, record: [yes]}\n", NULL, "s.yaml:3:28: 'record' must be a single value, not a "
          "list" },
        { "tuner: {kind: acc, record: yes, start: soon}\n", NULL,
          "s.yaml:3:40: start: 'soon' is not a time; write 5us, 3ms, 200ns" },
        { "tuner: {kind: paraleon}\n", "tuner.theta=[1]",
          "--set tuner.theta=[1]: 'theta' must be a single value" },
        { "", "tuner.theta=1", "--set tuner.theta=1: 'kind' is missing in tuner" },
        { NULL, NULL, NULL },
    };

    (void)unused;
    refuse_all(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monitor__is_a_name_a_list_or_a_map),
        cmocka_unit_test(monitor__has_initial_values),
        cmocka_unit_test(monitor__reads_given_values),
        cmocka_unit_test(monitor__is_refused_with_the_location),
        cmocka_unit_test(tuner__is_a_name_or_a_map),
        cmocka_unit_test(tuner__keeps_options_with_their_places),
        cmocka_unit_test(tuner__is_changed_by_the_command_line),
        cmocka_unit_test(tuner__reads_options_next_to_a_name),
        cmocka_unit_test(tuner__may_be_recorded),
        cmocka_unit_test(tuner__is_refused_with_the_location),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
