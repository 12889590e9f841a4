#include "tune/tuned_queues.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const struct tuned_queues some = {
    .queues = 48, .changed = 2, .changes = 1203, .settings = 2, .mosts = 1,
    .setting = { { { 5000, 50000, 0.5 }, 0.75 }, { { 20000, 200000, 0.25 }, 0.25 } },
    .most = { { "tor0:3 > h2", 1000, { 5000, 50000, 0.5 } } },
};

static void json__is_read_back(void **state)
{
    json_t *o = tuned_queues_json(&some);
    struct tuned_queues q;

    (void)state;
    assert_true(tuned_queues_read(&q, o));
    assert_memory_equal(&q, &some, sizeof q);
    json_decref(o);
}

static void read__refuses_what_is_something_else(void **state)
{
    static const char *const texts[] = {
        "{}", "[]", "{\"queues\":1,\"changed\":1,\"changes\":1}",
        "{\"queues\":-1,\"changed\":1,\"changes\":1,\"settings\":[]}",
        "{\"queues\":1,\"changed\":1,\"changes\":1,\"settings\":[{}]}",
        "{\"queues\":1,\"changed\":1,\"changes\":1,\"settings\":[{\"kmin_bytes\":1,\"kmax_bytes\":2,\"pmax\":2,\"share\":1}]}",
        "{\"queues\":1,\"changed\":1,\"changes\":1,\"settings\":[],\"most_changed\":[{\"name\":7}]}",
        "{\"queues\":1,\"changed\":1,\"changes\":1,\"settings\":[],\"most_changed\":[1,2,3,4,5,6,7,8]}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *o = json_loads(texts[i], JSON_DECODE_ANY, NULL);
        struct tuned_queues q;

        assert_non_null(o);
        assert_false(tuned_queues_read(&q, o));
        json_decref(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json__is_read_back),
        cmocka_unit_test(read__refuses_what_is_something_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
