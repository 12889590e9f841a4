/* src/base/arena.h - memory that is asked for once.
 *
 * An arena is a reserved range of addresses that is handed out front to back and freed as a whole. Pages
 * cost memory only when they are first written, so a large reservation is free; that is also how pools
 * (packets, flows) grow while the event loop runs without an allocation.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
    char  *base;
    size_t used, size;
};

/* Reserves 'size' bytes of zeroed memory; ends the program if the system refuses. */
void arena_init(struct arena *, size_t size);
void arena_fini(struct arena *);

/* Hands out zeroed memory, aligned to 64 bytes. Ends the program when the arena is used up. */
void *arena_alloc(struct arena *, size_t count, size_t bytes);

#endif
