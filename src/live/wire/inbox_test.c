/* src/live/wire/inbox_test.c - events come out as they went in. */
#include "live/wire/inbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Short, long and empty events, more of them in each round. Each comes back whole and in order. The
 * sanitizers detect uses after release. */
static void take__returns_events_in_order(void **unused)
{
    static unsigned char bytes[5000];
    struct inbox         b;
    struct rpc_event     e;

    (void)unused;
    inbox_init(&b);
    for (uint32_t round = 1; round <= 40; round++) {
        for (uint32_t i = 0; i < round; i++) {
            size_t length = (size_t)i * 131 % sizeof bytes;

            memset(bytes, (int)(round + i), length);
            inbox_add(&b, RPC_DATA, i % 7 ? bytes : NULL, i % 7 ? length : 0)->link = round * 100 + i;
        }
        for (uint32_t i = 0; i < round; i++) {
            assert_non_null(b.first);
            assert_true(inbox_take(&b, &e));
            assert_int_equal(e.link, round * 100 + i);
            assert_int_equal(e.length, i % 7 ? i * 131 % sizeof bytes : 0);
            assert_true(!!e.bytes == !!(i % 7));
            for (size_t k = 0; k < e.length; k++)
                assert_int_equal(e.bytes[k], (unsigned char)(round + i));
        }
        assert_null(b.first);
        assert_false(inbox_take(&b, &e));
    }
    inbox_fini(&b);
}

static void fini__frees_messages_that_were_not_taken(void **unused)
{
    static const unsigned char bytes[1000] = { 1 };
    struct inbox               b;
    struct rpc_event           e;

    (void)unused;
    inbox_init(&b);
    for (size_t i = 0; i < 5; i++)
        inbox_add(&b, RPC_DATA, bytes, 200 * (i + 1));
    assert_true(inbox_take(&b, &e));
    inbox_fini(&b);              /* LeakSanitizer would report them */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take__returns_events_in_order),
        cmocka_unit_test(fini__frees_messages_that_were_not_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
