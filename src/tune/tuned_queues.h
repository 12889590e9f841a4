/* src/tune/tuned_queues.h - what a tuner that sets queues one by one has set, in short: part of a history's first line.
 *
 * The knobs of the network say nothing of it: each queue has thresholds of its own, and they change many times.
 */
#ifndef TUNE_TUNED_QUEUES_H
#define TUNE_TUNED_QUEUES_H

#include "core/queue.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define TUNED_SETTINGS_MAX 8
#define TUNED_MOST_MAX     5

struct tuned_setting { struct ecn ecn; double share; };      /* of the time of all queues together */

struct tuned_queue {
    char       name[64];         /* "tor0:3 > spine1" */
    uint64_t   changes;
    struct ecn last;             /* in force at the end */
};

struct tuned_queues {
    uint64_t             queues, changed;    /* changed: so many of them got another setting at least once */
    uint64_t             changes;
    struct tuned_setting setting[TUNED_SETTINGS_MAX];        /* the longest in force first */
    struct tuned_queue   most[TUNED_MOST_MAX];               /* the most often changed first */
    uint32_t             settings, mosts;
};

json_t *tuned_queues_json(const struct tuned_queues *);

/* False: it is not what tuned_queues_json() makes. */
bool tuned_queues_read(struct tuned_queues *, const json_t *);

#endif
