/* src/tune/history_test.c - a history is read as it stands, or refused with its line. */
#include "tune/history.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define HEAD \
    "{\"tuner\":\"paraleon\",\"options\":{\"preset\":\"corrected\",\"eta\":0.8}," \
    "\"knobs\":{\"kmin\":100,\"kmax\":400}}\n"
#define STEP "{\"start_us\":0,\"end_us\":1000,\"phase\":\"watch\",\"why\":\"w\",\"set\":{\"kmin\":200}}\n"

static void parse__reads_head_and_steps(void **state)
{
    static const char text[] = HEAD STEP
        "{\"start_us\":1000,\"end_us\":2000,\"phase\":\"search\",\"goodput_gbps\":12.5,\"rtt_us\":20,"
        "\"paused_us\":0,\"utility\":0.5,\"utility_throughput\":0.1,\"utility_rtt\":0.2,\"utility_pfc\":0.3,"
        "\"divergence\":0.04,\"elephants\":0.25,\"temperature\":90,\"verdict\":\"best\",\"why\":\"better\","
        "\"set\":{\"pmax\":0.1},\"later\":[1]}";
    struct history             h;
    struct err                 err;
    const struct history_step *s;

    (void)state;
    assert_int_equal(history_parse(&h, "t", text, strlen(text), &err), 0);
    assert_string_equal(h.tuner, "paraleon");
    assert_int_equal(h.options, 2);
    assert_string_equal(h.option[0].name, "preset");
    assert_string_equal(h.option[0].text, "corrected");
    assert_string_equal(h.option[1].text, "0.8");
    assert_true(h.first.value[KNOB_kmin] == 100 && h.first.value[KNOB_kmax] == 400);
    assert_true(h.first.value[KNOB_pmax] == 0.2);            /* not in the file: the initial one */
    assert_int_equal(h.steps, 2);
    s = &h.step[0];
    assert_true(s->was.value[KNOB_kmin] == 100 && s->is.value[KNOB_kmin] == 200);
    assert_true(isnan(s->utility) && isnan(s->rtt_us) && s->verdict == TUNER_NO_VERDICT);
    s = &h.step[1];
    assert_true(s->start_us == 1000 && s->end_us == 2000 && s->goodput_gbps == 12.5 && s->rtt_us == 20);
    assert_true(s->paused_us == 0 && s->utility == 0.5 && s->utility_throughput == 0.1);
    assert_true(s->utility_rtt == 0.2 && s->utility_pfc == 0.3 && s->divergence == 0.04);
    assert_true(s->elephants == 0.25 && s->temperature == 90);
    assert_int_equal(s->verdict, TUNER_BEST);
    assert_string_equal(s->why, "better");
    assert_true(s->was.value[KNOB_kmin] == 200 && s->is.value[KNOB_kmin] == 200);
    assert_true(s->was.value[KNOB_pmax] == 0.2 && s->is.value[KNOB_pmax] == 0.1);
    history_fini(&h);
}

static void parse__refuses_with_the_line(void **state)
{
    static const struct { const char *text, *message; } rows[] = {
        { "", "t:1:1: the file is empty" },
        { "\n", "t:1:1: this is not JSON" },
        { "[]\n", "t:1:1: this is no map" },
        { "{\"tuner\": }\n", "t:1:11: this is not JSON" },
        { "{\"options\":{}}\n", "t:1:1: 'tuner' is missing" },
        { "{\"tuner\":7}\n", "t:1:1: 'tuner' must be a text" },
        { "{\"tuner\":\"x\",\"options\":{}}\n", "t:1:1: 'knobs' is missing" },
        { "{\"tuner\":\"x\",\"options\":{\"a\":[]},\"knobs\":{}}\n",
          "t:1:1: option 'a' must be a text or a number" },
        { "{\"tuner\":\"x\",\"options\":{},\"knobs\":{\"kmim\":1}}\n",
          "t:1:1: 'kmim' is not a knob; did you mean 'kmin'?" },
        { "{\"tuner\":\"x\",\"options\":{},\"knobs\":{\"pmax\":1.5}}\n",
          "t:1:1: 'pmax' must be a number 0 .. 1" },
        { HEAD HEAD, "t:2:1: 'start_us' is missing" },
        { HEAD STEP STEP, "t:3:1: the interval begins before the last has ended" },
        { HEAD "{\"start_us\":5,\"end_us\":5,\"phase\":\"\",\"why\":\"\",\"set\":{}}\n",
          "t:2:1: the interval ends before it begins" },
        { HEAD "{\"start_us\":-5,\"end_us\":5,\"phase\":\"\",\"why\":\"\",\"set\":{}}\n",
          "t:2:1: 'start_us' is not a time" },
        { HEAD "{\"start_us\":0,\"end_us\":5,\"phase\":\"\",\"why\":\"\",\"set\":{},\"utility\":\"x\"}\n",
          "t:2:1: 'utility' must be a number" },
        { HEAD "{\"start_us\":0,\"end_us\":5,\"phase\":\"\",\"why\":\"\",\"set\":{},\"verdict\":\"good\"}\n",
          "t:2:1: 'verdict' must be accepted, rejected or best" },
        { HEAD STEP "{\"start_us\":1000,\"end_", "t:3:" },      /* cut off */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct history h;
        struct err     err = { "" };

        assert_true(history_parse(&h, "t", rows[i].text, strlen(rows[i].text), &err) < 0);
        if (strncmp(err.text, rows[i].message, strlen(rows[i].message)) != 0)
            fail_msg("%s: %s", rows[i].message, err.text);
        assert_null(h.tuner);
        assert_int_equal(h.steps, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__reads_head_and_steps),
        cmocka_unit_test(parse__refuses_with_the_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
