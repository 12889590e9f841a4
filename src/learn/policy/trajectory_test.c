#include "learn/policy/trajectory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void parse__sorts_by_flow_and_keeps_the_order_of_time(void **unused)
{
    static const char text[] = "flow,delta\n7,0.5\n3,-0.8\n7,0.25\n3,-0.4\n7,0.125";
    static const struct { uint64_t flow; float delta; } want[] = {
        { 3, -0.8f }, { 3, -0.4f }, { 7, 0.5f }, { 7, 0.25f }, { 7, 0.125f },
    };
    struct trajectories t;

    (void)unused;
    assert_int_equal(0, trajectories_parse(&t, "x", text, strlen(text), NULL));
    assert_int_equal(5, t.steps);
    assert_int_equal(2, t.flows);
    for (int i = 0; i < 5; i++)
        assert_true(t.step[i].flow == want[i].flow && t.step[i].delta == want[i].delta);
    trajectories_fini(&t);
}

static void parse__finds_columns_by_name(void **unused)
{
    static const char text[] = "time,delta,host,flow\r\n1us,2,h0,9\r\n2us,1e-3,h0,9\r\n";
    struct trajectories t;

    (void)unused;
    assert_int_equal(0, trajectories_parse(&t, "x", text, strlen(text), NULL));
    assert_true(t.steps == 2 && t.flows == 1 && t.step[0].flow == 9 && t.step[1].delta == 1e-3f);
    trajectories_fini(&t);
}

static void parse__refuses_in_one_line(void **unused)
{
    static const struct { const char *text, *want;
    } row[] = {
        { "", "x:1: column 'flow' is missing; the first line must name the columns: flow,delta" },
        { "flow,detla\n1,2\n", "x:1: column 'delta' is missing; the first line must name the columns: flow,delta" },
        { "flow,delta\n", "x: there is no step in it" },
        { "flow,delta\n1,2\n1\n", "x:3: has fewer cells than the first line" },
        { "flow,delta\n\n", "x:2: has fewer cells than the first line" },
        { "flow,delta\n1,nan\n", "x:2: delta: 'nan' is not a number" },
        { "flow,delta\n1,1e7\n", "x:2: delta: this is not within +-10^6" },
        { "flow,delta\n1,-1e7\n", "x:2: delta: this is not within +-10^6" },
        { "flow,delta\n1,--1\n", "x:2: delta: '-1' is negative" },
        { "flow,delta\n-1,1\n", "x:2: flow: '-1' is negative" },
        { "flow,delta\n1,0.000000000000000000000000000000000000000000000000000000000000001\n",
          "x:2: delta: too long" },
    };

    (void)unused;
    for (uint32_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        struct trajectories t;
        struct err err;

        assert_true(trajectories_parse(&t, "x", row[i].text, strlen(row[i].text), &err) < 0);
        if (strncmp(row[i].want, err.text, strlen(row[i].want)) != 0)
            assert_string_equal(row[i].want, err.text);
        assert_null(strchr(err.text, '\n'));
    }
}

/* A zero byte must not end a cell. */
static void parse__refuses_a_zero_byte(void **unused)
{
    static const char text[] = "flow,delta\n1,2\0003\n";
    struct trajectories t;

    (void)unused;
    assert_true(trajectories_parse(&t, "x", text, sizeof(text) - 1, NULL) < 0);
}

static void load__reports_a_missing_file(void **unused)
{
    struct trajectories t;
    struct err err;

    (void)unused;
    assert_true(trajectories_load(&t, "/nowhere/flows.csv", &err) < 0);
    assert_non_null(strstr(err.text, "/nowhere/flows.csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__sorts_by_flow_and_keeps_the_order_of_time),
        cmocka_unit_test(parse__finds_columns_by_name),
        cmocka_unit_test(parse__refuses_in_one_line),
        cmocka_unit_test(parse__refuses_a_zero_byte),
        cmocka_unit_test(load__reports_a_missing_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
