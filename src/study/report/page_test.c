/* src/study/report/page_test.c - pages are read back and compared with the simulation. */
#include "study/report/page.h"
#include "base/err.h"
#include "study/report/results_json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const no_files[] = { "flows.csv", NULL };

struct made {                    /* a run and its page, read back */
    struct simulation s;
    struct results    r;
    char             *html;
    size_t            html_bytes;
    json_t           *page, *run;    /* run: borrowed */
};

/* Returns the data. The parts before the static HTML and after the data must be those of the template. */
static json_t *data_of(const struct made *m)
{
    const char  *marker = strstr(page_html, PAGE_MARKER), *behind = marker + strlen(PAGE_MARKER);
    const char  *still = strstr(page_html, PAGE_STATIC), *begin = "id=\"anole-data\">", *data;
    size_t before = (size_t)(still - page_html), after = page_html_size - (size_t)(behind - page_html),
           length;
    json_error_t error;
    json_t      *made;

    assert_true(m->html_bytes > before + after);
    assert_memory_equal(m->html, page_html, before);
    assert_memory_equal(m->html + m->html_bytes - after, behind, after);
    data = strstr(m->html, begin);
    assert_non_null(data);
    data += strlen(begin);
    length = m->html_bytes - after - (size_t)(data - m->html);
    assert_null(memchr(data, '<', length));
    made = json_loadb(data, length, 0, &error);
    if (!made)
        fail_msg("%s", error.text);
    return made;
}

static void make(struct made *m, const char *text)
{
    struct simulation_input input = { .name = "some/where/test <1>.yaml", .text = text, .text_bytes = strlen(text) };
    struct err err;
    json_t *page;
    FILE *out;

    if (simulation_open(&m->s, &input, &err))
        fail_msg("%s", err.text);
    simulation_run(&m->s, NULL, NULL);
    results_init(&m->r, &m->s);
    page = page_of_run(&m->r, no_files);
    out = open_memstream(&m->html, &m->html_bytes);
    page_print(page, out);
    fclose(out);
    json_decref(page);
    m->page = data_of(m);
    m->run = json_array_get(json_object_get(m->page, "runs"), 0);
}

static void unmake(struct made *m)
{
    json_decref(m->page);
    free(m->html);
    results_fini(&m->r);
    simulation_close(&m->s);
}

static json_t *get(json_t *o, const char *key)
{
    json_t *found = json_object_get(o, key);

    if (!found)
        fail_msg("there is no '%s'", key);
    return found;
}

static double number(json_t *o, const char *key)
{
    return json_number_value(get(o, key));
}

static const char *text_at(json_t *o, const char *key)
{
    return json_string_value(get(o, key));
}

static const char busy[] =
    "topology: {kind: clos, tors: 2, hosts_per_tor: 3, spines: 2, rate: 100Gbps, delay: 1us}\n"
    "switch: {buffer: 300KB}\n"
    "traffic:\n"
    "  - {kind: poisson, name: '</script><b>', load: 0.3, sizes: WebSearch}\n"
    "  - {kind: incast, name: burst, senders: 5, size: 64KB, start: 100us, period: 50us, for: 100us, influx: yes}\n"
    "changes: [{at: 123us, knobs: {kmin: 50KB}}]\n"
    "interval: 10us\nrun: 500us\n";

static void print__the_data_are_json_without_a_less_than(void **state)
{
    struct made m;

    (void)state;
    make(&m, busy);
    assert_string_equal(text_at(m.page, "kind"), "run");
    assert_string_equal(text_at(m.page, "title"), "test <1>.yaml");
    assert_string_equal(text_at(m.run, "scenario"), busy);
    assert_string_equal(text_at(json_array_get(get(m.run, "traffic"), 0), "name"), "</script><b>");
    unmake(&m);
}

static void run__has_the_summary(void **state)
{
    struct made m;
    json_t *summary, *again;

    (void)state;
    make(&m, busy);
    summary = results_json(&m.r);
    /* printed with 15 digits and read back on both sides */
    char *text = json_dumps(summary, JSON_REAL_PRECISION(JSON_DIGITS));
    again = json_loads(text, 0, NULL);
    assert_true(json_equal(again, get(m.run, "summary")));
    assert_true(number(m.run, "simulated_us") == 500);
    free(text);
    json_decref(again);
    json_decref(summary);
    unmake(&m);
}

static bool is_metric(json_t *metrics, const char *name)
{
    json_t *metric;
    size_t i;

    json_array_foreach(metrics, i, metric)
        if (strcmp(text_at(metric, "name"), name) == 0)
            return true;
    return false;
}

static void run__lists_deciding_metrics_and_help(void **state)
{
    struct made m;
    json_t *name;
    size_t i;

    (void)state;
    make(&m, busy);
    assert_in_range(json_array_size(get(m.run, "deciding")), 3, METRICS_DECIDING);
    assert_string_equal(json_string_value(json_array_get(get(m.run, "deciding"), 0)), "slowdown_mean");
    json_array_foreach(get(m.run, "deciding"), i, name)
        assert_true(is_metric(get(get(m.run, "summary"), "metrics"), json_string_value(name)));
    assert_string_equal(text_at(get(m.page, "help"), "kmin"), knob_info[KNOB_kmin].about);
    assert_string_equal(text_at(get(m.page, "help"), "slowdown"), figure_info[FIGURE_slowdown].help);
    assert_string_equal(text_at(m.page, "repeat"),
                        "anole run 'some/where/test <1>.yaml' --seed 1 --until 500us");
    unmake(&m);
}

/* Four digits do not suffice for every end of a run. */
static void run__is_repeated_up_to_the_same_picosecond(void **state)
{
    struct made m;

    (void)state;
    make(&m, "topology: {kind: star, hosts: 2}\ntraffic: [{kind: permutation, size: 1KB}]\nrun: 12.345678us\n");
    assert_string_equal(text_at(m.page, "repeat"),
                        "anole run 'some/where/test <1>.yaml' --seed 1 --until 12345678ps");
    unmake(&m);
    make(&m, "topology: {kind: star, hosts: 2}\ntraffic: [{kind: permutation, size: 1KB}]\n");
    assert_string_equal(text_at(m.page, "repeat"), "anole run 'some/where/test <1>.yaml' --seed 1");
    unmake(&m);
}

/* The HTML before the data has the answer, figures and limits. It needs no scripts, and data in it are
 * never markup. */
static void print__is_readable_without_scripts(void **state)
{
    struct made m;
    char *text;

    (void)state;
    make(&m, busy);
    text = strndup(m.html, (size_t)(strstr(m.html, "id=\"anole-data\"") - m.html));
    assert_non_null(strstr(text, "<h1>Flows take "));
    assert_non_null(strstr(text, "anole advise 'some/where/test &lt;1&gt;.yaml'"));
    assert_non_null(strstr(text, "<th>mean slowdown</th><td class=\"number\">"));
    assert_non_null(strstr(text, "<li>This is a simulation"));
    assert_null(strstr(text, "</script><b>"));
    free(text);
    unmake(&m);
}

/* A lost packet is never sent again. The page says since when nothing moves, and what waits. */
static void run__says_that_it_is_partial(void **state)
{
    static const char lossy[] = "topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us, loss: 0.2}\n"
                                "switch: {lossless: no}\nhost: {rto: 0}\nfidelity: packet\n"
                                "traffic: [{kind: incast, senders: 2, size: 20KB, flows: 20}]\n";
    struct made m;

    (void)state;
    make(&m, lossy);
    assert_non_null(m.r.stuck_why);
    assert_int_equal(json_array_size(get(m.run, "partial")), 1);
    assert_true(strncmp(json_string_value(json_array_get(get(m.run, "partial"), 0)),
                        "Nothing moves any more after ", 29) == 0);
    assert_non_null(strstr(json_string_value(json_array_get(get(m.run, "partial"), 0)), m.r.stuck_why));
    unmake(&m);
    make(&m, busy);
    assert_int_equal(json_array_size(get(m.run, "partial")), 0);
    assert_string_equal(text_at(m.run, "model"), "nic");
    assert_string_equal(text_at(m.run, "fidelity"), "packet");
    unmake(&m);
    make(&m, "fidelity: fast\ntopology: {kind: star, hosts: 3}\ntraffic: [{kind: incast, senders: 2, size: "
             "20KB}]\n");
    assert_string_equal(text_at(m.run, "model"), "nic");
    assert_string_equal(text_at(m.run, "fidelity"), "fast");
    unmake(&m);
}

static void run__sizes_add_up_to_all_flows(void **state)
{
    json_int_t flows = 0;
    struct made m;
    size_t i;
    json_t *row;

    (void)state;
    make(&m, busy);
    json_array_foreach(get(m.run, "sizes"), i, row) {
        flows += json_integer_value(get(row, "flows"));
        assert_true(number(row, "p50") <= number(row, "p99") && number(row, "p99") <= number(row, "p999"));
        assert_true(number(row, "p50") >= 1);
        assert_true(number(row, "bytes_mean") >= number(row, "bytes_min"));
        assert_true(json_is_null(get(row, "bytes_end")) ||
                    number(row, "bytes_mean") < number(row, "bytes_end"));
    }
    assert_int_equal(flows, m.s.fct.all.count);
    unmake(&m);
}

static void run__cdfs_ascend_on_one_grid(void **state)
{
    json_t *cdf, *grid = NULL;
    struct made m;
    double last;
    size_t i;

    (void)state;
    make(&m, busy);
    assert_true(json_array_size(get(m.run, "cdfs")) >= 4);
    json_array_foreach(get(m.run, "cdfs"), i, cdf) {
        json_t *x = get(cdf, "x"), *p = get(cdf, "p");

        grid = grid ? grid : p;
        assert_true(json_equal(grid, p));
        assert_int_equal(json_array_size(x), json_array_size(p));
        assert_true(json_array_size(x) <= 200);
        for (size_t k = 1; k < json_array_size(x); k++) {
            assert_true(json_number_value(json_array_get(x, k)) >=
                        json_number_value(json_array_get(x, k - 1)));
            assert_true(json_number_value(json_array_get(p, k)) >
                        json_number_value(json_array_get(p, k - 1)));
        }
        assert_true(json_number_value(json_array_get(p, json_array_size(p) - 1)) == 1);
    }
    /* the first is of all flows: it ends with the longest */
    cdf = get(json_array_get(get(m.run, "cdfs"), 0), "x");
    last = json_number_value(json_array_get(cdf, json_array_size(cdf) - 1));
    assert_true(fabs(last / fct_us_stats(&m.s.fct.all).max - 1) < 1e-5);
    unmake(&m);
}

static json_t *column(const struct made *m, const char *name)
{
    json_t *c;
    size_t i;

    json_array_foreach(get(get(m->run, "series"), "columns"), i, c)
        if (strcmp(text_at(c, "name"), name) == 0)
            return get(c, "values");
    fail_msg("there is no column '%s'", name);
    return NULL;
}

static void run__series_add_up_to_the_payload(void **state)
{
    double bytes = 0, pauses = 0;
    struct made m;
    json_t *v;
    size_t i;

    (void)state;
    make(&m, busy);
    assert_int_equal(json_array_size(get(get(m.run, "series"), "at_us")), 50);
    assert_true(number(get(m.run, "series"), "interval_us") == 10);
    json_array_foreach(column(&m, "goodput_bps"), i, v)
        bytes += json_number_value(v) * 10e-6 / 8;
    json_array_foreach(column(&m, "pauses"), i, v)
        pauses += json_number_value(v);
    assert_true(fabs(bytes / (double)sim_counts(m.s.sim)->payload_received - 1) < 1e-4);
    assert_true(pauses == (double)sim_counts(m.s.sim)->pauses && pauses > 0);
    unmake(&m);
}

static void run__knobs_that_changed_come_first(void **state)
{
    struct made m;
    json_t *knobs, *first;

    (void)state;
    make(&m, busy);
    knobs = get(m.run, "knobs");
    first = json_array_get(knobs, 0);
    assert_int_equal(json_array_size(knobs), KNOB_COUNT);
    assert_string_equal(text_at(first, "name"), "kmin");
    assert_int_equal(json_array_size(get(first, "values")), 2);
    assert_true(json_number_value(json_array_get(get(first, "at_us"), 1)) == 123);
    assert_true(json_number_value(json_array_get(get(first, "values"), 1)) == 50);
    assert_int_equal(json_array_size(get(json_array_get(knobs, 1), "values")), 1);
    unmake(&m);
}

static void run__windows_and_phases_are_those_of_the_influx(void **state)
{
    struct made m;
    json_t *during;

    (void)state;
    make(&m, busy);
    assert_int_equal(json_array_size(get(m.run, "windows")), 1);
    assert_string_equal(text_at(json_array_get(get(m.run, "windows"), 0), "name"), "burst");
    assert_int_equal(json_array_size(get(m.run, "phases")), 3);
    during = json_array_get(get(m.run, "phases"), 1);
    assert_string_equal(text_at(during, "name"), "during");
    assert_true(number(during, "start_us") == 100 && number(during, "stop_us") == 200);
    assert_string_equal(text_at(json_array_get(get(during, "metrics"), 0), "name"), "slowdown_mean");
    unmake(&m);
}

/* h0..h5, tor0, tor1, spine0, spine1: tiers by hand. */
static void topology__tiers_and_loads_of_a_clos(void **state)
{
    static const int tiers[] = { 0, 0, 0, 0, 0, 0, 1, 1, 2, 2 };
    struct made m;
    json_t *nodes, *links, *row;
    double sent = 0, shown = 0, seconds;
    size_t i;

    (void)state;
    make(&m, busy);
    seconds = 500e-6 - (double)sim_first_start_ps(m.s.sim) * 1e-12;
    nodes = get(get(m.run, "topology"), "nodes");
    links = get(get(m.run, "topology"), "links");
    assert_int_equal(json_array_size(nodes), 10);
    assert_int_equal(json_array_size(links), 10);
    json_array_foreach(nodes, i, row)
        assert_int_equal(json_integer_value(get(row, "tier")), tiers[i]);
    json_array_foreach(links, i, row) {
        shown += (number(row, "ab") + number(row, "ba")) * 100e9 / 8 * seconds;
        assert_true(number(row, "ab_max") >= number(row, "ab") - 1e-4 && number(row, "ab_max") <= 1);
    }
    for (uint32_t p = 0; p < sim_ports(m.s.sim); p++)
        sent += (double)sim_port(m.s.sim, p).counters.tx_bytes;
    assert_true(fabs(shown / sent - 1) < 0.01);       /* both are rounded to four digits */
    /* the first link is h0's, which sends in direction 'ab' */
    row = json_array_get(links, 0);
    assert_true(fabs(number(row, "ab") -
                     (double)sim_port(m.s.sim, 0).counters.tx_bytes * 8 / (100e9 * seconds)) < 1e-4);
    unmake(&m);
}

static void topology__heat_rows_are_the_busiest(void **state)
{
    struct made m;
    json_t *heat, *row, *v;
    double last = 2;
    size_t i, k;

    (void)state;
    make(&m, busy);
    heat = get(get(m.run, "topology"), "heat");
    assert_true(json_array_size(get(heat, "rows")) <= 48);
    json_array_foreach(get(heat, "rows"), i, row) {
        double sum = 0;

        assert_int_equal(json_array_size(get(row, "values")), json_array_size(get(heat, "at_us")));
        json_array_foreach(get(row, "values"), k, v)
            sum += json_number_value(v) / (double)json_array_size(get(row, "values"));
        assert_true(sum <= last + 1e-3 && sum > 0);
        last = sum;
        assert_non_null(strstr(text_at(row, "label"), " > "));
    }
    unmake(&m);
}

/* 4096 hosts would be as many links, so the hosts of each ToR are folded into one. */
static void topology__of_a_large_network_is_folded(void **state)
{
    struct made m;
    json_t *nodes, *links, *row;

    (void)state;
    make(&m, "topology: {kind: clos, tors: 32, hosts_per_tor: 128, spines: 2, rate: 100Gbps, delay: 1us}\n"
             "traffic: [{kind: incast, senders: 40, size: 10KB}]\n");
    nodes = get(get(m.run, "topology"), "nodes");
    links = get(get(m.run, "topology"), "links");
    assert_int_equal(json_array_size(nodes), 32 + 2 + 32);
    assert_int_equal(json_array_size(links), 32 + 64);
    row = json_array_get(links, 0);
    assert_true(number(row, "rate_bps") == 128 * 100e9);
    assert_string_equal(text_at(json_array_get(nodes, (size_t)number(row, "a")), "name"), "hosts of tor0");
    assert_string_equal(text_at(json_array_get(nodes, (size_t)number(row, "b")), "name"), "tor0");
    unmake(&m);
}

static double sum_of(struct made *m, const char *name)
{
    double sum = 0;
    json_t *v;
    size_t i;

    json_array_foreach(column(m, name), i, v)
        sum += json_number_value(v);
    return sum;
}

/* The second outage lasts until the end of the run. The third would begin after it. */
static void run__shows_outages_and_losses(void **state)
{
    struct made m;
    json_t *outages, *link;
    double down = 0;
    size_t i;

    (void)state;
    make(
        &m,
        "topology: {kind: clos, tors: 2, hosts_per_tor: 3, spines: 2, rate: 100Gbps, delay: 1us, links_down: "
        "[{a: tor0, b: spine1, down: 100us, up: 150us}, {a: tor1, b: spine1, down: 300us}, "
        "{a: tor0, b: spine0, down: 900us, up: 950us}]}\n"
        "traffic: [{kind: permutation, size: 3MB, shift: 3}]\nrun: 500us\n");
    outages = get(m.run, "outages");
    assert_int_equal(json_array_size(outages), 2);
    assert_string_equal(text_at(json_array_get(outages, 0), "a"), "tor0");
    assert_string_equal(text_at(json_array_get(outages, 0), "b"), "spine1");
    assert_true(number(json_array_get(outages, 0), "start_us") == 100);
    assert_true(number(json_array_get(outages, 0), "stop_us") == 150);
    assert_true(number(json_array_get(outages, 1), "stop_us") == number(m.run, "simulated_us"));
    json_array_foreach(get(get(m.run, "topology"), "links"), i, link)
        if (json_object_get(link, "down"))
            down += number(link, "down");
    assert_true(fabs(down - (50 + 200) / 500.) < 1e-4);
    assert_true(sum_of(&m, "dropped_packets") == m.r.dropped_packets && m.r.dropped_packets > 0);
    assert_true(sum_of(&m, "nacks") == (double)sim_counts(m.s.sim)->nacks_sent);
    assert_true(sum_of(&m, "timeouts") == (double)sim_counts(m.s.sim)->timeouts);
    unmake(&m);
}

/* No flow has finished: missing values are null, not NAN. */
static void run__in_which_nothing_finishes(void **state)
{
    struct made m;

    (void)state;
    make(&m, "topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us}\n"
             "traffic: [{kind: incast, senders: 2, size: 1MB}]\nrun: 5us\n");
    assert_int_equal(json_array_size(get(m.run, "sizes")), 0);
    assert_int_equal(json_array_size(get(m.run, "cdfs")), 0);
    assert_true(json_is_null(get(json_array_get(get(m.run, "metrics"), 0), "value")));
    unmake(&m);
}

/* 100,000 flows, 10,000 intervals and a new value of two knobs in each: the page stays small. */
static void print__a_long_run_makes_a_small_page(void **state)
{
    static const char text[] = "topology: {kind: clos, tors: 8, hosts_per_tor: 16, spines: 4, rate: 100Gbps, "
                               "delay: 1us}\ntraffic: [{kind: incast, senders: 100, size: 1KB}]\ninterval: 1us\nrun: 10ms\n";
    struct simulation_input input = { .name = "t.yaml", .text = text, .text_bytes = strlen(text) };
    struct knobs knobs;
    struct simulation s;
    struct results r;
    struct err err;
    char *html;
    size_t bytes;
    json_t *page;
    FILE *out;

    (void)state;
    if (simulation_open(&s, &input, &err))
        fail_msg("%s", err.text);
    simulation_run(&s, NULL, NULL);
    knobs = sim_settings(s.sim)->knobs;
    for (uint32_t i = 0; i < 100000; i++) {
        struct flow_result f = { .bytes = 1 + 7919ull * i, .fct_ps = 1000000 + 104729ull * i, .ideal_ps = 1000000 };

        fct_add(&s.fct, &f);
    }
    for (uint64_t i = 0; i < 10000; i++) {
        struct report_port *port = xcalloc(sim_ports(s.sim), sizeof(*port));
        uint64_t entry = 123456789 + i;
        struct report report = { .start_ps = s.end_ps + i * PS_PER_US, .end_ps = s.end_ps + (i + 1) * PS_PER_US,
                                 .payload_bytes = 987654321 + 31 * i, .rtt_samples = 7, .rtt_ps_sum = 123456 + i,
                                 .port = port, .ports = sim_ports(s.sim), .entry_bytes = &entry,
                                 .entries = 1 };

        series_add(&s.series, &report, 1);
        knobs.value[KNOB_kmin] = (double)(i % 300);
        knobs.value[KNOB_rpg_ai_rate] = (double)(1 + i % 299);
        series_set_knobs(&s.series, report.start_ps, &knobs);
        free(port);
    }
    s.end_ps += 10000 * PS_PER_US;
    results_init(&r, &s);
    page = page_of_run(&r, no_files);
    out = open_memstream(&html, &bytes);
    page_print(page, out);
    fclose(out);
    assert_true(bytes - page_html_size < 700000);
    json_t *first = json_array_get(get(json_array_get(get(page, "runs"), 0), "knobs"), 0);
    assert_true(json_array_size(get(first, "values")) <= 520 && json_array_size(get(first, "values")) > 400);
    json_decref(page);
    free(html);
    results_fini(&r);
    simulation_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(print__the_data_are_json_without_a_less_than),
        cmocka_unit_test(run__has_the_summary),
        cmocka_unit_test(run__lists_deciding_metrics_and_help),
        cmocka_unit_test(run__is_repeated_up_to_the_same_picosecond),
        cmocka_unit_test(print__is_readable_without_scripts),
        cmocka_unit_test(run__says_that_it_is_partial),
        cmocka_unit_test(run__sizes_add_up_to_all_flows),
        cmocka_unit_test(run__cdfs_ascend_on_one_grid),
        cmocka_unit_test(run__series_add_up_to_the_payload),
        cmocka_unit_test(run__knobs_that_changed_come_first),
        cmocka_unit_test(run__windows_and_phases_are_those_of_the_influx),
        cmocka_unit_test(topology__tiers_and_loads_of_a_clos),
        cmocka_unit_test(topology__heat_rows_are_the_busiest),
        cmocka_unit_test(topology__of_a_large_network_is_folded),
        cmocka_unit_test(run__shows_outages_and_losses),
        cmocka_unit_test(run__in_which_nothing_finishes),
        cmocka_unit_test(print__a_long_run_makes_a_small_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
