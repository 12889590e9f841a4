/* src/base/heap.h - a binary heap in an array of elements of any type: the first by 'is_before' is at its
 * start.
 *
 * Inline, so that compilers inline the comparison. The caller owns the array and its length.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef bool heap_order(const void *a, const void *b);

/* Adds an element to 'count' others. There must be room for it. */
static inline void heap_add(void *array, size_t bytes, uint32_t count, const void *element,
                            heap_order *is_before)
{
    char    *at = array;
    uint32_t i = count;

    for (; i > 0 && is_before(element, at + (i - 1) / 2 * bytes); i = (i - 1) / 2)
        memcpy(at + i * bytes, at + (i - 1) / 2 * bytes, bytes);
    memcpy(at + i * bytes, element, bytes);
}

/* Takes the first of 'count' elements, which must not be 0. */
static inline void heap_take(void *array, size_t bytes, uint32_t count, void *first, heap_order *is_before)
{
    char       *at = array;
    const char *last = at + (count - 1) * bytes;
    uint32_t    i = 0, child;

    memcpy(first, at, bytes);
    for (; (child = 2 * i + 1) < count - 1; i = child) {
        child += child + 1 < count - 1 && is_before(at + (child + 1) * bytes, at + child * bytes);
        if (!is_before(at + child * bytes, last))
            break;
        memcpy(at + i * bytes, at + child * bytes, bytes);
    }
    memmove(at + i * bytes, last, bytes);
}

#endif
