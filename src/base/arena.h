/* src/base/arena.h - memory that is asked for once.
 *
 * An arena is a reserved range of addresses that is handed out front to back and freed as a whole. Pages
 * cost memory only when they are first written, so a large reservation is free; that is also how pools
 * (packets, flows) grow while the event loop runs without an allocation. When a range is used up the arena
 * reserves another.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_range;

struct arena {
    char  *base;                 /* of the range that is being handed out */
    size_t used, size;
    size_t step;                 /* what is reserved at a time, at least */
    bool   is_sparse;
    struct arena_range *full;    /* ranges that have been used up */
};

/* Reserves 'size' bytes of zeroed memory; ends the program if the system refuses. _sparse: most of it will never be
 * touched, so it is not given huge pages. */
void arena_init(struct arena *, size_t size);
void arena_init_sparse(struct arena *, size_t size);
void arena_fini(struct arena *);

/* Hands out zeroed memory, aligned to 64 bytes. Ends the program when there is none. */
void *arena_alloc(struct arena *, size_t count, size_t bytes);

#endif
