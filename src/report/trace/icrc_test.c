/* src/report/trace/icrc_test.c - a CNP that a ConnectX-4 Lx has sent, and zeroes by the short way. */
#include "report/trace/icrc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* From its IPv4 header on; published with scapy's tests of RoCE. */
static const unsigned char cnp[] = {
    0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, 0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01,      /* IPv4 */
    0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00,      /* UDP, BTH */
};

static void icrc_of__is_that_of_a_captured_cnp(void **unused)
{
    struct icrc c;

    (void)unused;
    for (uint32_t zeros = 0; zeros <= 16; zeros += 16) {         /* its sixteen bytes of 0 one by one, and all at once */
        icrc_init(&c, zeros);
        assert_int_equal(icrc_of(&c, cnp, sizeof cnp, 16), 0x2a00fd82);
    }
}

static void icrc_of__zeroes_by_the_short_way(void **unused)
{
    unsigned char frame[sizeof cnp + 4096] = { 0 };
    struct icrc   c;

    (void)unused;
    memcpy(frame, cnp, sizeof cnp);
    for (uint32_t zeros = 1; zeros <= 4096; zeros = zeros * 2 + 1) {
        icrc_init(&c, zeros);
        assert_int_equal(icrc_of(&c, frame, sizeof cnp, zeros),
                         icrc_of(&c, frame, (uint32_t)sizeof cnp + zeros, 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(icrc_of__is_that_of_a_captured_cnp),
        cmocka_unit_test(icrc_of__zeroes_by_the_short_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
