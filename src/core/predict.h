/* src/core/predict.h - an interface to predict the effect of a setting without touching the network.
 *
 * It separates the search (tune/rehearse) from the evaluation (study/twin/, by simulation).
 */
#ifndef CORE_PREDICT_H
#define CORE_PREDICT_H

#include "base/err.h"
#include "core/knobs.h"

#include <stdbool.h>
#include <stdint.h>

/* Message size classes; mice and elephants as defined by PARALEON. */
enum predict_class { PREDICT_MICE, PREDICT_MIDDLE, PREDICT_ELEPHANTS, PREDICT_CLASSES };

#define PREDICT_MOUSE_END 120000u        /* smaller messages are mice; in bytes */
#define PREDICT_ELEPHANT  1000000u       /* smallest elephant */

static inline enum predict_class predict_class_of(uint64_t bytes)
{
    return bytes < PREDICT_MOUSE_END ? PREDICT_MICE : bytes < PREDICT_ELEPHANT ? PREDICT_MIDDLE
        : PREDICT_ELEPHANTS;
}

struct predict_point {           /* one trial */
    const struct knobs *knobs;
    uint64_t            seed;    /* trials with the same seed have the same messages */
    double              load;    /* relative to the expected load */
    double              length;  /* relative to the usual length, above 0 */
};

/* A training job. An unfinished iteration counts with its share of bytes, and with its age. */
struct outcome_job {
    uint64_t id;                 /* distinguishes the jobs of one network; 0: no job */
    double   iterations, seconds;            /* seconds: their sum, with compute */
};

/* Storage or rpc. In a closed loop slow messages are followed by fewer: harm shows in what it completes. */
struct outcome_loop {
    uint64_t id;                 /* distinguishes the loops of one network; 0: no loop */
    double   bytes, seconds;     /* payload that arrived, and in what time */
};

#define OUTCOME_JOBS  8
#define OUTCOME_LOOPS 4
#define OUTCOME_BINS  96         /* bins of slowdowns, eight per octave, from 1 up to 4096 */

/* Outcomes of messages. An unfinished message counts with a lower bound of its slowdown: its age plus the
 * time that the rest takes on an empty path. Otherwise settings that starve some messages would look
 * better. */
struct outcomes {
    double   messages[PREDICT_CLASSES];
    double   slowdowns[PREDICT_CLASSES];     /* their sum */
    uint64_t unfinished;

    /* Only known in a simulation, which sees every message; otherwise 0. */
    double   job_messages[PREDICT_CLASSES];  /* of these, messages of jobs (counted in job[]) */
    double   job_slowdowns[PREDICT_CLASSES];
    uint32_t bin[PREDICT_CLASSES][OUTCOME_BINS];     /* by slowdown; without messages of jobs */
    struct outcome_job  job[OUTCOME_JOBS];
    struct outcome_loop loop[OUTCOME_LOOPS];
};

struct predicted {
    struct outcomes all;         /* of all posted messages, at the end of the trial */
    struct outcomes window;      /* of messages that ended in the last part of the posting time, or waited at
                                  * its end, as hosts would report them. Empty: not supported */
    uint64_t cost;               /* packet-hops; the same on every machine */
    uint64_t lasted_ps;          /* simulated time */
    bool     is_stuck;           /* deadlock */
};

struct predictor {
    void *arg;
    /* Evaluates all points. Results do not depend on how many are evaluated at once. */
    int (*run)(void *arg, const struct predict_point *, uint32_t count, struct predicted *, struct err *);
    const char *unaware_of;      /* events that the predictor ignores; NULL: none known */
};

/* ---- models of traffic, and how predictors are made ---- */

#define TRAFFIC_SIZES_MAX 120
#define TRAFFIC_JOBS_MAX  4

struct traffic_sizes {           /* cumulative distribution of message sizes */
    uint32_t rows;
    struct { double bytes, p; } row[TRAFFIC_SIZES_MAX];
};

/* A collective of a training job: hosts send messages of one size to each other, each after a previous one
 * has ended, then pause together and repeat. */
struct traffic_job {
    double bytes;
    double senders;              /* share of all hosts */
    double peers;                /* receivers of each sender; 1: a ring */
    double times;                /* messages of each host between pauses */
    double pause_s;
    double bps_per_host;         /* mean over all hosts, with the current setting; informative */
    double local;                /* share of messages that stay in their rack */
};

/* Traffic as far as reports describe it. */
struct traffic_model {
    double   window_s, warm_s;   /* observation time, and age of the traffic before it */

    /* Messages posted at random. */
    double               bps_per_host;
    double               noise;  /* relative standard deviation of bps_per_host by chance */
    double               local;  /* share of bytes that stay in their rack */
    struct traffic_sizes sizes;

    /* Bursts of many hosts to one. */
    double   bursts_per_s;       /* to each host */
    double   burst_senders, burst_bytes;     /* senders of a burst, and bytes of each message */

    struct traffic_job job[TRAFFIC_JOBS_MAX];
    uint32_t           jobs;

    /* Closed loops: some hosts keep a number of messages in flight, and post the next when one ends. */
    double               loop_bps_per_host;  /* with the current setting; informative */
    double               loop_senders;       /* share of all hosts */
    double               outstanding;        /* messages in flight per sender */
    struct traffic_sizes loop_sizes;
    double               tiny;               /* share of requests and empty answers among these messages */
    double               hubs, hub_bytes;    /* share of senders above the mean, and of their bytes */
};

struct world;

/* Creates a small model of the network with such traffic. */
struct predict_maker {
    int  (*make)(void *arg, const struct world *, const struct traffic_model *, struct predictor *,
                 struct err *);
    void (*drop)(struct predictor *);
};

#endif
