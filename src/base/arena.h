/* src/base/arena.h - an arena allocator.
 *
 * An arena reserves a range of addresses, hands it out front to back, and frees it as a whole. Pages use
 * memory only once they are written, so a large reservation is free. Pools of packets and flows grow this way
 * without allocations in the event loop. When a range is full, the arena reserves another.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_range;

struct arena {
    char  *base;                 /* current range */
    size_t used, size;
    size_t step;                 /* smallest size of a range */
    bool   is_sparse;
    struct arena_range *full;    /* earlier ranges */
};

/* Reserves 'size' bytes of zeroed memory; ends the program if the system refuses. _sparse: without huge
 * pages, for memory that is mostly never used. */
void arena_init(struct arena *, size_t size);
void arena_init_sparse(struct arena *, size_t size);
void arena_fini(struct arena *);

/* Returns zeroed memory, aligned to 64 bytes. Ends the program if memory is exhausted. */
void *arena_alloc(struct arena *, size_t count, size_t bytes);

#endif
