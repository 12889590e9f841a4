/* src/study/twin/host_record_test.c - symptoms and load in recordings of anole record and ethtool -S. */
#include "study/twin/host_record.h"
#include "study/twin/recorded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char table[] =
    "time_s,device,name,value\n"
    "10.00,host,info.format,1\n"
    "10.00,host,info.host,node7\n"
    "10.00,host,info.ethtool,yes\n"
    "10.00,mlx5_0,info.netdev,eth0\n"
    "10.00,mlx5_0,info.speed_mbps,100000\n"
    "10.00,mlx5_0,info.settings,sysfs\n"
    "10.00,mlx5_0,setting.rpg_ai_rate,5\n"
    "10.00,mlx5_0,setting.of_a_later_driver,3\n"
    "10.00,mlx5_1,info.speed_mbps,100000\n"
    "10.00,mlx5_1,setting.rpg_ai_rate,50\n"
    "10.00,mlx5_0,counter.port_xmit_data,1000\n"
    "10.00,mlx5_0,counter.rx_prio3_pause,7\n"
    "10.00,mlx5_0,counter.rx_prio3_pause_duration,1000\n"
    "10.00,mlx5_0,counter.rp_cnp_handled,4\n"
    "10.00,mlx5_0,counter.out_of_sequence,4294967290\n"
    "10.00,mlx5_0,counter.np_ecn_marked_roce_packets,0\n"
    "10.00,mlx5_0,counter.np_cnp_sent,0\n"
    "20.00,mlx5_0,counter.port_xmit_data,12500001000\n"
    "20.00,mlx5_0,counter.rx_prio3_pause,19\n"
    "20.00,mlx5_0,counter.rx_prio3_pause_duration,501000\n"
    "20.00,mlx5_0,counter.rp_cnp_handled,4\n"
    "20.00,mlx5_0,counter.out_of_sequence,4\n"
    "20.00,mlx5_0,counter.np_ecn_marked_roce_packets,12\n"
    "20.00,mlx5_0,counter.np_cnp_sent,0\n";

static char *symptoms_of(const struct host_record *h, uint32_t *count)
{
    char  *text = NULL;
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    *count = host_record_print_symptoms(h, out);
    fclose(out);
    return text;
}

static void host_record_read__table(void **state)
{
    struct host_record h;
    struct recorded    load;
    struct err         err;

    (void)state;
    assert_true(host_record_is(table, sizeof(table) - 1));
    assert_int_equal(host_record_read(&h, "r.csv", table, sizeof(table) - 1, &err), 0);
    assert_string_equal(h.host, "node7");
    assert_int_equal(h.devices, 2);
    assert_int_equal(host_record_rate(&h), 100000000000);
    assert_true(h.device[0].setting.is_named[KNOB_rpg_ai_rate]);
    assert_true(h.device[0].setting.knobs.value[KNOB_rpg_ai_rate] == 5);
    assert_false(h.device[0].setting.is_named[KNOB_kmin]);
    /* 12.5 G words of 4 bytes in 10 s are 40 Gb/s */
    assert_int_equal(recorded_counters(&load, "r.csv", h.sent, h.sent_bytes, 100000000000, &err), 0);
    assert_true(load.load > 0.3999 && load.load < 0.4001);
    recorded_fini(&load);
    host_record_fini(&h);
}

static void host_record_print_symptoms__each_from_its_counter(void **state)
{
    static const char *const expected[] = {
        "mlx5_1: rpg_ai_rate is 50Mbps, but mlx5_0 has 5Mbps.",
        "the network paused priority 3 for 5 % of the time",         /* 0.5 s of 10 */
        "pauses but no CNPs",
        "np_ecn_marked_roce_packets grew by 12, 1.2 per second",
        "marked packets arrived, but no CNP was sent",
        "out_of_sequence grew by 10:",                               /* from 2^32 - 6 to 4 */
    };
    struct host_record h;
    struct err         err;
    uint32_t           count;
    char              *text;

    (void)state;
    assert_int_equal(host_record_read(&h, "r.csv", table, sizeof(table) - 1, &err), 0);
    text = symptoms_of(&h, &count);
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
        if (!strstr(text, expected[i]))
            fail_msg("missing: %s\n%s", expected[i], text);
    assert_int_equal(count, sizeof(expected) / sizeof(*expected));
    free(text);
    host_record_fini(&h);
}

/* A file may come from elsewhere: what a name holds must not control the terminal. */
static void host_record_print_symptoms__escapes_names(void **state)
{
    static const char from_elsewhere[] =
        "time_s,device,name,value\n0,nic\033[31m,counter.rx_discards_phy,1\n"
        "1,nic\033[31m,counter.rx_discards_phy,2\n";
    struct host_record h;
    struct err         err;
    uint32_t           count;
    char              *text;

    (void)state;
    assert_int_equal(host_record_read(&h, "r.csv", from_elsewhere, sizeof(from_elsewhere) - 1, &err), 0);
    text = symptoms_of(&h, &count);
    assert_int_equal(count, 1);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "rx_discards_phy grew by 1:"));
    free(text);
    host_record_fini(&h);
}

static void host_record_read__ethtool(void **state)
{
    static const char text[] =
        "2026-11-17T20:05:01+00:00\nNIC statistics:\n     tx_bytes: 999\n     tx_bytes_phy: 1000\n"
        "     rx_prio3_pause: 2\n"
        "2026-11-17T20:05:03+00:00\nNIC statistics:\n     tx_bytes: 999\n     tx_bytes_phy: 2500001000\n"
        "     rx_prio3_pause: 5\n";
    struct host_record h;
    struct recorded    load;
    struct err         err;
    uint32_t           count;
    char              *said;

    (void)state;
    assert_true(host_record_is(text, sizeof(text) - 1));
    if (host_record_read(&h, "e.txt", text, sizeof(text) - 1, &err))
        fail_msg("%s", err.text);
    assert_int_equal(host_record_rate(&h), 0);       /* ethtool -S does not report it */
    assert_int_equal(recorded_counters(&load, "e.txt", h.sent, h.sent_bytes, 100000000000, &err), 0);
    assert_true(load.load > 0.0999 && load.load < 0.1001);           /* 2.5 GB in 2 s */
    said = symptoms_of(&h, &count);
    assert_int_equal(count, 1);
    assert_non_null(strstr(said, "3 PAUSE frames arrived on priority 3; how long they lasted is not known"));
    free(said);
    recorded_fini(&load);
    host_record_fini(&h);
}

/* Marks come first. A record has the names of one driver, here of mlx5's ethtool and of bnxt_re. */
static void host_record_print_symptoms__ecn_is_first(void **state)
{
    static const struct { const char *text, *marks, *cnps; } cases[] = {
        { "1\nNIC statistics:\n rx_discards_phy: 0\n rx_ecn_mark: 100000\n"
          "11\nNIC statistics:\n rx_discards_phy: 9\n rx_ecn_mark: 3400000\n",
          "  nic: rx_ecn_mark grew by 3300000, 3.3e+05 per second", NULL },
        { "time_s,device,name,value\n0,b,counter.oos_drop_count,0\n0,b,counter.rx_ecn_marked_pkts,0\n"
          "0,b,counter.rx_cnp_pkts,5\n2,b,counter.oos_drop_count,7\n2,b,counter.rx_ecn_marked_pkts,8\n"
          "2,b,counter.rx_cnp_pkts,9\n",
          "  b: rx_ecn_marked_pkts grew by 8, 4 per second", "  b: rx_cnp_pkts grew by 4, 2 per second" },
    };
    struct host_record h;
    struct err         err;
    uint32_t           count;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char *said;

        if (host_record_read(&h, "r", cases[i].text, strlen(cases[i].text), &err))
            fail_msg("%s", err.text);
        said = symptoms_of(&h, &count);
        if (strstr(said, cases[i].marks) != said)
            fail_msg("%s is not first in\n%s", cases[i].marks, said);
        assert_true(!cases[i].cnps || strstr(said, cases[i].cnps));
        free(said);
        host_record_fini(&h);
    }
}

static void refuse(const char *text, const char *why)
{
    struct host_record h;
    struct err         err;

    assert_true(host_record_read(&h, "f", text, strlen(text), &err) < 0);
    if (!strstr(err.text, why))
        fail_msg("'%s' is not in '%s'", why, err.text);
}

static void host_record_read__refuses(void **state)
{
    (void)state;
    refuse("time_s,device,name,values\n", "value");
    refuse("time_s,device,name,value\n", "there is no device in it");
    refuse("time_s,device,name,value\n1,a,counter.x,5\n", "read only once");
    refuse("time_s,device,name,value\n1,a,counter.x,five\n", "f:2:");
    refuse("time_s,device,name,value\n2,a,counter.x,5\n1,a,counter.x,5\n", "time goes back");
    refuse("NIC statistics:\n tx_bytes: 5\n", "a line with the time must stand before each block");
}

static void host_record_read__reset_counter(void **state)
{
    static const char text[] = "time_s,device,name,value\n1,a,counter.x,500\n2,a,counter.x,3\n"
                               "3,a,counter.x,10\n";
    struct host_record h;
    struct err         err;

    (void)state;
    assert_int_equal(host_record_read(&h, "f", text, sizeof(text) - 1, &err), 0);
    assert_int_equal(h.device[0].counter[0].grown, 7);
    host_record_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_record_read__table),
        cmocka_unit_test(host_record_print_symptoms__each_from_its_counter),
        cmocka_unit_test(host_record_print_symptoms__escapes_names),
        cmocka_unit_test(host_record_print_symptoms__ecn_is_first),
        cmocka_unit_test(host_record_read__ethtool),
        cmocka_unit_test(host_record_read__refuses),
        cmocka_unit_test(host_record_read__reset_counter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
