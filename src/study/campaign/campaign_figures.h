/* src/study/campaign/campaign_figures.h - the figures of a campaign, and the value of each in each run. Run
 * number: variant * seeds + seed. */
#ifndef STUDY_CAMPAIGN_CAMPAIGN_FIGURES_H
#define STUDY_CAMPAIGN_CAMPAIGN_FIGURES_H

#include "study/campaign/campaign.h"
#include "study/campaign/variants.h"
#include "study/report/metrics.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct figure {
    struct metric metric;        /* without its value */
    bool          is_shown;      /* in printed tables; files have all */
    double       *value;         /* [run]; NAN: none */
};

struct figures {
    struct figure *list;
    uint32_t       count;
};

/* Adds those that are missing, with room for 'runs' values. */
void figures_add(struct figures *, uint64_t runs, const struct metric *, uint32_t count);
void figures_fini(struct figures *);

/* Opens the simulation of a variant to find its figures. Fills the variant's digests and description
 * (variants.h). */
int figures_add_of_variant(struct figures *, uint64_t runs, struct variant *, const uint64_t *seed,
                           struct err *);

/* Returns the figure of that name, or NULL. */
struct figure *figures_find(const struct figures *, const char *name);

/* Selects the figures to show: names and patterns separated by commas, or "all". NULL: those of
 * 'otherwise' that exist. */
int figures_choose(struct figures *, const char *wanted, const char *otherwise, struct err *);

/* Hides figures without a value in any run. */
void figures_hide_empty(struct figures *, uint64_t runs);

/* Refuses an option that names an unknown figure. */
int figures_refuse(const struct figures *, const char *option, const char *word, struct err *);

struct figures_runs {            /* some variants with all seeds */
    const struct variants *variants;
    const uint32_t        *which;            /* indices of variants; NULL: the first ones */
    uint32_t               count;            /* of these */
    const uint64_t        *seed;
    uint32_t               seeds;
};

/* Loads the values of these runs, which must be stored, figure by figure: fast for thousands of runs. */
int figures_load(struct figures *, const struct figures_runs *, struct campaign *, struct err *);

/* Mean over the seeds that have a value; NAN: none has. */
double figures_mean(const struct figure *, uint32_t variant, uint32_t seeds);

/* Returns the number of seeds with which the variant stalled; its figures then cover a part of the run. */
uint32_t figures_stuck(const struct figures *, uint32_t variant, uint32_t seeds);

/* Prints a line for each of the first variants that stalled. */
void figures_print_stuck(const struct figures *, const struct variants *, uint32_t seeds, FILE *);

/* Explains terms in the names of the figures shown. */
void figures_print_words(const struct figures *, FILE *);

/* ---- as CSV ---- */

void figures_print_quoted(FILE *, const char *text);

/* Prints a comma and the value with all digits; NAN as an empty field. */
void figures_print_number(FILE *, double value);

/* Print all names, or all values of a run, each after a comma, and end the line. */
void figures_print_names(const struct figures *, FILE *);
void figures_print_run(const struct figures *, uint64_t run, FILE *);

#endif
