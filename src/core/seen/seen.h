/* src/core/seen/seen.h - messages of one monitor interval as hosts see them: what was posted, and how long it
 * took.
 *
 * Hosts, unlike switches, know when a message was posted, its size, and when it ended. A host reports counts,
 * so its report does not grow with the number of messages. These are the sums over all hosts; struct
 * seen_part is the report of one.
 */
#ifndef CORE_SEEN_SEEN_H
#define CORE_SEEN_SEEN_H

#include "core/predict.h"

#include <stddef.h>
#include <stdint.h>

#define SEEN_BINS 112            /* four per octave, from 64 bytes up to 16 GB */

#define SEEN_JOBS 4

/* A job: messages of one size that hosts mostly post when another has ended. Identified by the size alone. */
struct seen_job {
    uint64_t bytes;              /* of each message; 0: no job */
    uint32_t messages, firsts;   /* firsts: posted when no other message of the host had just ended */
    uint32_t senders, pairs;     /* sending hosts; pairs of sender and receiver. Largest of an interval */
    uint32_t local;              /* messages that stay in their rack */
    double   pause_s;            /* sum of the pauses before firsts, since the last message of the host */
    uint32_t pauses;             /* number of known pauses */
};

struct seen_class { double messages, slowdowns; };       /* slowdowns: their sum */

struct seen {
    uint64_t posted, posted_bytes;
    uint32_t bin[SEEN_BINS];                 /* independent messages: not in a burst, a job or a chain */
    uint64_t bin_bytes[SEEN_BINS];
    uint64_t local_bytes;                    /* of these: to a host of the same rack */
    uint32_t chain_bin[SEEN_BINS];           /* chains: posted when another of the host had just ended */
    uint64_t chain_bytes[SEEN_BINS];
    double   chance_bytes;                   /* bytes expected to look like chains by chance, */
    double   chance_squares;                 /* and their variance */
    uint32_t chain_tiny;                     /* requests and empty answers in chains */
    uint32_t chain_senders, chain_hubs;      /* hosts with chains; those above their mean; maxima */
    uint64_t chain_hub_bytes;                /* posted by these hubs */
    double   chain_s;                        /* sum of the times that chained messages took */
    uint64_t bursts;                         /* simultaneous, of one size, from four or more hosts to one */
    uint64_t burst_messages, burst_bytes;
    struct seen_job job[SEEN_JOBS];
    struct seen_class done[PREDICT_CLASSES];
    struct seen_class waiting[PREDICT_CLASSES];      /* unfinished; lower bounds of slowdowns */
    uint32_t told_bytes;                     /* longest encoded report of a host; largest of an interval */
};

/* The bin of a size, and the smallest size of a bin. */
uint32_t seen_bin(uint64_t bytes);
uint64_t seen_bin_min(uint32_t bin);

/* Adds an interval. 'waiting' is taken from the later one. */
void seen_add(struct seen *to, const struct seen *later);

/* The outcomes in the form of a prediction. */
struct outcomes seen_outcomes(const struct seen *);

/* ---- the report of one host ----
 *
 * Integers where sums must not depend on the order. The reporter decides which messages form a burst, a job
 * or a chain: software that posts messages knows this; others report all messages as independent.
 */
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
