/* src/live/daemon/tuner/live_tuner_test.c - the changes that follow from a tuner's decision and the values of
 * devices. */
#include "live/daemon/tuner/live_tuner.h"
#include "live/controller/controller.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AI_RATE 50.0             /* of 'expert', in Mb/s: src/tune/setting.c */

static struct controller_file file;
static char                   folder[64];

static void read_file(const char *mode, const char *tuner)
{
    char       path[96];
    struct err err;
    FILE      *f;

    snprintf(folder, sizeof folder, "/tmp/anole-tuner-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.yaml", folder);
    f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "listen: unix:%s/socket\nstate: %s\ntuner: %s\nmode: %s\n", folder, folder, tuner, mode);
    assert_int_equal(fclose(f), 0);
    if (config_read(&config_controller, &file, path, NULL, &err))
        fail_msg("%s", err.text);
    unlink(path);
}

static void forget_file(void)
{
    char path[96];

    config_fini(&config_controller, &file);
    snprintf(path, sizeof path, "%s/tuning.jsonl", folder);
    unlink(path);
    rmdir(folder);
}

static void add_nic(struct controller *c, double ai_rate)
{
    struct peer *p = &c->peer[c->peers];

    *p = (struct peer){ .rank = c->peers++, .link = c->peers, .where = KNOB_NIC, .may_write = true };
    snprintf(p->name, sizeof p->name, "host%u/nic", c->peers);
    p->facts.rate_bps = 100000000000;
    knob_set_add(&p->confirmed, KNOB_rpg_ai_rate, ai_rate);
    p->device = p->baseline = p->confirmed;
}

/* Returns true if the tuner proposes a change for two devices with these values. */
static bool proposes(const char *mode, double first, double second, struct knob_set *set)
{
    struct controller    c;
    struct live_tuner    t;
    char                 why[MSG_WHY_SIZE] = "";
    bool                 is_proposed;

    read_file(mode, "expert");
    controller_init(&c, &file.controller, 4);
    live_tuner_init(&t, &file, 0);
    add_nic(&c, first);
    add_nic(&c, second);
    *set = (struct knob_set){ 0 };
    is_proposed = live_tuner_propose(&t, &c, 1, set, why);
    live_tuner_fini(&t);
    controller_fini(&c);
    forget_file();
    return is_proposed;
}

static void propose__values_that_devices_do_not_hold(void **unused)
{
    struct knob_set set;

    (void)unused;
    assert_true(proposes("direct", 5, 5, &set));
    assert_true(set.is_named[KNOB_rpg_ai_rate] && set.knobs.value[KNOB_rpg_ai_rate] == AI_RATE);
    assert_false(set.is_named[KNOB_kmin]);       /* no device has it */
    assert_false(proposes("direct", AI_RATE, AI_RATE, &set));
}

/* Without trials all devices get the setting, including one that joins later. With trials, a device that
 * differs is left to the operator: `anole ctl diff` shows it. */
static void propose__a_device_that_comes_later(void **unused)
{
    struct knob_set set;

    (void)unused;
    assert_true(proposes("direct", AI_RATE, 5, &set));
    assert_true(set.is_named[KNOB_rpg_ai_rate] && set.knobs.value[KNOB_rpg_ai_rate] == AI_RATE);
    assert_false(proposes("auto", AI_RATE, 5, &set));
}

/* A switch and two NICs. They differ in knobs that the file does not name. */
static void propose__leaves_knobs_alone_that_the_file_does_not_name(void **unused)
{
    static const char *const modes[] = { "direct", "auto" };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct controller    c;
        struct live_tuner    t;
        struct knob_set      set = { 0 };
        char                 why[MSG_WHY_SIZE] = "", tuner[120];
        FILE                *f;

        snprintf(tuner, sizeof tuner, "/tmp/anole-knobs-%d.yaml", getpid());
        f = fopen(tuner, "w");
        assert_non_null(f);
        fprintf(f, "rpg_hai_rate: 77Mbps\n");
        assert_int_equal(fclose(f), 0);
        snprintf(tuner, sizeof tuner, "{name: fixed, setting: /tmp/anole-knobs-%d.yaml}", getpid());
        read_file(modes[i], tuner);
        controller_init(&c, &file.controller, 4);
        live_tuner_init(&t, &file, 0);
        add_nic(&c, 6);
        add_nic(&c, 9);
        for (uint32_t k = 0; k < 2; k++)
            knob_set_add(&c.peer[k].confirmed, KNOB_rpg_hai_rate, 60);
        add_nic(&c, 1);
        c.peer[2].where = KNOB_SWITCH;
        c.peer[2].confirmed = (struct knob_set){ 0 };
        knob_set_add(&c.peer[2].confirmed, KNOB_kmin, 123);
        knob_set_add(&c.peer[2].confirmed, KNOB_kmax, 1234);
        knob_set_add(&c.peer[2].confirmed, KNOB_pmax, 0.3);
        assert_true(live_tuner_propose(&t, &c, 1, &set, why));
        for (int k = 0; k < KNOB_COUNT; k++)
            assert_int_equal(set.is_named[k], k == KNOB_rpg_hai_rate);
        assert_true(set.knobs.value[KNOB_rpg_hai_rate] == 77);
        live_tuner_fini(&t);
        controller_fini(&c);
        forget_file();
        snprintf(tuner, sizeof tuner, "/tmp/anole-knobs-%d.yaml", getpid());
        unlink(tuner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(propose__values_that_devices_do_not_hold),
            cmocka_unit_test(propose__a_device_that_comes_later),
        cmocka_unit_test(propose__leaves_knobs_alone_that_the_file_does_not_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
