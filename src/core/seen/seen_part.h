/* src/core/seen/seen_part.h - what one host tells of its messages in one monitor interval: its part of a struct seen.
 *
 * Whole numbers wherever sums of them are to be the same in any order. Which messages belong together, as a burst, a job or a chain,
 * is decided by whoever fills it: software that posts messages knows it, and who does not know takes all of them to come by themselves.
 */
#ifndef CORE_SEEN_PART_H
#define CORE_SEEN_PART_H

#include "core/seen/seen.h"

#include <stddef.h>

#define SEEN_ROWS        (2 * SEEN_BINS)
#define SEEN_PART_BYTES  1024    /* that it may take on a wire */
#define SEEN_STEPS       65536.0 /* of a slowdown */

struct seen_row {                /* messages of about one size */
    uint32_t bin;                /* those from SEEN_BINS on: bin - SEEN_BINS, posted when another message of that host had just ended */
    uint32_t messages;
    uint64_t bytes;
};

struct seen_part_job {           /* as struct seen_job has it, of one sender */
    uint64_t bytes;              /* of each message; 0: there is none */
    uint32_t messages, firsts, pairs, local, pauses;
    uint64_t pause_ps;
};

struct seen_part_class { uint64_t messages, steps; };    /* steps: slowdowns, all together, in 1/65536 */

struct seen_part {
    uint64_t local_bytes;
    double   chance_bytes, chance_squares;
    uint32_t chain_tiny;
    uint64_t chain_ps;
    uint64_t bursts, burst_messages, burst_bytes;        /* to this host */
    struct seen_part_job   job[SEEN_JOBS];
    struct seen_part_class done[PREDICT_CLASSES], waiting[PREDICT_CLASSES];      /* that it has sent */
    uint32_t        rows;
    struct seen_row row[SEEN_ROWS];                      /* those that are not empty, in the order of bins */
};

/* Nothing was seen. */
void seen_part_clear(struct seen_part *);

/* Rows that are not used are not copied. */
void seen_part_copy(struct seen_part *to, const struct seen_part *from);

/* Adds what the same host told of the next interval. */
void seen_part_add(struct seen_part *to, const struct seen_part *later);

/* How many bytes it takes on the wire (live/wire/anole.proto, Seen). */
size_t seen_part_bytes(const struct seen_part *);

/* Makes it short enough: two bins become one, then four. */
void seen_part_fit(struct seen_part *);

/* What a row has beyond the least size of its bin. */
uint64_t seen_row_excess(const struct seen_row *);

/* What all hosts saw, from their parts, in an order that stays. Parts that are NULL are left out. */
void seen_sum(struct seen *, const struct seen_part *const *, uint32_t count);

#endif
