/* src/core/seen/seen_part.h - report of one host about its messages in one monitor interval: its part of a
 * struct seen.
 *
 * Integers where sums must not depend on the order. The reporter decides which messages form a burst, a job
 * or a chain: software that posts messages knows this; others report all messages as independent.
 */
#ifndef CORE_SEEN_PART_H
#define CORE_SEEN_PART_H

#include "core/seen/seen.h"

#include <stddef.h>

#define SEEN_ROWS        (2 * SEEN_BINS)
#define SEEN_PART_BYTES  1024    /* largest encoded size */
#define SEEN_STEPS       65536.0 /* steps per unit of slowdown */

struct seen_row {                /* messages of about one size */
    uint32_t bin;                /* from SEEN_BINS on: bin - SEEN_BINS of chains */
    uint32_t messages;
    uint64_t bytes;
};

struct seen_part_job {           /* see struct seen_job; of one sender */
    uint64_t bytes;              /* of each message; 0: no job */
    uint32_t messages, firsts, pairs, local, pauses;
    uint64_t pause_ps;
};

struct seen_part_class { uint64_t messages, steps; };    /* steps: sum of slowdowns, in 1/65536 */

struct seen_part {
    uint64_t local_bytes;
    double   chance_bytes, chance_squares;
    uint32_t chain_tiny;
    uint64_t chain_ps;
    uint64_t bursts, burst_messages, burst_bytes;        /* to this host */
    struct seen_part_job   job[SEEN_JOBS];
    struct seen_part_class done[PREDICT_CLASSES], waiting[PREDICT_CLASSES];      /* sent by this host */
    uint32_t        rows;
    struct seen_row row[SEEN_ROWS];                      /* nonempty bins, in order */
};

void seen_part_clear(struct seen_part *);

/* Copies only the rows in use. */
void seen_part_copy(struct seen_part *to, const struct seen_part *from);

/* Adds the same host's report of the next interval. */
void seen_part_add(struct seen_part *to, const struct seen_part *later);

/* Encoded size (live/wire/anole.proto, Seen). */
size_t seen_part_bytes(const struct seen_part *);

/* Merges bins, two, then four, until the encoded size fits SEEN_PART_BYTES. */
void seen_part_fit(struct seen_part *);

/* Bytes of a row beyond the smallest size of its bin. */
uint64_t seen_row_excess(const struct seen_row *);

/* Sums the parts of all hosts, in a fixed order. Ignores parts that are NULL. */
void seen_sum(struct seen *, const struct seen_part *const *, uint32_t count);

#endif
