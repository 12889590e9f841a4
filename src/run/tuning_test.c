/* src/run/tuning_test.c - from what a scenario says to a tuner. */
#include "run/tuning.h"
#include "run/simulation.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define NETWORK "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n" \
                "traffic: [{kind: poisson, load: 0.3, sizes: FB_Hadoop}]\ninterval: 50us\nrun: 300us\n"

static int open_text(struct simulation *s, const char *text, const char *const *set, uint32_t sets,
                     struct err *err)
{
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text),
                                      .set = set, .sets = sets };

    return simulation_open(s, &input, err);
}

static double value_of(const struct tuning *g, const char *option)
{
    for (int i = 0; g->algo->option[i].name; i++)
        if (strcmp(g->algo->option[i].name, option) == 0)
            return g->values.value[i];
    fail_msg("no option %s", option);
    return 0;
}

/* ---- options ---- */

static void open__takes_options_of_the_scenario(void **state)
{
    struct simulation s;
    struct err        err;

    (void)state;
    if (open_text(&s, NETWORK "tuner: {kind: paraleon, eta: 0.7, guided: no, start: 100us}\n", NULL, 0, &err))
        fail_msg("%s", err.text);
    assert_string_equal(s.tuning.algo->name, "paraleon");
    assert_true(value_of(&s.tuning, "eta") == 0.7);
    assert_true(value_of(&s.tuning, "guided") == 0);
    assert_true(value_of(&s.tuning, "cooling") == 0.85);
    simulation_run(&s, NULL, NULL);
    assert_int_equal(s.tuning.steps, 4);         /* 100 to 300 us */
    assert_int_equal(s.tuning.step[0].start_ps, 100 * PS_PER_US);
    simulation_close(&s);
}

static void open__an_alias_is_a_tuner_with_an_option(void **state)
{
    struct simulation s;
    struct err        err;

    (void)state;
    if (open_text(&s, NETWORK "tuner: expert\n", NULL, 0, &err))
        fail_msg("%s", err.text);
    assert_string_equal(s.tuning.algo->name, "fixed");
    simulation_run(&s, NULL, NULL);
    assert_true(s.sim->cfg.knobs.value[KNOB_rpg_ai_rate] == 50);
    simulation_close(&s);
}

/* 14 temperatures of 20 settings, utility not in percent: nobody gave these, and yet they are what the
 * tuner has. */
static void open__keeps_the_values_in_force(void **state)
{
    struct simulation s;
    struct err        err;
    uint32_t          given = 0;

    (void)state;
    if (open_text(&s, NETWORK "tuner: {kind: paraleon_published, eta: 0.7}\n", NULL, 0, &err))
        fail_msg("%s", err.text);
    assert_true(value_of(&s.tuning, "budget") == 280);
    assert_true(value_of(&s.tuning, "utility_scale") == 1);
    assert_true(value_of(&s.tuning, "eta") == 0.7);
    for (int i = 0; i < OPTIONS_MAX; i++)
        given += s.tuning.values.is_given[i];
    assert_int_equal(given, 2);                  /* preset and eta */
    simulation_close(&s);
}

static void needs_bins__if_the_tuner_looks_at_them(void **state)
{
    static const struct { const char *tuner; bool needs; } rows[] = {
        { "tuner: {kind: random, bins: log}\n", true }, { "tuner: random\n", false },
        { "tuner: expert\n", false },
    };

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct simulation s;
        struct err        err;
        char              text[600];

        snprintf(text, sizeof(text), NETWORK "%s", rows[i].tuner);
        if (open_text(&s, text, NULL, 0, &err))
            fail_msg("%s", err.text);
        assert_true(tuning_needs_bins(&s.tuning) == rows[i].needs);
        assert_true(s.scenario.watch.cfg.states.with_bins == rows[i].needs);
        simulation_close(&s);
    }
}

static void open__refuses_with_the_place(void **state)
{
    static const struct { const char *tuner, *set, *message; } rows[] = {
        { "tuner: paralon\n", NULL, "test.yaml:5:8: 'paralon' is not a tuner; did you mean 'paraleon'?" },
        { "tuner: xylophone\n", NULL, "test.yaml:5:8: 'xylophone' is not a tuner; see anole list tuner" },
        { "tuner:\n  kind: paraleon\n  thta: 1\n", NULL,
          "test.yaml:7:3: 'thta' is not an option of paraleon; did you mean 'theta'?" },
        { "tuner:\n  kind: paraleon\n  theta: 0\n", NULL, "test.yaml:7:3: 'theta' must be a number" },
        { "tuner:\n  kind: paraleon\n  weights: fixed\n  weight_throughput: 0.5\n  weight_rtt: 0.5\n"
          "  weight_pfc: 0.5\n", NULL,
          "test.yaml:8:3: weight_throughput: the weights 0.5, 0.5 and 0.5 sum to 1.5" },
        { "tuner: {kind: fixed, setting: exprt}\n", NULL, "test.yaml:5:" },
        { "tuner:\n  kind: paraleon\n  record: yes\n", NULL,
          "test.yaml:7:11: record: the tuner paraleon does not set queues slot by slot" },
        { "tuner: {record: yes, kind: secn2}\n", NULL,
          "test.yaml:5:17: record: the tuner secn2 does not set queues slot by slot" },
        { "tuner: vendor\n", "tuner.record=yes",
          "--set tuner.record=yes: record: the tuner vendor does not set queues slot by slot" },
        { "", "tuner=paralon", "--set tuner=paralon: 'paralon' is not a tuner; did you mean 'paraleon'?" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct simulation s;
        struct err        err = { "" };
        char              text[600];

        snprintf(text, sizeof(text), NETWORK "%s", rows[i].tuner);
        assert_true(open_text(&s, text, &rows[i].set, rows[i].set != NULL, &err) < 0);
        if (strncmp(err.text, rows[i].message, strlen(rows[i].message)) != 0)
            fail_msg("%s: %s", rows[i].message, err.text);
    }
}

/* A file of knobs lies beside the scenario, wherever the program was started. */
static void open__a_file_is_looked_for_beside_the_scenario(void **state)
{
    static const char text[] = NETWORK "tuner: {kind: fixed, setting: k.yaml}\n";
    char              folder[] = "/tmp/anole-tuning-XXXXXX", name[64], file[64];
    struct simulation_input input = { .name = name, .text = text, .text_bytes = strlen(text) };
    struct simulation s;
    struct err        err;
    FILE             *out;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof(name), "%s/s.yaml", folder);
    snprintf(file, sizeof(file), "%s/k.yaml", folder);
    out = fopen(file, "w");
    assert_non_null(out);
    fputs("kmin: 77KB\n", out);
    fclose(out);
    if (simulation_open(&s, &input, &err))
        fail_msg("%s", err.text);
    simulation_run(&s, NULL, NULL);
    assert_true(s.sim->cfg.knobs.value[KNOB_kmin] == 77);
    simulation_close(&s);
    unlink(file);
    rmdir(folder);
}

/* ---- its history ---- */

static void print__every_line_is_json(void **state)
{
    struct simulation s;
    struct err        err;
    char             *text = NULL, *rest, *line;
    size_t            length;
    uint32_t          lines = 0;
    FILE             *out = open_memstream(&text, &length);

    (void)state;
    if (open_text(&s, NETWORK "tuner: {kind: random, trigger: once, budget: 2}\n", NULL, 0, &err))
        fail_msg("%s", err.text);
    simulation_run(&s, NULL, NULL);
    assert_int_equal(s.tuning.steps, 6);
    tuning_print(&s.tuning, out);
    fclose(out);
    for (rest = text; (line = strsep(&rest, "\n")) && *line; lines++) {
        json_t *o = json_loads(line, 0, NULL);

        assert_non_null(o);
        assert_true(lines == 0 ? json_is_string(json_object_get(o, "tuner"))
                               : json_number_value(json_object_get(o, "end_us")) == 50 * lines);
        assert_int_equal(json_object_size(json_object_get(o, "knobs")), lines == 0 ? KNOB_COUNT : 0);
        json_decref(o);
    }
    assert_int_equal(lines, 7);
    free(text);
    simulation_close(&s);
}

/* The head tells every option as people write it: a word, yes or no, a number. */
static void print__options_as_people_write_them(void **state)
{
    struct simulation s;
    struct err        err;
    char             *text = NULL;
    size_t            length;
    FILE             *out = open_memstream(&text, &length);
    json_t           *head, *options;

    (void)state;
    if (open_text(&s, NETWORK "tuner: paraleon\n", NULL, 0, &err))
        fail_msg("%s", err.text);
    tuning_print(&s.tuning, out);
    fclose(out);
    head = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
    options = json_object_get(head, "options");
    assert_string_equal(json_string_value(json_object_get(options, "preset")), "corrected");
    assert_string_equal(json_string_value(json_object_get(options, "known")), "yes");
    assert_true(json_number_value(json_object_get(options, "give_up")) == 6);
    assert_true(json_number_value(json_object_get(options, "cooling")) == 0.85);
    json_decref(head);
    free(text);
    simulation_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open__takes_options_of_the_scenario),
        cmocka_unit_test(open__an_alias_is_a_tuner_with_an_option),
        cmocka_unit_test(open__keeps_the_values_in_force),
        cmocka_unit_test(needs_bins__if_the_tuner_looks_at_them),
        cmocka_unit_test(open__refuses_with_the_place),
        cmocka_unit_test(open__a_file_is_looked_for_beside_the_scenario),
        cmocka_unit_test(print__every_line_is_json),
        cmocka_unit_test(print__options_as_people_write_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
