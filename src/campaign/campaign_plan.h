/* src/campaign/campaign_plan.h - what to run and where results go: shared by anole compare and anole
 * sweep. */
#ifndef CAMPAIGN_CAMPAIGN_PLAN_H
#define CAMPAIGN_CAMPAIGN_PLAN_H

#include "campaign/campaign_runs.h"
#include "campaign/variants.h"

#include <stdbool.h>
#include <stdint.h>

struct campaign_request {
    const char **path, **set;            /* scenario files; settings of all variants */
    uint32_t     paths, sets;
    struct axis  named, *vary;           /* from --variant, and from each --vary */
    uint32_t     varies;
    uint64_t    *seed;
    uint64_t     until_ps;               /* 0: as in the scenario */
    uint32_t     seeds, jobs;            /* jobs 0: one per core */
    const char  *metrics, *out, *store;  /* NULL: not given */
    bool         is_quiet;
};

struct plan {
    const struct campaign_request *request;
    struct scenario_file          *file;
    struct axis                    files, *axis;     /* axis: all axes, not owned */
    struct variants                variants;
    struct outdir                 *dir;              /* NULL: none */
    struct campaign               *store;
    char                          *store_path;       /* NULL: in memory */
    struct campaign_runs           runs;
};

/* Reads the files and makes the variants, at most 'max': all combinations of the files, the axes of the
 * request, and 'others'. Arguments must outlive the plan. Close it also on failure. */
int plan_open(struct plan *, const struct campaign_request *, const struct axis *others, uint32_t count,
              uint32_t max, struct err *);

/* Opens store and folder and starts the executor; the variants must have their digests. 'kind' is the
 * command that writes the folder: "anole sweep". */
int plan_start(struct plan *, const char *kind, struct err *);

/* Moves the folder of results into place. */
int plan_commit(struct plan *, struct err *);

void plan_close(struct plan *);

#endif
