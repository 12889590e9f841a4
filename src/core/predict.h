/* src/core/predict.h - what a setting would do, told by somebody who can try it out without touching the network.
 *
 * Part of the waist: who searches (tune/rehearse) does not know how it is tried, and who tries it (twin/, by
 * simulation) does not know what is looked for.
 */
#ifndef CORE_PREDICT_H
#define CORE_PREDICT_H

#include "base/err.h"
#include "core/knobs.h"

#include <stdbool.h>
#include <stdint.h>

/* Messages by size; mice and elephants as PARALEON has them. */
enum predict_class { PREDICT_MICE, PREDICT_MIDDLE, PREDICT_ELEPHANTS, PREDICT_CLASSES };

#define PREDICT_MOUSE_END 120000u        /* bytes: smaller ones are mice */
#define PREDICT_ELEPHANT  1000000u       /* those of at least so much are elephants */

static inline enum predict_class predict_class_of(uint64_t bytes)
{
    return bytes < PREDICT_MOUSE_END ? PREDICT_MICE : bytes < PREDICT_ELEPHANT ? PREDICT_MIDDLE : PREDICT_ELEPHANTS;
}

struct predict_point {           /* one trial */
    const struct knobs *knobs;
    uint64_t            seed;    /* trials with the same one meet the same messages */
    double              load;    /* times what is expected */
    double              length;  /* of the trial: share of the usual one, above 0 */
};

/* What became of messages. One that is not over counts with what it will take at least: its age, and the
 * time that its rest takes on an empty path. Otherwise a setting that starves would be flattered by those it lets live. */
struct outcomes {
    double   messages[PREDICT_CLASSES];
    double   slowdowns[PREDICT_CLASSES];     /* their sum */
    uint64_t unfinished;
};

struct predicted {
    struct outcomes all;                     /* of all that were posted, at the end of the trial */
    struct outcomes window;                  /* of those that ended in the last part of the time in which some were posted,
                                                and those that waited at its end: as hosts would have told of it. Empty: the
                                                predictor has none */
    uint64_t cost;                           /* of the trial: packet-hops, the same on every machine */
    uint64_t lasted_ps;                      /* of simulated time */
    bool     is_stuck;                       /* nothing moved any more */
};

struct predictor {
    void *arg;
    /* Tries all points; what is found does not depend on how many are tried at a time. */
    int (*run)(void *arg, const struct predict_point *, uint32_t count, struct predicted *, struct err *);
    const char *unaware_of;      /* what happens to the network and not to what is tried: a constant; NULL: nothing that is known */
};

/* ---- who makes one ---- */

#define TRAFFIC_SIZES_MAX 120
#define TRAFFIC_JOBS_MAX  4

struct traffic_sizes {           /* share of messages that are not longer */
    uint32_t rows;
    struct { double bytes, p; } row[TRAFFIC_SIZES_MAX];
};

/* Hosts that send messages of one size to each other, each when one before it has ended, pause together and begin anew: a
 * collective of training. */
struct traffic_job {
    double bytes;
    double senders;              /* share of all hosts */
    double peers;                /* to whom each sends: 1 is a ring */
    double times;                /* messages of each host from pause to pause */
    double pause_s;
    double bps_per_host;         /* of all hosts, with the setting in force: for whoever sums up, the job decides */
    double local;                /* share of messages that stay in their rack */
};

/* Traffic, as far as reports tell of it. */
struct traffic_model {
    double   window_s, warm_s;   /* how long it was watched; and how long it had gone on before */

    /* Messages that come at random. */
    double               bps_per_host;
    double               noise;  /* of these bits, by chance: standard deviation as a share */
    double               local;  /* share of bytes that stay in their rack */
    struct traffic_sizes sizes;

    /* Bursts of many hosts to one. */
    double   bursts_per_s;       /* to each host */
    double   burst_senders, burst_bytes;     /* of a burst: hosts, and bytes of each message */

    struct traffic_job job[TRAFFIC_JOBS_MAX];
    uint32_t           jobs;

    /* Closed loops: some hosts always have so many messages of their own under way, and post the next when one has ended. */
    double               loop_bps_per_host;  /* with the setting in force: for whoever sums up, the loops decide */
    double               loop_senders;       /* share of all hosts */
    double               outstanding;        /* of each of those */
    struct traffic_sizes loop_sizes;
    double               tiny;               /* of these messages: share that are requests, and answers without data */
    double               hubs, hub_bytes;    /* share of these hosts that send more than others, and of bytes that they send */
};

struct world;

/* Whoever knows what the network is built of can make a small one like it, with such traffic. */
struct predict_maker {
    int  (*make)(void *arg, const struct world *, const struct traffic_model *, struct predictor *, struct err *);
    void (*drop)(struct predictor *);
};

#endif
