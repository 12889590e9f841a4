/* src/live/driver/mlx5_test.c - the driver on a tree of files like that of the kernel. */
#include "live/driver/driver.h"
#include "core/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

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

static int set_up(void **unused)
{
    (void)unused;
    snprintf(root, sizeof root, "/tmp/anole-mlx5-XXXXXX");
    assert_non_null(mkdtemp(root));
    shell("mkdir -p sys/class/infiniband/mlx5_0/ports/1/counters "
          "sys/class/infiniband/mlx5_0/ports/1/hw_counters "
          "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs sys/class/net/eth7/ecn/roce_rp "
          "sys/class/net/eth7/ecn/roce_np sys/devices/0000:1a:00.0 ethtool && ln -s "
          "../../../devices/0000:1a:00.0 sys/class/infiniband/mlx5_0/device && echo eth7 "
          ">sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0 && echo 100000 >sys/class/net/eth7/speed "
          "&& echo 5 >sys/class/net/eth7/ecn/roce_rp/rpg_ai_rate && echo 50 "
          ">sys/class/net/eth7/ecn/roce_rp/rpg_hai_rate && echo 4 "
          ">sys/class/net/eth7/ecn/roce_np/min_time_between_cnps");
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    shell("rm -rf '%s'", root);
    return 0;
}

static void *must_open(void)
{
    struct err err = { "" };
    void      *nic = NULL;

    if (driver_mlx5.open(&driver_mlx5, &nic, root, "mlx5_0", &err))
        fail_msg("%s", err.text);
    return nic;
}

static void refuse_open(const char *name, const char *reason)
{
    struct err err = { "" };
    void      *nic = (void *)1;

    assert_true(driver_mlx5.open(&driver_mlx5, &nic, root, name, &err) < 0);
    assert_null(nic);
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not have '%s'", err.text, reason);
}

static void read__returns_existing_files(void **unused)
{
    void           *nic = must_open();
    struct knob_set set;
    int             named = 0;

    (void)unused;
    assert_int_equal(driver_mlx5.read(nic, &set), 0);
    for (int i = 0; i < KNOB_COUNT; i++)
        named += set.is_named[i];
    assert_int_equal(named, 3);
    assert_true(set.knobs.value[KNOB_rpg_ai_rate] == 5 && set.knobs.value[KNOB_min_time_between_cnps] == 4);
    shell("printf '' >sys/class/net/eth7/ecn/roce_rp/rpg_ai_rate");
    assert_int_equal(driver_mlx5.read(nic, &set), -EIO);
    shell("echo '5 or so' >sys/class/net/eth7/ecn/roce_rp/rpg_ai_rate");
    assert_int_equal(driver_mlx5.read(nic, &set), -EIO);
    driver_mlx5.close(nic);
}

/* The driver knows a file for each of DCQCN's knobs that an agent may set. */
static void read__has_every_live_knob_of_nics(void **unused)
{
    static const struct world dcqcn = { .control = NULL };
    struct knob_set           set;
    int                       live = 0;

    (void)unused;
    for (int pass = 0; pass < 2; pass++) {
        void *nic = pass ? must_open() : NULL;

        if (pass)
            assert_int_equal(driver_mlx5.read(nic, &set), 0);
        for (enum knob k = 0; k < KNOB_COUNT; k++) {
            const struct knob_info *row = &knob_info[k];

            if (row->where != KNOB_NIC || !row->live.is_allowed || !world_reads(&dcqcn, k))
                continue;
            if (pass)
                assert_true(set.is_named[k] && set.knobs.value[k] == 100 + k);
            else
                shell("echo %d >sys/class/net/eth7/ecn/roce_%s/%s", 100 + k,
                      k == KNOB_min_time_between_cnps ? "np" : "rp", row->name);
            live += pass;
        }
        if (pass)
            driver_mlx5.close(nic);
    }
    assert_true(live >= 12);
}

static void write__puts_digits_and_nothing_else(void **unused)
{
    void           *nic = must_open();
    struct knob_set set = { 0 };

    (void)unused;
    knob_set_add(&set, KNOB_rpg_hai_rate, 7);
    assert_int_equal(driver_mlx5.write(nic, &set), 0);
    shell("[ \"$(od -An -c sys/class/net/eth7/ecn/roce_rp/rpg_hai_rate | tr -d ' ')\" = 7 ]");
    knob_set_add(&set, KNOB_rpg_ai_rate, 7.5);
    set.knobs.value[KNOB_rpg_hai_rate] = 9;
    assert_int_equal(driver_mlx5.write(nic, &set), -EINVAL);     /* all or nothing */
    shell("[ \"$(cat sys/class/net/eth7/ecn/roce_rp/rpg_hai_rate)\" = 7 ]");
    set = (struct knob_set){ 0 };
    knob_set_add(&set, KNOB_rpg_gd, 10);
    assert_int_equal(driver_mlx5.write(nic, &set), -ENOENT);     /* creates no file */
    shell("[ ! -e sys/class/net/eth7/ecn/roce_rp/rpg_gd ]");
    driver_mlx5.close(nic);
}

static void open__falls_back_to_debugfs(void **unused)
{
    void           *nic;
    struct knob_set set;

    (void)unused;
    shell("rm -r sys/class/net/eth7/ecn && mkdir -p sys/kernel/debug/mlx5/0000:1a:00.0/cc_params && "
          "echo 8 >sys/kernel/debug/mlx5/0000:1a:00.0/cc_params/rp_ai_rate");
    nic = must_open();
    assert_int_equal(driver_mlx5.read(nic, &set), 0);
    assert_true(set.knobs.value[KNOB_rpg_ai_rate] == 8);
    driver_mlx5.close(nic);
}

static void open__refuses_devices_that_cannot_be_tuned(void **unused)
{
    (void)unused;
    refuse_open("mlx5_9", "no such device");
    refuse_open("../mlx5_0", "no such device");
    shell("mkdir sys/devices/0000:1a:00.0/physfn");
    refuse_open("mlx5_0", "virtual function");
    shell("rm -r sys/devices/0000:1a:00.0/physfn sys/class/net/eth7/ecn");
    refuse_open("mlx5_0", "debugfs");
    shell("rm sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0");
    refuse_open("mlx5_0", "no network interface");
}

static void put_counters(unsigned long words, unsigned long sequence, unsigned long pause_us,
                         unsigned long discards)
{
    shell("c=sys/class/infiniband/mlx5_0/ports/1 && echo %lu >$c/counters/port_xmit_data && "
          "echo %lu >$c/hw_counters/packet_seq_err && printf 'NIC statistics:\\n     "
          "rx_prio3_pause_duration: %lu\\n"
          "     rx_prio3_discards: %lu\\n     rx_prio0_discards: 77\\n' >ethtool/eth7", words, sequence,
          pause_us, discards);
}

static void sample__takes_differences_that_wrap(void **unused)
{
    void             *nic = must_open();
    struct msg_sample s;

    (void)unused;
    put_counters(1000, 4294967290ul, 100, 0);
    assert_int_equal(driver_mlx5.sample(nic, &s), -EAGAIN);      /* there is nothing to compare with yet */
    usleep(50000);
    put_counters(126000, 4, 10100, 2);
    assert_int_equal(driver_mlx5.sample(nic, &s), 0);
    assert_int_equal(s.tx_bytes, 500000);                        /* four bytes each */
    assert_int_equal(s.retransmissions, 10);                     /* past 2^32 */
    assert_int_equal(s.lossless_drops, 2);                       /* of priority 3, which has PFC */
    assert_int_equal(s.rate_bps, 100000000000ull);
    assert_true(s.interval_us >= 50000 && s.paused > 0 && s.paused <= 0.2);
    /* no such files */
    assert_true(s.unknown == (MSG_UNKNOWN(cnps) | MSG_UNKNOWN(marked_packets) | MSG_UNKNOWN(watchdog)));
    put_counters(5, 5, 10200, 2);
    assert_int_equal(driver_mlx5.sample(nic, &s), -EAGAIN);      /* the driver was reloaded */
    put_counters(10, 5, 10200, 2);
    assert_int_equal(driver_mlx5.sample(nic, &s), 0);
    assert_true(s.metric >= 0);
    shell("mv ethtool/eth7 away");
    driver_mlx5.close(nic);
    nic = must_open();           /* counters that appear later: what they ever counted is no increase */
    assert_int_equal(driver_mlx5.sample(nic, &s), -EAGAIN);
    shell("mv away ethtool/eth7");
    assert_int_equal(driver_mlx5.sample(nic, &s), 0);
    assert_true(isnan(s.paused) && s.lossless_drops == 0 && (s.unknown & MSG_UNKNOWN(lossless_drops)));
    assert_int_equal(driver_mlx5.sample(nic, &s), 0);
    assert_true(s.paused == 0 && s.lossless_drops == 0 && !(s.unknown & MSG_UNKNOWN(lossless_drops)));
    shell("rm sys/class/net/eth7/speed");        /* as if the link were down */
    assert_int_equal(driver_mlx5.sample(nic, &s), 0);
    assert_true(s.rate_bps == 0 && isnan(s.metric));
    driver_mlx5.close(nic);
}

static void put_pauses(unsigned long pause_us, unsigned long discards)
{
    shell("printf 'rx_prio3_pause_duration: %lu\\nrx_prio3_discards: %lu\\n' >ethtool/eth7", pause_us,
          discards);
}

/* The increase is that of two intervals, and so is the time: the share of the time does not double, and
 * drops of the interval that could not be read are not lost. */
static void sample__a_failed_reading_is_made_up_for(void **unused)
{
    void             *nic = must_open();
    struct msg_sample s;

    (void)unused;
    put_counters(1000, 1, 0, 0);
    assert_int_equal(driver_mlx5.sample(nic, &s), -EAGAIN);
    usleep(100000);
    shell("mv ethtool/eth7 away");
    assert_int_equal(driver_mlx5.sample(nic, &s), 0);
    assert_true(isnan(s.paused) && (s.unknown & MSG_UNKNOWN(lossless_drops)));
    usleep(100000);
    put_pauses(100000, 2);       /* paused for half of at least 200 ms */
    assert_int_equal(driver_mlx5.sample(nic, &s), 0);
    assert_true(s.paused > 0.1 && s.paused <= 0.5);
    assert_int_equal(s.lossless_drops, 2);
    driver_mlx5.close(nic);
}

/* PFC is off, or ethtool is not available: half of the metric and the guardrail on pauses are missing.
 * Unknown values do not count as 0. */
static void sample__missing_counters_are_unknown(void **unused)
{
    void             *nic = must_open();
    struct msg_sample s;

    (void)unused;
    put_counters(1000, 1, 100, 0);
    shell("rm ethtool/eth7");
    assert_int_equal(driver_mlx5.sample(nic, &s), -EAGAIN);
    usleep(50000);
    shell("echo 2000 >sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data");
    assert_int_equal(driver_mlx5.sample(nic, &s), 0);
    assert_true(isnan(s.paused) && (s.unknown & MSG_UNKNOWN(lossless_drops)) &&
                (s.unknown & MSG_UNKNOWN(watchdog)));
    /* utilisation only, nothing for the unknown pauses */
    assert_true(s.metric >= 0 && s.metric < 0.01);
    driver_mlx5.close(nic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(read__returns_existing_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__has_every_live_knob_of_nics, set_up, tear_down),
        cmocka_unit_test_setup_teardown(write__puts_digits_and_nothing_else, set_up, tear_down),
        cmocka_unit_test_setup_teardown(open__falls_back_to_debugfs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(open__refuses_devices_that_cannot_be_tuned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sample__takes_differences_that_wrap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sample__a_failed_reading_is_made_up_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sample__missing_counters_are_unknown, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
