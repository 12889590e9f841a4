#include "live/wire/codec.h"
#include "live/core/knobset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <anole.pb-c.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct msg report(void)
{
    return (struct msg){ .kind = MSG_REPORT, .term = 65537, .incarnation = 1792141200, .change = 12,
                         .stamp_us = 81234567890, .phase = PHASE_APPLIED,
                         .sample = { .interval_us = 100000, .tx_bytes = 1250000000, .rate_bps = 100000000000,
                                     .cnps = 1234, .marked_packets = 5678, .retransmissions = 1,
                         .paused = 0.25, .metric = 0.5 } };
}

static struct msg through(const struct msg *m, size_t *length)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    struct msg           read;

    *length = codec_write(m, bytes);
    assert_int_equal(codec_read(&read, bytes, *length), 0);
    return read;
}

static void write__a_report_comes_back_and_is_small(void **unused)
{
    struct msg m = report(), read;
    size_t     length;

    (void)unused;
    read = through(&m, &length);
    assert_memory_equal(&read.sample, &m.sample, sizeof m.sample);
    assert_true(read.term == m.term && read.stamp_us == m.stamp_us && read.change == 12 &&
                read.phase == PHASE_APPLIED);
    print_message("# report %zu bytes\n", length);
    assert_true(length <= 160);
}

/* A device may lack any one counter, and may know its paused time or not. */
static void write__each_counter_is_unknown_by_itself(void **unused)
{
    struct msg m = report(), read;
    size_t     length;

    (void)unused;
    for (int i = 0; i < 2 * (MSG_SAMPLE_COUNTERS + 1); i++) {
        int row = i / 2;

        m.sample.paused = i % 2 ? NAN : 0.25;
        m.sample.unknown = row < MSG_SAMPLE_COUNTERS ? MSG_UNKNOWN_BIT(row) : 0;
        read = through(&m, &length);
        assert_true(read.sample.unknown == m.sample.unknown);
        assert_int_equal(isnan(read.sample.paused), i % 2);
    }
    for (int row = 0; row < 40; row++) {         /* of version 1, and of all to come */
        assert_true(row >= 6 || MSG_UNKNOWN_BIT(row) == 1ull << row);
        assert_true(MSG_UNKNOWN_BIT(row) != 1ull << MSG_PAUSED_BIT);
        assert_true(MSG_UNKNOWN_BIT(row) < MSG_UNKNOWN_BIT(row + 1));
    }
}

/* An agent that lacks a counter does not know that there is one; a newer one has more than we know. */
static void read__counters_of_agents_of_other_ages(void **unused)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    uint64_t             first = (1ull << MSG_PAUSED_BIT) - 1;
    struct msg           m = report(), read;

    (void)unused;
    for (int is_newer = 0; is_newer < 2; is_newer++) {
        Anole__V1__Message *wire = anole__v1__message__unpack(NULL, codec_write(&m, bytes), bytes);

        wire->sample->unknown = is_newer ? 3ull << 61 : 0;
        wire->sample->known = is_newer ? UINT64_MAX : 0;
        size_t length = anole__v1__message__pack(wire, bytes);
        anole__v1__message__free_unpacked(wire, NULL);
        assert_int_equal(codec_read(&read, bytes, length), 0);
        assert_true(read.sample.unknown == (is_newer ? 0 : MSG_UNKNOWN_ALL & ~first));
        assert_true(read.sample.paused == 0.25 && read.sample.cnps == m.sample.cnps);
    }
}

static void write__details_of_a_report_come_back(void **unused)
{
    static unsigned char     bytes[CODEC_BYTES_MAX];
    static struct msg_detail detail = { .fsd = { .elephants = 3 * FSD_ONE / 2, .mice = 7,
                                                 .bin = { [0] = 1, [20] = 9 } }, .ports = 2,
                                        .pairs = 1,
                                        .port = { { 1, 2, 3, 4, 5, 6, true, "Ethernet4" },
                                                  { .paused_ps = UINT64_MAX } },
                                        .pair = { { 6, 7, 8, 9, 10 } } }, seen;
    struct msg m = report(), read;
    size_t     length;

    (void)unused;
    m.sample.detail = &detail;
    length = codec_write(&m, bytes);
    assert_int_equal(codec_read_all(&read, &seen, NULL, bytes, length), 0);
    assert_true(read.sample.detail == &seen);
    assert_memory_equal(&seen.fsd, &detail.fsd, sizeof seen.fsd);
    assert_true(seen.ports == 2 && seen.pairs == 1);
    assert_memory_equal(seen.port, detail.port, 2 * sizeof *seen.port);
    assert_memory_equal(seen.pair, detail.pair, sizeof *seen.pair);
    assert_int_equal(codec_read(&read, bytes, length), 0);       /* a reader may ignore the details */
    assert_null(read.sample.detail);
    detail.ports = MSG_PORTS_MAX;
    detail.pairs = MSG_PAIRS_MAX;
    assert_int_equal(codec_read_all(&read, &seen, NULL, bytes, codec_write(&m, bytes)), 0);
    assert_true(seen.ports == MSG_PORTS_MAX && seen.pairs == MSG_PAIRS_MAX);
}

/* A host's message counts come back exactly, take seen_part_bytes() bytes, and at most 1 KB. */
static void write__message_counts_come_back_with_the_predicted_length(void **unused)
{
    static unsigned char     bytes[CODEC_BYTES_MAX];
    static struct msg_detail detail = { .has_seen = true }, read;
    struct msg m = report(), back;
    size_t     bare = codec_write(&m, bytes), said, length;

    (void)unused;
    for (uint32_t bin = 3; bin < SEEN_ROWS; bin += 2)
        detail.seen.row[detail.seen.rows++] = (struct seen_row){ bin, 1 + bin * bin,
                                                                 (1 + bin * bin) *
                                                                 (seen_bin_min(bin % SEEN_BINS) + bin) };
    for (uint32_t i = 0; i < SEEN_JOBS; i++)
        detail.seen.job[i] = (struct seen_part_job){ 1000000 + i, 100, i, 7, 200 * i, 3, 123456789 };
    for (int i = 0; i < PREDICT_CLASSES; i++) {
        detail.seen.done[i] = (struct seen_part_class){ 10 * (uint64_t)i, 70000 };
        detail.seen.waiting[i] = (struct seen_part_class){ 1, 1ull << 33 };
    }
    detail.seen.chance_bytes = 0.1;
    detail.seen.chance_squares = 1e30;
    detail.seen.chain_tiny = 5;
    detail.seen.local_bytes = detail.seen.chain_ps = 1ull << 41;
    detail.seen.bursts = 3, detail.seen.burst_messages = 30, detail.seen.burst_bytes = 3000;
    m.sample.detail = &detail;
    for (int full = 0; full < 2; full++) {
        said = seen_part_bytes(&detail.seen);
        length = codec_write(&m, bytes);
        /* its number and length, and a longer length of the sample */
        assert_in_range(length - bare - said, 3, 6);
        assert_int_equal(codec_read_all(&back, &read, NULL, bytes, length), 0);
        assert_true(back.sample.detail == &read && read.has_seen);
        assert_memory_equal(&read.seen, &detail.seen,
                            offsetof(struct seen_part, row) + detail.seen.rows * sizeof(struct seen_row));
        seen_part_fit(&detail.seen);
        assert_in_range(seen_part_bytes(&detail.seen), 1, SEEN_PART_BYTES);
    }
    seen_part_clear(&detail.seen);
    assert_int_equal(seen_part_bytes(&detail.seen), 0);
    assert_int_equal(codec_read_all(&back, &read, NULL, bytes, codec_write(&m, bytes)), 0);
    /* an interval without messages is reported, too */
    assert_true(back.sample.detail && read.has_seen && !read.seen.rows);
    detail.seen.rows = 1;
    detail.seen.row[0] = (struct seen_row){ SEEN_ROWS, 1, 1ull << 40 };
    /* no such bin */
    assert_int_equal(codec_read_all(&back, &read, NULL, bytes, codec_write(&m, bytes)), -EBADMSG);
    assert_true(seen_bin_min(108) == 1ull << 33);
    detail.seen.row[0] = (struct seen_row){ 108, 1u << 31, 0 };          /* 2^64 bytes: 0, if unchecked */
    assert_int_equal(codec_read_all(&back, &read, NULL, bytes, codec_write(&m, bytes)), -EBADMSG);
}

static void write__a_hello_with_every_knob_comes_back(void **unused)
{
    struct msg m = { .kind = MSG_HELLO, .version = MSG_VERSION, .name = "host1/mlx5_0", .where = KNOB_SWITCH,
                     .may_write = true, .why = "frozen: somebody" }, read;
    size_t     length;

    (void)unused;
    for (int i = 0; i < KNOB_COUNT; i++)
        knob_set_add(&m.set, (enum knob)i, i + 0.125);
    m.confirmed = m.baseline = m.set;
    m.facts = (struct msg_facts){ 1, 2, 3, 4, 5, 6 };
    m.is_fixed[KNOB_dce_tcp_g] = m.is_fixed[KNOB_kmin] = true;
    read = through(&m, &length);
    assert_memory_equal(read.is_fixed, m.is_fixed, sizeof m.is_fixed);
    assert_true(knobset_is_same(&read.set, &m.set) && knobset_is_same(&read.baseline, &m.baseline));
    assert_memory_equal(&read.facts, &m.facts, sizeof m.facts);
    assert_string_equal(read.name, m.name);
    assert_string_equal(read.why, m.why);
    assert_int_equal(read.where, KNOB_SWITCH);
}

/* A knob 'kmin' is renamed on the wire. */
static int read_with_another_knob(enum msg_kind kind, struct msg *read)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    struct msg           m = { .kind = kind, .version = MSG_VERSION, .name = "host1/mlx5_0" };
    unsigned char       *at;

    knob_set_add(&m.set, KNOB_kmin, 1);
    knob_set_add(&m.set, KNOB_pmax, 0.5);
    size_t length = codec_write(&m, bytes);
    while ((at = memmem(bytes, length, "kmin", 4)) != NULL)
        at[3] = 'o';
    return codec_read(read, bytes, length);
}

static void read__knobs_of_a_later_version_are_left_out(void **unused)
{
    static const enum msg_kind said[] = { MSG_HELLO, MSG_ANSWER };
    struct msg                 read;

    (void)unused;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(read_with_another_knob(said[i], &read), 0);
        assert_true(read.set.is_named[KNOB_pmax] && !read.set.is_named[KNOB_kmin]);
    }
    /* not half of what is wanted */
    assert_int_equal(read_with_another_knob(MSG_PREPARE, &read), -EBADMSG);
}

/* Reads the message of that name in tests/live/wire/older.txt. */
static struct msg older(const char *name)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    char                 word[16], hex[2000];
    FILE                *f = fopen("tests/live/wire/older.txt", "re");
    struct msg           m;
    unsigned             byte;
    size_t               length = 0;

    assert_non_null(f);
    assert_non_null(fgets(hex, sizeof hex, f));  /* a comment */
    while (fscanf(f, "%15s %1999s", word, hex) == 2 && strcmp(word, name) != 0)
        ;
    fclose(f);
    assert_string_equal(word, name);
    for (; sscanf(hex + 2 * length, "%2x", &byte) == 1; length++)
        bytes[length] = (unsigned char)byte;
    assert_int_equal(codec_read(&m, bytes, length), 0);
    assert_true(m.term == 65537 && m.incarnation == 1792141200);
    return m;
}

static void read__messages_of_an_older_version_mean_the_same(void **unused)
{
    struct msg m = older("HELLO");

    (void)unused;
    assert_true(m.kind == MSG_HELLO && m.version == MSG_VERSION && m.may_write && m.is_frozen);
    assert_true(m.gap_us == 1000000 && m.interval_us == 100000 && m.facts.rate_bps == 100000000000);
    assert_true(m.set.knobs.value[KNOB_rpg_ai_rate] == 50 && m.baseline.knobs.value[KNOB_rpg_ai_rate] == 5);
    assert_string_equal(m.why, "frozen: by alice");
    for (int i = 0; i < KNOB_COUNT; i++)
        assert_false(m.is_fixed[i]);             /* it did not say: all may be set, as before */
    m = older("REPORT");
    assert_true(m.kind == MSG_REPORT && m.change == 12 && m.phase == PHASE_APPLIED && !m.is_unreadable);
    assert_true(m.sample.tx_bytes == 1250000000 && m.sample.paused == 0.25 && m.sample.metric == 0.5);
    assert_true(m.sample.unknown & MSG_UNKNOWN(marked_packets) && !(m.sample.unknown & MSG_UNKNOWN(cnps)));
    assert_string_equal(m.why, "guardrail: a drop");
    m = older("ANSWER");
    assert_true(m.answer == ANSWER_REFUSED && m.change == 12 && m.set.knobs.value[KNOB_rpg_ai_rate] == 5);
    m = older("LEASE");
    assert_true(m.kind == MSG_LEASE && m.stamp_us == 81234567890 && m.has_control && m.control == 0.125);
    m = older("PREPARE");
    assert_true(m.kind == MSG_PREPARE && m.change == 13 && m.set.knobs.value[KNOB_kmin] == 400);
    m = older("COMMIT");
    assert_true(m.kind == MSG_COMMIT && m.at_us == 81234600000);
    m = older("REVERT");
    assert_true(m.kind == MSG_REVERT && strcmp(m.why, "the block is over") == 0);
    assert_int_equal(older("DRILL").kind, MSG_DRILL);
}

static void write__a_lease_is_smaller_still(void **unused)
{
    struct msg m = { .kind = MSG_LEASE, .term = 65537, .incarnation = 1792141200, .stamp_us = 81234567890 };
    size_t     length;

    (void)unused;
    through(&m, &length);
    print_message("# lease %zu bytes\n", length);
    assert_true(length <= 24);
}

static void write__a_report_of_flow_sizes_alone_is_brief(void **unused)
{
    struct msg_detail detail = { .fsd = { .elephants = 3 * FSD_ONE, .mice = 5 * FSD_ONE,
                                          .bin = { [4] = 3, [7] = 2, [14] = 3 } } };
    struct msg        m = { .kind = MSG_REPORT, .term = 65537, .incarnation = 1792141200,
                            .stamp_us = 81234567890,
                            .sample = { .interval_us = 30000, .metric = 0.5, .is_brief = true,
                                        .detail = &detail } };
    struct msg        lease = { .kind = MSG_LEASE, .is_brief = true };
    size_t            length;

    (void)unused;
    assert_true(through(&m, &length).sample.is_brief);
    print_message("# brief report %zu bytes\n", length);
    assert_true(length <= 60);
    m.sample.is_brief = false;
    assert_false(through(&m, &length).sample.is_brief);
    assert_true(through(&lease, &length).is_brief);
}

static void write__a_setting_of_three_knobs_is_small_enough(void **unused)
{
    struct msg m = { .kind = MSG_PREPARE, .term = 65537, .incarnation = 1792141200, .change = 12 };
    size_t     length;

    (void)unused;
    knob_set_add(&m.set, KNOB_kmin, 400);
    knob_set_add(&m.set, KNOB_kmax, 1600);
    knob_set_add(&m.set, KNOB_pmax, 0.2);
    through(&m, &length);
    print_message("# prepare %zu bytes\n", length);
    assert_true(length <= 76);
}

static void write__the_state_of_a_switch_tuner_comes_back(void **unused)
{
    struct msg m = report(), read;
    size_t     length;

    (void)unused;
    read = through(&m, &length);
    assert_false(read.self.is_there);
    m.self = (struct msg_self){ .is_there = true, .is_allowed = true, .queues = 48, .moved = 7,
                                .decisions = 1ull << 40, .changes = 12345, .is_training = true,
                                .net = UINT64_MAX };
    read = through(&m, &length);
    assert_memory_equal(&read.self, &m.self, sizeof m.self);
    m = (struct msg){ .kind = MSG_QUEUES, .term = 3, .self = { .is_there = true } };
    read = through(&m, &length);
    assert_true(read.kind == MSG_QUEUES && read.self.is_there && !read.self.is_allowed);
}

static int learn_through(const struct msg_learn *out, struct msg_learn *in)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    struct msg           m = { .kind = MSG_LEARN, .term = 3, .incarnation = 4, .learn = out }, read;
    size_t               length = codec_write(&m, bytes);
    int                  rc = codec_read_all(&read, NULL, in, bytes, length);

    if (!rc)
        assert_true(read.kind == MSG_LEARN && read.learn == in && read.term == 3);
    assert_int_equal(codec_read(&read, bytes, length), 0);
    assert_null(read.learn);                     /* a reader may ignore the learning message */
    return rc;
}

static void write__records_and_nets_come_back(void **unused)
{
    static struct msg_learn out, in;

    (void)unused;
    out = (struct msg_learn){ .version = 7, .seed = UINT64_MAX, .checksum = 1ull << 63,
                              .floats = MSG_LEARN_FLOATS_MAX };          /* the longest net */
    for (uint32_t i = 0; i < out.floats; i++)
        out.value[i] = -1 / (float)(i + 1);
    assert_int_equal(learn_through(&out, &in), 0);
    assert_memory_equal(&in, &out, sizeof in);
    out.rows = MSG_LEARN_ROWS_MAX;               /* the longest message of records */
    out.floats = MSG_LEARN_FLOATS_MAX / MSG_LEARN_ROWS_MAX * MSG_LEARN_ROWS_MAX;
    for (uint32_t i = 0; i < out.rows; i++)
        out.slot[i] = out.queue[i] = UINT32_MAX - i;
    assert_int_equal(learn_through(&out, &in), 0);
    assert_true(in.rows == out.rows && in.floats == out.floats);
    assert_memory_equal(in.slot, out.slot, sizeof in.slot);
    assert_memory_equal(in.queue, out.queue, sizeof in.queue);
    assert_memory_equal(in.value, out.value, in.floats * sizeof *in.value);
    out = (struct msg_learn){ .version = 7 };
    assert_int_equal(learn_through(&out, &in), 0);
    assert_true(in.version == 7 && !in.rows && !in.floats);
}

static void read__refuses_impossible_records_and_nets(void **unused)
{
    static struct msg_learn out, in;
    static unsigned char    bytes[CODEC_BYTES_MAX];
    struct msg              m;
    size_t                  length = 0;

    (void)unused;
    out = (struct msg_learn){ .rows = 2, .floats = 10 };
    assert_int_equal(learn_through(&out, &in), 0);
    out.floats = 11;                             /* rows of different sizes */
    assert_int_equal(learn_through(&out, &in), -EBADMSG);
    out.floats = 10;
    out.value[9] = (float)NAN;
    assert_int_equal(learn_through(&out, &in), -EBADMSG);
    out.value[9] = (float)INFINITY;
    assert_int_equal(learn_through(&out, &in), -EBADMSG);
    /* By hand: kind 16, then field 20 with 513 slots (4) and queues (5) of one byte each. */
    memcpy(bytes, "\x08\x10\xa2\x01\x88\x08", length = 6);
    for (int field = 4; field <= 5; field++) {
        bytes[length++] = (unsigned char)(field << 3 | 2);
        bytes[length++] = 0x81;
        bytes[length++] = 0x04;
        length += MSG_LEARN_ROWS_MAX + 1;
    }
    assert_int_equal(length - 6, 0x408);
    assert_int_equal(codec_read_all(&m, NULL, &in, bytes, length), -EBADMSG);
    assert_int_equal(codec_read(&m, bytes, length), 0);
}

static void read__refuses_invalid_messages(void **unused)
{
    /* By hand, after the encoding of protocol buffers: field 1 is kind, 7 is set with name (1) and value
     * (2). */
    static const struct { const char *bytes; size_t length; } row[] = {
        { "", 0 },                                                       /* kind NONE */
        { "\x08\x0c", 2 },                                               /* kind 12 */
        { "\x08\x02", 2 },                                               /* a report without a sample */
        { "\x08\x06\x3a\x05\x0a\x03" "foo", 9 },                         /* no such knob */
        { "\x08\x06\x3a\x0f\x0a\x04" "kmin\x11\0\0\0\0\0\0\xf8\x7f", 19 },       /* not a number */
        { "\x08\x06\x3a\x06\x0a\x04" "kmin\x3a\x06\x0a\x04" "kmin", 18 },        /* twice */
        { "\x08\x09\x42\x01\x1b", 5 },                                   /* a control character */
        { "\xff\xff\xff", 3 },
    };
    struct msg m = { .kind = MSG_WHO };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(codec_read(&m, (const unsigned char *)row[i].bytes, row[i].length), -EBADMSG);
    assert_int_equal(m.kind, MSG_WHO);
    assert_int_equal(codec_read(&m, (const unsigned char *)"\x08\x06\x3a\x06\x0a\x04" "kmin", 10), 0);
    assert_true(m.set.is_named[KNOB_kmin]);
}

static void read__an_impossible_term_is_refused(void **unused)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    struct msg           m = { .kind = MSG_LEASE, .term = MSG_TERM_MAX }, read;

    (void)unused;
    assert_int_equal(codec_read(&read, bytes, codec_write(&m, bytes)), 0);
    assert_true(read.term == MSG_TERM_MAX);
    m.term = MSG_TERM_MAX + 1;
    assert_int_equal(codec_read(&read, bytes, codec_write(&m, bytes)), -EBADMSG);
    m.term = 0xFFFFFFFFFFFE0000;
    assert_int_equal(codec_read(&read, bytes, codec_write(&m, bytes)), -EBADMSG);
}

static void question__and_reply_come_back(void **unused)
{
    static unsigned char bytes[CODEC_BYTES_MAX];
    struct question      q = { .version = 1, .verb = "freeze", .device = "host1/mlx5_0", .why = "maintenance",
                               .code = "0123456789abcdef", .number = 7 }, read;
    unsigned char       *reply;
    char                *error, *text;
    size_t               length;

    (void)unused;
    length = codec_write_question(&q, bytes);
    assert_int_equal(codec_read_question(&read, bytes, length), 0);
    assert_memory_equal(&read, &q, sizeof q);
    length = codec_write_reply("", "{}", &reply);
    assert_int_equal(codec_read_reply(&error, &text, reply, length), 0);
    assert_string_equal(error, "");
    assert_string_equal(text, "{}");
    free(reply);
    free(error);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write__a_report_comes_back_and_is_small),
        cmocka_unit_test(write__each_counter_is_unknown_by_itself),
        cmocka_unit_test(read__counters_of_agents_of_other_ages),
        cmocka_unit_test(write__details_of_a_report_come_back),
        cmocka_unit_test(write__message_counts_come_back_with_the_predicted_length),
        cmocka_unit_test(write__a_hello_with_every_knob_comes_back),
        cmocka_unit_test(read__knobs_of_a_later_version_are_left_out),
        cmocka_unit_test(read__messages_of_an_older_version_mean_the_same),
        cmocka_unit_test(write__a_lease_is_smaller_still),
        cmocka_unit_test(write__a_report_of_flow_sizes_alone_is_brief),
        cmocka_unit_test(write__a_setting_of_three_knobs_is_small_enough),
        cmocka_unit_test(write__the_state_of_a_switch_tuner_comes_back),
        cmocka_unit_test(write__records_and_nets_come_back),
        cmocka_unit_test(read__refuses_impossible_records_and_nets),
        cmocka_unit_test(read__refuses_invalid_messages),
        cmocka_unit_test(read__an_impossible_term_is_refused),
        cmocka_unit_test(question__and_reply_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
