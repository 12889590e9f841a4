/* src/campaign/plan.h - what is to be run and where results go: all that anole compare and anole sweep share.
 *
 * A request becomes a plan: files are read, variants are made of them, and of the axes of the request. Then the
 * places of results are opened, and at last the variants are run (campaign_runs.h).
 */
#ifndef CAMPAIGN_PLAN_H
#define CAMPAIGN_PLAN_H

#include "campaign/campaign_runs.h"
#include "campaign/variants.h"

#include <stdbool.h>
#include <stdint.h>

struct campaign_request {
    const char **path, **set;            /* of scenarios; for all variants */
    uint32_t     paths, sets;
    struct axis  named, *vary;           /* of --variant and of each --vary */
    uint32_t     varies;
    uint64_t    *seed;
    uint64_t     until_ps;               /* 0: when the scenario says */
    uint32_t     seeds, jobs;            /* jobs 0: as many as there are cores */
    const char  *metrics, *out, *store;  /* NULL: not given */
    bool         is_quiet;
};

struct plan {
    const struct campaign_request *request;
    struct scenario_file          *file;
    struct axis                    files, *axis;     /* axis: all of them, owned by others */
    struct variants                variants;
    struct outdir                 *dir;              /* NULL: not wanted */
    struct campaign               *store;
    char                          *store_path;       /* NULL: in memory */
    struct campaign_runs           runs;
};

/* Reads the files and makes the variants, 'max' at most: all combinations of files, the axes of the request and
 * these others. What is pointed to must outlive the plan. To be closed in any case. */
int plan_open(struct plan *, const struct campaign_request *, const struct axis *others, uint32_t count, uint32_t max,
              struct err *);

/* Opens where results go, and starts what runs need; the variants must have their digests. 'kind' is the command, for the
 * folder: "anole sweep". */
int plan_start(struct plan *, const char *kind, struct err *);

/* Puts the folder of results into place. */
int plan_commit(struct plan *, struct err *);

void plan_close(struct plan *);

#endif
