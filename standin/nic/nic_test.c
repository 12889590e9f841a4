/* standin/nic/nic_test.c - the contract of docs/live.md, file by file. */
#include "standin/nic/nic.h"
#include "core/knobs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define RP "/sys/class/net/ens1f0np0/ecn/roce_rp/"
#define HW "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/"

static struct nic n;
static char       text[NIC_LOG_SIZE];

static const char *get(const char *path, uint64_t now_us)
{
    long length = nic_read(&n, nic_find(&n, path), text, now_us);

    assert_true(length >= 0);
    text[length] = '\0';
    return text;
}

static int put(const char *path, const char *value)
{
    return nic_write(&n, nic_find(&n, path), value, strlen(value), 1);
}

static void nic_write__parses_and_clamps_digits(void **state)
{
    (void)state;
    nic_init(&n, NIC_OFED, 400000, 1);
    assert_string_equal(get(RP "rpg_ai_rate", 1), "5\n");
    assert_int_equal(put(RP "rpg_ai_rate", "50"), 0);
    assert_string_equal(get(RP "rpg_ai_rate", 1), "50\n");
    assert_int_equal(put(RP "rpg_threshold", "99"), 0);          /* clamped without an error */
    assert_string_equal(get(RP "rpg_threshold", 1), "31\n");
    assert_int_equal(put("/sys/class/net/ens1f0np0/speed", "1"), -EACCES);
}

/* The files are the rows of DCQCN at NICs, but for the two that have no file of their name. Factory values
 * are the initial ones, and the ends of our ranges are taken unless the device's range is narrower. */
static void nic_init__has_the_knobs_of_the_rows(void **state)
{
    uint32_t files = 0;

    (void)state;
    nic_init(&n, NIC_OFED, 400000, 1);
    for (enum knob k = 0; k <= KNOB_pmax; k++) {
        const struct knob_info *row = &knob_info[k];
        char                    path[160], max[32];

        if (row->where != KNOB_NIC || k == KNOB_roce_cc_prio_mask || k == KNOB_roce_cc_cnp_moderation)
            continue;
        snprintf(path, sizeof path, "/sys/class/net/ens1f0np0/ecn/roce_%s/%s",
                 k < KNOB_min_time_between_cnps ? "rp" : "np", row->name);
        assert_non_null(nic_find(&n, path));
        files++;
        assert_true(strtod(get(path, 1), NULL) == row->initial);
        snprintf(max, sizeof max, "%.0f", row->max);
        assert_int_equal(put(path, max), 0);
        if (row->unit != KNOB_MBPS)              /* above the line, a rate is clamped */
            assert_true(strtod(get(path, 1), NULL) == (k == KNOB_rpg_gd ? 11 : row->max));
    }
    assert_int_equal(files, NIC_PARAMETERS);
}

static void nic_write__garbage_is_dangerous_with_ofed_alone(void **state)
{
    (void)state;
    nic_init(&n, NIC_OFED, 400000, 1);
    assert_int_equal(put(RP "rpg_ai_rate", "fast"), 0);
    assert_string_not_equal(get(RP "rpg_ai_rate", 1), "5\n");
    assert_int_equal(put(RP "enable/3", "x"), -EINVAL);
    nic_init(&n, NIC_INBOX, 400000, 1);
    assert_int_equal(put("/sys/kernel/debug/mlx5/0000:1a:00.0/cc_params/rp_ai_rate", "fast"), -EINVAL);
    assert_int_equal(put("/sys/kernel/debug/mlx5/0000:1a:00.0/cc_params/rp_ai_rate", "0x10"), 0);
    assert_string_equal(get("/sys/kernel/debug/mlx5/0000:1a:00.0/cc_params/rp_ai_rate", 1), "16\n");
}

static void nic_read__flavours_have_their_files(void **state)
{
    (void)state;
    nic_init(&n, NIC_VF, 400000, 1);
    assert_null(nic_find(&n, RP "rpg_ai_rate"));
    assert_non_null(nic_find(&n, "/sys/devices/0000:1a:00.0/physfn"));
    nic_init(&n, NIC_LOCKED, 400000, 1);
    assert_int_equal(nic_read(&n, nic_find(&n, "/sys/kernel/debug/mlx5/0000:1a:00.0/cc_params/rp_ai_rate"),
                              text, 1), -EPERM);
    nic_init(&n, NIC_OFED, 400000, 1);
    assert_int_equal(nic_read(&n, nic_find(&n, "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/1"),
                              text, 1), -EINVAL);
}

static void nic_read__counters_have_the_width_and_age_of_real_ones(void **state)
{
    (void)state;
    nic_init(&n, NIC_OFED, 400000, 1);
    assert_int_equal(put("/.nic/control", "traffic 4000000"), 0);
    /* counted in words of 4 bytes */
    assert_string_equal(get("/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", 1000001),
                        "1000000\n");
    assert_string_equal(get(HW "out_of_sequence", 1000001), "0\n");
    put("/.nic/control", "add out_of_sequence 4294967297");
    put("/.nic/control", "add rp_cnp_handled 4294967297");
    assert_string_equal(get(HW "out_of_sequence", 1005000), "0\n");              /* cached */
    assert_string_equal(get(HW "out_of_sequence", 1020000), "1\n");              /* 32 bits */
    assert_string_equal(get(HW "rp_cnp_handled", 1020000), "4294967297\n");
    assert_non_null(strstr(get("/ethtool/ens1f0np0", 1), "rx_prio3_pause_duration: 0\n"));
    put("/.nic/control", "pfc 0");
    assert_null(strstr(get("/ethtool/ens1f0np0", 1), "pause_duration"));
}

/* A simulator of the port feeds the counters and reads the settings. */
static void nic_write__feeds_counters_of_a_simulated_port(void **state)
{
    static const char xmit[] = "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data";

    (void)state;
    nic_init(&n, NIC_OFED, 25000, 1);
    assert_string_equal(get("/sys/class/net/ens1f0np0/speed", 1), "25000\n");
    assert_int_equal(put("/.nic/control", "feed 4000 1000"), 0);
    assert_string_equal(get(xmit, 501), "500\n");                /* evenly over time, in words of 4 bytes */
    assert_string_equal(get(xmit, 99999), "1000\n");             /* but no more than was fed */
    assert_int_equal(put("/.nic/control", "feed 8000 1000"), 0);
    assert_string_equal(get(xmit, 99999), "3000\n");
    assert_int_equal(put("/.nic/control", "traffic 0"), 0);      /* pending words are not lost */
    assert_string_equal(get(xmit, 1), "3000\n");
}

static void nic_write__faults_and_the_log(void **state)
{
    (void)state;
    nic_init(&n, NIC_OFED, 400000, 1);
    put("/.nic/control", "fail write 5");
    assert_int_equal(put(RP "rpg_ai_rate", "50"), -EIO);
    put("/.nic/control", "fail write 0");
    put("/.nic/control", "fail read 5");
    assert_int_equal(nic_read(&n, nic_find(&n, RP "rpg_ai_rate"), text, 1), -EIO);
    assert_string_equal(get(RP "enable/3", 1), "");              /* an empty file is an error */
    put("/.nic/control", "fail read 0");
    assert_int_equal(put(RP "rpg_ai_rate", "60"), 0);
    put("/.nic/control", "gone 1");
    assert_null(nic_find(&n, RP "rpg_ai_rate"));
    put("/.nic/control", "gone 0");
    put("/.nic/control", "reload");
    assert_string_equal(get(RP "rpg_ai_rate", 1), "5\n");
    assert_string_equal(get("/.nic/log", 1), RP "rpg_ai_rate 50\n" RP "rpg_ai_rate 60\n");
    assert_int_equal(put("/.nic/control", "dance 1"), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nic_write__parses_and_clamps_digits),
        cmocka_unit_test(nic_init__has_the_knobs_of_the_rows),
        cmocka_unit_test(nic_write__garbage_is_dangerous_with_ofed_alone),
        cmocka_unit_test(nic_read__flavours_have_their_files),
        cmocka_unit_test(nic_read__counters_have_the_width_and_age_of_real_ones),
        cmocka_unit_test(nic_write__feeds_counters_of_a_simulated_port),
        cmocka_unit_test(nic_write__faults_and_the_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
