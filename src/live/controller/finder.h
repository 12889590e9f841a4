/* src/live/controller/finder.h - a hash index from names to numbers.
 *
 * A lookup returns all numbers that were added with this hash, and the caller compares names. Entries are
 * never removed.
 */
#ifndef LIVE_CONTROLLER_FINDER_H
#define LIVE_CONTROLLER_FINDER_H

#include <stddef.h>
#include <stdint.h>

#define FINDER_NONE UINT32_MAX

/* All zero: empty. places: a power of two, or 0 */
struct finder { struct finder_place *place; uint32_t places, count; };

/* FNV-1a of a text. */
uint64_t finder_hash(const char *text, size_t length);

void finder_fini(struct finder *);
void finder_add(struct finder *, uint64_t hash, uint32_t number);

/* The next number with this hash; *at is 0 before the first. FINDER_NONE: there are no more. */
uint32_t finder_next(const struct finder *, uint64_t hash, uint32_t *at);

#endif
