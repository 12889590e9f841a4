#include "study/campaign/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

/* Two seeds of one variant. They share one class of flow sizes, and each has another one of its own. */
static const char text[] =
    "[{'name': 'v', 'scenario': 'text', 'seeds': ['1'], 'simulated_us': 10, 'summary': {'x': 1}, 'files': "
    "['flows.csv'],  'metrics': [{'name': 'a', 'label': 'A', 'value': 1}, {'name': 'b', 'label': 'B', "
    "'value': null}],  'sizes': [{'bytes_min': 0, 'bytes_end': 10, 'flows': 1, 'bytes_mean': 4, 'mean': 2, "
    "'p50': 2, 'p95': 2, 'p99': 2, 'p999': 4},            {'bytes_min': 10, 'bytes_end': null, 'flows': 5, "
    "'mean': 7, 'p50': 7, 'p95': 7, 'p99': 7, 'p999': 7}],  'cdfs': [{'label': 'all', 'quantity': 'FCT', "
    "'x': [1, 2, 3], 'p': [0, 0.5, 1]}],  'phases': [{'name': 'before', 'metrics': [{'name': 'g', 'label': "
    "'G', 'value': 10}]}],  'traffic': [{'name': 't', 'kind': 'incast', 'rows': [{'label': 'flows', "
    "'value': 4, 'unit': 'count'}]}],  'series': {'at_us': [1]}, 'topology': {'nodes': []}}, {'name': 'v', "
    "'scenario': null, 'seeds': ['7'], 'simulated_us': 30, 'summary': null, 'partial': ['It is stuck.'], "
    "'files': [],  'metrics': [{'name': 'a', 'label': 'A', 'value': 4}, {'name': 'b', 'label': 'B', "
    "'value': 6}],  'sizes': [{'bytes_min': 0, 'bytes_end': 10, 'flows': 3, 'bytes_mean': 8, 'mean': 6, "
    "'p50': 6, 'p95': 6, 'p99': 6, 'p999': 8},            {'bytes_min': 5, 'bytes_end': 7, 'flows': 1, "
    "'mean': 9, 'p50': 9, 'p95': 9, 'p99': 9, 'p999': 9}],  'cdfs': [{'label': 'big', 'quantity': 'FCT', "
    "'x': [4, 5, 6], 'p': [0, 0.5, 1]},           {'label': 'all', 'quantity': 'FCT', 'x': [3, 5, 9], 'p': "
    "[0, 0.5, 1]}],  'phases': [{'name': 'before', 'metrics': [{'name': 'g', 'label': 'G', 'value': "
    "20}]}],  'traffic': [{'name': 't', 'kind': 'incast', 'rows': [{'label': 'flows', 'value': 5, 'unit': "
    "'count'}]}],  'series': null, 'topology': null}]";

static json_t *merged(void)
{
    char json[sizeof(text)];
    json_t *runs, *made;

    memcpy(json, text, sizeof(text));
    for (char *c = json; *c; c++)
        if (*c == '\'')
            *c = '"';
    runs = json_loads(json, 0, NULL);
    assert_non_null(runs);
    made = compare_merge_runs(runs);
    json_decref(runs);
    return made;
}

/* The number at a path of keys and indices: "metrics.0.value". */
static double at(const json_t *json, const char *path)
{
    char copy[96], *rest = copy, *part;

    snprintf(copy, sizeof(copy), "%s", path);
    while ((part = strsep(&rest, ".")))
        json =
            json_is_array(json) ? json_array_get(json, (size_t)(*part - '0')) : json_object_get(json, part);
    if (!json_is_number(json))
        fail_msg("%s is not a number", path);
    return json_number_value(json);
}

/* Some seeds got stuck: the text says how many, and what the first of them reports. */
static void merge__lists_partial_runs(void **unused)
{
    json_t *run = merged();
    const json_t *partial = json_object_get(run, "partial");

    (void)unused;
    assert_int_equal(json_array_size(partial), 1);
    assert_string_equal(json_string_value(json_array_get(partial, 0)),
                        "In 1 of 2 runs. With seed 7: It is stuck.");
    json_decref(run);
}

static void merge__averages_figures(void **unused)
{
    json_t *run = merged();

    (void)unused;
    assert_true(at(run, "simulated_us") == 20);
    assert_true(at(run, "metrics.0.value") == 2.5);
    assert_true(at(run, "metrics.1.value") == 6);            /* mean of the runs that have it */
    assert_true(at(run, "phases.0.metrics.0.value") == 15);
    assert_true(at(run, "traffic.0.rows.0.value") == 4.5);
    json_decref(run);
}

static void merge__weighs_sizes_by_flows(void **unused)
{
    json_t *run = merged();

    (void)unused;
    assert_int_equal(3, json_array_size(json_object_get(run, "sizes")));
    assert_true(at(run, "sizes.0.flows") == 4);
    assert_true(at(run, "sizes.0.mean") == (1 * 2 + 3 * 6) / 4.0);
    assert_true(at(run, "sizes.0.bytes_mean") == (1 * 4 + 3 * 8) / 4.0);
    assert_true(at(run, "sizes.0.p999") == (1 * 4 + 3 * 8) / 4.0);
    assert_true(at(run, "sizes.1.bytes_min") == 5);
    assert_true(at(run, "sizes.1.mean") == 9);
    assert_true(at(run, "sizes.2.bytes_min") == 10);
    assert_true(at(run, "sizes.2.flows") == 5);
    json_decref(run);
}

/* In each seed, half of the flows lie between two neighboring quantiles. Of all flows, half are at 3 or
 * below. */
static void merge__pools_the_flows_of_all_seeds(void **unused)
{
    json_t *run = merged();

    (void)unused;
    assert_true(at(run, "cdfs.0.x.0") == 1);
    assert_true(at(run, "cdfs.0.x.1") == 3);
    assert_true(at(run, "cdfs.0.x.2") == 9);
    assert_true(at(run, "cdfs.0.p.1") == 0.5);
    assert_int_equal(2, json_array_size(json_object_get(run, "cdfs")));
    assert_true(at(run, "cdfs.1.x.2") == 6);                 /* only one run has it */
    json_decref(run);
}

static void merge__keeps_the_series_of_the_first_run(void **unused)
{
    json_t *run = merged();
    const json_t *seeds = json_object_get(run, "seeds");

    (void)unused;
    assert_true(at(run, "series.at_us.0") == 1);
    assert_string_equal("text", json_string_value(json_object_get(run, "scenario")));
    assert_true(json_is_object(json_object_get(run, "topology")));
    assert_true(json_is_null(json_object_get(run, "summary")));
    assert_int_equal(2, json_array_size(seeds));
    assert_string_equal("7", json_string_value(json_array_get(seeds, 1)));
    json_decref(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merge__lists_partial_runs),
        cmocka_unit_test(merge__averages_figures),
        cmocka_unit_test(merge__weighs_sizes_by_flows),
        cmocka_unit_test(merge__pools_the_flows_of_all_seeds),
        cmocka_unit_test(merge__keeps_the_series_of_the_first_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
