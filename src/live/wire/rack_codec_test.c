/* src/live/wire/rack_codec_test.c */
#include "live/wire/rack_codec.h"
#include "live/wire/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct rack out, in;

static int set_up(void **unused)
{
    (void)unused;
    rack_init(&out, 81234567890);
    rack_init(&in, 0);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    rack_fini(&out);
    rack_fini(&in);
    return 0;
}

static void fill(uint32_t rows)
{
    out.number = 1234567;
    out.term = 65537;
    for (out.rows = 0; out.rows < rows; out.rows++)
        out.row[out.rows] = (struct rack_row){ .slot = out.rows + 1, .stamp_us = 81234567890 + out.rows, .sample = {
            .interval_us = 30000, .tx_bytes = 375000000, .rate_bps = 100000000000, .cnps = 1234, .marked_packets = 5678,
            .metric = out.rows ? 0.5 : NAN } };
}

static void write__a_rack_comes_back_and_is_small(void **unused)
{
    struct msg     m = { .kind = MSG_ANSWER, .change = 7, .incarnation = 3, .why = "it is over" };
    unsigned char *bytes;
    size_t         length;

    (void)unused;
    fill(32);
    length = rack_codec_write(&out, &bytes);
    print_message("# rack of 32: %zu bytes, %.1f for each device\n", length, (double)length / 32);
    assert_true(length <= 32 * 40);              /* bytes of one report: see codec_test.c */
    assert_true(rack_codec_is(bytes, length));
    free(bytes);
    out.row[5].sample.paused = 0.25;
    out.gone[out.gones++] = 9;
    out.fsd = (struct fsd){ .elephants = 3, .mice = 5, .bin = { [7] = 2 } };
    rack_add(&out, 4, &m);
    length = rack_codec_write(&out, &bytes);
    assert_int_equal(rack_codec_read(&in, bytes, length), 0);
    assert_true(in.life == out.life && in.number == out.number && in.term == out.term && in.rows == 32 && in.items == 1);
    assert_true(in.gones == 1 && in.gone[0] == 9 && in.fsd.mice == 5 && in.fsd.bin[7] == 2);
    assert_true(isnan(in.row[0].sample.metric) && in.row[5].sample.paused == 0.25);
    for (uint32_t i = 1; i < 32; i++)
        assert_memory_equal(&in.row[i], &out.row[i], sizeof in.row[i]);
    assert_true(in.item[0].slot == 4 && in.item[0].msg.change == 7);
    assert_string_equal(in.item[0].msg.why, m.why);
    free(bytes);
}

static void read__what_is_not_a_rack_is_refused(void **unused)
{
    static unsigned char  message[CODEC_BYTES_MAX];
    static const unsigned char uneven[] = { 0x08, 0x0c, 0x7a, 0x05, 0x22, 0x01, 0x01, 0x2a, 0x00 };      /* a slot without a metric */
    unsigned char *bytes;
    size_t         length;

    (void)unused;
    length = codec_write(&(struct msg){ .kind = MSG_WHO }, message);
    assert_false(rack_codec_is(message, length));
    assert_int_equal(rack_codec_read(&in, message, length), -EBADMSG);
    assert_int_equal(rack_codec_read(&in, uneven, sizeof uneven), -EBADMSG);
    fill(3);
    length = rack_codec_write(&out, &bytes);
    assert_int_equal(rack_codec_read(&in, bytes, length - 1), -EBADMSG);
    free(bytes);
    out.row[1].sample.paused = 2;
    length = rack_codec_write(&out, &bytes);
    assert_int_equal(rack_codec_read(&in, bytes, length), -EBADMSG);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(write__a_rack_comes_back_and_is_small, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__what_is_not_a_rack_is_refused, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
