/* src/core/seen/seen.h - the messages of one monitor interval, as hosts see them: what was posted, and what came of it.
 *
 * Hosts know when a message was posted, how long it is, and when it was over; switches do not. A host tells counts, not
 * messages, so what it tells does not grow with them. These are the sums over all hosts; what one
 * of them tells: seen_part.h.
 */
#ifndef CORE_SEEN_H
#define CORE_SEEN_H

#include "core/predict.h"

#include <stdint.h>

#define SEEN_BINS 112            /* four to the octave, from 64 bytes: up to 16 GB */

#define SEEN_JOBS 4

/* Messages of one size of which hosts post most when another has ended. The size alone tells them from others. */
struct seen_job {
    uint64_t bytes;              /* of each; 0: there is none */
    uint32_t messages, firsts;   /* firsts: posted when no other of that host had just ended */
    uint32_t senders, pairs;     /* hosts that post them; of sender and receiver. Largest of an interval */
    uint32_t local;              /* messages that stay in their rack */
    double   pause_s;            /* before firsts since the last message of that host had ended, all added up, */
    uint32_t pauses;             /* and how many of them are known */
};

struct seen_class { double messages, slowdowns; };       /* slowdowns: their sum */

struct seen {
    uint64_t posted, posted_bytes;
    uint32_t bin[SEEN_BINS];                 /* of those that came by themselves: not in a burst, a job or a chain */
    uint64_t bin_bytes[SEEN_BINS];
    uint64_t local_bytes;                    /* of those: to a host of the same rack */
    uint32_t chain_bin[SEEN_BINS];           /* posted when another message of that host had just ended */
    uint64_t chain_bytes[SEEN_BINS];
    double   chance_bytes;                   /* that would seem to follow from others by chance, hosts being so busy, */
    double   chance_squares;                 /* and the variance of that */
    uint32_t chain_tiny;                     /* of those: requests, and answers without data */
    uint32_t chain_senders, chain_hubs;      /* hosts that posted such; those that posted more than the mean of them. Largest
                                                of an interval */
    uint64_t chain_hub_bytes;                /* posted by the latter */
    double   chain_s;                        /* time that they have been under way, all together */
    uint64_t bursts;                         /* messages of one size from four hosts and more to one, at a time */
    uint64_t burst_messages, burst_bytes;
    struct seen_job job[SEEN_JOBS];
    struct seen_class done[PREDICT_CLASSES];
    struct seen_class waiting[PREDICT_CLASSES];      /* at the end: what each will have taken at least */
    uint32_t told_bytes;                     /* what the host that has most to tell needs for it, at most. Largest of an interval */
};

/* The bin of a size, and the least size of a bin. */
uint32_t seen_bin(uint64_t bytes);
uint64_t seen_bin_min(uint32_t bin);

/* Adds an interval. Those that wait are those of the later one. */
void seen_add(struct seen *to, const struct seen *later);

/* Of that, the jobs alone. */
void seen_add_jobs(struct seen *to, const struct seen *later);

/* What became of messages, as a prediction of the same would say it. */
struct outcomes seen_outcomes(const struct seen *);

#endif
