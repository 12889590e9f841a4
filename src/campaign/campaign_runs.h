/* src/campaign/campaign_runs.h - every variant with every seed, as far as it is not in the store already.
 *
 * What anole compare and anole sweep have in common between reading the command line and looking at figures:
 * which runs are missing, who simulates them (executor.h), what becomes of one that crashes, how long it will
 * take, and what is told when somebody interrupts it.
 */
#ifndef CAMPAIGN_CAMPAIGN_RUNS_H
#define CAMPAIGN_CAMPAIGN_RUNS_H

#include "base/file/outdir.h"
#include "campaign/campaign.h"
#include "campaign/variants.h"
#include "campaign/executor.h"

#define CAMPAIGN_RUNS_MAX 1000000u

struct campaign_runs {
    /* Set by whoever wants the runs. A worker (executor.h) has the first three and 'slots' alone. */
    const struct variants *variants;
    const uint64_t        *seed;
    uint32_t               seeds;
    uint32_t               slots;            /* runs at a time; 0: a core each, under MPI one a rank */
    struct campaign       *store;
    const char            *store_path;       /* NULL: it is in memory */
    bool                   is_quiet;

    /* The rest is its own. */
    struct executor       *executor;
    struct pool_hooks      hooks;
    const uint32_t        *which;            /* variants */
    uint32_t               count, position, runs;
    bool                   with_pages;
    uint32_t              *again, agains;    /* runs that crashed and have not been tried a second time */
    uint8_t               *is_second;        /* [run]: it has crashed once */
    uint32_t               kept, simulated, failed;      /* kept: they were in the store */
    double                 start_s, drawn_s;
    bool                   is_drawn;         /* a line of progress */
    struct err            *err;
};

/* Opens the folder of --out and the store: the file of --store, or one beside the folder, or, without both,
 * one in memory; *path is then NULL. 'kind' is the command that writes the folder. What is open when this fails the caller closes all the same. */
int campaign_places(const char *out, const char *kind, const char *store, struct outdir **dir, struct campaign **,
                    char **path, struct err *);

/* Starts whatever runs need. To be called when the variants have their digests. */
int campaign_runs_open(struct campaign_runs *, struct err *);

/* Runs these variants, all of the first seed, then all of the second: an interrupted campaign has whole
 * seeds. Pages are kept too, if wanted. A run that crashes is tried once more; if some failed, or nothing
 * could be started, that is an error. A signal's number if one came; err then says what is kept. */
int campaign_runs_do(struct campaign_runs *, const uint32_t *which, uint32_t count, bool with_pages,
                     struct err *);

/* "anole: 4 runs simulated, 2 were in results.sqlite" */
void campaign_runs_tell(const struct campaign_runs *);

void campaign_runs_close(struct campaign_runs *);

/* In a worker: simulates what rank 0 says until it has no more. */
int campaign_runs_serve(struct campaign_runs *, struct err *);

#endif
