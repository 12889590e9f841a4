/* src/core/seen/seen.h - messages of one monitor interval as hosts see them: what was posted, and how long it
 * took.
 *
 * Hosts, unlike switches, know when a message was posted, its size, and when it ended. A host reports counts,
 * so its report does not grow with the number of messages. These are the sums over all hosts; seen_part.h is
 * the report of one.
 */
#ifndef CORE_SEEN_H
#define CORE_SEEN_H

#include "core/predict.h"

#include <stdint.h>

#define SEEN_BINS 112            /* four per octave, from 64 bytes up to 16 GB */

#define SEEN_JOBS 4

/* A job: messages of one size that hosts mostly post when another has ended. Identified by the size alone. */
struct seen_job {
    uint64_t bytes;              /* of each message; 0: no job */
    uint32_t messages, firsts;   /* firsts: posted when no other message of the host had just ended */
    uint32_t senders, pairs;     /* sending hosts; pairs of sender and receiver. Largest of an interval */
    uint32_t local;              /* messages that stay in their rack */
    double   pause_s;            /* sum of the pauses before firsts, since the host's last message had
                                  * ended */
    uint32_t pauses;             /* number of known pauses */
};

struct seen_class { double messages, slowdowns; };       /* slowdowns: their sum */

struct seen {
    uint64_t posted, posted_bytes;
    uint32_t bin[SEEN_BINS];                 /* independent messages: not in a burst, a job or a chain */
    uint64_t bin_bytes[SEEN_BINS];
    uint64_t local_bytes;                    /* of these: to a host of the same rack */
    uint32_t chain_bin[SEEN_BINS];           /* chains: posted when another message of the host had just
                                              * ended */
    uint64_t chain_bytes[SEEN_BINS];
    double   chance_bytes;                   /* bytes expected to look like chains by chance, */
    double   chance_squares;                 /* and their variance */
    uint32_t chain_tiny;                     /* requests and empty answers in chains */
    uint32_t chain_senders, chain_hubs;      /* hosts with chains; those above their mean. Largest of an
                                              * interval */
    uint64_t chain_hub_bytes;                /* posted by these hubs */
    double   chain_s;                        /* sum of the times that chained messages took */
    uint64_t bursts;                         /* simultaneous messages of one size from four or more hosts to
                                              * one */
    uint64_t burst_messages, burst_bytes;
    struct seen_job job[SEEN_JOBS];
    struct seen_class done[PREDICT_CLASSES];
    struct seen_class waiting[PREDICT_CLASSES];      /* unfinished at the end, with lower bounds of
                                                      * slowdowns */
    uint32_t told_bytes;                     /* longest encoded report of a host; largest of an interval */
};

/* The bin of a size, and the smallest size of a bin. */
uint32_t seen_bin(uint64_t bytes);
uint64_t seen_bin_min(uint32_t bin);

/* Adds an interval. 'waiting' is taken from the later one. */
void seen_add(struct seen *to, const struct seen *later);

/* Adds only the jobs. */
void seen_add_jobs(struct seen *to, const struct seen *later);

/* The outcomes in the form of a prediction. */
struct outcomes seen_outcomes(const struct seen *);

#endif
