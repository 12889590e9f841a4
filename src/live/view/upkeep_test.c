/* src/live/view/upkeep_test.c - devices that are missing and certificates that end are told once, with names. */
#include "live/view/upkeep.h"
#include "live/controller/controller.h"
#include "live/view/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define S     1000000ull
#define NOW_S 1800000000
#define DAY_S 86400

static struct test {
    struct controller_config cfg;
    struct controller        c;
    struct actions           out;
    struct upkeep            w;
    struct account           account[2];
    struct accounts          accounts;
    int64_t                  own_ends_s, wall_s;
    char                     told[2000];
} t;

static const char *const expected[] = { "host1/nic", "host2/nic", "host3/nic" };
static struct inventory  inventory = { (char **)(uintptr_t)expected, 3 };

static int set_up(void **unused)
{
    (void)unused;
    memset(&t, 0, sizeof t);
    controller_config_init(&t.cfg);
    controller_init(&t.c, &t.cfg, 4);
    t.c.out = &t.out;
    t.c.role = ROLE_ACTIVE;
    upkeep_init(&t.w, &inventory);
    for (int i = 0; i < 2; i++) {
        snprintf(t.account[i].names.name[0], ACCOUNT_NAME_SIZE, "host%d", i + 1);
        t.account[i].names.count = t.account[i].connections = 1;
        t.account[i].ends_s = NOW_S + (100 + i) * DAY_S;
    }
    t.account[0].next = &t.account[1];
    t.accounts.first = t.account;
    t.own_ends_s = NOW_S + 300 * DAY_S;
    t.wall_s = NOW_S;
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    controller_fini(&t.c);
    actions_fini(&t.out);
    return 0;
}

static void report(const char *name, uint64_t now_us)
{
    struct msg m = { .kind = MSG_HELLO, .version = MSG_VERSION, .interval_us = 100000 };

    snprintf(m.name, sizeof m.name, "%s", name);
    struct peer *p = roster_on_hello(&t.c, (uint32_t)name[4], &m, now_us);
    roster_on_report(&t.c, p, &(struct msg){ .kind = MSG_REPORT }, now_us);
}

static void take(void *arg, const char *line)
{
    size_t used = strlen(t.told);

    (void)arg;
    snprintf(t.told + used, sizeof t.told - used, "%s\n", line);
}

/* Returns what is told. */
static const char *look(uint64_t now_us)
{
    struct upkeep_at at = { &t.c, &t.accounts, t.own_ends_s, t.wall_s, now_us };

    t.told[0] = '\0';
    upkeep_look(&t.w, &at, take, NULL);
    return t.told;
}

static void look__names_what_is_missing_and_says_when_all_are_there(void **unused)
{
    (void)unused;
    report("host1/nic", 60 * S);
    assert_string_equal(look(1 * S), "");        /* too early to say */
    json_t *o = upkeep_inventory_json(&t.w);
    assert_true(json_is_null(json_object_get(o, "missing")));    /* unknown is not 0 */
    json_decref(o);
    assert_string_equal(look(60 * S), "missing: 2 of 3 expected devices do not report, such as host2/nic\n");
    assert_string_equal(look(60 * S), "");
    report("host2/nic", 60 * S);
    report("host3/nic", 60 * S);
    report("host9/nic", 60 * S);
    assert_string_equal(look(60 * S), "all 3 expected devices report\n");
    assert_true(t.w.unexpected == 1 && strcmp(t.w.unexpected_name, "host9/nic") == 0);
    assert_string_equal(look(70 * S), "missing: 3 of 3 expected devices do not report, such as host1/nic\n");
}

static void look__names_certificates_that_end_once_a_day(void **unused)
{
    (void)unused;
    report("host2/nic", 60 * S);
    upkeep_init(&t.w, &(struct inventory){ 0 });
    assert_string_equal(look(60 * S), "");
    assert_true(fabs(t.w.least_days - 100) < 1e-9 && fabs(t.w.own_days - 300) < 1e-9);
    t.own_ends_s = NOW_S + 29 * DAY_S + 7200;
    t.account[1].ends_s = NOW_S + 12 * DAY_S + 7200;
    assert_string_equal(look(60 * S), "the certificate of this controller ends in 29 days\n"
                                      "the certificate of host2 ends in 12 days\n");
    assert_string_equal(look(60 * S), "");
    t.wall_s += DAY_S;
    assert_string_equal(look(60 * S), "the certificate of this controller ends in 28 days\n"
                                      "the certificate of host2 ends in 11 days\n");
    t.wall_s += 3600;
    assert_string_equal(look(60 * S), "");
    t.own_ends_s = t.account[1].ends_s = NOW_S + 365 * DAY_S;    /* renewed */
    assert_string_equal(look(60 * S), "");
}

/* It works until it reconnects. Then its device is silent, and that is why. */
static void look__a_device_whose_certificate_has_ended_is_expired(void **unused)
{
    const struct peer *p;

    (void)unused;
    report("host2/nic", 60 * S);
    t.account[1].ends_s = NOW_S - 2 * DAY_S;
    assert_non_null(strstr(look(60 * S), "expired: the certificate of host2 ended 2 days ago\n"));
    p = roster_find(&t.c, "host2/nic");
    assert_int_not_equal(words_state_of(&t.c, p, 60 * S), STATE_EXPIRED);
    t.account[1].connections = 0;
    look(90 * S);
    assert_int_equal(words_state_of(&t.c, p, 90 * S), STATE_EXPIRED);
    assert_string_equal(words_state[STATE_EXPIRED], "expired");
    roster_leave(&t.c, roster_find(&t.c, "host2/nic"));          /* gone for good: of no interest */
    look(91 * S);
    assert_int_equal(t.w.ended, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(look__names_what_is_missing_and_says_when_all_are_there, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(look__names_certificates_that_end_once_a_day, set_up, tear_down),
        cmocka_unit_test_setup_teardown(look__a_device_whose_certificate_has_ended_is_expired, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
