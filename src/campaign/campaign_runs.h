/* src/campaign/campaign_runs.h - runs every variant with every seed, unless the store has the run.
 *
 * Finds the missing runs, has them simulated (executor.h), retries those that crash, shows progress, and
 * handles interruption.
 */
#ifndef CAMPAIGN_CAMPAIGN_RUNS_H
#define CAMPAIGN_CAMPAIGN_RUNS_H

#include "base/file/outfile.h"
#include "campaign/campaign.h"
#include "campaign/executor.h"
#include "campaign/variants.h"

#define CAMPAIGN_RUNS_MAX 1000000u

struct campaign_runs {
    /* Set by the caller. A worker (executor.h) has only the first three and 'slots'. */
    const struct variants *variants;
    const uint64_t        *seed;
    uint32_t               seeds;
    uint32_t               slots;            /* concurrent runs; 0: one per core, under MPI one per rank */
    struct campaign       *store;
    const char            *store_path;       /* NULL: in memory */
    bool                   is_quiet;

    /* Internal. */
    struct executor       *executor;
    struct pool_hooks      hooks;
    const uint32_t        *which;            /* variants */
    uint32_t               count, position, runs;
    bool                   with_pages;
    uint32_t              *again, agains;    /* runs that crashed and will be retried */
    uint8_t               *is_second;        /* [run]: has crashed once */
    uint32_t               kept, simulated, failed;      /* kept: already in the store */
    double                 start_s, drawn_s;
    bool                   is_drawn;         /* the progress line is visible */
    struct err            *err;
};

/* Opens the folder of --out and the store: the file of --store, or a file next to the folder, or, without
 * both, memory (*path is then NULL). 'kind' is the command that writes the folder. The caller closes both,
 * also on failure. */
int campaign_places(const char *out, const char *kind, const char *store, struct outdir **dir,
                    struct campaign **, char **path, struct err *);

/* Starts the executor. The variants must have their digests. */
int campaign_runs_open(struct campaign_runs *, struct err *);

/* Runs these variants seed by seed, so that an interrupted campaign has complete seeds. A run that crashes
 * is retried once. Fails if a run failed or none could be started. Returns a signal's number if one
 * arrived; err then says what is stored. */
int campaign_runs_do(struct campaign_runs *, const uint32_t *which, uint32_t count, bool with_pages,
                     struct err *);

/* Prints "anole: 4 runs simulated, 2 were in results.sqlite". */
void campaign_runs_print(const struct campaign_runs *);

void campaign_runs_close(struct campaign_runs *);

/* In a worker: simulates the runs that rank 0 assigns. */
int campaign_runs_serve(struct campaign_runs *, struct err *);

#endif
