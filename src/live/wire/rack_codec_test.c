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
        out.row[out.rows] = (struct rack_row){ .slot = out.rows + 1,
                                               .stamp_us = 81234567890 + out.rows, .sample = {
            .interval_us = 30000, .tx_bytes = 375000000, .rate_bps = 100000000000, .cnps = 1234,
            .marked_packets = 5678, .metric = out.rows ? 0.5 : NAN } };
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
    assert_true(length <= 32ul * 40);             /* bytes of one report: see codec_test.c */
    assert_true(rack_codec_is(bytes, length));
    free(bytes);
    out.row[5].sample.paused = 0.25;
    out.row[6].sample.paused = NAN;
    out.row[6].sample.unknown = MSG_UNKNOWN(cnps);
    out.row[7].sample.unknown = MSG_UNKNOWN_ALL;
    out.row[7].sample.paused = 0.125;
    out.row[8].sample.unknown = MSG_UNKNOWN_BIT(MSG_SAMPLE_COUNTERS - 1);
    out.gone[out.gones++] = 9;
    out.fsd = (struct fsd){ .elephants = 3, .mice = 5, .bin = { [7] = 2 } };
    rack_add(&out, 4, &m);
    length = rack_codec_write(&out, &bytes);
    assert_int_equal(rack_codec_read(&in, bytes, length), 0);
    assert_true(in.life == out.life && in.number == out.number && in.term == out.term && in.rows == 32 &&
                in.items == 1);
    assert_true(in.gones == 1 && in.gone[0] == 9 && in.fsd.mice == 5 && in.fsd.bin[7] == 2);
    assert_true(isnan(in.row[0].sample.metric) && in.row[5].sample.paused == 0.25);
    assert_true(isnan(in.row[6].sample.paused) && in.row[6].sample.unknown == MSG_UNKNOWN(cnps) &&
                !in.row[5].sample.unknown);
    for (uint32_t i = 1; i < 32; i++)
        assert_memory_equal(&in.row[i], &out.row[i], sizeof in.row[i]);
    assert_true(in.item[0].slot == 4 && in.item[0].msg.change == 7);
    assert_string_equal(in.item[0].msg.why, m.why);
    free(bytes);
}

/* The message counts of hosts come back exactly, each with its slot, up to the maximum of a rack. */
static void write__messages_of_hosts_come_back(void **unused)
{
    unsigned char    *bytes, *twice;
    struct seen_part *part;
    size_t            length;

    (void)unused;
    fill(3);
    for (uint32_t i = 0; i < 3; i++) {
        part = rack_add_messages(&out, 10 + i);
        seen_part_clear(part);
        for (uint32_t bin = i; bin < 30; bin += 1 + i)
            part->row[part->rows++] = (struct seen_row){ bin, 1 + bin, (1 + bin) * (seen_bin_min(bin) + i) };
        part->job[0] = (struct seen_part_job){ 1000000 + i, 100, i, 7, 20 * i, 3, 123456789 };
        part->done[1] = (struct seen_part_class){ 10 + i, 700000 };
        part->chance_bytes = 0.5 * i;
    }
    length = rack_codec_write(&out, &bytes);
    assert_int_equal(rack_codec_read(&in, bytes, length), 0);
    assert_true(in.rows == 3 && in.messages_count == 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct seen_part *a = &in.messages[i].part, *b = &out.messages[i].part;

        assert_true(in.messages[i].slot == 10 + i && a->rows == b->rows);
        assert_memory_equal(a, b, offsetof(struct seen_part, row) + b->rows * sizeof *b->row);
    }
    in.rows = 0;
    length = rack_codec_write(&in, &twice);
    assert_int_equal(rack_codec_read(&out, twice, length), 0);
    assert_true(out.rows == 0 && out.messages_count == 3);
    free(twice);
    free(bytes);
    while (out.messages_count < RACK_DEVICES_MAX)
        seen_part_clear(rack_add_messages(&out, out.messages_count));
    length = rack_codec_write(&out, &bytes);
    assert_int_equal(rack_codec_read(&in, bytes, length), 0);
    free(bytes);
}

static void read__refuses_other_messages(void **unused)
{
    static unsigned char  message[CODEC_BYTES_MAX];
    /* a slot without a metric */
    static const unsigned char uneven[] = { 0x08, 0x0c, 0x7a, 0x05, 0x22, 0x01, 0x01, 0x2a, 0x00 };
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

static void expect_same(const struct rack *a, const struct rack *b)
{
    assert_true(a->life == b->life && a->number == b->number && a->term == b->term && a->rows == b->rows &&
                a->gones == b->gones);
    assert_int_equal(a->items, b->items);
    assert_memory_equal(a->gone, b->gone, a->gones * sizeof *a->gone);
    assert_memory_equal(&a->fsd, &b->fsd, sizeof a->fsd);
    for (uint32_t i = 0; i < a->rows; i++) {
        const struct msg_sample *x = &a->row[i].sample, *y = &b->row[i].sample;

        assert_true(a->row[i].slot == b->row[i].slot && a->row[i].stamp_us == b->row[i].stamp_us &&
                    x->interval_us == y->interval_us && x->tx_bytes == y->tx_bytes &&
                    x->rate_bps == y->rate_bps && x->cnps == y->cnps && x->watchdog == y->watchdog &&
                    x->marked_packets == y->marked_packets && x->retransmissions == y->retransmissions &&
                    x->lossless_drops == y->lossless_drops);
        assert_true(x->paused == y->paused &&
                    (x->metric == y->metric || (isnan(x->metric) && isnan(y->metric))));
        assert_true(!x->is_brief && !y->is_brief && !x->detail && !y->detail);
    }
}

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* An unknown field makes protobuf-c read the message. The result must be the same as without it. A wrong
 * byte is an error in both cases, or has the same effect. */
static void read__equals_that_of_protobuf_c(void **unused)
{
    static struct rack other;
    uint64_t           state = 1;
    unsigned char     *bytes;

    (void)unused;
    rack_init(&other, 0);
    for (int round = 0; round < 2000; round++) {
        size_t length;
        int    rc;

        rack_clear(&out);
        out.number = draw(&state) << draw(&state) % 30;
        out.term = draw(&state) % 3;
        out.rows = (uint32_t)(draw(&state) % (round % 10 ? 9 : RACK_DEVICES_MAX + 1));
        for (uint32_t i = 0; i < out.rows; i++)
            out.row[i] = (struct rack_row){ .slot = (uint32_t)draw(&state),
                                            .stamp_us = draw(&state) << 20, .sample = {
                .interval_us = 30000, .tx_bytes = draw(&state) << draw(&state) % 20,
                .rate_bps = draw(&state) % 2, .cnps = draw(&state) % 300, .watchdog = draw(&state) % 4 == 0,
                .paused = round % 3 ? 0 : (double)(draw(&state) % 5) / 4, .metric = i % 7 ? 0.5 : NAN } };
        out.gones = (uint32_t)(draw(&state) % 3);
        for (uint32_t i = 0; i < out.gones; i++)
            out.gone[i] = (uint32_t)draw(&state);
        out.fsd = (struct fsd){ .elephants = draw(&state) % 2, .mice = draw(&state),
                                .bin = { [3] = draw(&state) % 2, [9] = 1 } };
        length = rack_codec_write(&out, &bytes);
        bytes = realloc(bytes, length + 3);
        if (round % 2)
            bytes[draw(&state) % length] ^= (unsigned char)(1 << draw(&state) % 8);
        rc = rack_codec_read(&in, bytes, length);
        memcpy(bytes + length, "\xf0\x01\x01", 3);           /* number 30: 1 */
        assert_int_equal(rack_codec_read(&other, bytes, length + 3), rc);
        if (!rc)
            expect_same(&in, &other);
        free(bytes);
    }
    rack_fini(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(write__a_rack_comes_back_and_is_small, set_up, tear_down),
        cmocka_unit_test_setup_teardown(write__messages_of_hosts_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__equals_that_of_protobuf_c, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__refuses_other_messages, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
