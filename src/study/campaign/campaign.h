/* src/study/campaign/campaign.h - the store of finished runs, a SQLite file: for anole compare and anole
 * sweep.
 *
 * The key of a run is the digest of everything that decides its result. An interrupted campaign therefore
 * resumes, and one that grows by variants or seeds simulates only the new runs. Several programs of one
 * machine may share a file.
 */
#ifndef STUDY_CAMPAIGN_CAMPAIGN_H
#define STUDY_CAMPAIGN_CAMPAIGN_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct campaign;

struct campaign_run {
    const char *key;             /* as digest_text() writes it */
    const char *variant;         /* variant and seed are for people who inspect the file */
    uint64_t    seed;
    const char *metrics;         /* JSON: an object, name to value or null */
    const char *page;            /* JSON: interface Run of web/src/data.ts; NULL: not stored */
};

/* Opens or creates the file; NULL: in memory. Refuses a file that is damaged or not a store. On failure
 * *out is NULL. */
int campaign_open(struct campaign **out, const char *path, struct err *);
void campaign_close(struct campaign *);

/* Returns 1 if the run is stored (with its page, if with_page), 0 if not, or a negative errno. */
int campaign_has(struct campaign *, const char *key, bool with_page, struct err *);

/* Adds a run or replaces the one with the same key; a stored page stays if the new run has none. The run
 * then survives a crash of the program; a power failure may lose the runs of the last seconds. */
int campaign_add(struct campaign *, const struct campaign_run *, struct err *);

/* A transaction: adding is cheaper, and runs survive once campaign_commit() has returned. A second begin,
 * or a commit without one, does nothing. */
int campaign_begin(struct campaign *, struct err *);
int campaign_commit(struct campaign *, struct err *);

/* The caller owns the result. -ENOENT: no such run, or it has no page. */
int campaign_page(struct campaign *, const char *key, json_t **, struct err *);

/* Calls 'visit' for every run with a value of the metric, in the order in which runs were first added.
 * This includes runs of other campaigns. */
int campaign_each_value(struct campaign *, const char *metric,
                        void (*visit)(void *arg, const char *key, double value), void *arg, struct err *);

/* Summarizes a file that another program may be writing: {runs, finished, figures: [name], variants:
 * [{name, runs, values: [mean or null]}]}, at most 500 variants, in the order in which they were first
 * added. Does not change the file. -ENOENT: not a store. */
int campaign_peek(const char *path, json_t **, struct err *);

#endif
