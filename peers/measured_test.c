#include "peers/measured.h"


#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int read_text(struct measured *m, const char *text, struct err *err)
{
    char  path[] = "/tmp/measured_XXXXXX";
    int   fd = mkstemp(path), rc;

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    rc = measured_read(m, path, err);
    unlink(path);
    return rc;
}

/* As perftest 6 prints it. */
static void measured_read__takes_perftest(void **unused)
{
    static const char text[] =
        "---------------------------------------------------------------------------------------\n"
        "                    RDMA_Write BW Test\n"
        " Dual-port       : OFF\t\tDevice         : mlx5_0\n"
        " Mtu             : 4096[B]\n"
        " local address: LID 0000 QPN 0x0127 PSN 0x1d6e30 RKey 0x1fff00 VAddr 0x007f5c\n"
        " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
        " 16384      5000             380.32             380.01             2.899240\n"
        " 131072     5000             392.12             392.10             0.373936\n"
        "---------------------------------------------------------------------------------------\n";
    struct measured m;
    struct err      err;

    (void)unused;
    assert_int_equal(read_text(&m, text, &err), 0);
    assert_int_equal(m.rows, 2);
    assert_string_equal(m.row[0].set[0], "traffic.0.size=16384B");
    assert_string_equal(m.row[0].figure, "goodput_bps");
    assert_true(m.row[0].value > 380.0e9 && m.row[0].value < 380.02e9);
    assert_true(m.row[0].is_fitted && !m.row[1].is_fitted);
    measured_fini(&m);
}

/* Older versions call 2^20 bytes MB. The rate of messages times their size says so. */
static void measured_read__takes_megabytes_of_perftest(void **unused)
{
    static const char *const units[] = { "MB", "MiB" };
    char                     text[200];
    struct measured          m;
    struct err               err;

    (void)unused;
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, " #bytes     #iterations    BW peak[%s/sec]    BW average[%s/sec]   MsgRate[Mpps]\n"
                 " 65536      5000             1103.39            1103.38            0.017654\n", units[i], units[i]);
        assert_int_equal(read_text(&m, text, &err), 0);
        assert_true(fabs(m.row[0].value / (0.017654e6 * 65536 * 8) - 1) < 1e-4);
        measured_fini(&m);
    }
}

/* As nccl-tests 2.13 prints it. */
static void measured_read__takes_nccl_tests(void **unused)
{
    static const char text[] =
        "# nThread 1 nGpus 1 minBytes 2097152 maxBytes 33554432 step: 2(factor) warmup iters: 5 iters: 20\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
        "     2097152        524288     float     sum      -1    113.2   18.53   18.53      0    112.6   18.62   18.62      0\n"
        "     4194304       1048576     float     sum      -1    154.4   27.16   27.16      0    153.9   27.25   27.25      0\n"
        "# Out of bounds values : 0 OK\n";
    struct measured m;
    struct err      err;

    (void)unused;
    assert_int_equal(read_text(&m, text, &err), 0);
    assert_int_equal(m.rows, 2);
    assert_string_equal(m.row[1].set[0], "traffic.0.size=4194304B");
    assert_string_equal(m.row[1].figure, "busbw_bps");
    assert_true(m.row[1].value > 27.15e9 * 8 && m.row[1].value < 27.17e9 * 8);
    assert_true(m.row[1].collective_bytes == 4194304);
    measured_fini(&m);
}

static void measured_read__takes_csv(void **unused)
{
    struct measured m;
    struct err      err;

    (void)unused;
    assert_int_equal(read_text(&m, "traffic.0.size,traffic.0.qps,figure,measured,part\n1KB,,fct_us_p50,7.5,check\n"
                               "# by hand\n64KB,8,goodput_bps,9e9,fit\n", &err), 0);
    assert_int_equal(m.rows, 2);
    assert_int_equal(m.row[0].sets, 1);
    assert_string_equal(m.row[1].set[1], "traffic.0.qps=8");
    assert_true(!m.row[0].is_fitted && m.row[1].is_fitted);
    measured_fini(&m);
}

static void measured_read__refuses(void **unused)
{
    static const char *const rows[][2] = {
        { "hello\n", "no measurements" },
        { "figure,measured\nx,-1\n", ":2: 'measured' must be a number above 0, not -1" },
        { "figure,measured,part\nx,1,maybe\n", ":2: 'part' must be fit or check, not maybe" },
        { "figure,measured\nx\n", ":2: it does not have as many cells as the head" },
        { "figure,measured\nx,\033[2J\n", ":2: 'measured' must be a number above 0, not \\x1b[2J" },
        { "figure,measured\nx,inf\n", ":2: 'measured' must be a number above 0" },
        { "figure,measured,figure\nx,1,y\n", ":1: a column is listed twice: figure" },
        { "figure,measured,=p\nx,1,y\n", ":1: a column's name holds '=': =p" },
        { "figure,measured,\nx,1,y\n", ":1: a column has no name" },
        { "figure,measured,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n", ":1: a file may have 64 columns" },
        { " #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec]\n 65536 5000 1 inf\n", ":2: a size and a figure above 0" },
        { " #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec]\n inf 5000 1 1\n", ":2: a size and a figure above 0" },
        { " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]\n", "latencies of perftest" },
    };
    struct measured m;
    struct err      err;

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_true(read_text(&m, rows[i][0], &err) < 0);
        assert_non_null(strstr(err.text, rows[i][1]));
        assert_null(m.row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_read__takes_perftest),
        cmocka_unit_test(measured_read__takes_megabytes_of_perftest),
        cmocka_unit_test(measured_read__takes_nccl_tests),
        cmocka_unit_test(measured_read__takes_csv), cmocka_unit_test(measured_read__refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
