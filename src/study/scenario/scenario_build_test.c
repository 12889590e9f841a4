/* src/study/scenario/scenario_build_test.c - a scenario built by a program equals one parsed from text. */
#include "study/scenario/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "topology: {kind: clos, tors: 2, hosts_per_tor: 3, spines: 2, delay: 2us, "
    "link_rates: [{a: h1, b: tor0, rate: 25Gbps}]}\n"
                           "host: {mtu: 4096, window: bdp}\ntraffic: [{kind: incast, senders: [h0, h1], "
                           "receiver: h5, size: 64KB}]\nrun: 1ms\n";

static void build_all(struct build *b)
{
    struct yaml_node *topology = build_map(b, NULL, "topology"), *link, *host, *entry, *senders;

    build_text(b, topology, "kind", "clos");
    build_text(b, topology, "tors", "%d", 2);
    build_text(b, topology, "hosts_per_tor", "%d", 3);
    build_text(b, topology, "spines", "%d", 2);
    build_text(b, topology, "delay", "%dus", 2);
    link = build_map(b, build_list(b, topology, "link_rates"), NULL);
    build_text(b, link, "a", "h1");
    build_text(b, link, "b", "tor0");
    build_text(b, link, "rate", "25Gbps");
    host = build_map(b, NULL, "host");
    build_text(b, host, "mtu", "%d", 4096);
    build_text(b, host, "window", "bdp");
    entry = build_map(b, build_list(b, NULL, "traffic"), NULL);
    build_text(b, entry, "kind", "incast");
    senders = build_list(b, entry, "senders");
    build_text(b, senders, NULL, "h0");
    build_text(b, senders, NULL, "h1");
    build_text(b, entry, "receiver", "h5");
    build_text(b, entry, "size", "64KB");
    build_text(b, NULL, "run", "1ms");
}

static void assert_same(const struct scenario *a, const struct scenario *b)
{
    assert_int_equal(a->graph.links, b->graph.links);
    for (uint32_t i = 0; i < a->graph.links; i++)
        assert_true(a->graph.link[i].rate_bps == b->graph.link[i].rate_bps &&
                    a->graph.link[i].delay_ps == b->graph.link[i].delay_ps);
    assert_true(a->cfg.mtu_bytes == b->cfg.mtu_bytes && a->cfg.window_bytes == b->cfg.window_bytes &&
                a->run_ps == b->run_ps);
    assert_int_equal(a->entries, b->entries);
    assert_true(a->entry[0].hosts == b->entry[0].hosts && a->entry[0].start_ps == b->entry[0].start_ps);
}

static void scenario_make__base_equals_its_text(void **unused)
{
    struct build    b = { 0 };
    struct scenario read, made;
    struct err      err;

    (void)unused;
    build_all(&b);
    assert_int_equal(0, scenario_parse(&read, "s", text, strlen(text), NULL, 0, NULL, &err));
    assert_int_equal(0, scenario_make(&made, &(struct scenario_source){ .name = "s", .base = &b }, &err));
    assert_same(&read, &made);
    scenario_fini(&made);
    scenario_fini(&read);
    build_fini(&b);
}

/* A build overrides --set, and 'over' overrides the build below it. A key that is set twice is stored
 * once. */
static void scenario_make__over_is_applied_last(void **unused)
{
    static const char *const set[] = { "host.mtu=1000", "traffic.0.start=5us" };
    struct build    below = { 0 }, over = { .below = &below };
    struct scenario s;
    struct err      err;

    (void)unused;
    build_text(&below, NULL, "host.mtu", "2000");
    build_text(&below, NULL, "run", "2ms");
    build_text(&over, NULL, "run", "3ms");
    build_text(&over, NULL, "run", "4ms");
    build_text(&over, NULL, "traffic.0.start", "1us");
    assert_int_equal(0, scenario_make(&s, &(struct scenario_source){ .name = "s", .text = text,
                                                                     .text_bytes = strlen(text), .set = set,
                                                                             .sets = 2,
                                                                     .over = &over }, &err));
    assert_true(s.cfg.mtu_bytes == 2000 && s.run_ps == 4000000000 && s.entry[0].start_ps == 1000000);
    assert_int_equal(2, over.root->count);
    scenario_fini(&s);
    build_fini(&over);
    build_fini(&below);
}

static void scenario_make__refuses_like_text(void **unused)
{
    static const struct { const char *key, *value, *why; } cases[] = {
        { "host.mtu", "1", "s:1:1: mtu must be 64 B .. 9 KB, not 1" },
        { "host.mut", "1", "s:1:1: 'mut' is not a key of host; did you mean 'mtu'?" },
        { "rnu", "1ms", "s:1:1: 'rnu' is not a knob or a key; did you mean 'run'?" },
        { "traffic.7.size", "1KB", "s:1:1: there is no entry 7 in a list of 1; the first is 0" },
        /* a value is plain text, even if it looks like YAML */
        { "topology", "[", "s:1:1: '[' is not a kind of topology" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build    over = { 0 };
        struct scenario s;
        struct err      err;

        build_text(&over, NULL, cases[i].key, "%s", cases[i].value);
        assert_true(scenario_make(&s, &(struct scenario_source){ .name = "s", .text = text,
                                                                 .text_bytes = strlen(text), .over = &over },
                                                                     &err) < 0);
        if (strncmp(err.text, cases[i].why, strlen(cases[i].why)) != 0)
            assert_string_equal(cases[i].why, err.text);
        build_fini(&over);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_make__base_equals_its_text),
        cmocka_unit_test(scenario_make__over_is_applied_last),
        cmocka_unit_test(scenario_make__refuses_like_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
