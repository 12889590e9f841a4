#include "tune/tuner.h"
#include "tune/test_report.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern const struct tuner_algo tuner_paraleon, tuner_naive_sa, tuner_fixed;

static void find__knows_all_names(void **unused)
{
    const struct tuner_alias *alias;
    const char *tuner_names[TUNER_NAMES_MAX + 1];
    int n = 0;

    (void)unused;
    tuner_list_names(tuner_names);
    for (int i = 0; tuner_all[i]; i++, n++) {
        assert_string_equal(tuner_names[n], tuner_all[i]->name);
        assert_ptr_equal(tuner_all[i], tuner_find(tuner_names[n], &alias));
        assert_null(alias);
    }
    for (int i = 0; tuner_aliases[i].name; i++, n++) {
        assert_string_equal(tuner_names[n], tuner_aliases[i].name);
        assert_string_equal(tuner_aliases[i].tuner, tuner_find(tuner_names[n], &alias)->name);
        assert_ptr_equal(&tuner_aliases[i], alias);
    }
    assert_null(tuner_names[n]);
    assert_null(tuner_find("paraleo", &alias));
    assert_null(alias);
}

/* Every alias can be opened with the option that it stands for. */
static void aliases__are_options_of_their_tuner(void **unused)
{
    struct world world = test_world(1);

    (void)unused;
    for (const struct tuner_alias *a = tuner_aliases; a->name; a++) {
        const struct test_option option[] = { { a->option, a->value }, { NULL, NULL } };
        const struct tuner_alias *alias;
        struct tuner tuner;

        assert_int_equal(0, test_open(&tuner, tuner_find(a->name, &alias), &world, option, NULL));
        tuner_close(&tuner);
    }
}

static void assert_row(const struct key_row *o)
{
    struct key_value v;

    assert_non_null(o->about);
    assert_true(strlen(o->about) > 3 && !strchr(o->about, '\n'));
    assert_int_equal(0, key_parse(o, o->initial, &v, NULL));
    if (o->unit == KEY_REAL || o->unit == KEY_COUNT)
        assert_true(o->min < o->max);
}

static void options__make_sense(void **unused)
{
    (void)unused;
    for (int i = 0; tuner_all[i]; i++) {
        const struct key_row *o = tuner_all[i]->option;
        int n = 0;

        for (; o[n].name; n++) {
            assert_row(&o[n]);
            for (int before = 0; before < n; before++)
                assert_string_not_equal(o[before].name, o[n].name);
        }
        assert_true(n <= OPTIONS_MAX);
    }
}

static double value_of(const struct option_values *v, const char *name)
{
    int i = 0;

    while (strcmp(tuner_paraleon.option[i].name, name) != 0)
        i++;
    return v->is_given[i] ? v->value[i] : -1;
}

static void set__reads_values(void **unused)
{
    static const struct { const char *name, *text; double value; } row[] = {
        { "theta", "0.05", 0.05 }, { "eta", "80%", 0.8 }, { "confirm", "7", 7 }, { "guided", "no", 0 },
        { "guided", "on", 1 }, { "space", "safe", 0 }, { "space", "artifact", 1 }, { "budget", "1e3", 1000 },
    };
    struct option_values v;

    (void)unused;
    option_values_init(tuner_paraleon.option, &v);
    assert_true(value_of(&v, "theta") == -1);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        assert_int_equal(0, option_values_set(tuner_paraleon.option, tuner_paraleon.name, &v, row[i].name,
                                              row[i].text, NULL));
        assert_true(value_of(&v, row[i].name) == row[i].value);
    }
    option_values_fini(&v);
}

static void set__refuses_with_a_suggestion(void **unused)
{
    static const struct { const char *name, *text, *why; } row[] = {
        { "thta", "0.1", "'thta' is not an option of paraleon; did you mean 'theta'?" },
        { "colour", "0.1", "'colour' is not an option of paraleon; there are preset, temperature_start, "
          "temperature_end, iterations, eta, guided, mutate_from, first_always, mutate_count, "
          "utility_scale, trigger, theta and 24 more" },
        { "theta", "0", "theta must be 1e-09 .. 1000000000, not 0" },
        { "theta", "x", "theta: 'x' is not a number; write 0.3, 30%, 2e6" },
        { "theta", "nan", "theta: 'nan' is not a number; write 0.3, 30%, 2e6" },
        { "confirm", "1.5", "confirm: '1.5' is not a whole number" },
        { "confirm", "-1", "confirm: '-1' is negative" },
        { "reread", "perhaps", "reread: 'perhaps' is neither true nor false" },
        { "metrics", "artefact",
          "'artefact' is not a value of metrics; did you mean 'artifact'?" },
        { "space", "outer",
          "'outer' is not a value of space; there are safe, artifact, paper and poster" },
    };
    struct option_values v;

    (void)unused;
    option_values_init(tuner_paraleon.option, &v);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct option_values before = v;
        struct err err = { "" };

        assert_true(option_values_set(tuner_paraleon.option, tuner_paraleon.name, &v, row[i].name,
                                      row[i].text, &err) < 0);
        assert_string_equal(row[i].why, err.text);
        assert_memory_equal(&before, &v, sizeof v);
    }
    option_values_fini(&v);
}

static void set__owns_its_text(void **unused)
{
    struct option_values v;
    char text[] = "expert";
    struct err err = { "" };

    (void)unused;
    option_values_init(tuner_fixed.option, &v);
    assert_string_equal("default", v.text[0]);
    assert_int_equal(0, option_values_set(tuner_fixed.option, tuner_fixed.name, &v, "setting", text, NULL));
    text[0] = 'X';
    assert_string_equal("expert", v.text[0]);
    assert_true(option_values_set(tuner_fixed.option, tuner_fixed.name, &v, "setting", "", &err) < 0);
    assert_string_equal("setting must not be empty", err.text);
    option_values_fini(&v);
    assert_null(v.text[0]);
}

/* The budget is 90 temperatures of 10 settings, unless it is given. A tuner without options to fill has no
 * fill(). */
static void fill__writes_effective_values(void **unused)
{
    static const struct { const char *option, *text; double budget; } row[] = {
        { "theta", "0.1", 900 }, { "budget", "12", 12 },
    };
    struct option_values v;
    int budget = 0;

    (void)unused;
    while (strcmp(tuner_naive_sa.option[budget].name, "budget") != 0)
        budget++;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        option_values_init(tuner_naive_sa.option, &v);
        assert_int_equal(0, option_values_set(tuner_naive_sa.option, tuner_naive_sa.name, &v, row[i].option,
                                              row[i].text, NULL));
        tuner_naive_sa.fill(&v);
        assert_true(v.value[budget] == row[i].budget);
        assert_true(v.is_given[budget] == (strcmp(row[i].option, "budget") == 0));
        option_values_fini(&v);
    }
    assert_null(tuner_fixed.fill);
}

static void step__hands_over_an_empty_note(void **unused)
{
    struct world world = test_world(1);
    struct test_net net;
    struct tuner tuner;
    struct tuner_note note;

    (void)unused;
    memset(&note, 7, sizeof note);
    assert_int_equal(0, test_open(&tuner, &tuner_fixed, &world, TEST_NO_OPTIONS, NULL));
    tuner_step(&tuner, test_report(&net, 0.5, 0.5, 1, 0.5), &world.start, &note);
    assert_true(isnan(note.utility) && isnan(note.temperature) && isnan(note.divergence));
    assert_int_equal(TUNER_NO_VERDICT, note.verdict);
    tuner_close(&tuner);
    tuner_close(&tuner);         /* a second close does nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find__knows_all_names),
        cmocka_unit_test(aliases__are_options_of_their_tuner),
        cmocka_unit_test(options__make_sense),
        cmocka_unit_test(set__reads_values),
        cmocka_unit_test(set__refuses_with_a_suggestion),
        cmocka_unit_test(set__owns_its_text),
        cmocka_unit_test(fill__writes_effective_values),
        cmocka_unit_test(step__hands_over_an_empty_note),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
