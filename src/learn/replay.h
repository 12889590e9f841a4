/* src/learn/replay.h - what an agent remembers.
 *
 * A ring of records, each a fixed number of floats; when it is full, a new record takes the place of the
 * oldest. Memories are exchanged by taking the newest records of one and adding them to another.
 */
#ifndef LEARN_REPLAY_H
#define LEARN_REPLAY_H

#include "base/rng.h"

#include <stdint.h>

struct replay {
    uint32_t floats;             /* of a record */
    uint32_t capacity, count;    /* records */
    uint64_t added;              /* records in all its life; tells how many are new since one looked */
    float   *record;
};

void replay_init(struct replay *, uint32_t floats, uint32_t capacity);
void replay_fini(struct replay *);

/* Record i < count, the oldest first. Holds until the next replay_add(). */
const float *replay_at(const struct replay *, uint32_t i);

void replay_add(struct replay *, const float *record);

/* n records that stand one after the other, as replay_copy_newest() writes them. */
void replay_add_all(struct replay *, const float *records, uint32_t n);

/* Draws n records, each with the same chance every time; the same one may come twice. There must be one. */
void replay_draw(const struct replay *, struct rng *, uint32_t n, const float **record);

/* Copies the newest n records, or all if there are fewer, the oldest of them first. Returns how many. */
uint32_t replay_copy_newest(const struct replay *, uint32_t n, float *records);

#endif
