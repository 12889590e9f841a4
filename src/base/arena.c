#include "base/arena.h"
#include "base/err.h"

#include <stdint.h>
#include <sys/mman.h>

#define ALIGN 64

struct arena_range {             /* stored at the start of the next range */
    char               *base;
    size_t              size;
    struct arena_range *next;
};

_Static_assert(sizeof(struct arena_range) <= ALIGN, "memory behind it stays aligned");

static void reserve(struct arena *a, size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        die("cannot reserve %zu MiB of address space", size >> 20);
    if (!a->is_sparse)
        madvise(p, size, MADV_HUGEPAGE);     /* where it is granted, a large network misses the TLB less */
    a->base = p;
    a->size = size;
    a->used = 0;
}

void arena_init(struct arena *a, size_t size)
{
    *a = (struct arena){ .step = size };
    reserve(a, size);
}

void arena_init_sparse(struct arena *a, size_t size)
{
    *a = (struct arena){ .step = size, .is_sparse = true };
    reserve(a, size);
}

void arena_fini(struct arena *a)
{
    for (const struct arena_range *r = a->full; r;) {
        struct arena_range range = *r;       /* *r is in the range that is freed next */

        munmap(a->base, a->size);
        a->base = range.base;
        a->size = range.size;
        r = range.next;
    }
    if (a->base)
        munmap(a->base, a->size);
    *a = (struct arena){ 0 };
}

/* Reserves another range of at least 'need' bytes. */
static void grow(struct arena *a, size_t need)
{
    struct arena_range was = { a->base, a->size, a->full };

    if (need > SIZE_MAX / 2 - ALIGN)
        die("out of memory: %zu bytes wanted", need);
    reserve(a, need + ALIGN > a->step ? need + ALIGN : a->step);
    a->full = (struct arena_range *)(void *)a->base;
    *a->full = was;
    a->used = ALIGN;
}

void *arena_alloc(struct arena *a, size_t count, size_t bytes)
{
    size_t need;

    if (__builtin_mul_overflow(count, bytes, &need))
        die("out of memory: %zu x %zu bytes wanted", count, bytes);
    if (need > a->size - a->used)
        grow(a, need);
    void *p = a->base + a->used;
    need = (need + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    a->used = need > a->size - a->used ? a->size : a->used + need;
    return p;
}
