/* src/cmd/campaign.h - the runs of comparisons that are finished, in one SQLite file.
 *
 * A run is known by a key, the digest of all that decides it. So a comparison that was interrupted goes on
 * where it was, and one that grows by a variant or by seeds simulates only what is new. Several programs
 * may use one file at the same time.
 */
#ifndef CMD_CAMPAIGN_H
#define CMD_CAMPAIGN_H

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
    const char *page;            /* JSON: interface Run of web/src/data.ts, or null */
};

/* Opens the file, which is made if it is not there; NULL: in memory, gone when it is closed. Refuses a
 * file that is something else, or damaged. On failure *out is NULL. */
int campaign_open(struct campaign **out, const char *path, struct err *);
void campaign_close(struct campaign *);

/* 1 if it is there, 0 if not, or a negative errno. */
int campaign_has(struct campaign *, const char *key, struct err *);

/* Adds a run, or puts it in place of the one with the same key. When this returns it is on disk. */
int campaign_add(struct campaign *, const struct campaign_run *, struct err *);

/* What was stored; the caller owns it. -ENOENT: there is no such run. */
int campaign_metrics(struct campaign *, const char *key, json_t **, struct err *);
int campaign_page(struct campaign *, const char *key, json_t **, struct err *);

#endif
