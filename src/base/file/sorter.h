/* src/base/file/sorter.h - external merge sort, for more pairs than fit into memory.
 *
 * Full buffers are sorted and written to a temporary file as runs, which are merged at the end.
 */
#ifndef BASE_FILE_SORTER_H
#define BASE_FILE_SORTER_H

#include <stdint.h>

struct sorter_pair { uint64_t key; uint32_t value, unused; };        /* by key, then by value */

/* 'pairs' is the size of the buffer in memory. */
struct sorter *sorter_new(uint32_t pairs);
void           sorter_free(struct sorter *);

/* Add all pairs, call sorter_begin(), then sorter_next() until it returns 0; it returns 1 with a pair. Each
 * returns a negative errno if the temporary file fails. */
int sorter_add(struct sorter *, uint64_t key, uint32_t value);
int sorter_begin(struct sorter *);
int sorter_next(struct sorter *, struct sorter_pair *);

#endif
