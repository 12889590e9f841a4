/* src/study/campaign/compare.c - from a request to a judged comparison. */
#include "base/text.h"
#include "study/campaign/compare.h"

#include <stdlib.h>
#include <string.h>

/* Figures printed by default, if the scenario has them. */
static const char metrics_default[] =
    "slowdown_mean,slowdown_p99,fct_us_p99,mice.slowdown_p99,elephants.slowdown_mean,goodput_bps,rtt_us_mean,"
    "paused_share,queue_bytes_max,marked_share,dropped_packets,during.slowdown_p99,during.goodput_bps,"
    "during.rtt_us_mean,*.iteration_us_mean,*.busbw_bps,*.iops,*.read_us_p99,*.write_us_p99,*.call_us_p99";

/* "a.yaml, b.yaml" */
static char *title_of(const struct campaign_request *r)
{
    char *text;
    FILE *f = text_stream(&text);

    for (uint32_t i = 0; i < r->paths; i++)
        fprintf(f, "%s%s", i ? ", " : "", text_base_name(r->path[i]));
    fclose(f);
    return text;
}

/* The goal of the command line, else that of the baseline's scenario. */
static int set_goal(struct compare *c, struct err *err)
{
    const struct variant *base = &c->plan.variants.list[c->comparison.baseline];
    int                   rc = 0;

    c->comparison.has_goal = c->request->goal || base->has_goal;
    c->comparison.goal = base->goal;
    if (c->request->goal)
        rc = goal_of_option(&c->comparison.goal, c->request->goal, err);
    if (!rc && c->comparison.has_goal)
        comparison_add_goal(&c->comparison);
    return rc;
}

/* Opens the simulation of each variant, for its digest and its figures, and to find errors before anything
 * runs. */
static int prepare(struct compare *c, struct err *err)
{
    const struct campaign_request *r = &c->request->common;
    struct comparison             *m = &c->comparison;
    struct variants               *all = &c->plan.variants;
    int base = c->request->baseline ? variants_find(all, c->request->baseline, err) : 0, rc = 0;

    c->title = title_of(r);
    *m = (struct comparison){ .variants = all, .baseline = base < 0 ? 0 : (uint32_t)base, .seed = r->seed,
                              .seeds = r->seeds, .title = c->title, .argc = r->argc, .argv = r->argv };
    if (base < 0)
        return base;
    for (uint32_t i = 0; i < all->count && !rc; i++)
        rc = figures_add_of_variant(&m->figures, (uint64_t)all->count * r->seeds, &all->list[i], &r->seed[0],
                                    err);
    rc = rc ? rc : figures_choose(&m->figures, r->metrics, metrics_default, err);
    return rc ? rc : set_goal(c, err);
}

static int run_all(struct compare *c, struct err *err)
{
    struct plan *p = &c->plan;
    uint32_t *all = xcalloc(p->variants.count, sizeof(*all));

    for (uint32_t i = 0; i < p->variants.count; i++)
        all[i] = i;
    int rc = plan_run(p, all, p->variants.count, p->store_path != NULL, err);
    if (!rc)
        plan_print(p);
    free(all);
    return rc;
}

static int write_files(struct compare *c, struct err *err)
{
    FILE *runs = outdir_file(c->plan.dir, "runs.csv", err);
    int rc = runs ? comparison_write(&c->comparison, c->plan.store, NULL, c->plan.dir, err) : -EIO;

    if (rc)
        return rc;
    comparison_print_runs(&c->comparison, runs);
    return plan_commit(&c->plan, err);
}

int compare_run(struct compare *c, const struct compare_request *request, struct err *err)
{
    *c = (struct compare){ .request = request };
    int rc = plan_open(&c->plan, &request->common, NULL, 0, VARIANTS_MAX, err);
    if (!rc && executor_is_worker())
        return plan_serve(&c->plan, err);
    rc = rc ? rc : prepare(c, err);
    rc = rc ? rc : plan_start(&c->plan, "anole compare", err);
    rc = rc ? rc : run_all(c, err);
    rc = rc ? rc : comparison_load(&c->comparison, c->plan.store, err);
    if (rc)
        return rc;
    if (c->comparison.has_goal)
        comparison_fill_goal(&c->comparison);
    if (!request->common.metrics)
        figures_hide_empty(&c->comparison.figures,
                           (uint64_t)c->comparison.variants->count * c->comparison.seeds);
    comparison_judge(&c->comparison);
    return c->plan.dir ? write_files(c, err) : 0;
}

void compare_close(struct compare *c)
{
    comparison_fini(&c->comparison);
    plan_close(&c->plan);
    free(c->title);
}
