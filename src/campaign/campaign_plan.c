#include "campaign/campaign_plan.h"
#include "base/file/interrupt.h"

#include <stdlib.h>

static int read_files(struct plan *p, struct err *err)
{
    const struct campaign_request *r = p->request;
    int rc = 0;

    p->file = xcalloc(r->paths, sizeof(*p->file));
    for (uint32_t i = 0; i < r->paths && !rc; i++)
        rc = scenario_file_read(&p->file[i], r->path[i], err);
    return rc;
}

static int combine(struct plan *p, const struct axis *others, uint32_t count, uint32_t max, struct err *err)
{
    const struct campaign_request *r = p->request;
    uint32_t axes = 0;
    int rc;

    axis_of_files(&p->files, p->file, r->paths);
    p->axis = xcalloc(r->varies + count + 2ul, sizeof(*p->axis));
    p->axis[axes++] = p->files;
    if (r->named.choices > 0)
        p->axis[axes++] = r->named;
    for (uint32_t i = 0; i < r->varies; i++)
        p->axis[axes++] = r->vary[i];
    for (uint32_t i = 0; i < count; i++)
        p->axis[axes++] = others[i];
    rc = variants_init(&p->variants, p->axis, axes, p->file, r->set, r->sets, max, err);
    for (uint32_t i = 0; !rc && i < p->variants.count; i++)
        p->variants.list[i].until_ps = r->until_ps;
    if (!rc && (uint64_t)p->variants.count * r->seeds > CAMPAIGN_RUNS_MAX)
        rc = err_set(err, EINVAL, "more than %u runs", CAMPAIGN_RUNS_MAX);
    return rc;
}

int plan_open(struct plan *p, const struct campaign_request *r, const struct axis *others, uint32_t count,
              uint32_t max, struct err *err)
{
    int rc;

    *p = (struct plan){ .request = r };
    rc = read_files(p, err);
    rc = rc ? rc : combine(p, others, count, max, err);
    p->runs = (struct campaign_runs){ .variants = &p->variants, .seed = r->seed, .seeds = r->seeds,
                                      .slots = r->jobs, .is_quiet = r->is_quiet };
    return rc;
}

int plan_start(struct plan *p, const char *kind, struct err *err)
{
    int rc =
        campaign_places(p->request->out, kind, p->request->store, &p->dir, &p->store, &p->store_path, err);

    if (rc)
        return rc;
    p->runs.store = p->store;
    p->runs.store_path = p->store_path;
    return campaign_runs_open(&p->runs, err);
}

int plan_commit(struct plan *p, struct err *err)
{
    int rc;

    interrupt_hold();
    rc = outdir_commit(p->dir, err);
    p->dir = NULL;
    interrupt_end();
    return rc;
}

void plan_close(struct plan *p)
{
    campaign_runs_close(&p->runs);
    outdir_abort(p->dir);
    campaign_close(p->store);
    variants_fini(&p->variants);
    axis_fini(&p->files);
    for (uint32_t i = 0; p->file && i < p->request->paths; i++)
        scenario_file_fini(&p->file[i]);
    free(p->file);
    free(p->axis);
    free(p->store_path);
    *p = (struct plan){ 0 };
}
