/* src/twin/advise.h - a setting for a network and its traffic, with evidence, without touching either.
 *
 * A search on trials of the scenario (tune/rehearse) finds a setting. Then that setting, the user's and every
 * preset run on messages that the search has not seen: at the expected load, and at half and one and a half
 * times of it, or at both ends of the range that was given or recorded. The advice is the simplest of them
 * that is not clearly worse than the best.
 */
#ifndef TWIN_ADVISE_H
#define TWIN_ADVISE_H

#include "base/print/card.h"
#include "run/scenario_file.h"
#include "tune/rehearse/search/twin_search.h"
#include "twin/described.h"
#include "twin/host_record.h"
#include "twin/recorded.h"
#include "twin/twin_trial.h"

#include <stdbool.h>
#include <stdio.h>

#define ADVISE_SETTINGS 16
#define ADVISE_SEEDS    5
#define ADVISE_LOADS    3
/* packet-hops: about 30 s of CPU time for scenarios/demo.yaml, with the evidence */
#define ADVISE_BUDGET_MILLIONS 180

struct advise_request {
    const char        *path;                 /* of a scenario; NULL: the network is described */
    struct described   described;            /* its load: where there is no range, and nothing was recorded */
    double             load_low, load_high;  /* its range; 0: none */
    const char        *messages, *counters;  /* recorded files; NULL: none */
    const struct host_record *record;        /* a host's record, from 'record_path'; NULL: none */
    const char        *record_path;
    const char *const *set;
    uint32_t           sets;
    const struct goal *goal;
    uint64_t           seed;
    uint64_t           budget;               /* of the search, packet-hops */
    uint32_t           jobs;
    bool               is_quiet;
    const char        *assumed;              /* options that were not given, with their defaults; "": all
                                              * were */
    int                argc;                 /* the command line, for the next command on the card */
    char *const       *argv;
    const char        *out;                  /* the file that gets the setting; NULL: none */
};

struct advise_row {              /* a setting, and its results on new messages */
    const char      *name;       /* "yours", "searched", or of a preset */
    bool             is_preset;
    struct knobs     knobs;
    struct predicted found[ADVISE_LOADS][ADVISE_SEEDS];
    bool             has[ADVISE_LOADS];
};

struct advice {
    const struct advise_request *request;
    const char          *name;       /* of the scenario */
    struct scenario_file file;
    struct recorded      messages, counters;
    struct described     described;
    struct build         build;      /* of a network that is described */
    double               load[ADVISE_LOADS];         /* times that which is expected: 1 first */
    bool                 has_range;  /* the others are the ends of a range */
    struct twin          twin;
    struct world         world;
    struct rehearsal     rehearsal;
    struct advise_row    row[ADVISE_SETTINGS];       /* 0: yours; presets; what the search found, if it is
                                                      * none of these */
    uint32_t             rows;
    uint32_t             choice;                     /* the advised row; 0: keep yours */
    uint32_t             best_preset;                /* by the mean score; 0: no preset is better than
                                                      * yours */
    bool                 has_load;                   /* some traffic has one, so that it can be off */
    struct card          about;                      /* the network and the traffic */
    bool                 is_told;                    /* there was a preliminary answer */
    double               told;                       /* the gain of the last; 0: keep yours */
    double               took_s;
};

/* To be closed in any case. */
int  advise_run(struct advice *, const struct advise_request *, struct err *);
void advise_close(struct advice *);

static inline const struct advise_row *advised(const struct advice *a)
{
    return &a->row[a->choice];
}

static inline bool advise_keeps_yours(const struct advice *a)
{
    return a->choice == 0;
}

/* ---- advise_choose.c ---- */

/* log(J / J of the other), a mean over seeds, with its 95 % interval. Clear if the interval excludes 0. */
struct advise_gain { double mean, low, high; };
struct advise_gain advise_gain(const struct advice *, const struct advise_row *,
                               const struct advise_row *than, uint32_t load);

/* The same of the mean slowdown of a part: above 0 is slower. NAN: there were no such messages. */
struct advise_gain advise_part(const struct advise_row *, const struct advise_row *than, uint32_t load,
                               enum goal_part);

/* Mean slowdown of a part over seeds; NAN: there were no such messages. */
double advise_slowdown(const struct advise_row *, uint32_t load, enum goal_part);

/* How many knobs differ from yours. */
uint32_t advise_knobs(const struct advice *, const struct advise_row *);

/* Writes the candidates for the advice, simplest first, from the results at the expected load: the user's own
 * setting, presets by the number of knobs they change, then search results. The last is the best. Returns how
 * many. */
uint32_t advise_candidates(const struct advice *, uint32_t which[ADVISE_SETTINGS]);

/* The first candidate that is not clearly worse than the last at any load that both were tried at. */
uint32_t advise_choose(const struct advice *, const uint32_t *which, uint32_t count);

/* ---- advise_answer.c ---- */

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
