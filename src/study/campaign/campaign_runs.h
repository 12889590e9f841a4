/* src/study/campaign/campaign_runs.h - a plan for anole compare and anole sweep: runs variants with every
 * seed, unless the store has the run.
 *
 * Finds the missing runs, has them simulated (executor.h), retries those that crash, shows progress, and
 * handles interruption.
 */
#ifndef STUDY_CAMPAIGN_CAMPAIGN_RUNS_H
#define STUDY_CAMPAIGN_CAMPAIGN_RUNS_H

#include "base/file/outfile.h"
#include "study/campaign/campaign.h"
#include "study/campaign/executor.h"
#include "study/campaign/variants.h"
#include "study/run/progress.h"

#define CAMPAIGN_RUNS_MAX 1000000u

struct campaign_request {
    const char **path, **set;            /* scenario files; settings of all variants */
    uint32_t     paths, sets;
    struct axis  named, *vary;           /* from --variant, and from each --vary */
    uint32_t     varies;
    uint64_t    *seed;
    uint64_t     until_ps;               /* 0: as in the scenario */
    uint32_t     seeds, jobs;            /* jobs 0: one per core, under MPI one per rank */
    const char  *metrics, *out, *store;  /* NULL: not given */
    bool         is_quiet;
    int          argc;                   /* the command line */
    char *const *argv;
};

struct plan {
    const struct campaign_request *request;
    struct scenario_file          *file;
    struct axis                    files, *axis;     /* axis: all axes, not owned */
    struct variants                variants;
    struct outdir                 *dir;              /* NULL: none */
    struct campaign               *store;
    char                          *store_path;       /* NULL: in memory */

    /* Internal: of running. */
    struct executor   *executor;
    struct pool_hooks  hooks;
    const uint32_t    *which;            /* variants */
    uint32_t           count, position, runs;
    bool               with_pages;
    uint32_t          *again, agains;    /* runs that crashed and will be retried */
    uint8_t           *is_second;        /* [run]: has crashed once */
    uint32_t           kept, simulated, failed;      /* kept: already in the store */
    struct progress    progress;
    struct err        *err;
};

/* Reads the files and makes the variants, at most 'max': all combinations of the files, the axes of the
 * request, and 'others'. Arguments must outlive the plan. Close it also on failure. */
int plan_open(struct plan *, const struct campaign_request *, const struct axis *others, uint32_t count,
              uint32_t max, struct err *);

/* Opens the folder of --out and the store: the file of --store, or a file next to the folder, or, without
 * both, memory. Starts the executor; the variants must have their digests. 'kind' is the command that writes
 * the folder: "anole sweep". */
int plan_start(struct plan *, const char *kind, struct err *);

/* Runs these variants seed by seed, so that an interrupted campaign has complete seeds. A run that crashes
 * is retried once. Fails if a run failed or none could be started. Returns a signal's number if one
 * arrived; err then says what is stored. */
int plan_run(struct plan *, const uint32_t *which, uint32_t count, bool with_pages, struct err *);

/* Prints "anole: 4 runs simulated, 2 were in results.sqlite". */
void plan_print(const struct plan *);

/* Moves the folder of results into place. */
int plan_commit(struct plan *, struct err *);

void plan_close(struct plan *);

/* In a worker (executor.h), after plan_open(): simulates the runs that rank 0 assigns. */
int plan_serve(struct plan *, struct err *);

#endif
