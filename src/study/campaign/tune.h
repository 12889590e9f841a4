/* src/study/campaign/tune.h - anole tune: an offline search on a scenario, and the check of its result. */
#ifndef STUDY_CAMPAIGN_TUNE_H
#define STUDY_CAMPAIGN_TUNE_H

#include "base/file/outfile.h"
#include "study/campaign/compare.h"
#include "study/run/simulation.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct tune_search {
    /* Inputs. */
    struct simulation_input input;           /* the scenario; seed, knobs and tuner are set here */
    bool                    is_quiet;
    uint32_t                rounds_max;      /* 0: 20, or 1 if the tuner's search has no end */
    uint64_t                budget;          /* intervals in total; 0: no limit */

    /* Results. */
    uint64_t      seed;                      /* of the first round; it increases by one per round */
    uint32_t      rounds;
    uint64_t      flows;                     /* that started in all rounds */
    bool          is_over;                   /* the tuner's search has ended */
    struct world  world;                     /* of the network; tuners look at it while they search */
    struct loop   loop;                      /* times of its steps continue from round to round */
    struct knobs  start, best;               /* the scenario's setting; the best found */
    struct card   about;                     /* network and traffic */
};

/* ---- tune_check.c ---- */

/* Runs a simulation of the search or of its check, and shows its progress unless the search is quiet. */
void tune_simulate(const struct tune_search *, struct simulation *, const struct simulation_hooks *,
                   const char *what);

/* UNTRIED: no interval ran with a setting other than the first, so nothing was compared. */
enum tune_verdict { TUNE_UNCHECKED, TUNE_UNTRIED, TUNE_SAME, TUNE_BETTER, TUNE_UNCLEAR, TUNE_WORSE };

struct tune_check {
    struct comparison comparison;            /* variants: 0 before, 1 after */
    struct variants   variants;
    struct variant    variant[2];            /* only their names */
    uint64_t         *seed;
    uint32_t          seeds;
    enum tune_verdict verdict;
    uint32_t          intervals;             /* of the search */
    bool              has_pages;             /* input: fill 'runs' */
    json_t           *runs[2];               /* interface Run of data.ts, one per seed; or NULL */
};

/* Runs both settings on 'seeds' new seeds, without a tuner, and judges. Runs nothing if they are equal or
 * seeds is 0. Free it also on failure. */
int tune_check(struct tune_check *, const struct tune_search *, uint32_t seeds, bool has_pages, struct err *);
void tune_check_fini(struct tune_check *);

/* Computes cells and verdict from the values. */
void tune_check_judge(struct tune_check *);

/* Fills finding, cost and certainty. 'is_kept': a worse setting is kept as well. */
void tune_check_answer(const struct tune_check *, bool is_kept, struct card *);

/* As comparison_json(). */
json_t *tune_check_json(const struct tune_check *);

/* One line per figure: before, after, change. */
void tune_check_print(const struct tune_check *, FILE *, bool has_colour);

/* Writes one sentence, "better: ...", and returns buf. */
char *tune_verdict_text(char *buf, size_t size, const struct tune_check *, bool is_kept);

struct tune_request {
    const char     *path, *tuner;            /* tuner NULL: the scenario's, or paraleon */
    const char    **set;
    uint32_t        sets, rounds, checks, threads;
    uint64_t        budget, until_ps;        /* until_ps 0: as in the scenario */
    const uint64_t *seed;                    /* NULL: the scenario's */
    const char     *out, *history, *report;  /* files, or NULL */
    bool            is_kept;                 /* keep a worse setting, too */
    bool            is_quiet;
    int             argc;                    /* the command line, for the next command on the card */
    char *const    *argv;
};

enum tune_file { TUNE_OUT, TUNE_HISTORY, TUNE_REPORT, TUNE_FILES };

struct tune {
    const struct tune_request *request;
    struct scenario_file       file;
    char                       tuner_set[80];        /* first of 'set': "tuner={kind: paraleon}" */
    const char               **set;
    uint32_t                   sets;
    struct tune_search         search;
    struct tune_check          check;
    struct outfile             file_of[TUNE_FILES];
    const struct knobs        *kept;         /* the result, or the initial setting */
};

/* Searches, checks and writes the files. Close it also on failure. */
int  tune_run(struct tune *, const struct tune_request *, struct err *);
void tune_close(struct tune *);

/* Fills the answer card for terminal, JSON and page, and returns it. */
struct card *tune_answer(const struct tune *, struct card *);

/* Describes search and result, for screen, file and script. */
void  tune_print_story(const struct tune *, FILE *, bool has_colour);
char *tune_story(const struct tune *);       /* malloc'd */

/* Prints the changed knobs, one per line. */
void tune_print_changes(const struct tune *, FILE *);

/* Reads a preset or a file for host links of 'rate_bps'. Refuses presets that depend on the round trip if
 * 'rtt_ps' is 0. */
int tune_read_setting(const char *name_or_file, uint64_t rate_bps, uint64_t rtt_ps, struct knobs *,
                      struct err *);

#endif
