#include "base/arena.h"
#include "base/err.h"

#include <sys/mman.h>

#define ALIGN 64

void arena_init(struct arena *a, size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        die("cannot reserve %zu MiB of address space", size >> 20);
    madvise(p, size, MADV_HUGEPAGE);     /* where it is granted, a large network misses the TLB less */
    *a = (struct arena){ .base = p, .size = size };
}

void arena_fini(struct arena *a)
{
    if (a->base)
        munmap(a->base, a->size);
    *a = (struct arena){ 0 };
}

void *arena_alloc(struct arena *a, size_t count, size_t bytes)
{
    size_t need;
    void  *p = a->base + a->used;

    if (__builtin_mul_overflow(count, bytes, &need) || need > a->size - a->used)
        die("out of memory: %zu x %zu bytes wanted, %zu left", count, bytes, a->size - a->used);
    need = (need + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    a->used = need > a->size - a->used ? a->size : a->used + need;
    return p;
}
