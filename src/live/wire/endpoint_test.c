#include "live/wire/endpoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>

static void expect_parts(const char *text, const char *host, const char *port)
{
    struct address a;
    struct err     err;

    assert_int_equal(address_read(&a, text, &err), 0);
    assert_string_equal(a.host, host);
    assert_string_equal(a.port, port);
}

static void read__hosts_numbers_and_sockets(void **unused)
{
    (void)unused;
    expect_parts("c1.example:7471", "c1.example", "7471");
    expect_parts("10.0.0.1:7471", "10.0.0.1", "7471");
    expect_parts("[fd00::1]:7471", "fd00::1", "7471");
    expect_parts("unix:/run/anole.sock", "/run/anole.sock", "");
}

static void read__refuses_invalid_endpoints_and_names_them(void **unused)
{
    static const char *const wrong[] = { "", "host", ":7471", "host:", "unix:", "host:12345678901234567" };
    char                     longest[ADDRESS_HOST_SIZE + 8];
    struct address           a;
    struct err               err;

    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(address_read(&a, wrong[i], &err), -EINVAL);
        assert_non_null(strstr(err.text, wrong[i]));
    }
    memset(longest, 'h', sizeof longest);
    memcpy(longest + ADDRESS_HOST_SIZE, ":1", 3);
    assert_int_equal(address_read(&a, longest, &err), -EINVAL);
    memcpy(longest + ADDRESS_HOST_SIZE - 1, ":1", 3);
    assert_int_equal(address_read(&a, longest, &err), 0);
    assert_int_equal(strlen(a.host), ADDRESS_HOST_SIZE - 1);
}

static void check__plaintext_stays_on_this_machine(void **unused)
{
    static const char *const here[] = { "127.0.0.1:1", "localhost:1", "[::1]:1", "unix:/x" };
    static const char *const away[] = { "10.0.0.1:1", "localhost.example:1", "[fd00::1]:1" };
    struct rpc_tls           none = { 0 };
    struct err               err;

    (void)unused;
    for (size_t i = 0; i < sizeof here / sizeof *here; i++)
        assert_int_equal(address_check(here[i], &none, &err), 0);
    for (size_t i = 0; i < sizeof away / sizeof *away; i++)
        assert_int_equal(address_check(away[i], &none, &err), -EPERM);
}

static void lookup__an_address_needs_no_thread_and_a_name_does(void **unused)
{
    struct address   number = { "127.0.0.1", "7471" }, name = { "localhost", "7471" };
    struct addrinfo *found;
    struct lookup   *l;
    struct pollfd    p;

    (void)unused;
    assert_int_equal(address_look_up(&number, AI_NUMERICHOST, &found), 0);
    assert_int_equal(((struct sockaddr_in *)(void *)found->ai_addr)->sin_port, htons(7471));
    assert_int_equal(((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
    freeaddrinfo(found);
    assert_int_not_equal(address_look_up(&name, AI_NUMERICHOST, &found), 0);
    l = lookup_new(&name);
    p = (struct pollfd){ .fd = lookup_fd(l), .events = POLLIN };
    assert_int_equal(poll(&p, 1, -1), 1);
    assert_int_equal(lookup_take(l, &found), 0);
    assert_non_null(found);
    freeaddrinfo(found);
    lookup_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__hosts_numbers_and_sockets),
        cmocka_unit_test(read__refuses_invalid_endpoints_and_names_them),
        cmocka_unit_test(check__plaintext_stays_on_this_machine),
        cmocka_unit_test(lookup__an_address_needs_no_thread_and_a_name_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
