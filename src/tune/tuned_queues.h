/* src/tune/tuned_queues.h - summary of the settings of a tuner that sets each queue: part of the first
 * line of a history. The knobs do not show them, because each queue has its own thresholds, which change
 * often. */
#ifndef TUNE_TUNED_QUEUES_H
#define TUNE_TUNED_QUEUES_H

#include "core/queue.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define TUNED_SETTINGS_MAX 8
#define TUNED_MOST_MAX     5

struct tuned_setting { struct ecn ecn; double share; };      /* share of the time of all queues */

struct tuned_queue {
    char       name[64];         /* "tor0:3 > spine1" */
    uint64_t   changes;
    struct ecn last;             /* at the end */
};

struct tuned_queues {
    uint64_t             queues, changed;    /* changed: number of queues that changed at least once */
    uint64_t             changes;
    struct tuned_setting setting[TUNED_SETTINGS_MAX];        /* longest in use first */
    struct tuned_queue   most[TUNED_MOST_MAX];               /* most often changed first */
    uint32_t             settings, mosts;
};

json_t *tuned_queues_json(const struct tuned_queues *);

/* Reads the object that tuned_queues_json() makes. Returns false if it is invalid. */
bool tuned_queues_read(struct tuned_queues *, const json_t *);

#endif
