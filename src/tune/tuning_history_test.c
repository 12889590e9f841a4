/* src/tune/tuning_history_test.c - histories are written and read back, or refused with a line number. */
#include "tune/tuning_history.h"
#include "core/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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
    assert_true(s->paused_us == 0 && s->utility == 0.5);
    assert_true(s->divergence == 0.04);
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
        { HEAD "{\"start_us\":0,\"end_us\":5,\"phase\":\"dance\",\"why\":\"\",\"set\":{}}\n",
          "t:2:1: 'phase' must be watch, search, confirm, hold, learn, frozen or empty" },
        { HEAD "{\"start_us\":0,\"end_us\":5,\"why\":\"\",\"set\":{}}\n", "t:2:1: 'phase' is missing" },
        { HEAD "{\"start_us\":0,\"end_us\":5,\"phase\":\"\",\"why\":\"\",\"set\":{},\"outcome\":\"lost\"}\n",
          "t:2:1: 'outcome' must be pending, applied, partly or refused" },
        { HEAD "{\"start_us\":0,\"end_us\":5,\"phase\":\"\",\"why\":\"\",\"set\":{},\"changes\":{\"x\":1}}\n",
          "t:2:1: 'x' is not a knob" },
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

/* ---- write and read back ---- */

static const char *const ways[] = { "slow", "fast", NULL };
static const struct key_row table[] = {
    { "eta", KEY_REAL, "0.85", "a share", .min = 0, .max = 1 },
    { "guided", KEY_YES, "yes", "yes or no" },
    { "way", KEY_NAME, "fast", "a word", .choices = ways },
    { "file", KEY_FILE, "k\xff.yaml", "a file, of whatever name" },
    { 0 },
};
static const struct tuner_algo by_hand = { .name = "by hand", .option = table };

static void add_step(struct tuning *g, uint64_t n, const struct knobs *was, double kmin)
{
    struct report       r = { .start_ps = n * PS_PER_MS, .end_ps = (n + 1) * PS_PER_MS,
                              .payload_bytes = 1250000, .paused_ps = 3 * PS_PER_US, .rtt_samples = n,
                              .rtt_ps_sum = n * 20 * PS_PER_US };
    struct tuning_step *s = tuning_add(g, &r, was);

    s->note = (struct tuner_note){ .phase = TUNER_SEARCH, .utility = 0.25, .throughput = NAN,
                                   .rtt = NAN, .pfc = NAN, .divergence = NAN, .elephants = 0.5,
                                   .temperature = NAN };
    snprintf(s->note.why, sizeof s->note.why, "step %d", (int)n);
    s->is = *was;
    s->is.value[KNOB_kmin] = kmin;
}

/* kmin is set, an operator sets pmax, and what the third of four steps sets is refused. */
static void make_history(struct tuning *g)
{
    struct outcome       refused = { .kind = OUTCOME_REFUSED, .why = "nobody answers" };
    struct option_values v;
    struct knobs         k;

    knobs_init(&k);
    option_values_init(table, &v);
    tuning_init(g, &by_hand, &v, &k);
    option_values_fini(&v);
    add_step(g, 0, &k, 100);
    g->step[0].note.verdict = TUNER_BEST;
    k = g->step[0].is;
    k.value[KNOB_pmax] = 0.75;
    add_step(g, 1, &k, 100);
    add_step(g, 2, &k, 50);
    tuning_step_judge(&g->step[2], &refused);
    add_step(g, 3, &k, 100);
}

/* One port is paused for 3 us. The device of the other does not count pauses. */
static void add__unknown_pauses_are_not_zero(void **state)
{
    struct report_device devices[] = { { 0 }, { .counts_no_pauses = true } };
    struct report_port   ports[] = { { .device = 0 }, { .device = 1 } };
    struct report        r = { .end_ps = PS_PER_MS, .paused_ps = 3 * PS_PER_US, .port = ports, .ports = 2,
                               .device = devices, .devices = 2 };
    struct option_values v;
    struct tuning        g;
    struct knobs         k;

    (void)state;
    knobs_init(&k);
    option_values_init(table, &v);
    tuning_init(&g, &by_hand, &v, &k);
    option_values_fini(&v);
    assert_true(tuning_add(&g, &r, &k)->paused_us == 3);
    devices[0].counts_no_pauses = true;
    assert_true(isnan(tuning_add(&g, &r, &k)->paused_us));
    tuning_fini(&g);
}

static void print__is_read_back(void **state)
{
    char           *text = NULL;
    size_t          length;
    FILE           *out = open_memstream(&text, &length);
    struct tuning   g;
    struct history  h;
    struct err      err;

    (void)state;
    make_history(&g);
    tuning_print(&g, out);
    fclose(out);
    if (history_parse(&h, "t", text, length, &err))
        fail_msg("%s", err.text);
    assert_string_equal(h.tuner, "by hand");
    assert_int_equal(h.options, 4);
    assert_string_equal(h.option[0].text, "0.85");
    assert_string_equal(h.option[1].text, "yes");
    assert_string_equal(h.option[2].text, "fast");
    assert_string_equal(h.option[3].text, "k?.yaml");
    assert_memory_equal(&h.first, &g.first, sizeof h.first);
    assert_int_equal(h.steps, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct history_step *s = &h.step[i];

        assert_true(s->start_us == 1000 * i && s->end_us == 1000 * (i + 1) && s->goodput_gbps == 10);
        assert_true(s->paused_us == 3 && (i ? s->rtt_us == 20 : isnan(s->rtt_us)));
        assert_true(s->utility == 0.25 && isnan(s->divergence) && s->elephants == 0.5);
        assert_string_equal(s->why, g.step[i].note.why);
        assert_memory_equal(&s->was, &g.step[i].was, sizeof s->was);
        assert_memory_equal(&s->is, &g.step[i].is, sizeof s->is);
        assert_int_equal(s->verdict, i == 0 ? TUNER_BEST : TUNER_NO_VERDICT);
        assert_int_equal(s->outcome, i == 2 ? OUTCOME_REFUSED : OUTCOME_APPLIED);
    }
    assert_string_equal(h.step[2].outcome_why, "nobody answers");
    assert_null(h.step[1].outcome_why);
    history_fini(&h);
    tuning_fini(&g);
    free(text);
}

/* A change by an operator is printed in the first step that sees it, and only there; so is a refused
 * setting. */
static void print__shows_changes_and_outcomes_once(void **state)
{
    static const char *const want[] = { NULL, NULL, "{\"pmax\":0.75}", NULL, "{\"kmin\":100.0}" };
    char         *text = NULL, *rest, *line;
    size_t        length;
    FILE         *out = open_memstream(&text, &length);
    struct tuning g;
    uint32_t      lines = 0;

    (void)state;
    make_history(&g);
    tuning_print(&g, out);
    fclose(out);
    for (rest = text; (line = strsep(&rest, "\n")) && *line; lines++) {
        json_t *o = json_loads(line, 0, NULL);
        char   *changes = json_dumps(json_object_get(o, "changes"), JSON_COMPACT | JSON_REAL_PRECISION(6));

        assert_non_null(o);
        assert_true(want[lines] ? changes && strcmp(changes, want[lines]) == 0 : !changes);
        assert_int_equal(json_object_get(o, "outcome") != NULL, lines == 3);
        assert_int_equal(json_object_size(json_object_get(o, "knobs")), lines == 0 ? KNOB_COUNT : 0);
        free(changes);
        json_decref(o);
    }
    assert_int_equal(lines, 5);
    tuning_fini(&g);
    free(text);
}

static void forget__keeps_the_last_steps_and_their_start(void **state)
{
    struct knobs  k;
    struct tuning g;

    (void)state;
    knobs_init(&k);
    tuning_init(&g, &by_hand, NULL, &k);
    for (uint64_t i = 0; i < 1000; i++) {
        struct knobs was = k;

        k.value[KNOB_kmin] = (double)(i + 1);
        add_step(&g, i, &was, (double)(i + 1));
        tuning_forget(&g, 10);
        assert_true(g.steps < 20 && g.steps_max <= 64);
    }
    assert_int_equal(g.step[g.steps - 1].start_ps, 999 * PS_PER_MS);
    assert_true(g.first.value[KNOB_kmin] == g.step[0].was.value[KNOB_kmin]);
    assert_true(g.first.value[KNOB_kmin] == (double)(1000 - g.steps));
    assert_int_equal(tuning_forget(&g, 1000), 0);
    tuning_fini(&g);
}

static const struct tuned_queues some = {
    .queues = 48, .changed = 2, .changes = 1203, .settings = 2, .mosts = 1,
    .setting = { { { 5000, 50000, 0.5 }, 0.75 }, { { 20000, 200000, 0.25 }, 0.25 } },
    .most = { { "tor0:3 > h2", 1000, { 5000, 50000, 0.5 } } },
};

/* Reads a first line with this value of 'queues'. */
static int parse_queues(struct history *h, const char *queues)
{
    char       text[1000];
    struct err err;

    snprintf(text, sizeof text, "{\"tuner\":\"acc\",\"options\":{},\"knobs\":{},\"queues\":%s}\n",
             queues);
    return history_parse(h, "t", text, strlen(text), &err);
}

static void json__is_read_back(void **state)
{
    json_t        *o = tuned_queues_json(&some);
    char          *text = json_dumps(o, 0);
    struct history h;

    (void)state;
    assert_int_equal(parse_queues(&h, text), 0);
    assert_memory_equal(&h.queues, &some, sizeof some);
    history_fini(&h);
    free(text);
    json_decref(o);
}

static void read__refuses_malformed_queues(void **state)
{
    static const char *const texts[] = {
        "{}", "[]", "{\"queues\":1,\"changed\":1,\"changes\":1}",
        "{\"queues\":-1,\"changed\":1,\"changes\":1,\"settings\":[]}",
        "{\"queues\":1,\"changed\":1,\"changes\":1,\"settings\":[{}]}",
        "{\"queues\":1,\"changed\":1,\"changes\":1,\"settings\":[{\"kmin_bytes\":1,\"kmax_bytes\":2,\"pmax\":2,\"share\":1}]}",
        "{\"queues\":1,\"changed\":1,\"changes\":1,\"settings\":[],\"most_changed\":[{\"name\":7}]}",
        "{\"queues\":1,\"changed\":1,\"changes\":1,\"settings\":[],\"most_changed\":[1,2,3,4,5,6,7,8]}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct history h;

        assert_int_equal(parse_queues(&h, texts[i]), -EINVAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__reads_head_and_steps),
        cmocka_unit_test(parse__refuses_with_the_line),
        cmocka_unit_test(add__unknown_pauses_are_not_zero),
        cmocka_unit_test(print__is_read_back),
        cmocka_unit_test(print__shows_changes_and_outcomes_once),
        cmocka_unit_test(forget__keeps_the_last_steps_and_their_start),
        cmocka_unit_test(json__is_read_back),
        cmocka_unit_test(read__refuses_malformed_queues),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
