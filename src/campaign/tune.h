/* src/campaign/tune.h - a search that is done offline, on a scenario, and what comes of it. */
#ifndef CAMPAIGN_TUNE_H
#define CAMPAIGN_TUNE_H

#include "base/file/outfile.h"
#include "campaign/compare.h"
#include "run/scenario_file.h"
#include "run/simulation.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- tune_search.c ---- */

struct tune_search {
    /* Given. */
    struct simulation_input input;           /* the scenario; seed, knobs and tuner are ours */
    bool                    is_quiet;
    uint32_t                rounds_max;      /* 0: 20, or 1 of a tuner that knows no end */
    uint64_t                budget;          /* intervals in all; 0: until the search is over */

    /* Found. */
    uint64_t      seed;                      /* of the first round; every other has the next */
    uint32_t      rounds;
    bool          is_over;                   /* the tuner has ended its search */
    struct loop   loop;                      /* times of its steps go on from round to round */
    struct knobs  start, best;               /* the scenario's setting, and the best that was found */
};

/* Runs the scenario with its tuner in the loop, again and again, until the search is over. To be given back
 * also on failure. */
int  tune_search(struct tune_search *, struct err *);
void tune_search_fini(struct tune_search *);

/* ---- tune_check.c ---- */

enum tune_verdict { TUNE_UNCHECKED, TUNE_SAME, TUNE_BETTER, TUNE_UNCLEAR, TUNE_WORSE };

struct tune_check {
    struct comparison comparison;            /* of two variants: 0 before, 1 after */
    struct variants   variants;
    struct variant    variant[2];            /* their names */
    uint64_t         *seed;
    uint32_t          seeds;
    enum tune_verdict verdict;
    bool              has_pages;             /* given: whether the next is wanted */
    json_t           *runs[2];               /* interface Run of data.ts, one a seed; NULL: not wanted */
};

/* Runs both settings on 'seeds' fresh seeds, without a tuner, and judges. None if they are the same or seeds
 * is 0. To be given back also on failure. */
int  tune_check(struct tune_check *, const struct tune_search *, uint32_t seeds, bool has_pages, struct err *);
void tune_check_fini(struct tune_check *);

/* What the values show: fills cells and verdict. */
void tune_check_judge(struct tune_check *);

/* Fills the finding, the cost and the certainty. 'is_kept': a setting that is worse is kept all the same. */
void tune_check_answer(const struct tune_check *, bool is_kept, struct card *);

/* The comparison, as comparison_json() has it. */
json_t *tune_check_json(const struct tune_check *);

/* A line a figure: before, after, change. */
void tune_check_print(const struct tune_check *, FILE *, bool has_colour);

/* "better: ...", one sentence. 'is_kept': a setting that is worse is kept all the same. Returns buf. */
char *tune_verdict_text(char *buf, size_t size, const struct tune_check *, bool is_kept);

/* ---- tune.c ---- */

struct tune_request {
    const char     *path, *tuner;            /* tuner NULL: the scenario's, or paraleon */
    const char    **set;
    uint32_t        sets, rounds, checks, threads;
    uint64_t        budget, until_ps;        /* until_ps 0: when the scenario says */
    const uint64_t *seed;                    /* NULL: the scenario's */
    const char     *out, *history, *report;  /* files; NULL: not wanted */
    bool            is_kept;                 /* a setting that is worse, too */
    bool            is_quiet;
    int             argc;                    /* the command line, for the next command on the card */
    char *const    *argv;
};

struct tune {
    const struct tune_request *request;
    struct scenario_file       file;
    char                       tuner_set[80];        /* the first of the sets: "tuner={kind: paraleon}" */
    const char               **set;
    uint32_t                   sets;
    struct tune_search         search;
    struct tune_check          check;
    struct outfile             out, history, report;
    const struct knobs        *kept;         /* what was found, or the setting it began with */
    struct card                about;        /* the network and the traffic */
};

/* Searches, checks and writes the files. To be closed in any case. */
int  tune_run(struct tune *, const struct tune_request *, struct err *);
void tune_close(struct tune *);

/* The answer card: the same on the terminal, in JSON and on the page. To be closed. */
void tune_answer(const struct tune *, struct card *);

/* What was done, and what it has shown: the same on the screen, in the file and in a script. */
void  tune_print_story(const struct tune *, FILE *, bool has_colour);
char *tune_story(const struct tune *);       /* as a text; malloc'd */

/* The knobs that were changed, one a line. */
void tune_print_changes(const struct tune *, FILE *);

/* A preset, or the setting of a file, for hosts' links of 'rate_bps'. One that depends on the network's round
 * trip is refused if nobody has said it: 'rtt_ps' is 0. */
int tune_read_setting(const char *name_or_file, uint64_t rate_bps, uint64_t rtt_ps, struct knobs *, struct err *);

#endif
