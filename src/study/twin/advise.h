/* src/study/twin/advise.h - a setting for a network and its traffic, with evidence, without touching either.
 *
 * A search on trials of the scenario (tune/rehearse) finds a setting. Then that setting, the user's and every
 * preset run on messages that the search has not seen: at the expected load, and at half and one and a half
 * times of it, or at both ends of the range that was given or recorded. The simplest of them that is not
 * clearly worse than the best is confirmed: it and the user's run again, on other messages and for the
 * scenario's whole length. It is advised if it is clearly better there, and surely harms no class of messages
 * and no job beyond the bounds of the goal. Otherwise the next one is confirmed, or the user's stays.
 */
#ifndef STUDY_TWIN_ADVISE_H
#define STUDY_TWIN_ADVISE_H

#include "base/print/card.h"
#include "study/run/simulation.h"
#include "study/run/progress.h"
#include "tune/rehearse/search/twin_search.h"
#include "study/twin/host_record.h"
#include "study/twin/maker.h"
#include "study/twin/recorded.h"
#include "study/twin/twin_trial.h"

#include <math.h>
#include <stdio.h>

#define ADVISE_SETTINGS 40
#define ADVISE_SEEDS    5        /* of a test; a confirmation may use up to four times as many */
#define ADVISE_SEEDS_MAX 20
#define ADVISE_LOADS    3
#define ADVISE_PROOF    ADVISE_LOADS         /* the test that confirms, at the expected load */
#define ADVISE_TESTS    (ADVISE_LOADS + 1)
#define ADVISE_TRIALS_FEW 48     /* that cover the slowest knob: fewer only screen presets */
#define ADVISE_BUDGET_MILLIONS 120 /* packet-hops, of a search. With the evidence at most 2.5 times as many */

/* Changes besides knobs, which the user must allow. */
enum advise_kind { ALLOW_CONTROL, ALLOW_MTU, ALLOW_ACK_EVERY, ALLOW_RETRANSMISSION, ALLOW_BALANCER,
                   ADVISE_KINDS };
extern const char *const advise_kinds[];         /* NULL-terminated */

struct advise_change {
    enum advise_kind kind;
    const char      *set;        /* as for --set */
    const char      *needs;      /* what devices must support, and where it must be changed */
};

#define ADVISE_SETS_MAX 64

struct advise_request {
    const char        *path;                 /* of a scenario; NULL: the network is described */
    struct described   described;            /* its load: where there is no range, and nothing was recorded */
    double             load_low, load_high;  /* its range; 0: none */
    const char        *messages, *counters;  /* recorded files; NULL: none */
    const struct host_record *record;        /* a host's record, from 'record_path'; NULL: none */
    const char        *record_path;
    const char *const *set;
    uint32_t           sets;
    const char        *goal;                 /* NULL: the scenario's, or the default */
    uint32_t           allowed;              /* bits of enum advise_kind */
    uint64_t           seed;
    uint64_t           budget;               /* of the search, packet-hops */
    uint32_t           jobs;
    bool               is_quiet;
    const char        *assumed;              /* options with default values, as text; "": none */
    int                argc;                 /* the command line, for the next command on the card */
    char *const       *argv;
    const char        *out;                  /* the file that gets the setting; NULL: none */
};

struct advise_row {              /* a setting, and its results on new messages */
    const char      *name;       /* "yours", "searched", of a preset, or own_name */
    bool             is_preset;
    const struct advise_change *change[ADVISE_KINDS];        /* of the scenario, one of a kind */
    uint32_t         changes;
    char             own_name[120];          /* with changes: "gentle + host.mtu=4096" */
    const char      *control;    /* as in struct world */
    struct knobs     knobs;
    struct predicted found[ADVISE_TESTS][ADVISE_SEEDS_MAX];
    uint32_t         seeds[ADVISE_TESTS];    /* that it ran with; 0: it did not */
};

struct advice {
    const struct advise_request *request;
    const char          *name;       /* of the scenario */
    struct scenario_file file;
    struct recorded      messages, counters;
    struct described     described;
    struct build         build;      /* of a network that is described */
    struct goal          goal;       /* iteration_time only if there are jobs */
    bool                 has_goal;   /* the scenario names it */
    char                 job_name[OUTCOME_JOBS][64];
    uint32_t             jobs;
    char                 loop_name[OUTCOME_LOOPS][64];
    uint32_t             loops;
    double               load[ADVISE_TESTS];         /* times that which is expected: 1 first */
    double               length, length_max;         /* on new messages, in trials of the search */
    double               trial_cost;                 /* of one of the search, packet-hops */
    enum knob            slowest;                    /* your DCQCN period that takes longest; KNOB_COUNT: none */
    bool                 is_short;                   /* the budget has too few that cover it: none ran */
    bool                 has_range;  /* the others are the ends of a range */
    struct twin          twin;
    struct world         world;
    struct rehearsal     rehearsal;
    struct advise_row    row[ADVISE_SETTINGS];       /* 0: yours; then presets and the search result */
    uint32_t             rows;
    uint32_t             choice;                     /* the advised row; 0: keep yours */
    uint32_t             best_preset;                /* by mean score; 0: none is better than yours */
    bool                 is_fast;                    /* all trials but those that confirm skip packets */
    bool                 has_load;                   /* some traffic has one, so that it can be off */
    struct card          about;                      /* the network and the traffic */
    struct card          refused;                    /* changes that cannot be simulated: a detail */
    struct progress      progress;
    const char          *act;
    uint64_t             spent;                      /* packet-hops of all trials so far */
    double               planned;                    /* expected in all */
    double               took_s;
};

/* The struct is all zero, and too large for a stack. To be closed in any case. */
int  advise_run(struct advice *, const struct advise_request *, struct err *);
void advise_close(struct advice *);

static inline const struct advise_row *advised(const struct advice *a)
{
    return &a->row[a->choice];
}

/* The test that the answer is about: the confirmation, or the first if nothing is advised. */
static inline uint32_t advise_test(const struct advice *a)
{
    return a->choice && advised(a)->seeds[ADVISE_PROOF] ? ADVISE_PROOF : 0;
}

static inline double advise_percent(double log_ratio)
{
    return 100 * expm1(log_ratio);
}

/* No seed shows a difference. */
static inline bool advise_is_none(struct race_gain g)
{
    return g.mean == 0 && !(g.low < 0) && !(g.high > 0);
}

static inline bool advise_keeps_yours(const struct advice *a)
{
    return a->choice == 0;
}

/* ---- advise_changes.c ---- */

/* Adds a list such as "control,mtu" to the allowed changes. */
int advise_allow(uint32_t *allowed, const char *text, struct err *);

/* The twin with the changes of a row. 'set' is memory that must outlive it. */
struct twin advise_twin(const struct advice *, const struct advise_row *, const char *set[ADVISE_SETS_MAX]);

/* Adds a row for each allowed change that the scenario's model can simulate. */
void advise_add_changes(struct advice *);

/* Removes rows with changes that change no result: the scenario has them already. */
void advise_drop_idle_changes(struct advice *);

/* Adds a row with the best change of each kind and the best knobs. False: such a row exists. */
bool advise_add_combined(struct advice *);

/* ---- advise_choose.c ---- */

/* Returns true if all seeds of a test, two at least, gave the same trials: nothing in them was random. */
bool advise_repeats(const struct advise_row *, uint32_t test);

/* The goal against that of another: a log ratio, a mean over the seeds of a test that both ran with, with its
 * 95 % interval. Clear if the interval excludes 0. No interval (NAN) if neither setting's trials are
 * random. */
struct race_gain advise_gain(const struct advice *, const struct advise_row *,
                             const struct advise_row *than, uint32_t test);

/* The same of the mean slowdown of a part, over seeds with such messages; NAN: fewer than two. */
struct race_gain advise_part(const struct advise_row *, const struct advise_row *than, uint32_t test,
                             enum goal_part);

/* The same of one that a setting may harm: a class of messages outside jobs, a job or a loop. */
struct race_gain advise_party(const struct advise_row *, const struct advise_row *than, uint32_t test,
                              uint32_t party);

/* How much slower a party may get: a log ratio. */
double advise_bound(const struct advice *, uint32_t party);

/* Writes "messages under 120 KB", "iterations of job1" and returns buf. */
const char *advise_party_text(const struct advice *, uint32_t party, char buf[100]);

/* The first party that a setting clearly slows beyond the bound, and the test; GOAL_PARTIES: none. */
uint32_t advise_harmed(const struct advice *, const struct advise_row *, uint32_t *test);

/* Result of a confirmation: clearly better and within all bounds; not; or more seeds are needed. */
enum advise_proof { PROOF_HOLDS, PROOF_FAILS, PROOF_OPEN };
enum advise_proof advise_judge(const struct advice *, const struct advise_row *);

/* Mean slowdown of a part, and mean iteration of a job in seconds, over seeds; NAN: there were none. */
double advise_slowdown(const struct advise_row *, uint32_t test, enum goal_part);
double advise_iteration(const struct advise_row *, uint32_t test, uint32_t job);

/* Whether flows waited for each other for ever in a test of it. */
bool advise_is_stuck(const struct advise_row *);

/* How many knobs differ from yours. */
uint32_t advise_knobs(const struct advice *, const struct advise_row *);

/* Writes the candidates for the advice, simplest first, from the results at the expected load: the user's own
 * setting, presets by the number of knobs they change, then search results. The last is the best. Settings
 * that failed a confirmation are left out. Returns how many. */
uint32_t advise_candidates(const struct advice *, uint32_t which[ADVISE_SETTINGS]);

/* The first candidate that is not clearly worse than the last at any load that both were tried at. */
uint32_t advise_choose(const struct advice *, const uint32_t *which, uint32_t count);

/* ---- advise_answer.c ---- */

/* OPEN: the evidence is for neither. */
enum advise_verdict { ADVISE_USE, ADVISE_KEEP, ADVISE_OPEN };
enum advise_verdict advise_verdict(const struct advice *);

/* The answer card; all of it follows from the rows. To be closed. */
void advise_answer(const struct advice *, struct card *);

/* "Yours" is NVIDIA's default. */
bool advise_has_default(const struct advice *);

/* ---- advise_print.c ---- */

/* "half the load"; with a range "load of 20 %". For any but the first. */
const char *advise_load_text(const struct advice *, uint32_t load, char *buf, size_t size);

/* "bdp, advised" */
const char *advise_name(const struct advice *, const struct advise_row *, char *buf, size_t size);

/* Records: symptoms of a host, and a sentence for each file; nothing without records. */
void advise_print_recorded(const struct advice *, FILE *);

void advise_print(const struct advice *, const struct card *, FILE *, bool has_colour);

/* ---- advise_page.c ---- */

/* All of it as a page for a browser, complete without scripts. */
void advise_page(const struct advice *, const struct card *, FILE *);

#endif
