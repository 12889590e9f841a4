/* src/live/daemon/lease/lease_test.c - against recorded answers of etcd 3.4.23. tests/cli/live_etcd.bats uses
 * a real one. */
#include "live/daemon/lease/lease.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void etcd_ask_take__has_the_format_of_the_gateway(void **state)
{
    char *text = etcd_ask_take("anole/cell", "c1", 7587898949321359625u);

    (void)state;
    assert_string_equal(text,
                        "{\"compare\":[{\"key\":\"YW5vbGUvY2VsbA==\",\"target\":\"CREATE\",\"create_revision\":\"0\"}],"
                              "\"success\":[{\"request_put\":{\"key\":\"YW5vbGUvY2VsbA==\",\"value\":\"YzE=\","
                              "\"lease\":\"7587898949321359625\"}}],"
                              "\"failure\":[{\"request_range\":{\"key\":\"YW5vbGUvY2VsbA==\"}}]}");
    free(text);
}

static int take(const char *text, uint64_t id, struct etcd_taken *t)
{
    return etcd_read_take(text, strlen(text), id, t);
}

static void etcd_read_take__won_lost_and_had_already(void **state)
{
    static const char other[] =
        "{\"header\":{\"revision\":\"9\"},\"responses\":[{\"response_range\":{\"header\":{\"revision\":\"9\"}"
        ",\"kvs\":["
        "{\"key\":\"YW5vbGUvY2VsbA==\",\"create_revision\":\"4\",\"mod_revision\":\"4\",\"version\":\"1\","
        "\"value\":\"YzE=\",\"lease\":\"7587898949321359625\"}],\"count\":\"1\"}}]}";
    struct etcd_taken t;

    (void)state;
    assert_int_equal(take("{\"header\":{\"revision\":\"7\"},\"succeeded\":true,\"responses\":[{\"response_put\":{}}]}", 1, &t), 0);
    assert_true(t.is_ours);
    assert_int_equal(t.revision, 7);
    assert_int_equal(take(other, 1, &t), 0);
    assert_false(t.is_ours);
    assert_string_equal(t.holder, "c1");
    assert_int_equal(take(other, 7587898949321359625u, &t), 0);
    assert_true(t.is_ours);
    assert_int_equal(t.revision, 4);
    assert_true(take("{\"error\":\"etcdserver: requested lease not found\",\"code\":5}", 1, &t) < 0);
    assert_true(take("", 1, &t) < 0);
    /* gone between two requests: ask again */
    assert_true(take("{\"responses\":[{\"response_range\":{}}]}", 1, &t) < 0);
}

static void etcd_read_keep__a_lease_that_is_gone_has_no_time(void **state)
{
    static const char alive[] = "{\"result\":{\"header\":{\"revision\":\"2\"},\"ID\":\"5\",\"TTL\":\"10\"}}";
    static const char gone[] = "{\"result\":{\"header\":{\"revision\":\"2\"},\"ID\":\"5\"}}";
    uint64_t          ttl_s = 99;

    (void)state;
    assert_int_equal(etcd_read_keep(alive, strlen(alive), &ttl_s), 0);
    assert_int_equal(ttl_s, 10);
    assert_int_equal(etcd_read_keep(gone, strlen(gone), &ttl_s), 0);
    assert_int_equal(ttl_s, 0);
    assert_true(etcd_read_keep("{}", 2, &ttl_s) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(etcd_ask_take__has_the_format_of_the_gateway),
        cmocka_unit_test(etcd_read_take__won_lost_and_had_already),
        cmocka_unit_test(etcd_read_keep__a_lease_that_is_gone_has_no_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
