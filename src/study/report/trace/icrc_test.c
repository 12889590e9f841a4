/* src/study/report/trace/icrc_test.c - the ICRC of a CNP from a ConnectX-4 Lx, and the shortcut for zeros. */
#include "study/report/trace/icrc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* From the IPv4 header on. Published with scapy's tests of RoCE. */
static const unsigned char cnp[] = {
    0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, 0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01,      /* IPv4 */
    0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00,      /* UDP, BTH */
};

static void icrc_of__matches_a_captured_cnp(void **unused)
{
    struct icrc c;

    (void)unused;
    for (uint32_t zeros = 0; zeros <= 16; zeros += 16) {         /* one by one, or all at once */
        icrc_init(&c, zeros);
        assert_int_equal(icrc_of(&c, cnp, sizeof cnp, 16), 0x2a00fd82);
    }
}

static void icrc_of__has_a_shortcut_for_zeros(void **unused)
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
        cmocka_unit_test(icrc_of__matches_a_captured_cnp),
        cmocka_unit_test(icrc_of__has_a_shortcut_for_zeros),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
