/* src/campaign/figures.h - what the runs of a campaign have found: the figures, and the value of each in each run.
 *
 * Runs are numbered variant by variant, and seed by seed of a variant.
 */
#ifndef CAMPAIGN_FIGURES_H
#define CAMPAIGN_FIGURES_H

#include "campaign/campaign.h"
#include "campaign/variants.h"
#include "report/metrics.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct figure {
    struct metric metric;        /* its value means nothing */
    bool          is_shown;      /* in what is printed; files have all */
    double       *value;         /* [run]; NAN: there is none */
};

struct figures {
    struct figure *list;
    uint32_t       count;
};

/* Adds those that are not there yet, for so many runs. */
void figures_add(struct figures *, uint64_t runs, const struct metric *, uint32_t count);
void figures_fini(struct figures *);

/* Opens the simulation of a variant to find its figures. Fills the variant's digests and description (variants.h). */
int figures_add_of_variant(struct figures *, uint64_t runs, struct variant *, const uint64_t *seed, struct err *);

/* The figure called so; NULL: there is none. */
struct figure *figures_find(const struct figures *, const char *name);

/* Marks those to be shown: names and patterns, or "all", with commas between them. NULL: what 'otherwise' has
 * of them. */
int figures_choose(struct figures *, const char *wanted, const char *otherwise, struct err *);

/* Those of which none of so many runs has a value are not shown: they have nothing to say. */
void figures_hide_empty(struct figures *, uint64_t runs);

/* Says that an option names a figure that is not there. */
int figures_refuse(const struct figures *, const char *option, const char *word, struct err *);

struct figures_runs {            /* some variants with all seeds */
    const struct variants *variants;
    const uint32_t        *which;            /* numbers of variants */
    uint32_t               count;            /* of these */
    const uint64_t        *seed;
    uint32_t               seeds;
};

/* Reads all values that the store has of these runs, figure by figure: for thousands of runs. */
int figures_load(struct figures *, const struct figures_runs *, struct campaign *, struct err *);

/* Over the seeds that have a value; NAN if none has. */
double figures_mean(const struct figure *, uint32_t variant, uint32_t seeds);

/* With how many seeds a variant came to a standstill: its figures are then of a part of the run. */
uint32_t figures_stuck(const struct figures *, uint32_t variant, uint32_t seeds);

/* A line for each of the first variants that did. */
void figures_print_stuck(const struct figures *, const struct variants *, uint32_t seeds, FILE *);

/* Says what words mean that the figures shown are named by. */
void figures_print_words(const struct figures *, FILE *);

/* ---- as CSV ---- */

void figures_print_quoted(FILE *, const char *text);

/* A comma and the value with as many digits as a double has: nothing is lost. The field of NAN is empty. */
void figures_print_number(FILE *, double value);

/* Their names, and their values in one run: each behind a comma, and the end of the line. */
void figures_print_names(const struct figures *, FILE *);
void figures_print_run(const struct figures *, uint64_t run, FILE *);

#endif
