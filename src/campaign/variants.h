/* src/campaign/variants.h - what is compared with what.
 *
 * Each scenario file is one way to go, each --vary is several, and all --variant together are; the variants
 * are all combinations of them. An axis is one such choice.
 */
#ifndef CAMPAIGN_VARIANTS_H
#define CAMPAIGN_VARIANTS_H

#include "base/digest.h"
#include "base/err.h"
#include "base/print/card.h"
#include "run/scenario_file.h"

#include <stdint.h>

#define VARIANTS_MAX 256         /* of a comparison, that people look at */

struct axis_choice {
    char    *name;               /* "" adds nothing to the name of a variant */
    char   **set;                /* "kmin=100KB" */
    uint32_t sets, file;         /* file: index, of the axis of files alone */
};

struct axis {
    struct axis_choice *choice;
    uint32_t            choices;
};

struct variant {
    char                      *name;
    const struct scenario_file *file;
    const char               **set;          /* those of all variants, then its own; owned by others */
    uint32_t                   sets, own;    /* own: how many of them are its own, the last ones */
    uint64_t                   until_ps;     /* its runs end then at the latest; 0: when the scenario says */
    struct digest              digest;       /* of all that decides its runs, but the seed */
    struct digest              flows;        /* of the messages of its first seed; see variant_look() */
    struct card                about;        /* its network and traffic */
};

struct variants {
    struct variant *list;
    uint32_t        count;
};

/* "kmin=100KB,400KB": one choice a value, called as it is set. Commas inside brackets do not separate. */
int axis_vary(struct axis *, const char *text, struct err *);

/* Adds "NAME:kmin=100KB,kmax=400KB" to an axis; "NAME" alone is the scenario as it is. */
int axis_add_variant(struct axis *, const char *text, struct err *);

/* One choice a file, called by its name without folder and ending; if that does not tell them apart, by
 * its path; if there is one alone, not at all. */
void axis_of_files(struct axis *, const struct scenario_file *, uint32_t files);

void axis_fini(struct axis *);

/* All combinations, 'max' of them at most; the first axis is that of the files and changes slowest. 'set' is
 * for all. What these point to must outlive the variants. */
int variants_init(struct variants *, const struct axis *, uint32_t axes, const struct scenario_file *,
                  const char *const *set, uint32_t sets, uint32_t max, struct err *);
void variants_fini(struct variants *);

/* The number of the variant called so, or -EINVAL with a message. */
int variants_find(const struct variants *, const char *name, struct err *);

/* Opens the simulation of a variant and writes the digest of all that has gone into it but the seed: the
 * program, the scenario, what was set, and every file that was read. NULL: the scenario's own seed. */
int variant_open(const struct variant *, const uint64_t *seed, struct simulation *, struct digest *,
                 struct err *);

/* Fills 'flows' and 'about' from a simulation of the variant that has not run; it cannot run after that. Two variants with
 * equal 'flows' send the same messages at the same times. Of jobs, whose messages depend on each other, the job is compared. */
void variant_look(struct variant *, struct simulation *);

/* The same digest, without building the network: for thousands of variants. */
int variant_check(const struct variant *, const uint64_t *seed, struct digest *, struct err *);

/* Reads the program for its digest: some milliseconds, once. Processes that are started later know it. */
void variant_know_program(void);

/* The key of a run. */
char *variant_key(char buf[DIGEST_TEXT_SIZE], const struct variant *, uint64_t seed);

#endif
