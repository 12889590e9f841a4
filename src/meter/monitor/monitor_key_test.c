#include "meter/monitor/monitor_key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void tuple__keeps_every_field_apart(void **unused)
{
    struct flow_key a = flow_key_tuple(1, 2, 3, 4, 5), other[] = {
        flow_key_tuple(2, 1, 3, 4, 5), flow_key_tuple(1, 3, 3, 4, 5), flow_key_tuple(1, 2, 4, 3, 5),
        flow_key_tuple(1, 2, 3, 5, 5), flow_key_tuple(1, 2, 3, 4, 6), flow_key_qp(1, 2, 3u << 16 | 4),
        flow_key_qp(0, 0, 0), flow_key_tuple(0, 0, 0, 0, 0),
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        assert_false(flow_key_equal(&a, &other[i]));
        assert_false(flow_key_is_none(&other[i]));
    }
    assert_true(flow_key_equal(&a, &(struct flow_key){ { a.word[0], a.word[1] } }));
}

/* Flipping one bit of a key flips each bit of its hash half of the time: 200 of 400, standard deviation 10.
 * Six of them. */
static void hash__depends_on_every_bit(void **unused)
{
    uint32_t flips[64];

    (void)unused;
    for (uint32_t bit = 0; bit < 128; bit++) {
        for (uint32_t i = 0; i < 64; i++)
            flips[i] = 0;
        for (uint32_t n = 0; n < 400; n++) {
            struct flow_key k = flow_key_tuple(0x0a000000 + n, 0x0a010000 + n / 7, (uint16_t)(50000 + n),
                                               4791, 17);
            uint64_t before = flow_key_hash(&k, 12345), changed;

            k.word[bit / 64] ^= 1ull << bit % 64;
            changed = before ^ flow_key_hash(&k, 12345);
            for (uint32_t i = 0; i < 64; i++)
                flips[i] += (uint32_t)(changed >> i & 1);
        }
        for (uint32_t i = 0; i < 64; i++)
            assert_in_range(flips[i], 200 - 60, 200 + 60);
    }
}

/* 100,000 neighbouring flows in 100 places: 1000 each, standard deviation 31.5. */
static void below__spreads_neighbours(void **unused)
{
    uint32_t hits[100] = { 0 };

    (void)unused;
    for (uint32_t i = 0; i < 100000; i++) {
        struct flow_key k = flow_key_qp(0x0a000001, 0x0a000002, i);

        hits[flow_key_below(flow_key_hash(&k, 1), 100)]++;
    }
    for (uint32_t i = 0; i < 100; i++)
        assert_in_range(hits[i], 1000 - 158, 1000 + 158);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tuple__keeps_every_field_apart),
        cmocka_unit_test(hash__depends_on_every_bit),
        cmocka_unit_test(below__spreads_neighbours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
