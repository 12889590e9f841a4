/* src/base/file/sorter.h - puts more pairs in order than fit into memory.
 *
 * Pairs are kept until there are many, then put in order and written to a temporary file: a run. In the end all runs are read at the
 * same time, always the pair that comes first.
 */
#ifndef BASE_FILE_SORTER_H
#define BASE_FILE_SORTER_H

#include <stdint.h>

struct sorter_pair { uint64_t key; uint32_t value, unused; };        /* by key, then by value */

/* Keeps so many pairs in memory. */
struct sorter *sorter_new(uint32_t pairs);
void           sorter_free(struct sorter *);

/* Each returns a negative errno if the temporary file cannot be made, written or read. After sorter_begin() no more are added; sorter_next() returns 1,
 * or 0 when there are no more. */
int sorter_add(struct sorter *, uint64_t key, uint32_t value);
int sorter_begin(struct sorter *);
int sorter_next(struct sorter *, struct sorter_pair *);

#endif
