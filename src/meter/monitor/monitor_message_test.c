#include "meter/monitor/monitor_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void switch__comes_back_as_it_went(void **unused)
{
    struct message_switch m = { .interval = 0x01020304, .pauses = 7, .paused_ps = 1ull << 40,
                                .fsd = { .elephants = 5ull << 33, .mice = 3 } }, back;
    uint8_t bytes[MESSAGE_SWITCH_BYTES];

    (void)unused;
    for (uint32_t i = 0; i < FSD_BINS; i++)
        m.fsd.bin[i] = i * 1000003ull;
    message_encode_switch(&m, bytes);
    message_decode_switch(bytes, &back);
    assert_memory_equal(&m, &back, sizeof(m));
    assert_memory_equal(bytes, "\x04\x03\x02\x01\x07\x00\x00\x00", 8);
    m.fsd.bin[31] = 1ull << 32;
    message_encode_switch(&m, bytes);
    message_decode_switch(bytes, &back);
    assert_int_equal(back.fsd.bin[31], UINT32_MAX);
}

static void nic__comes_back_within_its_steps(void **unused)
{
    static const struct { struct message_nic told, heard; } rows[] = {
        { { 12500000, 1, 500000 }, { 12500032 / 64 * 64, 1, 500000 } },
        { { 31, -1, 499 }, { 0, -1, 0 } },
        { { 32, 0, 500 }, { 64, 1.0 / UINT32_MAX, 1000 } },
        { { UINT64_MAX / 2, 2, UINT64_MAX / 2 }, { UINT32_MAX * 64ull, 1, UINT32_MAX * 1000ull } },
    };
    uint8_t bytes[MESSAGE_NIC_BYTES];

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct message_nic heard;

        message_encode_nic(&rows[i].told, bytes);
        message_decode_nic(bytes, &heard);
        assert_int_equal(heard.tx_bytes, rows[i].heard.tx_bytes);
        assert_int_equal(heard.paused_ps, rows[i].heard.paused_ps);
        assert_true(heard.rtt_ratio == rows[i].heard.rtt_ratio);
    }
}

/* Those that have a direction, which is what PARALEON tunes, of one kind of device. */
static struct knob_set tuned_knobs(const struct knobs *k, enum knob_where where)
{
    struct knob_set set = { .knobs = *k };

    for (uint32_t i = 0; i <= KNOB_pmax; i++)        /* those of DCQCN and ECN */
        set.is_named[i] = knob_info[i].where == where && knob_info[i].toward != 0;
    return set;
}

static void expect_same_heard(const struct knob_set *told)
{
    uint8_t bytes[MESSAGE_KNOBS_BYTES];
    size_t length = message_encode_knobs(told, 42, bytes);
    struct knobs heard = { 0 };
    uint32_t interval;

    assert_in_range(length, 4 + MESSAGE_NAMES_BYTES + 4, 76);
    assert_int_equal(message_decode_knobs(bytes, length, &heard, &interval), 0);
    assert_int_equal(interval, 42);
    for (uint32_t k = 0; k < KNOB_COUNT; k++)
        assert_true(heard.value[k] == (told->is_named[k] ? (double)(float)told->knobs.value[k] : 0));
}

static void knobs__fit_into_a_message(void **unused)
{
    struct knob_set set;
    struct knobs told;

    (void)unused;
    knobs_init(&told);
    told.value[KNOB_rpg_ai_rate] = 131071;
    told.value[KNOB_kmin] = 123.5;
    set = tuned_knobs(&told, KNOB_NIC);
    expect_same_heard(&set);
    set = tuned_knobs(&told, KNOB_SWITCH);
    expect_same_heard(&set);
}

static void knobs__each_has_a_bit(void **unused)
{
    (void)unused;
    for (int i = 0; i < KNOB_COUNT; i++) {
        struct knob_set set = { 0 };

        knob_set_add(&set, (enum knob)i, (knob_info[i].min + knob_info[i].max) / 2);
        expect_same_heard(&set);
    }
}

static void knobs__refuse_what_is_no_message(void **unused)
{
    uint8_t bytes[MESSAGE_KNOBS_BYTES + 4] = { 0 };
    struct knobs knobs, before;
    struct knob_set set;
    uint32_t interval = 9;
    size_t length;

    (void)unused;
    knobs_init(&knobs);
    before = knobs;
    set = tuned_knobs(&knobs, KNOB_NIC);
    length = message_encode_knobs(&set, 1, bytes);
    knobs.value[KNOB_rpg_ai_rate] = before.value[KNOB_rpg_ai_rate] = 77;
    for (size_t wrong = 0; wrong < length + 4; wrong++)
        if (wrong != length)
            assert_int_equal(message_decode_knobs(bytes, wrong, &knobs, &interval), -EINVAL);
    memset(bytes + length - 4, 0xff, 4);             /* not a number */
    assert_int_equal(message_decode_knobs(bytes, length, &knobs, &interval), -EINVAL);
    memset(bytes + length - 4, 0x7f, 4);             /* out of range */
    assert_int_equal(message_decode_knobs(bytes, length, &knobs, &interval), -EINVAL);
    set = (struct knob_set){ 0 };
    knob_set_add(&set, KNOB_kmin, 100);
    length = message_encode_knobs(&set, 1, bytes);
    bytes[4 + KNOB_kmin / 8] = 0;
    bytes[4 + MESSAGE_NAMES_BYTES - 1] = 0x80;       /* a knob that there is not */
    assert_int_equal(message_decode_knobs(bytes, length, &knobs, &interval), -EINVAL);
    assert_memory_equal(&knobs, &before, sizeof(knobs));
    assert_int_equal(interval, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switch__comes_back_as_it_went),
        cmocka_unit_test(nic__comes_back_within_its_steps),
        cmocka_unit_test(knobs__fit_into_a_message),
        cmocka_unit_test(knobs__each_has_a_bit),
        cmocka_unit_test(knobs__refuse_what_is_no_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
