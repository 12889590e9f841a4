/* src/tune/search/search_engine.h - the state of a search and the parts of its engine; for search.c.
 *
 *   search.c                 phases: from watching to the setting that is kept
 *   search_engine_flows.c    which flows there are, and when a search begins
 *   search_engine_known.c    presets, which a search may try first
 *   search_engine_measure.c  measurements of settings
 *   search_engine_guard.c    limits what a search may cost the traffic
 */
#ifndef TUNE_SEARCH_SEARCH_ENGINE_H
#define TUNE_SEARCH_SEARCH_ENGINE_H

#include "core/fsd.h"
#include "tune/contest.h"
#include "tune/raise.h"
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

#define SEARCH_MEMORIES 8        /* settings found; a new one replaces the oldest */
#define GUARD_INTERVALS 8

struct search_sample {           /* a setting and its measurement */
    struct knobs         knobs;
    struct utility_terms terms;
    const char          *name;   /* of a preset; NULL: none */
};

struct search_memory { struct knobs knobs; double elephants; };

struct search_guard {
    double       before_bps[GUARD_INTERVALS];    /* sum of uplinks in the last intervals without a search */
    uint32_t     befores;        /* intervals ever added to before_bps */
    uint32_t     intervals;      /* with traffic, searches included */
    double       ratio;          /* of the last interval to their mean */
    double       debt, trial;    /* lost traffic, in intervals: of searches, and of the current trial */
    double       sent[2];        /* in the confirmation, in intervals: finalist, its rival */
    struct knobs next;           /* waits until the rate has recovered */
    uint32_t     recovering;     /* intervals left for the recovery */
    struct outcomes messages;    /* of the last intervals without a search; older ones weigh less */
};

struct search {
    const struct search_algo *algo;
    void                     *searcher;
    double                    option[SEARCH_OPTION_COUNT];
    struct world              world;
    struct space              space;
    struct kl_trigger         trigger;
    struct fsd                settled;       /* flow sizes for which the current setting was chosen */
    double                    divergence;    /* from the reference flow sizes */

    enum search_phase    phase;
    uint32_t             searches;           /* completed */
    double               elephants;          /* share in the last interval with flows */
    bool                 is_known;           /* there was such an interval */
    uint32_t             changed;            /* consecutive intervals in which flow sizes differed */
    struct fsd           recent[SEARCH_PERSIST_MAX];     /* ring of the last intervals with flows */
    uint32_t             recents;            /* ever added */
    struct search_memory memory[SEARCH_MEMORIES];
    uint32_t             memories;           /* ever added */

    /* One search. */
    struct knobs          before;            /* setting when it began */
    struct knobs          from;              /* what the best must beat: see confirm in search.h */
    struct knobs          base;              /* provides the knobs outside the space */
    struct search_sample *sample;            /* all measurements */
    uint32_t              samples, samples_max;
    uint32_t              known;             /* number of the current preset: see search_engine_known.c */
    const char           *known_name;
    uint32_t              measured;          /* settings */
    uint32_t              in_vain;           /* settings since the last that was the best */

    /* One setting. */
    uint32_t              skip;              /* intervals until its measurement starts */
    struct utility_terms *seen;              /* intervals measured */
    uint32_t              intervals;

    /* Confirmation. */
    struct knobs         start;              /* initial setting, or one set from outside */
    struct knobs         finalist;
    struct seen          window;             /* messages since the setting was changed, */
    uint32_t             windows;            /* in so many intervals */
    struct knobs         seen_with;          /* that setting */
    struct contest       contest;
    bool                 is_contest;         /* else terms of utility are compared: */
    struct utility_terms sum[2];             /* of the finalist, of its rival */
    uint32_t             turn;
    struct search_guard  guard;
    struct raise         raise;              /* with a floor */
};

static inline bool search_is(const struct search *s, enum search_option option, int choice)
{
    return (int)s->option[option] == choice;
}

static inline uint32_t search_count(const struct search *s, enum search_option option)
{
    return (uint32_t)s->option[option];
}

static inline bool search_is_on(const struct search *s)
{
    return s->phase != PHASE_WATCH && s->phase != PHASE_HOLD;
}

/* The setting that the result of a search must beat. */
static inline const struct knobs *search_rival(const struct search *s)
{
    return search_is(s, SEARCH_FLOOR, true) ? &s->start : &s->from;
}

/* ---- search_engine_flows.c ---- */

/* Flow sizes are compared with those of the previous interval, or with those for which the current setting
 * was chosen. [persist] intervals are merged for this, since one interval may have few flows. */
bool search_has_flows(const struct fsd *);

/* Updates the share of elephants. */
void search_look_at_flows(struct search *, const struct fsd *);

/* Returns the merged flow sizes of the last intervals. */
struct fsd search_recent_flows(const struct search *);

/* Adds an interval. Returns true if flow sizes have differed for long enough. */
bool search_compare_flows(struct search *, const struct fsd *);

void search_say_change(const struct search *, struct tuner_note *);

/* Returns true if a search begins now. 'measured' is the interval with the current setting, or NULL. */
bool search_is_due(const struct search *, bool has_changed, const struct search_now *measured);

/* Explains why none begins. */
const char *search_why_not(const struct search *);

/* Returns the setting that was found for similar flows before, or NULL. */
const struct search_memory *search_recall(const struct search *);

/* ---- search_engine_known.c ---- */

/* Sets the next preset not yet tried: first those made for the dominant flows (none if most are elephants but
 * mice matter), then the setting from before, then those made for neither. False: there is none, or the
 * budget is used up. */
bool search_set_known(struct search *, struct knobs *);

/* ---- search_engine_measure.c ---- */

/* Measurements are stored as terms, because the weights may change during a search. */
struct utility_weights search_weights(const struct search *);

/* Returns the goal for messages. NULL: utility is used, by option or because hosts do not report. */
const struct goal *search_goal(const struct search *, const struct report *);

struct utility_terms search_measure(const struct search *, const struct report *);
void                 search_add_terms(struct utility_terms *sum, struct utility_terms);
struct utility_terms search_mean_of(struct utility_terms sum, uint32_t count);
struct search_now    search_now_of(const struct search *, struct utility_terms);

/* Returns true if nothing was sent. Utility is then that of an empty network with any setting. */
bool search_is_silent(const struct search *, const struct search_now *);

/* Adds an interval to the measurement. Returns true when it is complete, with its summary in 'now'. */
bool search_add_up(struct search *, struct search_now *now, struct tuner_note *);

/* Returns the best measurement by the current weights, or NULL. A later one must be better by the margin. */
const struct search_sample *search_best_by(const struct search *, double margin);

/* Records a measurement; 'name' is that of a preset, or NULL. Returns true if it is the best. */
bool search_record(struct search *, const struct knobs *, struct utility_terms, const char *name);

/* CHAMELEON's monitor summarizes samples of 10 ms ("mean, sketches, gradient"). Here a sample is an interval,
 * and a summary (the mean) a measurement. The poster does not define its filter; this is ours. It drops
 * intervals whose utility differs from the median by more than 'filter' median deviations; 0: none. Keeps the
 * others, at least half, in order, and returns their number. */
uint32_t summary_filter(struct utility_terms *seen, uint32_t count, double filter, struct utility_weights);

/* The mean of at least one interval. */
struct utility_terms summary_of(const struct utility_terms *seen, uint32_t count);

/* ---- search_engine_guard.c ---- */

/* Utility may not show that flows starve: hardly used uplinks do not count, and flows that send nothing
 * are not seen. The guard therefore compares the rate of all uplinks with its mean in the last intervals
 * before the search. Where hosts report messages, it compares their slowdowns as well, and the greater
 * loss counts. Losses add up to the debt of the search, in intervals of traffic:
 *
 *   - A setting that has cost TRIAL_MAX intervals is dropped. Its utility counts in proportion to its
 *     traffic, and the setting from before the search is restored until the rate has recovered.
 *   - When the debt exceeds [guard] intervals, the search ends and the setting from before stays. With a
 *     floor the limit is at most SHARE of the intervals so far, the first search waits for CONTEST_WATCH
 *     intervals, and none begins if messages take too long for a contest of its result.
 *   - The debt decreases by REPAY per interval. The next search begins when half of it is gone.
 *   - A setting is kept only if it does not send less than the one before, by more than KEEP_LOSS and chance.
 *
 * A search thus costs at most [guard] intervals of traffic, the recovery from its last setting, and SLACK
 * of the rest; all searches together cost at most REPAY of the time beyond that. Differences below SLACK
 * are noise. */

/* Returns false if the network is idle. A setting that starves flows leaves a trickle. */
bool guard_has_traffic(const struct report *);

/* Adds an interval without a search. */
void guard_watch(struct search *, const struct report *);

/* Returns why no search may begin now; NULL: it may. */
const char *guard_why_not(const struct search *);

/* Adds an interval of a search with the setting 'knobs'. */
enum guard_verdict { GUARD_GOES_ON, GUARD_DROPS_TRIAL, GUARD_ENDS_SEARCH };
enum guard_verdict guard_add(struct search *, const struct report *, const struct knobs *);

/* Returns true if traffic is reduced so much that flow sizes say little about it. */
bool guard_is_starved(const struct search *);

/* Drops the current trial. 'knobs', the next setting to try, waits until the rate has recovered. */
void guard_recover(struct search *, struct knobs *);

/* Returns true if the interval was part of a recovery; *knobs is then the setting for the next interval. */
bool guard_is_recovering(struct search *, struct knobs *);

/* Returns true if the finalist sent less than its rival in the confirmation. */
bool guard_refuses(const struct search *);

#endif
