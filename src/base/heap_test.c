#include "base/heap.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT 1000

struct element { uint64_t key; uint32_t number; };

static bool is_before(const void *a_, const void *b_)
{
    const struct element *a = a_, *b = b_;

    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

static int compare(const void *a, const void *b)
{
    return is_before(a, b) ? -1 : is_before(b, a);
}

/* Compared with qsort(), with many equal keys. */
static void take__is_in_order(void **unused)
{
    struct element heap[COUNT], want[COUNT], got;
    struct rng     rng;

    (void)unused;
    rng_init(&rng, 7, 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        want[i] = (struct element){ rng_below(&rng, 100), i };
        heap_add(heap, sizeof *heap, i, &want[i], is_before);
    }
    qsort(want, COUNT, sizeof *want, compare);
    for (uint32_t i = 0; i < COUNT; i++) {
        heap_take(heap, sizeof *heap, COUNT - i, &got, is_before);
        assert_true(got.key == want[i].key && got.number == want[i].number);
    }
}

/* After any sequence of additions and removals, a removal returns the smallest element. */
static void add__after_a_take_keeps_order(void **unused)
{
    struct element heap[COUNT], got;
    struct rng     rng;
    uint32_t       count = 0;

    (void)unused;
    rng_init(&rng, 8, 0);
    for (uint32_t i = 0; i < 20 * COUNT; i++)
        if (count == 0 || (count < COUNT && rng_below(&rng, 2))) {
            heap_add(heap, sizeof *heap, count++, &(struct element){ rng_below(&rng, 1000), i }, is_before);
        } else {
            heap_take(heap, sizeof *heap, count--, &got, is_before);
            for (uint32_t k = 0; k < count; k++)
                assert_true(is_before(&got, &heap[k]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take__is_in_order),
        cmocka_unit_test(add__after_a_take_keeps_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
