/* src/http/gate_test.c - who is let in. */
#include "http/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define TOKEN "0123456789abcdef"

static const struct gate_request good = { .method = "POST", .host = "127.0.0.1:7480", .authorization = "Bearer " TOKEN,
                                          .type = "application/json" };

static int status_of(struct gate *g, struct gate_request q)
{
    const char *why = "";
    int         status = gate_check(g, &q, 1000000, &why);

    assert_int_equal(!status, !*why);
    return status;
}

static void gate_check__reading_on_this_machine_needs_nothing(void **state)
{
    struct gate g;

    (void)state;
    gate_init(&g, NULL, true);
    assert_int_equal(status_of(&g, (struct gate_request){ .method = "GET", .host = "localhost" }), 0);
    assert_int_equal(status_of(&g, (struct gate_request){ .method = "HEAD", .host = "[::1]:80" }), 0);
    assert_int_equal(status_of(&g, (struct gate_request){ .method = "DELETE", .host = "localhost" }), 405);
}

static void gate_check__elsewhere_reading_needs_the_token(void **state)
{
    struct gate         g;
    struct gate_request q = { .method = "GET", .host = "fabric.example:443" };

    (void)state;
    gate_init(&g, TOKEN, false);
    assert_int_equal(status_of(&g, q), 421);
    g.host[g.hosts++] = "Fabric.example";
    assert_int_equal(status_of(&g, q), 401);
    q.authorization = "bearer " TOKEN;
    assert_int_equal(status_of(&g, q), 0);
}

static void gate_check__what_is_told_to_all_needs_no_token_and_takes_nothing(void **state)
{
    struct gate         g;
    struct gate_request q = { .method = "GET", .host = "10.0.0.5:8123" };

    (void)state;
    gate_init(&g, NULL, true);
    g.is_told = true;
    assert_int_equal(status_of(&g, q), 421);
    g.host[g.hosts++] = "10.0.0.5";
    assert_int_equal(status_of(&g, q), 0);
    q.method = "POST";
    q.type = "application/json";
    assert_int_equal(status_of(&g, q), 405);
    g.hosts = 0;
    g.has_any_name = true;
    q.method = "GET";
    assert_int_equal(status_of(&g, q), 0);
    q.host = NULL;
    assert_int_equal(status_of(&g, q), 421);
}

static void gate_check__a_link_may_be_followed_from_anywhere(void **state)
{
    struct gate         g;
    struct gate_request q = { .method = "GET", .host = "localhost:7480", .site = "cross-site", .dest = "document" };

    (void)state;
    gate_init(&g, TOKEN, true);
    assert_int_equal(status_of(&g, q), 0);
    q.dest = "empty";                            /* fetch() */
    assert_int_equal(status_of(&g, q), 403);
    q.dest = "iframe";
    assert_int_equal(status_of(&g, q), 403);
    q = good;
    q.site = "cross-site";
    q.dest = "document";                         /* a form */
    assert_int_equal(status_of(&g, q), 403);
}

static void gate_check__changing_needs_token_and_json(void **state)
{
    struct gate         g;
    struct gate_request q = good;

    (void)state;
    gate_init(&g, TOKEN, true);
    assert_int_equal(status_of(&g, q), 0);
    q.type = "application/json; charset=utf-8";
    assert_int_equal(status_of(&g, q), 0);
    q.type = "application/x-www-form-urlencoded";
    assert_int_equal(status_of(&g, q), 415);
    q.type = NULL;
    assert_int_equal(status_of(&g, q), 415);
    q = good;
    q.authorization = NULL;
    assert_int_equal(status_of(&g, q), 401);
    q.authorization = "Basic " TOKEN;
    assert_int_equal(status_of(&g, q), 401);
    q.authorization = "Bearer " TOKEN "0";
    assert_int_equal(status_of(&g, q), 401);
    q.authorization = "Bearer ";
    assert_int_equal(status_of(&g, q), 401);
    gate_init(&g, NULL, true);
    assert_int_equal(status_of(&g, good), 403);
}

static void gate_check__pages_of_other_sites_are_refused(void **state)
{
    struct gate         g;
    struct gate_request q = good;

    (void)state;
    gate_init(&g, TOKEN, true);
    q.origin = "http://127.0.0.1:7480";
    q.site = "same-origin";
    assert_int_equal(status_of(&g, q), 0);
    q.origin = "http://evil.example";
    assert_int_equal(status_of(&g, q), 403);
    q.origin = "null";
    assert_int_equal(status_of(&g, q), 403);
    q.origin = NULL;
    q.site = "cross-site";
    assert_int_equal(status_of(&g, q), 403);
    q = good;
    q.host = "evil.example";             /* a name that was made to point here */
    assert_int_equal(status_of(&g, q), 421);
    q.host = "127.0.0.1.evil.example";
    assert_int_equal(status_of(&g, q), 421);
    q.host = NULL;
    assert_int_equal(status_of(&g, q), 421);
}

static void gate_check__guessing_is_slow(void **state)
{
    struct gate         g;
    struct gate_request q = good;
    const char         *why;

    (void)state;
    gate_init(&g, TOKEN, true);
    q.authorization = "Bearer guess";
    for (int i = 0; i < 10; i++)
        assert_int_equal(gate_check(&g, &q, 5, &why), 401);
    assert_int_equal(gate_check(&g, &q, 5, &why), 429);
    assert_int_equal(gate_check(&g, &good, 5, &why), 0);         /* who knows it does not suffer */
    assert_int_equal(gate_check(&g, &q, 1100000, &why), 401);
    assert_int_equal(gate_check(&g, &q, 1100000, &why), 429);
}

static void gate_is_same__all_of_both_texts(void **state)
{
    (void)state;
    assert_true(gate_is_same("abc", "abc"));
    assert_true(gate_is_same("", ""));
    assert_false(gate_is_same("abc", "abd"));
    assert_false(gate_is_same("abc", "ab"));
    assert_false(gate_is_same("ab", "abc"));
    assert_false(gate_is_same("", "a"));
}

static void check__a_certificate_does_where_it_is_taken_and_other_sites_still_may_not(void **unused)
{
    struct gate         g;
    struct gate_request q = good;

    (void)unused;
    gate_init(&g, NULL, false);
    q.authorization = NULL;
    q.client = "CN=operator";
    assert_int_equal(status_of(&g, q), 403);     /* nobody takes it */
    g.takes_clients = true;
    assert_int_equal(status_of(&g, q), 0);
    assert_int_equal(status_of(&g, (struct gate_request){ .method = "GET", .host = "localhost", .client = q.client }), 0);
    assert_int_equal(status_of(&g, (struct gate_request){ .method = "GET", .host = "localhost", .client_fault = "it has ended" }), 401);
    assert_int_equal(status_of(&g, (struct gate_request){ .method = "GET", .host = "localhost" }), 401);
    q.site = "cross-site";
    assert_int_equal(status_of(&g, q), 403);
    q.site = NULL;
    q.origin = "https://evil.example";
    assert_int_equal(status_of(&g, q), 403);
    q.origin = NULL;
    q.type = "text/plain";                       /* what a form can send without asking */
    assert_int_equal(status_of(&g, q), 415);
    q.type = good.type;
    g.token = TOKEN;                             /* both, and none of them */
    assert_int_equal(status_of(&g, q), 0);
    q.client = NULL;
    assert_int_equal(status_of(&g, q), 401);
    q.authorization = good.authorization;
    assert_int_equal(status_of(&g, q), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gate_check__reading_on_this_machine_needs_nothing),
        cmocka_unit_test(gate_check__elsewhere_reading_needs_the_token),
        cmocka_unit_test(gate_check__what_is_told_to_all_needs_no_token_and_takes_nothing),
        cmocka_unit_test(gate_check__a_link_may_be_followed_from_anywhere),
        cmocka_unit_test(gate_check__changing_needs_token_and_json),
        cmocka_unit_test(gate_check__pages_of_other_sites_are_refused),
        cmocka_unit_test(gate_check__guessing_is_slow),
        cmocka_unit_test(check__a_certificate_does_where_it_is_taken_and_other_sites_still_may_not),
        cmocka_unit_test(gate_is_same__all_of_both_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
