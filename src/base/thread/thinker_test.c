#include "base/thread/thinker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>

struct work { atomic_bool may_end; uint64_t sum; };

static void count(void *arg)
{
    struct work *w = arg;

    while (!atomic_load(&w->may_end))
        usleep(100);
    for (uint64_t i = 1; i <= 1000; i++)
        w->sum += i;
}

/* While the task runs, thinker_end() waits no longer than requested. Once the task has finished, its result
 * is available. */
static void end__waits_no_longer_than_requested(void **state)
{
    struct thinker t;
    struct work    w = { .sum = 0 };

    (void)state;
    thinker_init(&t, 1);
    assert_true(thinker_end(&t, 0));             /* no task was begun */
    thinker_begin(&t, count, &w);
    assert_true(t.is_busy);
    assert_false(thinker_end(&t, 0));
    assert_false(thinker_end(&t, 2000));
    atomic_store(&w.may_end, true);
    assert_true(thinker_end(&t, THINKER_ALWAYS));
    assert_false(t.is_busy);
    assert_int_equal(w.sum, 500500);
    thinker_fini(&t);
}

/* Tasks run one after the other. The next task and the owner read what a task has written, without a lock. */
static void begin__runs_tasks_in_sequence(void **state)
{
    struct thinker t;
    struct work    w = { .sum = 0 };

    (void)state;
    atomic_store(&w.may_end, true);
    thinker_init(&t, 1);
    for (int i = 1; i <= 200; i++) {
        thinker_begin(&t, count, &w);
        while (!thinker_end(&t, 1000))
            ;
        assert_int_equal(w.sum, 500500 * (uint64_t)i);
    }
    thinker_begin(&t, count, &w);
    thinker_fini(&t);                            /* waits for the task */
    assert_int_equal(w.sum, 500500 * 201ull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end__waits_no_longer_than_requested),
        cmocka_unit_test(begin__runs_tasks_in_sequence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
