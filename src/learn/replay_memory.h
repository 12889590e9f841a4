/* src/learn/replay_memory.h - replay memory of an agent.
 *
 * A ring buffer of records with a fixed number of floats; a new record replaces the oldest.
 */
#ifndef LEARN_REPLAY_MEMORY_H
#define LEARN_REPLAY_MEMORY_H

#include "base/rng.h"

#include <stdint.h>

struct replay {
    uint32_t floats;             /* per record */
    uint32_t capacity, count;    /* in records */
    uint64_t added;              /* total number of records ever added; the difference between two reads is
                                  * the number of new ones */
    float   *record;
};

void replay_init(struct replay *, uint32_t floats, uint32_t capacity);
void replay_fini(struct replay *);

/* Returns record i < count, oldest first. Valid until the next replay_add(). */
const float *replay_at(const struct replay *, uint32_t i);

void replay_add(struct replay *, const float *record);

/* Adds a record to a sample of all that were offered to an empty memory: each is kept with the same
 * probability. replay_at() has no order then. */
void replay_sample(struct replay *, struct rng *, const float *record);

/* Adds n consecutive records. */
void replay_add_all(struct replay *, const float *records, uint32_t n);

/* Draws n records uniformly with replacement. The memory must not be empty. */
void replay_draw(const struct replay *, struct rng *, uint32_t n, const float **record);

#endif
