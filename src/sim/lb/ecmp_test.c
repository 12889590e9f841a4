#include "sim/lb/lb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* MurmurHash3_x86_32 over bytes, from its published description. */
static uint32_t murmur3(const uint8_t *data, int length, uint32_t seed)
{
    uint32_t h = seed;

    for (int i = 0; i + 4 <= length; i += 4) {
        uint32_t k = (uint32_t)data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16 |
                     (uint32_t)data[i + 3] << 24;

        k *= 0xcc9e2d51u;
        k = k << 15 | k >> 17;
        k *= 0x1b873593u;
        h ^= k;
        h = h << 13 | h >> 19;
        h = h * 5 + 0xe6546b64u;
    }
    h ^= (uint32_t)length;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}

static void hash__is_murmur3_of_the_tuple(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t src_ip = 0x0b000001u + (i << 8), dst_ip = 0x0b000101u + i * 77,
                 ports = (10000 + i) | 100u << 16;
        uint8_t  bytes[12];

        memcpy(bytes, &src_ip, 4), memcpy(bytes + 4, &dst_ip, 4), memcpy(bytes + 8, &ports, 4);
        assert_int_equal(murmur3(bytes, 12, i % 5), ecmp_hash(i % 5, src_ip, dst_ip, ports));
    }
}

static void hash__spreads_flows_evenly(void **unused)
{
    uint32_t hits[4] = { 0 };

    (void)unused;
    for (uint32_t i = 0; i < 40000; i++)
        hits[ecmp_hash(7, 0x0b000001, 0x0b000101, i | 100u << 16) % 4]++;
    /* Binomial(40000, 1/4): standard deviation 87; five of them. */
    for (int i = 0; i < 4; i++)
        assert_in_range(hits[i], 10000 - 435, 10000 + 435);
}

static void find__by_name(void **unused)
{
    (void)unused;
    assert_non_null(lb_find("ecmp"));
    assert_null(lb_find("ecmpp"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash__is_murmur3_of_the_tuple),
        cmocka_unit_test(hash__spreads_flows_evenly),
        cmocka_unit_test(find__by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
