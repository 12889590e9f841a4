/* tests/knob_text_test.c - a formatted knob is parsed back to the same value. */
#include "core/knob_text.h"
#include "base/rng.h"
#include "tune/setting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void knob_text__by_hand(void **state)
{
    static const struct { enum knob knob; double value; const char *text; } rows[] = {
        { KNOB_kmin, 400, "400KB" },          { KNOB_kmin, 12.5, "12.5KB" },
        { KNOB_pmax, 0.2, "0.2" },            { KNOB_rpg_time_reset, 300, "300us" },
        { KNOB_rpg_ai_rate, 5, "5Mbps" },     { KNOB_rpg_byte_reset, 32767, "32767 blocks" },
        { KNOB_dce_tcp_g, 1019, "1019/1024" }, { KNOB_rpg_min_dec_fac, 49.7, "50%" },
        { KNOB_rpg_gd, 11, "11" },            { KNOB_rate_to_set_on_first_cnp, 800000, "800000Mbps" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char text[KNOB_TEXT_MAX];

        assert_string_equal(knob_text(text, rows[i].knob, rows[i].value), rows[i].text);
    }
}

static void change_text__by_hand(void **state)
{
    static const struct { double was, is; const char *text; } rows[] = {
        { 400, 120, "-70 %" }, { 100, 100.5, "+0.5 %" }, { 0, 5, "" }, { 1, 14, "x14" }, { 10, 0, "-100 %" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char text[KNOB_TEXT_MAX];

        assert_string_equal(knob_change_text(text, rows[i].was, rows[i].is), rows[i].text);
    }
}

/* Returns a value in the range of the knob, mostly not a round number. */
static double draw(struct rng *r, enum knob knob)
{
    const struct knob_info *k = &knob_info[knob];
    double                  x = k->min + rng_real(r) * (k->max - k->min);
    bool is_whole = k->unit != KNOB_US && k->unit != KNOB_MBPS && k->unit != KNOB_KB && k->unit != KNOB_RATIO;

    return is_whole ? floor(x) : x;
}

static void print_yaml__is_read_back_to_the_last_bit(void **state)
{
    struct knobs base, made, read;
    struct rng   r;

    (void)state;
    rng_init(&r, 1, 1);
    knobs_init(&base);
    for (int n = 0; n < 500; n++) {
        char      *text = NULL;
        size_t     length;
        FILE      *out = open_memstream(&text, &length);
        struct err err;

        made = base;
        for (int i = 0; i < KNOB_COUNT; i++)
            if (rng_real(&r) < 0.5)
                made.value[i] = draw(&r, (enum knob)i);
        made.value[KNOB_kmax] = fmax(made.value[KNOB_kmax], made.value[KNOB_kmin]);
        made.value[KNOB_hf2t_max] = fmax(made.value[KNOB_hf2t_max], made.value[KNOB_hf2t_min]);
        knobs_print_yaml(&made, &base, out);
        fclose(out);
        if (setting_parse("t", text, length, &read, &err))
            fail_msg("%s\n%s", err.text, text);
        assert_true(knobs_equal(&read, &made));
        free(text);
    }
}

static void print_yaml__nothing_differs(void **state)
{
    struct knobs base, read;
    char        *text = NULL;
    size_t       length;
    FILE        *out = open_memstream(&text, &length);
    struct err   err;

    (void)state;
    knobs_init(&base);
    knobs_print_yaml(&base, &base, out);
    fclose(out);
    assert_string_equal(text, "{}\n");
    assert_int_equal(setting_parse("t", text, length, &read, &err), 0);
    assert_true(knobs_equal(&read, &base));
    free(text);
}

static void knobs_change_text__lists_what_differs(void **state)
{
    struct knobs a, b;
    char        *text;

    (void)state;
    knobs_init(&a);
    b = a;
    text = knobs_change_text(&a, &b);
    assert_string_equal(text, "nothing");
    free(text);
    b.value[KNOB_kmin] = 120;
    b.value[KNOB_rate_to_set_on_first_cnp] = 50000;          /* from 0: no percentage */
    text = knobs_change_text(&a, &b);
    assert_string_equal(text, "rate_to_set_on_first_cnp 0Mbps -> 50000Mbps, kmin 400KB -> 120KB (-70 %)");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knob_text__by_hand),
        cmocka_unit_test(change_text__by_hand),
        cmocka_unit_test(print_yaml__is_read_back_to_the_last_bit),
        cmocka_unit_test(print_yaml__nothing_differs),
        cmocka_unit_test(knobs_change_text__lists_what_differs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
