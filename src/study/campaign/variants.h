/* src/study/campaign/variants.h - the variants of a comparison: all combinations of the choices of its axes.
 *
 * The scenario files are one axis, each --vary is one, and all --variant together are one.
 */
#ifndef STUDY_CAMPAIGN_VARIANTS_H
#define STUDY_CAMPAIGN_VARIANTS_H

#include "core/tuning_goal.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/print/card.h"
#include "study/run/simulation.h"

#include <stdint.h>

#define VARIANTS_MAX 256         /* of a comparison */

struct axis_choice {
    char    *name;               /* part of the variant's name; may be "" */
    char   **set;                /* "kmin=100KB" */
    uint32_t sets, file;         /* file: index, only in the axis of files */
};

struct axis {
    struct axis_choice *choice;
    uint32_t            choices;
};

struct variant {
    char                      *name;
    const struct scenario_file *file;
    const char               **set;          /* those of all variants, then its own; not owned */
    uint32_t                   sets, own;    /* own: number of its own */
    uint64_t                   until_ps;     /* end of its runs; 0: as in the scenario */
    struct digest              digest;       /* of everything that decides its runs except the seed */
    struct digest              flows;        /* of the messages of its first seed; see variant_describe() */
    struct card                about;        /* its network and traffic */
    struct goal                goal;         /* of its scenario */
    bool                       has_goal;     /* the scenario names it */
};

struct variants {
    struct variant *list;
    uint32_t        count;
};

/* Adds a choice without settings, and a setting to a choice. Both take ownership of the text. */
struct axis_choice *axis_add(struct axis *, char *name);
void axis_choice_set(struct axis_choice *, char *set);

/* "kmin=100KB,400KB": one choice per value, with the setting as its name. Commas in brackets do not
 * separate. */
int axis_vary(struct axis *, const char *text, struct err *);

/* Adds "NAME:kmin=100KB,kmax=400KB" to an axis; "NAME" alone is the unchanged scenario. */
int axis_add_variant(struct axis *, const char *text, struct err *);

/* One choice per file, named by the file name without folder and ending, or by the path if names are
 * equal. A single file has no name. */
void axis_of_files(struct axis *, const struct scenario_file *, uint32_t files);

void axis_fini(struct axis *);

/* Makes all combinations, at most 'max'. The first axis, of the files, changes slowest. 'set' applies to
 * all. Arguments must outlive the variants. */
int variants_init(struct variants *, const struct axis *, uint32_t axes, const struct scenario_file *,
                  const char *const *set, uint32_t sets, uint32_t max, struct err *);
void variants_fini(struct variants *);

/* Returns the index of the variant of that name, or -EINVAL. */
int variants_find(const struct variants *, const char *name, struct err *);

/* Opens the simulation of a variant and computes its digest, of the program, the scenario, the settings
 * and every file read. seed NULL: the scenario's. */
int variant_open(const struct variant *, const uint64_t *seed, struct simulation *, struct digest *,
                 struct err *);

/* Fills 'flows' and 'about' from a simulation of the variant that has not run; it cannot run afterwards.
 * Variants with equal 'flows' send the same messages at the same times, or run the same jobs. */
void variant_describe(struct variant *, struct simulation *);

/* Computes a digest of what the scenario resolves to: every key with its initial value, files, models, the
 * tuner's options, the first knobs and the first messages. Unlike that of variant_open(), it stays the same
 * with another build of the program and with other words for the same scenario. Fills 'flows' and 'about'. */
int variant_resolve(struct variant *, const uint64_t *seed, struct digest *, struct err *);

/* Computes the digest of variant_open() without building the network: for thousands of variants. */
int variant_check(const struct variant *, const uint64_t *seed, struct digest *, struct err *);

/* Computes the digest of the program, which takes milliseconds, once; child processes inherit it. */
void variant_read_program(void);

/* Writes the key of a run and returns buf. */
char *variant_key(char buf[DIGEST_TEXT_SIZE], const struct variant *, uint64_t seed);

#endif
