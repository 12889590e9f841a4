/* src/live/driver/mrc_test.c - the driver with a stand-in for the vendor's library, loaded in the same
 * way. */
#include "live/driver/mrc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char                root[64], standin[512];
static struct mrc_settings settings;
static struct driver       driver;

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...)
{
    char    command[2048] = "";
    int     used = snprintf(command, sizeof command, "cd '%s' && ", root);
    va_list args;

    va_start(args, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, args);
    va_end(args);
    assert_int_equal(system(command), 0);
}

/* Sets a line of one of the NIC's files. */
static void put(const char *file, const char *key, double value)
{
    shell("sed -i 's/^%s .*/%s %.0f/' %s", key, key, value, file);
}

static int set_up(void **unused)
{
    struct err err;
    void      *nic;

    (void)unused;
    shell("rm -rf * && ln -s '%s' libmrc.so && mkdir -p sys/class/infiniband/mrc_0/ports/1/gid_attrs/types "
          "sys/class/infiniband/mrc_0/ports/1/gids && cd sys/class/infiniband/mrc_0/ports/1 && "
          "echo 'RoCE v1' >gid_attrs/types/0 && echo fe80::1 >gids/0 && "
          "echo 'RoCE v2' >gid_attrs/types/1 && echo ::ffff:10.0.0.1 >gids/1", standin);
    settings = (struct mrc_settings){ .cc_profile = 1, .ev_profile = 1, .timeout_us = 1000, .probes = 4,
                                      .destinations = 1 };
    snprintf(settings.library, sizeof settings.library, "%s/libmrc.so", root);
    assert_true(mrc_gid_parse(&settings.to[0], "10.0.0.2"));
    driver = driver_mrc;
    driver.arg = &settings;
    assert_int_equal(driver.open(&driver, &nic, root, "mrc_0", &err), 0);        /* creates its files */
    driver.close(nic);
    return 0;
}

static void *must_open(void)
{
    struct err err = { "" };
    void      *nic = NULL;

    if (driver.open(&driver, &nic, root, "mrc_0", &err))
        fail_msg("%s", err.text);
    return nic;
}

static void refuse_open(const char *reason)
{
    struct err err = { "" };
    void      *nic = (void *)1;

    assert_true(driver.open(&driver, &nic, root, "mrc_0", &err) < 0);
    assert_null(nic);
    if (!strstr(err.text, reason) || strchr(err.text, '\n'))
        fail_msg("'%s' does not have '%s', or has several lines", err.text, reason);
}

static struct knob_set one(enum knob knob, double value)
{
    struct knob_set set = { 0 };

    knob_set_add(&set, knob, value);
    return set;
}

static double held(void *nic, enum knob knob)
{
    struct knob_set set;

    assert_int_equal(driver.read(nic, &set), 0);
    return set.knobs.value[knob];
}

/* ---- opening ---- */

static void open__a_missing_library_is_named_in_one_line(void **unused)
{
    char name[1][MSG_NAME_SIZE];
    struct err err;

    (void)unused;
    snprintf(settings.library, sizeof settings.library, "libno-such-mrc.so");
    refuse_open("the NIC vendor's library for MRC cannot be loaded: libno-such-mrc.so");
    assert_true(driver.find(&driver, root, name, &err) < 0);
    assert_non_null(strstr(err.text, "install it, or name it with 'mrc: {library: FILE}'"));
    snprintf(settings.library, sizeof settings.library, "libm.so.6");
    refuse_open("libm.so.6 has no function ");
}

static void open__versions_of_the_library_must_fit(void **unused)
{
    (void)unused;
    put("device", "version", 0x01000000);
    refuse_open("is version 1.0.0 of MRC's controller interface; 1.0.1 or a later 1.x is needed");
    put("device", "version", 0x02000000);
    refuse_open("is version 2.0.0");
    put("device", "version", 0x01030000);
    driver.close(must_open());
}

static void open__a_profile_must_be_set_up(void **unused)
{
    (void)unused;
    put("profile", "state", MRC_INIT);
    refuse_open("mrc_0: CC profile 1 is not set up yet");
    put("profile", "state", MRC_OFFLINE);
    driver.close(must_open());
    settings.cc_profile = 2;
    refuse_open("mrc_0: its CC profile cannot be read: Invalid argument");
}

static void open__destinations_need_a_device_that_probes(void **unused)
{
    (void)unused;
    put("device", "can", MRC_CAN_SET_CONTROL_ONLINE);
    refuse_open("mrc_0: the device cannot send probes; remove 'to'");
    put("device", "can", MRC_CAN_PROBE);
    shell("echo fe80::2 >sys/class/infiniband/mrc_0/ports/1/gids/1");
    refuse_open("none of its ports has a RoCE v2 address");
    settings.destinations = 0;
    driver.close(must_open());
}

/* A child without capabilities asks for permission. */
static void permit__needs_a_capability_on_real_devices(void **unused)
{
    void *nic;
    pid_t child;
    int   status;

    (void)unused;
    settings.destinations = 0;
    assert_int_equal(driver.open(&driver, &nic, "/", "mrc_0", &(struct err){ "" }), 0);
    child = fork();
    if (child == 0) {
        struct err err = { "" };
        bool       is_alone = geteuid() == 0 && setuid(65534);

        _exit(is_alone || (driver.permit(nic, &err) == -EACCES && strstr(err.text, "CAP_NET_ADMIN")) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    driver.close(nic);
    nic = must_open();
    assert_int_equal(driver.permit(nic, &(struct err){ "" }), 0);        /* a stand-in */
    driver.close(nic);
}

static void find__names_devices(void **unused)
{
    char       name[DRIVER_DEVICES_MAX][MSG_NAME_SIZE];
    struct err err;

    (void)unused;
    assert_int_equal(driver.find(&driver, root, name, &err), 1);
    assert_string_equal(name[0], "mrc_0");
}

/* ---- knobs ---- */

static void read__gives_thirteen_knobs_in_their_units(void **unused)
{
    /* The stand-in's first profile, in us, KB and ratios. */
    static const struct { enum knob knob; double value; } row[] = {
        { KNOB_nscc_disable_qa, 0 }, { KNOB_nscc_adjust_bytes, 33.28 }, { KNOB_nscc_adjust_period, 12 },
        { KNOB_nscc_base_rtt, 12 }, { KNOB_nscc_eta, 0.15 }, { KNOB_nscc_fi, 5 }, { KNOB_nscc_fi_scale, 0.25 },
        { KNOB_nscc_gamma, 0.8 }, { KNOB_nscc_max_md_jump, 0.5 }, { KNOB_nscc_max_cwnd, 900 },
        { KNOB_nscc_qa_gate, 3 }, { KNOB_nscc_qa_threshold, 36 }, { KNOB_nscc_target_delay, 9 },
    };
    void           *nic = must_open();
    struct knob_set set;
    int             named = 0;

    (void)unused;
    assert_int_equal(driver.read(nic, &set), 0);
    for (int i = 0; i < KNOB_COUNT; i++)
        named += set.is_named[i];
    assert_int_equal(named, 13);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_true(set.is_named[row[i].knob] && set.knobs.value[row[i].knob] == row[i].value);
    put("device", "fail_read", EIO);
    assert_int_equal(driver.read(nic, &set), -EIO);
    driver.close(nic);
}

static void write__sets_only_named_knobs(void **unused)
{
    void           *nic = must_open();
    struct knob_set set = one(KNOB_nscc_target_delay, 4.5), before, after;

    (void)unused;
    knob_set_add(&set, KNOB_nscc_gamma, 0.7);
    assert_int_equal(driver.read(nic, &before), 0);
    assert_int_equal(driver.write(nic, &set), 0);
    assert_int_equal(driver.read(nic, &after), 0);
    for (int i = 0; i < KNOB_COUNT; i++)
        assert_true(after.knobs.value[i] == (set.is_named[i] ? set.knobs.value[i] : before.knobs.value[i]));
    shell("test $(wc -l <log) = 1 && grep -q '^state 2 .* gamma 0.699999988 .* target_delay_ns 4500 $' log");
    set = one(KNOB_rpg_ai_rate, 5);
    assert_int_equal(driver.write(nic, &set), -ENOENT);
    driver.close(nic);
}

/* The agent compares values that it reads back with a tolerance of 1e-12. */
static void write__every_step_is_read_back_as_written(void **unused)
{
    void *nic = must_open();

    (void)unused;
    for (int i = 1; i <= 100; i++) {
        struct knob_set set = one(KNOB_nscc_gamma, i / 100.0);

        knob_set_add(&set, KNOB_nscc_eta, i * 0.05);
        knob_set_add(&set, KNOB_nscc_target_delay, i * 1.001);
        assert_int_equal(driver.write(nic, &set), 0);
        assert_true(fabs(held(nic, KNOB_nscc_gamma) - i / 100.0) < 1e-12);
        assert_true(fabs(held(nic, KNOB_nscc_eta) - i * 0.05) < 1e-12);
        assert_true(fabs(held(nic, KNOB_nscc_target_delay) - fmin(100, i * 1.001)) < 1e-9);
    }
    driver.close(nic);
}

static void write__refuses_values_that_do_not_fit_a_field(void **unused)
{
    static const struct { enum knob knob; double value; } row[] = {
        { KNOB_nscc_target_delay, 4.0005 }, { KNOB_nscc_target_delay, -1 }, { KNOB_nscc_max_cwnd, 5e6 },
        { KNOB_nscc_qa_gate, 256 }, { KNOB_nscc_qa_gate, 2.5 }, { KNOB_nscc_eta, 0.123456789 },
        { KNOB_nscc_fi, NAN },
    };
    void *nic = must_open();

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct knob_set set = one(row[i].knob, row[i].value);

        assert_int_equal(driver.write(nic, &set), -EINVAL);
    }
    shell("test ! -e log");
    driver.close(nic);
}

static void write__a_busy_device_changes_nothing(void **unused)
{
    void           *nic = must_open();
    struct knob_set set = one(KNOB_nscc_target_delay, 6);

    (void)unused;
    put("device", "busy", 1);
    assert_int_equal(driver.write(nic, &set), -EBUSY);
    assert_true(held(nic, KNOB_nscc_target_delay) == 9);
    put("device", "busy", 0);
    put("device", "queue_pairs", 7);             /* this device accepts changes while it is in use */
    assert_int_equal(driver.write(nic, &set), 0);
    assert_true(held(nic, KNOB_nscc_target_delay) == 6);
    put("device", "fail_write", EPERM);
    assert_int_equal(driver.write(nic, &set), -EPERM);
    driver.close(nic);
}

static void write__a_device_that_changes_only_offline_is_left_alone(void **unused)
{
    struct knob_set set = one(KNOB_nscc_target_delay, 6);
    void           *nic;

    (void)unused;
    put("device", "can", MRC_CAN_PROBE);
    for (int state = MRC_OFFLINE; state <= MRC_ONLINE; state++) {
        put("profile", "state", state);
        nic = must_open();
        assert_non_null(strstr(driver.refuses(nic), "only offline"));
        assert_int_equal(driver.write(nic, &set), -EPERM);
        driver.close(nic);
    }
    shell("test ! -e log");
    put("device", "can", MRC_CAN_PROBE | MRC_CAN_SET_CONTROL_ONLINE);
    nic = must_open();
    assert_null(driver.refuses(nic));
    driver.close(nic);
}

static void write__a_clamped_value_shows_when_read_back(void **unused)
{
    void           *nic = must_open();
    struct knob_set set = one(KNOB_nscc_target_delay, 150);

    (void)unused;
    assert_int_equal(driver.write(nic, &set), 0);
    assert_true(held(nic, KNOB_nscc_target_delay) == 100);
    driver.close(nic);
}

/* ---- probes ---- */

static double measured(void *nic, int samples)
{
    struct msg_sample s;
    double            sum = 0;

    for (int i = 0; i < samples; i++) {
        assert_int_equal(driver.sample(nic, &s), 0);
        sum += s.metric;
    }
    return sum / samples;
}

static void sample__round_trips_are_the_metric(void **unused)
{
    void             *nic = must_open();
    struct msg_sample s;

    (void)unused;
    put("device", "load", 0);                    /* round trips of 8 us and up to 2 % */
    assert_int_equal(driver.sample(nic, &s), -EAGAIN);
    assert_int_equal(driver.sample(nic, &s), 0);
    assert_true(s.metric > 0.98 && s.metric <= 1);
    assert_non_null(s.detail);
    assert_true(s.detail->pairs == 1 && s.detail->pair[0].rtt_samples == 4);
    assert_true(s.detail->pair[0].base_rtt_ps >= 8000000 && s.detail->pair[0].rtt_ps_sum <= 4 * 8160000ull);
    put("device", "rtt", 32000);                 /* four times as long: a metric of a quarter */
    assert_true(fabs(measured(nic, 20) - 0.25) < 0.25 * 0.02);
    driver.close(nic);
}

static void sample__counters_are_unknown_and_not_zero(void **unused)
{
    struct msg_sample s;
    void             *nic;

    (void)unused;
    settings.destinations = 0;
    nic = must_open();
    driver.sample(nic, &s);
    assert_int_equal(driver.sample(nic, &s), 0);
    assert_true(isnan(s.metric) && isnan(s.paused) && s.unknown == MSG_UNKNOWN_ALL);
    assert_true(!s.rate_bps && !s.detail);
    driver.close(nic);
}

static void sample__a_lost_probe_counts_with_its_timeout(void **unused)
{
    void             *nic = must_open();
    struct msg_sample s;

    (void)unused;
    put("device", "load", 0);
    driver.sample(nic, &s);
    put("device", "silent", 2);                  /* every second is lost: half of 1 and of 8 us / 1 ms */
    assert_true(fabs(measured(nic, 8) - (0.5 + 0.5 * 0.008)) < 0.02);
    put("device", "silent", 1);
    assert_int_equal(driver.sample(nic, &s), 0);
    assert_true(isnan(s.metric) && !s.detail);
    driver.close(nic);
}

static void sample__denied_paths_are_not_measured(void **unused)
{
    void             *nic = must_open();
    struct msg_sample s;

    (void)unused;
    shell("sed -i 's/ 1$/ 4/' paths");
    driver.sample(nic, &s);
    assert_int_equal(driver.sample(nic, &s), 0);
    assert_true(isnan(s.metric));
    put("device", "mode", MRC_MODE_AUTO);        /* paths cannot be selected, so there are no probes */
    assert_int_equal(driver.sample(nic, &s), 0);
    assert_true(isnan(s.metric));
    driver.close(nic);
}

/* ---- paths ---- */

static void refuse_path(void *nic, const char *which, bool is_allowed, const char *reason)
{
    struct err err = { "" };
    uint32_t   changed;

    assert_true(driver.paths->set(nic, which, is_allowed, &changed, &err) < 0);
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not have '%s'", err.text, reason);
}

static void paths__are_denied_and_allowed(void **unused)
{
    void      *nic = must_open();
    struct err err;
    uint32_t   changed;

    (void)unused;
    assert_int_equal(driver.paths->set(nic, "2", false, &changed, &err), 0);
    assert_int_equal(changed, 2);
    shell("test \"$(cat paths)\" = \"$(printf '1 0a 1\\n1 0b 1\\n2 0a 4\\n2 0b 4')\"");
    assert_int_equal(driver.paths->set(nic, "2", false, &changed, &err), 0);
    assert_int_equal(changed, 0);
    refuse_path(nic, "1:0a", false, "1 good paths would be left; its profile needs 2");
    assert_int_equal(driver.paths->set(nic, "2:0b", true, &changed, &err), 0);
    assert_int_equal(changed, 1);
    assert_int_equal(driver.paths->set(nic, "1:0a", false, &changed, &err), 0);
    refuse_path(nic, "3:0a", false, "there is no path '3:0a'");
    put("device", "mode", MRC_MODE_AUTO);
    refuse_path(nic, "1:0a", true, "mode AUTO: the NIC chooses its paths itself");
    driver.close(nic);
}

static void paths__partial_success_is_read_back(void **unused)
{
    void *nic = must_open();

    (void)unused;
    put("device", "fail_write", EIO);
    refuse_path(nic, "2", false, "1 of 2 paths could not be denied: Input/output error");
    shell("test $(grep -c ' 4$' paths) = 1");
    driver.close(nic);
}

/* The controller's knob denies whole ports, and reads back exactly. Without 'deny' there is no such knob. */
static void ports__are_denied_and_allowed(void **unused)
{
    void           *nic = must_open();
    struct knob_set set = { 0 };

    (void)unused;
    assert_int_equal(driver.read(nic, &set), 0);
    assert_false(set.is_named[KNOB_denied_ports]);
    driver.close(nic);
    settings.deny = 0.5;
    nic = must_open();
    assert_int_equal(driver.read(nic, &set), 0);
    assert_true(set.is_named[KNOB_denied_ports] && set.knobs.value[KNOB_denied_ports] == 0);
    set = (struct knob_set){ 0 };
    knob_set_add(&set, KNOB_denied_ports, 2);
    assert_int_equal(driver.write(nic, &set), 0);
    shell("test \"$(cat paths)\" = \"$(printf '1 0a 1\\n1 0b 1\\n2 0a 4\\n2 0b 4')\"");
    assert_int_equal(driver.read(nic, &set), 0);
    assert_true(set.knobs.value[KNOB_denied_ports] == 2);
    set = (struct knob_set){ 0 };
    knob_set_add(&set, KNOB_denied_ports, 0);
    assert_int_equal(driver.write(nic, &set), 0);
    shell("test $(grep -c ' 1$' paths) = 4");
    driver.close(nic);
}

/* Refused are the last paths, more than the allowed share, missing ports, and ports in which an operator
 * denied a path. */
static void ports__refused(void **unused)
{
    static const double rows[][2] = { { 0.9, 3 }, { 0.4, 2 }, { 0.9, 4 } };
    struct knob_set     set = { 0 };
    void               *nic;

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        settings.deny = rows[i][0];
        nic = must_open();
        knob_set_add(&set, KNOB_denied_ports, rows[i][1]);
        assert_int_equal(driver.write(nic, &set), -EPERM);
        driver.close(nic);
    }
    shell("sed -i '3s/ 1$/ 4/' paths");
    nic = must_open();
    knob_set_add(&set, KNOB_denied_ports, 2);
    assert_int_equal(driver.write(nic, &set), -EPERM);
    knob_set_add(&set, KNOB_denied_ports, 0);
    assert_int_equal(driver.write(nic, &set), 0);
    shell("test $(grep -c ' 4$' paths) = 1");
    driver.close(nic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(open__a_missing_library_is_named_in_one_line, set_up),
        cmocka_unit_test_setup(open__versions_of_the_library_must_fit, set_up),
        cmocka_unit_test_setup(open__a_profile_must_be_set_up, set_up),
        cmocka_unit_test_setup(open__destinations_need_a_device_that_probes, set_up),
        cmocka_unit_test_setup(permit__needs_a_capability_on_real_devices, set_up),
        cmocka_unit_test_setup(find__names_devices, set_up),
        cmocka_unit_test_setup(read__gives_thirteen_knobs_in_their_units, set_up),
        cmocka_unit_test_setup(write__sets_only_named_knobs, set_up),
        cmocka_unit_test_setup(write__every_step_is_read_back_as_written, set_up),
        cmocka_unit_test_setup(write__refuses_values_that_do_not_fit_a_field, set_up),
        cmocka_unit_test_setup(write__a_busy_device_changes_nothing, set_up),
        cmocka_unit_test_setup(write__a_device_that_changes_only_offline_is_left_alone, set_up),
        cmocka_unit_test_setup(write__a_clamped_value_shows_when_read_back, set_up),
        cmocka_unit_test_setup(sample__round_trips_are_the_metric, set_up),
        cmocka_unit_test_setup(sample__counters_are_unknown_and_not_zero, set_up),
        cmocka_unit_test_setup(sample__a_lost_probe_counts_with_its_timeout, set_up),
        cmocka_unit_test_setup(sample__denied_paths_are_not_measured, set_up),
        cmocka_unit_test_setup(paths__are_denied_and_allowed, set_up),
        cmocka_unit_test_setup(paths__partial_success_is_read_back, set_up),
        cmocka_unit_test_setup(ports__are_denied_and_allowed, set_up),
        cmocka_unit_test_setup(ports__refused, set_up),
    };
    char    program[400];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    int     failed;

    if (length < 0)
        return 1;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    snprintf(standin, sizeof standin, "%s/libanole-mrc.so", program);
    snprintf(root, sizeof root, "/tmp/anole-mrc-XXXXXX");
    if (!mkdtemp(root))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    shell("rm -rf '%s'", root);
    return failed;
}
