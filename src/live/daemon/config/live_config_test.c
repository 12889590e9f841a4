/* src/live/daemon/config/live_config_test.c - each key of a configuration reaches its field, in the field's
 * unit; bounds are kept. */
#include "live/daemon/config/live_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PATH "config_test.yaml"

static void write_file(const char *text)
{
    FILE *out = fopen(PATH, "w");

    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(0, fclose(out));
}

#define CONTROLLER "listen: 127.0.0.1:1\nstate: s\n"

static void config_read_controller__each_key_reaches_its_field(void **unused)
{
    struct controller_file f;
    struct err             err;

    (void)unused;
    write_file(CONTROLLER
               "name: c\ninterval: 250ms\nid: 7\nmode: direct\ndispatch_delay: 3us\nmonitor_delay: 4us\n"
               "collect: tuning\n"
               "seed: 6\ngather: 8ms\noperators: [a, b]\nrelays: [r]\ndevices_max: 9\nqueue_tuners: yes\n"
               "think: 11s\nstale: 12\nblock: 40\nburn_in: 13\n"
               "noise_pairs: 14\nstage_pairs: 15\nhalves_max: 16\nsoak: 17\naccept: 18\nreject: 19\n"
               "hold_back: 20%\n"
               "goal: 'latency, class_bound=3%'\nfabric: f.yaml\nflows: {listen: '0.0.0.0:1', from: [x, y], window: 21ms}\n"
               "etcd: {endpoints: ['http://e:1'], cell: cell, ttl: 22s, ca: ca.pem}\n");
    assert_int_equal(0, config_read(&config_controller, &f, PATH, NULL, &err));
    assert_string_equal("c", f.common.name);
    assert_string_equal("c", f.controller.name);
    assert_true(f.controller.interval_us == 250000 && f.controller.id == 7 &&
                f.controller.mode == MODE_DIRECT);
    assert_true(f.controller.dispatch_us == 3 && f.monitor_delay_us == 4 && f.is_brief &&
                f.controller.seed == 6);
    assert_true(f.controller.gather_us == 8000 && f.clients[GATE_OPERATE] == 2 && f.relays == 1 &&
                f.devices_max == 9 && f.controller.lets_queues);
    assert_true(f.think_us == 11000000 && f.controller.stale_intervals == 12 &&
                f.controller.block_length == 40 && f.controller.burn_in == 13);
    assert_true(f.controller.aa_pairs == 14 && f.controller.stage_pairs == 15 &&
                f.controller.halves_intervals_max == 16);
    assert_true(f.controller.soak_intervals == 17 && f.controller.accept_e == 18 &&
                f.controller.reject_e == 19 && f.controller.hold_back == 0.2);
    assert_string_equal("latency", f.goal.name);
    assert_true(f.goal.class_bound == 0.03);
    assert_string_equal("f.yaml", f.fabric);
    assert_true(f.flows_senders == 2 && f.flows_window_us == 21000);
    assert_true(f.etcd.endpoints == 1 && f.etcd.ttl_s == 22);
    assert_string_equal("/anole/cell/controller", f.etcd.key);
    assert_string_equal("ca.pem", f.etcd.ca);
    config_fini(&config_controller, &f);
}

static void config_read_controller__has_the_initial_values(void **unused)
{
    struct controller_file f;
    struct err             err;

    (void)unused;
    write_file(CONTROLLER);
    assert_int_equal(0, config_read(&config_controller, &f, PATH, NULL, &err));
    assert_true(f.controller.interval_us == 100000 && f.controller.id == 1 &&
                f.controller.mode == MODE_OBSERVE && f.controller.gather_us == 3000000);
    assert_true(f.devices_max == 1024 && f.think_us == 60000000 && f.controller.stale_intervals == 3 &&
                f.controller.block_length == 10);
    assert_true(f.controller.aa_pairs == 30 && f.controller.stage_pairs == 13 &&
                f.controller.accept_e == 100 && f.controller.reject_e == 20);
    assert_true(f.clients[GATE_OPERATE] == 1 && strcmp(f.client[GATE_OPERATE][0], "operator") == 0);
    config_fini(&config_controller, &f);
}

static void config_read_agent__each_key_reaches_its_field(void **unused)
{
    struct agent_file f;
    struct err        err;

    (void)unused;
    write_file("controller: [a, b]\nrelays: [r]\ndriver: mlx5\nstate: s\nname: n\ninterval: 200ms\n"
               "devices: [x, y]\nroot: tree\nfreeze_file: fz\nwrite: yes\n"
               "lease: 4s\ngap: 2s\nswitches_per_day: 3\nlasting_per_day: 4\nqueue_changes_per_second: 5\n"
               "queue_hold: 6s\npaused_max: 0.25\n"
               "tls: {ca: a, cert: b, key: c, refresh: 7s}\nhttp: {listen: '127.0.0.1:9', hosts: [h]}\n");
    assert_int_equal(0, config_read(&config_agent, &f, PATH, NULL, &err));
    assert_true(f.ways == 3 && f.relays == 1 && f.devices == 2 && f.agent.may_write);
    assert_true(f.agent.interval_us == 200000 && f.agent.lease_us == 4000000 && f.agent.gap_us == 2000000);
    assert_true(f.agent.switches_per_day == 3 && f.agent.lasting_per_day == 4 && f.queue_changes == 5 &&
                f.queue_hold_us == 6000000);
    assert_true(f.agent.guard.paused_max == 0.25 && f.common.tls.refresh_s == 7);
    assert_string_equal("tree", f.root);
    assert_string_equal("fz", f.freeze);
    assert_string_equal("b", f.common.tls.cert);
    assert_string_equal("127.0.0.1:9", f.common.http.listen);
    config_fini(&config_agent, &f);
}

static void config_read__refuses_with_the_place(void **unused)
{
    static const struct { const char *text, *why; } cases[] = {
        { "state: s\n", PATH ":1:1: 'listen' is missing" },
        { CONTROLLER "stale: 0\n", PATH ":3:8: stale must be 1 .. 1000, not 0" },
        { CONTROLLER "gather: 1us\n", PATH ":3:9: gather must be 1 ms .. 1000000 s, not 1us" },
        { CONTROLLER "accept: 0\n", PATH ":3:9: accept must be 1 .. 1000000000, not 0" },
        { CONTROLLER "hold_back: 1\n", PATH ":3:12: hold_back must be 0 .. 0.9, not 1" },
        { CONTROLLER "mode: atuo\n", PATH ":3:7: 'atuo' is not a value of mode; did you mean 'auto'?" },
        { CONTROLLER "block: 5\nburn_in: 5\n", PATH ":4:10: burn_in: a block of 5 intervals has none left" },
        { CONTROLLER "mode: approve\nqueue_tuners: yes\n",
          PATH ":4:15: queue_tuners: they decide many times a second" },
        { CONTROLLER "tls: {ca: x}\n", PATH ":3:6: 'cert' is missing in tls" },
        { CONTROLLER "http: {cert: x}\n", PATH ":3:7: 'key' is missing in http" },
        { CONTROLLER "etcd: {cell: x}\n", PATH ":3:7: etcd: endpoints are wanted" },
        { CONTROLLER "operators: [[a]]\n", PATH ":3:13: operators is a list of names" },
        { CONTROLLER "stle: 3\n", PATH
          ":3:1: 'stle' is not a key of a configuration; did you mean 'stale'?" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct controller_file f;
        struct err             err;

        write_file(cases[i].text);
        assert_true(config_read(&config_controller, &f, PATH, NULL, &err) < 0);
        if (strncmp(err.text, cases[i].why, strlen(cases[i].why)) != 0)
            assert_string_equal(cases[i].why, err.text);
    }
}

/* A setting that a running process would not follow is refused, not accepted without effect. */
static void config_fixed_key__names_what_a_process_cannot_follow(void **unused)
{
    static const struct { const char *before, *after, *key; } cases[] = {
        { "", "stale: 5\n", NULL }, { "", "interval: 200ms\n", "interval" }, { "", "id: 2\n", "id" },
        { "", "http: {}\n", NULL }, { "", "socket: x.sock\n", "socket" },
        { "", "agent_messages: 5\n", "agent_messages" }, { "", "devices_max: 5\n", "devices_max" },
        { "flows: {listen: '127.0.0.1:1'}\n", "flows: {listen: '127.0.0.1:1', from: [10.0.0.1]}\n", "flows" },
        { "flows: {listen: '127.0.0.1:1'}\n", "flows: {listen: '127.0.0.1:1', window: 2s}\n", "flows" },
        { "etcd: {endpoints: ['http://a:1']}\n", "etcd: {endpoints: ['http://b:1']}\n", "etcd" },
        { "etcd: {endpoints: ['http://a:1']}\n", "etcd: {endpoints: ['http://a:1'], ttl: 20s}\n", "etcd" },
        { "tls: {ca: a, cert: b, key: c}\n", "tls: {ca: a, cert: b, key: c, refresh: 7s}\n", "tls" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct controller_file f[2];
        struct err             err;
        char                   text[300];

        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text, CONTROLLER "%s", k ? cases[i].after : cases[i].before);
            write_file(text);
            assert_int_equal(0, config_read(&config_controller, &f[k], PATH, NULL, &err));
        }
        assert_string_equal(cases[i].key ? cases[i].key : "",
                            config_fixed_key(&config_controller, &f[1], &f[0]) ?
                            config_fixed_key(&config_controller, &f[1], &f[0]) : "");
        config_fini(&config_controller, &f[0]);
        config_fini(&config_controller, &f[1]);
    }
}

static int leave(void **unused)
{
    (void)unused;
    return unlink(PATH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(config_read_controller__each_key_reaches_its_field),
        cmocka_unit_test(config_read_controller__has_the_initial_values),
        cmocka_unit_test(config_read_agent__each_key_reaches_its_field),
        cmocka_unit_test(config_read__refuses_with_the_place),
        cmocka_unit_test(config_fixed_key__names_what_a_process_cannot_follow),
    };

    return cmocka_run_group_tests(tests, NULL, leave);
}
