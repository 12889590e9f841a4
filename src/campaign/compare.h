/* src/campaign/compare.h - compares variants of a scenario by their figures. */
#ifndef CAMPAIGN_COMPARE_H
#define CAMPAIGN_COMPARE_H

#include "campaign/campaign.h"
#include "campaign/figures.h"
#include "campaign/plan.h"
#include "campaign/variants.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define COMPARE_SEEDS_TRUSTED 5          /* with fewer, intervals say little */

/* One figure of one variant. NAN where there is none. */
struct compared_cell {
    uint32_t seeds;                      /* with a value here and at the baseline: pairs */
    double   mean, low, high;            /* over all seeds that have a value; 95 % interval */
    double   difference, difference_low, difference_high;    /* mean over pairs of this minus baseline */
    double   change, change_low, change_high;    /* the same as a share of the baseline's mean over these pairs; of slowdowns their
                                                    mean ratio over pairs, by logarithms, less 1 */
    double   p;                          /* of a paired t test */
    bool     is_significant;             /* clear: the interval excludes no change, and the false discovery rate is kept */
    bool     is_better;                  /* and that is good */
};

struct comparison {
    const struct variants *variants;
    uint32_t               baseline;
    const uint64_t        *seed;
    uint32_t               seeds;
    const char            *title;        /* names of the scenarios' files */
    struct figures         figures;
    struct compared_cell  *cell;         /* [figure * variants + variant]; NULL: not judged */
    uint32_t               tested;       /* cells that the false discovery rate is kept over */
    int                    argc;         /* the command line, for the next command on the card; 0: not known */
    char *const           *argv;
};

static inline struct compared_cell *comparison_cell(const struct comparison *c, uint32_t figure, uint32_t variant)
{
    return &c->cell[(uint64_t)figure * c->variants->count + variant];
}

/* ---- compare_stats.c ---- */

/* Adds the figures of a variant that no variant before it had. */
void comparison_add_metrics(struct comparison *, const struct metric *, uint32_t count);

/* Reads the figures of all runs, which must be there. */
int comparison_load(struct comparison *, struct campaign *, struct err *);

/* Makes the cells from the values. */
void comparison_judge(struct comparison *);

/* Whether a variant has the flows of the baseline. Others are shown next to it, without a verdict. */
bool comparison_is_pair(const struct comparison *, uint32_t variant);

void comparison_fini(struct comparison *);

/* ---- compare_print.c ---- */

void comparison_print_table(const struct comparison *, FILE *, bool has_colour);
void comparison_print_csv(const struct comparison *, FILE *, bool all);
void comparison_print_json(const struct comparison *, FILE *, bool all, const struct card *answer);  /* NULL: its own card */

/* One line if there are too few to tell a difference from chance. */
void compare_warn_few_seeds(uint32_t seeds, FILE *);

/* runs.csv: one line a run, one column a figure. */
void comparison_print_runs(const struct comparison *, FILE *);

/* Interface Comparison of web/src/data.ts, and the differences. */
json_t *comparison_json(const struct comparison *, bool all, const struct card *answer);

/* ---- compare_answer.c ---- */

/* The answer card: which variant to use, from the deciding figures. To be closed. */
void comparison_answer(const struct comparison *, struct card *);

/* Parts of a card. Cost and certainty, for one variant; network and traffic of the baseline, and of others that differ. */
void comparison_add_evidence(const struct comparison *, struct card *, uint32_t variant);
void comparison_add_about(const struct comparison *, struct card *);

/* "p99 slowdown -38 % (95 % interval -50 to -20 %)" */
void comparison_add_change(const struct comparison *, struct card *, enum card_field, uint32_t figure, uint32_t variant);

/* The figures that decide, six at most, in their order. Returns how many. */
#define COMPARE_DECIDING 6
uint32_t comparison_deciding(const struct comparison *, uint32_t figure[COMPARE_DECIDING]);

/* What a variant is worth, in one sentence: "expert is better in p99 slowdown -38 %; worse in mean RTT +35 %."
 * Figures that are shown, in their order, three of each kind at most. Returns buf. */
char *comparison_verdict(char *buf, size_t size, const struct comparison *, uint32_t variant);

/* ---- compare_page.c ---- */

/* One Run of data.ts over several of one variant, one a seed. Distributions are of the flows of all seeds; figures, and
 * quantiles by size, are means over seeds; series and network are those of the first seed. 'runs' is a list; new. */
json_t *compare_merge_runs(const json_t *runs);

/* The settings that the variants were chosen from (interface Sweep of data.ts; taken), and the card of that choice. */
struct comparison_extra { json_t *sweep; const struct card *answer; };

/* report.html, comparison.csv and comparison.json. 'extra' NULL: the variants are all there is. */
int comparison_write(const struct comparison *, struct campaign *, const struct comparison_extra *, struct outdir *,
                     struct err *);

/* ---- compare.c ---- */

struct compare_request {
    struct campaign_request common;
    const char             *baseline;    /* name of a variant; NULL: the first */
    int                     argc;        /* the command line */
    char *const            *argv;
};

struct compare {
    const struct compare_request *request;
    struct plan                   plan;
    struct comparison             comparison;
    char                         *title;
};

/* Runs all, judges, writes what lies in the folder of --out. In a worker (executor.h) it does what rank 0 says, and
 * has nothing to tell. A signal's number if one came; err says how far it was. To be closed in any case. */
int  compare_run(struct compare *, const struct compare_request *, struct err *);
void compare_close(struct compare *);

#endif
