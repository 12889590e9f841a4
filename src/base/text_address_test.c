/* src/base/text_address_test.c - hosts and ports in the notation of RFC 3986. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

static void split__names_numbers_and_brackets(void **unused)
{
    static const struct { const char *text, *host, *port; } good[] = {
        { "h1.example.org:7471", "h1.example.org", "7471" }, { "127.0.0.1:0", "127.0.0.1", "0" },
            { "[::1]:80", "::1", "80" },
        { "[fe80::1%eth0]:https", "fe80::1%eth0", "https" }, { ":7480", "", "7480" },
            { "::1:80", "::1", "80" }, { "[]:1", "[]", "1" },
    };
    struct address a;

    (void)unused;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(address_split(&a, good[i].text), 0);
        assert_string_equal(a.host, good[i].host);
        assert_string_equal(a.port, good[i].port);
    }
}

static void split__refuses_other_texts(void **unused)
{
    static const char *const bad[] = { "", "host", "host:", "host:12345678901234567" };
    char                     text[ADDRESS_HOST_SIZE + 8];
    struct address           a;

    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(address_split(&a, bad[i]), -EINVAL);
    memset(text, 'h', sizeof text);
    memcpy(text + ADDRESS_HOST_SIZE, ":1", 3);
    assert_int_equal(address_split(&a, text), -EINVAL);
    assert_int_equal(address_split(&a, text + 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(split__names_numbers_and_brackets),
                                        cmocka_unit_test(split__refuses_other_texts) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
