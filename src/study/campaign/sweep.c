/* src/study/campaign/sweep.c - from a request to ranked settings. */
#include "study/campaign/sweep.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_MAX 100000u
#define PAGED_RUNS   256         /* with no more runs, all keep what the page shows, some 40 KB each */

static const char best_default[] = "slowdown_p99";
static const char metrics_default[] = "slowdown_mean,fct_us_p99,goodput_bps,dropped_packets";

/* ---- the best ---- */

struct ranked {
    double   badness;            /* the lower the better; INFINITY: no value, or one of runs that did not
                                  * come to their end */
    uint32_t variant;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->badness != y->badness)
        return x->badness < y->badness ? -1 : 1;
    return (x->variant > y->variant) - (x->variant < y->variant);
}

void sweep_rank(struct sweep_results *r)
{
    const struct figure *f = &r->figures.list[r->best];
    struct ranked *list = xcalloc(r->count + 1ul, sizeof(*list));

    for (uint32_t i = 0; i < r->count; i++) {
        double mean = figures_mean(f, r->order[i], r->seeds);
        bool is_last = isnan(mean) || figures_stuck(&r->figures, r->order[i], r->seeds);

        list[i] = (struct ranked){ is_last ? INFINITY : f->metric.better == BETTER_HIGHER ? -mean : mean,
                                   r->order[i] };
    }
    qsort(list, r->count, sizeof(*list), compare_ranked);
    for (uint32_t i = 0; i < r->count; i++)
        r->order[i] = list[i].variant;
    free(list);
}

void sweep_fini(struct sweep_results *r)
{
    figures_fini(&r->figures);
    free(r->order);
    *r = (struct sweep_results){ 0 };
}

/* ---- which settings ---- */

/* The unchanged scenario, with which the best settings are compared. */
static void add_baseline(struct sweep *s)
{
    const struct campaign_request *r = &s->request->common;
    struct variants               *all = &s->plan.variants;

    s->baseline = all->count++;
    all->list = xrealloc(all->list, all->count * sizeof(*all->list));
    all->list[s->baseline] = (struct variant){
        .name = xstrdup("as in the scenario"), .file = &s->plan.file[0], .until_ps = r->until_ps,
        .set = xcopy(r->set, r->sets, sizeof(*r->set)), .sets = r->sets,
    };
}

static int open_plan(struct sweep *s, struct err *err)
{
    const struct sweep_request *r = s->request;
    int axes = points_make(&s->points, r->range, r->ranges, r->method, r->samples, r->sample_seed, err);

    if (axes < 0)
        return axes;
    s->point_axes = (uint32_t)axes;
    axes = plan_open(&s->plan, &r->common, s->points, s->point_axes, SETTINGS_MAX, err);
    if (!axes)
        add_baseline(s);
    return axes;
}

/* Finds errors before anything runs, and the digest of each setting. Settings in which ranges conflict, as
 * kmin above kmax, are left out, unless all do. */
static int check_settings(struct sweep *s, struct err *err)
{
    struct sweep_results *r = &s->results;
    struct variants      *all = &s->plan.variants;
    struct err            first = { "" }, why;

    r->order = xcalloc(all->count + 1ul, sizeof(*r->order));
    for (uint32_t i = 0; i < all->count; i++) {
        int  rc = variant_check(&all->list[i], &r->seed[0], &all->list[i].digest, &why);
        bool is_conflict = rc && s->request->ranges > 0 && strstr(why.text, "must not be above");

        if (rc && (i == s->baseline || !is_conflict))
            return err_set(err, -rc, "%s", why.text);
        if (rc && !*first.text)
            first = why;
        if (!rc && i != s->baseline)
            r->order[r->count++] = i;
    }
    uint32_t tried = all->count - 1;
    if (r->count == 0)
        return err_set(err, EINVAL, "%s", first.text);
    if (r->count < tried && !s->request->common.is_quiet)
        fprintf(stderr, "anole: %u of %u settings are left out; the first: %s\n", tried - r->count, tried,
                first.text);
    return 0;
}

/* ---- which figures ---- */

/* Numbers in a range do not change which figures there are; what --vary sets may: one network is built for
 * each of its settings, in which the points of the ranges follow each other. */
static int find_metrics(struct sweep *s, struct err *err)
{
    struct sweep_results *r = &s->results;
    uint64_t              runs = (uint64_t)r->variants->count * r->seeds;
    uint32_t              points = 1, last = UINT32_MAX;
    int                   rc = 0;

    for (uint32_t i = 0; i < s->point_axes; i++)
        points *= s->points[i].choices;
    for (uint32_t i = 0; i < r->count && !rc; i++) {
        struct variant *v = &s->plan.variants.list[r->order[i]];

        if (r->order[i] / points != last)
            rc = figures_add_of_variant(&r->figures, runs, v, &r->seed[0], err);
        last = r->order[i] / points;
    }
    return rc;
}

static int choose_best(struct sweep_results *r, const char *wanted, struct err *err)
{
    const struct figure *f = figures_find(&r->figures, wanted);

    if (!f)
        return figures_refuse(&r->figures, "--best", wanted, err);
    r->best = (uint32_t)(f - r->figures.list);
    if (f->metric.better == BETTER_NEITHER)
        return err_set(err, EINVAL, "--best: neither high nor low is good for '%s'", wanted);
    return 0;
}

static int prepare(struct sweep *s, struct err *err)
{
    const struct campaign_request *r = &s->request->common;

    s->results = (struct sweep_results){ .variants = &s->plan.variants, .seed = r->seed, .seeds = r->seeds };
    int rc = check_settings(s, err);
    rc = rc ? rc : find_metrics(s, err);
    rc = rc ? rc : figures_choose(&s->results.figures, r->metrics, metrics_default, err);
    if (!rc)
        rc = choose_best(&s->results, s->request->best ? s->request->best : best_default, err);
    return rc;
}

/* ---- running ---- */

/* Runs all settings and the scenario's own, and loads their figures. */
static int run_settings(struct sweep *s, bool with_pages, struct err *err)
{
    struct sweep_results *r = &s->results;
    uint32_t              count = r->count + 1, *which = xcalloc(count, sizeof(*which));

    memcpy(which, r->order, r->count * sizeof(*which));
    which[r->count] = s->baseline;
    int rc = plan_run(&s->plan, which, count, with_pages, err);
    if (!rc) {
        plan_print(&s->plan);
        rc = figures_load(&r->figures, &(struct figures_runs){ r->variants, which, count, r->seed, r->seeds },
                          s->plan.store, err);
    }
    free(which);
    return rc;
}

bool sweep_is_same(const struct sweep_results *r, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < r->figures.count; i++)
        for (uint32_t s = 0; s < r->seeds; s++) {
            double x = r->figures.list[i].value[(uint64_t)a * r->seeds + s];
            double y = r->figures.list[i].value[(uint64_t)b * r->seeds + s];

            if (x != y && !(isnan(x) && isnan(y)))
                return false;
        }
    return true;
}

/* Chooses the scenario's own setting and the best of those that differ from it. A setting with its very
 * figures is the same setting, or one without effect: there is nothing to compare. */
static void choose_shown(struct sweep *s)
{
    const struct sweep_results *r = &s->results;

    s->shown[0] = s->baseline;
    s->few.count = 1;
    for (uint32_t i = 0; i < r->count; i++) {
        if (sweep_is_same(r, r->order[i], s->baseline))
            continue;
        s->others++;
        if (s->few.count <= REPORTED_SETTINGS)
            s->shown[s->few.count++] = r->order[i];
    }
}

static int run_all(struct sweep *s, struct err *err)
{
    struct sweep_results *r = &s->results;
    bool with_pages = s->plan.dir && r->count * r->seeds <= PAGED_RUNS;
    int rc = run_settings(s, with_pages, err);

    if (rc)
        return rc;
    sweep_rank(r);
    choose_shown(s);
    /* Of many runs only the best keep what the page shows: they are run again, and give the same. */
    if (s->plan.dir && !with_pages)
        rc = plan_run(&s->plan, s->shown, s->few.count, true, err);
    return rc;
}

/* ---- files ---- */

/* Whether these settings have the same flows: a sweep may vary the load. */
static int look_at_variants(struct sweep *s, const uint64_t *seed, struct err *err)
{
    for (uint32_t i = 0; i < s->few.count; i++) {
        struct variant   *v = &s->few.list[i];
        struct simulation simulation;
        struct digest     digest;
        int               rc = variant_open(v, seed, &simulation, &digest, err);

        if (rc)
            return rc;
        if (i == 0)
            s->own = sim_settings(simulation.sim)->knobs;
        v->about = (struct card){ 0 };           /* the other copy is the plan's */
        variant_describe(v, &simulation);
        simulation_close(&simulation);
    }
    return 0;
}

/* Compares the best few with the scenario's own setting. */
static int compare_best(struct sweep *s, struct err *err)
{
    const struct sweep_results *r = &s->results;
    struct comparison          *c = &s->comparison;
    struct variants            *few = &s->few;

    few->list = xcalloc(few->count, sizeof(*few->list));
    for (uint32_t i = 0; i < few->count; i++)
        few->list[i] = r->variants->list[s->shown[i]];
    s->title = xprintf("%u settings of %s by %s", r->count,
                       text_base_name(text_file_name(s->plan.file[0].path)),
                       r->figures.list[r->best].metric.label);
    *c = (struct comparison){ .variants = few, .seed = r->seed, .seeds = r->seeds, .title = s->title,
                              .argc = s->request->common.argc, .argv = s->request->common.argv };
    int rc = look_at_variants(s, &r->seed[0], err);
    for (uint32_t i = 0; i < r->figures.count && !rc; i++) {
        comparison_add_metrics(c, &r->figures.list[i].metric, 1);
        c->figures.list[i].is_shown = r->figures.list[i].is_shown || i == r->best;
    }
    rc = rc ? rc : comparison_load(c, s->plan.store, err);
    if (!rc)
        comparison_judge(c);
    return rc;
}

/* The card of the sweep takes the place of the comparison's. */
static int write_files(struct sweep *s, struct err *err)
{
    FILE       *csv = outdir_file(s->plan.dir, "sweep.csv", err);
    FILE       *runs = csv ? outdir_file(s->plan.dir, "runs.csv", err) : NULL;
    struct card answer;

    if (!runs)
        return -EIO;
    sweep_answer(s, &answer);
    int rc = comparison_write(&s->comparison, s->plan.store,
                              &(struct comparison_extra){ sweep_page(s), &answer }, s->plan.dir, err);
    card_fini(&answer);
    if (rc)
        return rc;
    sweep_print_csv(&s->results, csv);
    sweep_print_runs(&s->results, runs);
    return plan_commit(&s->plan, err);
}

/* ---- all of it ---- */

int sweep_run(struct sweep *s, const struct sweep_request *request, struct err *err)
{
    *s = (struct sweep){ .request = request, .baseline = UINT32_MAX };
    int rc = open_plan(s, err);
    if (!rc && executor_is_worker())
        return plan_serve(&s->plan, err);
    rc = rc ? rc : prepare(s, err);
    rc = rc ? rc : plan_start(&s->plan, "anole sweep", err);
    rc = rc ? rc : run_all(s, err);
    rc = rc ? rc : compare_best(s, err);
    if (!rc && s->plan.dir)
        rc = write_files(s, err);
    return rc;
}

void sweep_close(struct sweep *s)
{
    comparison_fini(&s->comparison);
    for (uint32_t i = 0; s->few.list && i < s->few.count; i++)
        card_fini(&s->few.list[i].about);
    free(s->few.list);           /* names and settings belong to the plan */
    free(s->title);
    sweep_fini(&s->results);
    plan_close(&s->plan);
    for (uint32_t i = 0; i < s->point_axes; i++)
        axis_fini(&s->points[i]);
    free(s->points);
}
