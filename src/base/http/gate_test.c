/* src/base/http/gate_test.c - access control of the web server. */
#include "base/http/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define TOKEN "0123456789abcdef"

static const struct gate_request valid_request = {
    .method = "POST", .host = "127.0.0.1:7480", .authorization = "Bearer " TOKEN, .type = "application/json"
};

static int status_of(struct gate *g, struct gate_request q)
{
    const char *why = "";
    int         status = gate_check(g, &q, 1000000, &why);

    assert_int_equal(!status, !*why);
    return status;
}

static void gate_check__local_reads_need_no_token(void **state)
{
    struct gate g;

    (void)state;
    gate_init(&g, NULL, true);
    assert_int_equal(status_of(&g, (struct gate_request){ .method = "GET", .host = "localhost" }), 0);
    assert_int_equal(status_of(&g, (struct gate_request){ .method = "HEAD", .host = "[::1]:80" }), 0);
    assert_int_equal(status_of(&g, (struct gate_request){ .method = "DELETE", .host = "localhost" }), 405);
}

static void gate_check__remote_reads_need_the_token(void **state)
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

static void gate_check__public_server_is_read_only(void **state)
{
    struct gate         g;
    struct gate_request q = { .method = "GET", .host = "10.0.0.5:8123" };

    (void)state;
    gate_init(&g, NULL, true);
    g.is_public = true;
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

static void gate_check__allows_navigation_from_other_sites(void **state)
{
    struct gate         g;
    struct gate_request q = {
        .method = "GET", .host = "localhost:7480", .site = "cross-site", .dest = "document"
    };

    (void)state;
    gate_init(&g, TOKEN, true);
    assert_int_equal(status_of(&g, q), 0);
    q.dest = "empty";                            /* fetch() */
    assert_int_equal(status_of(&g, q), 403);
    q.dest = "iframe";
    assert_int_equal(status_of(&g, q), 403);
    q = valid_request;
    q.site = "cross-site";
    q.dest = "document";                         /* a form */
    assert_int_equal(status_of(&g, q), 403);
}

static void gate_check__changes_need_token_and_json(void **state)
{
    struct gate         g;
    struct gate_request q = valid_request;

    (void)state;
    gate_init(&g, TOKEN, true);
    assert_int_equal(status_of(&g, q), 0);
    q.type = "application/json; charset=utf-8";
    assert_int_equal(status_of(&g, q), 0);
    q.type = "application/x-www-form-urlencoded";
    assert_int_equal(status_of(&g, q), 415);
    q.type = NULL;
    assert_int_equal(status_of(&g, q), 415);
    q = valid_request;
    q.authorization = NULL;
    assert_int_equal(status_of(&g, q), 401);
    q.authorization = "Basic " TOKEN;
    assert_int_equal(status_of(&g, q), 401);
    q.authorization = "Bearer " TOKEN "0";
    assert_int_equal(status_of(&g, q), 401);
    q.authorization = "Bearer ";
    assert_int_equal(status_of(&g, q), 401);
    gate_init(&g, NULL, true);
    assert_int_equal(status_of(&g, valid_request), 403);
}

static void gate_check__pages_of_other_sites_are_refused(void **state)
{
    struct gate         g;
    struct gate_request q = valid_request;

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
    q = valid_request;
    q.host = "evil.example";             /* DNS rebinding: a foreign name that resolves to us */
    assert_int_equal(status_of(&g, q), 421);
    q.host = "127.0.0.1.evil.example";
    assert_int_equal(status_of(&g, q), 421);
    q.host = NULL;
    assert_int_equal(status_of(&g, q), 421);
}

static void gate_check__wrong_tokens_are_rate_limited(void **state)
{
    struct gate         g;
    struct gate_request q = valid_request;
    const char         *why;

    (void)state;
    gate_init(&g, TOKEN, true);
    q.authorization = "Bearer guess";
    for (int i = 0; i < 10; i++)
        assert_int_equal(gate_check(&g, &q, 5, &why), 401);
    assert_int_equal(gate_check(&g, &q, 5, &why), 429);
    assert_int_equal(gate_check(&g, &valid_request, 5, &why), 0); /* the correct token is not rate-limited */
    assert_int_equal(gate_check(&g, &q, 1100000, &why), 401);
    assert_int_equal(gate_check(&g, &q, 1100000, &why), 429);
}

static void gate_is_same__compares_whole_strings(void **state)
{
    (void)state;
    assert_true(gate_is_same("abc", "abc"));
    assert_true(gate_is_same("", ""));
    assert_false(gate_is_same("abc", "abd"));
    assert_false(gate_is_same("abc", "ab"));
    assert_false(gate_is_same("ab", "abc"));
    assert_false(gate_is_same("", "a"));
}

/* A scraper's token reads, and changes nothing. */
static void gate_check__a_viewer_only_reads(void **unused)
{
    struct gate         g;
    struct gate_request q = valid_request;

    (void)unused;
    gate_init(&g, TOKEN, false);
    g.token[GATE_VIEW] = "token-of-a-scraper-1";
    g.token[GATE_APPROVE] = "token-of-an-approver";
    assert_int_equal(status_of(&g, q), 0);
    assert_int_equal(gate_right(&g, &q), GATE_OPERATE);
    q.authorization = "Bearer token-of-a-scraper-1";
    assert_int_equal(gate_right(&g, &q), GATE_VIEW);
    assert_int_equal(status_of(&g, q), 403);
    q.method = "GET";
    assert_int_equal(status_of(&g, q), 0);
    q = valid_request;
    q.authorization = "Bearer token-of-an-approver";
    assert_int_equal(status_of(&g, q), 0);
    assert_int_equal(gate_right(&g, &q), GATE_APPROVE);
    q.authorization = NULL;
    q.client = "CN=scraper";
    q.client_right = GATE_VIEW;
    assert_int_equal(status_of(&g, q), 401);     /* certificates are not accepted */
    g.takes_clients = true;
    assert_int_equal(status_of(&g, q), 403);
}

static void gate_check__certificate_replaces_the_token(void **unused)
{
    struct gate         g;
    struct gate_request q = valid_request;

    (void)unused;
    gate_init(&g, NULL, false);
    q.authorization = NULL;
    q.client = "CN=operator";
    q.client_right = GATE_OPERATE;
    assert_int_equal(status_of(&g, q), 403);     /* certificates are not accepted */
    g.takes_clients = true;
    assert_int_equal(status_of(&g, q), 0);
    assert_int_equal(
        status_of(&g, (struct gate_request){ .method = "GET", .host = "localhost", .client = q.client,
                                                  .client_right = GATE_VIEW }), 0);
    assert_int_equal(status_of(&g, (struct gate_request){ .method = "GET", .host = "localhost",
                                                          .client_fault = "it has ended" }),
                     401);
    assert_int_equal(status_of(&g, (struct gate_request){ .method = "GET", .host = "localhost" }), 401);
    q.site = "cross-site";
    assert_int_equal(status_of(&g, q), 403);
    q.site = NULL;
    q.origin = "https://evil.example";
    assert_int_equal(status_of(&g, q), 403);
    q.origin = NULL;
    q.type = "text/plain";                       /* a type that forms can send without a preflight request */
    assert_int_equal(status_of(&g, q), 415);
    q.type = valid_request.type;
    g.token[GATE_OPERATE] = TOKEN;               /* token and certificate accepted, neither sent */
    assert_int_equal(status_of(&g, q), 0);
    q.client = NULL;
    assert_int_equal(status_of(&g, q), 401);
    q.authorization = valid_request.authorization;
    assert_int_equal(status_of(&g, q), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gate_check__local_reads_need_no_token),
        cmocka_unit_test(gate_check__remote_reads_need_the_token),
        cmocka_unit_test(gate_check__public_server_is_read_only),
        cmocka_unit_test(gate_check__allows_navigation_from_other_sites),
        cmocka_unit_test(gate_check__changes_need_token_and_json),
        cmocka_unit_test(gate_check__pages_of_other_sites_are_refused),
        cmocka_unit_test(gate_check__wrong_tokens_are_rate_limited),
        cmocka_unit_test(gate_check__a_viewer_only_reads),
        cmocka_unit_test(gate_check__certificate_replaces_the_token),
        cmocka_unit_test(gate_is_same__compares_whole_strings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
