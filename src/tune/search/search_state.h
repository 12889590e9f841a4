/* src/tune/search/search_state.h - what a search remembers; the files of search.c's list share it. */
#ifndef TUNE_SEARCH_SEARCH_STATE_H
#define TUNE_SEARCH_SEARCH_STATE_H

#include "meter/kl.h"
#include "tune/search/search_algo.h"

/* Choices of options, in the order of their names in search.c. */
enum { TRIGGER_CHANGE, TRIGGER_ALWAYS, TRIGGER_ONCE };
enum { WEIGHTS_DOMINANT, WEIGHTS_FIXED, WEIGHTS_SHARE };
enum { METRICS_CORRECTED, METRICS_ARTIFACT, METRICS_PUBLISHED };
enum { DIRECTIONS_PHYSICAL, DIRECTIONS_ARTIFACT };
enum { START_RUNNING, START_DEFAULT };
enum { AGAINST_PREVIOUS, AGAINST_SETTLED };
enum { OBJECTIVE_UTILITY };          /* the others are goals */
enum { METRIC_UTILITY, METRIC_THROUGHPUT, METRIC_RTT, METRIC_PFC, METRIC_CNPS, METRIC_MARKS, METRIC_QUEUE };

enum search_phase { PHASE_WATCH, PHASE_KNOWN, PHASE_SEARCH, PHASE_CONFIRM, PHASE_HOLD };

#define SEARCH_MEMORIES 8        /* settings that were found; the oldest is forgotten */

struct search_sample {                  /* a setting, and what came of it */
    struct knobs         knobs;
    struct utility_terms terms;
    const char          *name;   /* of a known setting, or NULL */
};

struct search_memory { struct knobs knobs; double elephants; };

#define GUARD_INTERVALS 8

struct search_guard {            /* what a search costs the traffic: search_guard.h */
    double       before_bps[GUARD_INTERVALS];    /* of all uplinks, in the last intervals without a search */
    uint32_t     befores;        /* ever seen */
    double       ratio;          /* of the last interval to their mean */
    double       debt, trial;    /* intervals of traffic that were lost: by searches, by the setting that is tried */
    double       sent[2];        /* in the confirmation, in intervals: finalist, 'from' */
    struct knobs next;           /* waits until the rate is back */
    uint32_t     recovering;     /* intervals left for that */
};

struct search {
    const struct search_algo *algo;
    void                     *searcher;
    double                    option[SEARCH_OPTION_COUNT];
    struct world              world;
    struct space              space;
    struct kl_trigger         trigger;
    struct fsd                settled;       /* flow sizes for which the setting in force was chosen */
    double                    divergence;    /* from what flow sizes are compared with */

    enum search_phase    phase;
    uint32_t             searches;           /* that have ended */
    double               elephants;          /* share, by the last interval that had flows */
    bool                 is_known;
    uint32_t             changed;            /* intervals in a row in which flow sizes differed */
    struct fsd           recent[SEARCH_PERSIST_MAX];   /* the last intervals that had flows */
    uint32_t             recents;            /* ever seen */
    struct search_memory memory[SEARCH_MEMORIES];
    uint32_t             memories;           /* ever made */

    /* One search. */
    struct knobs         before;             /* in force when it began */
    struct knobs         from;               /* what the best must beat: see confirm in search.h */
    struct knobs         base;               /* points are written onto it */
    struct search_sample *sample;            /* all that was measured */
    uint32_t             samples, samples_max;
    uint32_t             known;              /* the known setting that runs now: see search_known.c */
    uint32_t             measured;           /* settings */
    uint32_t             in_vain;            /* of them, since the last that was the best */

    /* One setting. */
    uint32_t             skip;               /* intervals before it is measured */
    struct utility_terms *seen;              /* intervals in which it was measured */
    uint32_t             intervals;

    /* Its end. */
    struct knobs         finalist;
    struct utility_terms sum[2];             /* of the finalist, of 'from' */
    uint32_t             turn;
    struct search_guard  guard;
};

static inline bool search_is(const struct search *s, enum search_option option, int choice)
{
    return (int)s->option[option] == choice;
}

static inline uint32_t search_count(const struct search *s, enum search_option option)
{
    return (uint32_t)s->option[option];
}

/* Is a search going on? */
static inline bool search_is_on(const struct search *s)
{
    return s->phase != PHASE_WATCH && s->phase != PHASE_HOLD;
}

/* Adds a sentence to what is already there. */
void search_say(struct tuner_note *, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
