/* src/campaign/campaign.h - the runs that are finished, in one SQLite file: for anole compare and anole sweep.
 *
 * A run is known by a key, the digest of all that decides it. So a campaign that was interrupted goes on
 * where it was, and one that grows by a variant or by seeds simulates only what is new. Several programs of
 * one machine may use one file at the same time.
 */
#ifndef CAMPAIGN_CAMPAIGN_H
#define CAMPAIGN_CAMPAIGN_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct campaign;

struct campaign_run {
    const char *key;             /* as digest_text() writes it */
    const char *variant;         /* these two are for people who look into the file */
    uint64_t    seed;
    const char *metrics;         /* JSON: an object, name to value or null */
    const char *page;            /* JSON: interface Run of web/src/data.ts; NULL: not kept, it is large */
};

/* Opens the file, which is made if it is not there; NULL: in memory, gone when it is closed. Refuses a
 * file that is something else, or damaged. On failure *out is NULL. */
int campaign_open(struct campaign **out, const char *path, struct err *);
void campaign_close(struct campaign *);

/* 1 if it is there (with its page, if that is wanted), 0 if not, or a negative errno. */
int campaign_has(struct campaign *, const char *key, bool with_page, struct err *);

/* Adds a run, or puts it in place of the one with the same key; a page that is there stays if the new one
 * has none. When this returns it survives whatever happens to the program; a power failure may take the
 * runs of the last seconds, and nothing else. */
int campaign_add(struct campaign *, const struct campaign_run *, struct err *);

/* Between these two, adding is cheaper, and runs survive only when the second has returned. Beginning twice
 * is beginning once; without a beginning there is nothing to commit. */
int campaign_begin(struct campaign *, struct err *);
int campaign_commit(struct campaign *, struct err *);

/* What was stored; the caller owns it. -ENOENT: there is no such run, or it has no page. */
int campaign_metrics(struct campaign *, const char *key, json_t **, struct err *);
int campaign_page(struct campaign *, const char *key, json_t **, struct err *);

/* Tells every run that has a value of a metric, in the order in which they were first added. Runs of other
 * campaigns are among them; those whose value is null are not. */
int campaign_each_value(struct campaign *, const char *metric,
                        void (*tell)(void *arg, const char *key, double value), void *arg, struct err *);

/* What is in a file that somebody else may be writing, for people who watch: {runs, finished, figures: [name],
 * variants: [{name, runs, values: [mean or null]}]}, in the order in which variants were first added, 500 at most. Changes
 * nothing. -ENOENT: it is no store. */
int campaign_peek(const char *path, json_t **, struct err *);

#endif
