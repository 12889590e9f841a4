#include "study/report/metrics.h"
#include "base/err.h"
#include "base/text.h"
#include "core/predict.h"
#include "sim/unfinished.h"

#include <math.h>
#include <string.h>

#define NAME_MAX_BYTES 84        /* name of an entry, with a number if it is not unique */

enum {
    FLOWS_HEADLINE = 3,          /* metrics that add_headline() adds besides those of the network */
    JOB_HEADLINE = 2,            /* metrics that add_job_headline() adds */
    HEADLINES_MAX = 24,
};

/* ---- units ---- */

bool metric_is_slowdown(const struct metric *m)
{
    return m->unit == UNIT_NONE && strstr(m->name, "slowdown");
}

void metric_bounds(const struct metric *m, double *least, double *most)
{
    *least = metric_is_slowdown(m) ? 1 : 0;
    *most = m->unit == UNIT_SHARE ? 1 : INFINITY;
}

char *metric_text(char *buf, size_t size, enum metric_unit unit, double value)
{
    if (unit == UNIT_PS)
        return text_figure(buf, size, "us", value / (double)PS_PER_US);
    return text_figure(buf, size, unit == UNIT_BUS ? "bus" : metric_unit_name(unit), value);
}

char *metric_sizes_text(char *buf, size_t size, uint32_t bucket)
{
    char from[16], to[16];

    text_from_bytes(from, sizeof(from), (double)fct_buckets[bucket].bytes_min);
    text_from_bytes(to, sizeof(to), (double)fct_buckets[bucket].bytes_end);
    if (bucket == 0)
        snprintf(buf, size, "<%s", to);
    else if (bucket + 1 == FCT_BUCKETS)
        snprintf(buf, size, ">=%s", from);
    else
        snprintf(buf, size, "%s-%s", from, to);
    return buf;
}

/* ---- deciding figures ---- */

/* A name that begins with a dot matches any traffic entry. */
static const char *const deciding[METRIC_RANKS] = {
    ".iteration_us_mean", "slowdown_mean", "mice.slowdown_p99", "elephants.slowdown_mean", ".busbw_bps",
    ".iops", ".read_us_p99", ".write_us_p99", ".call_us_p99", "fct_us_p99", "goodput_bps", "rtt_us_mean",
    "slowdown_p99",
};

static bool is_ranked(const char *name, const char *pattern)
{
    size_t length = strlen(name), end = strlen(pattern);

    return pattern[0] == '.' ? length > end && strcmp(name + length - end, pattern) == 0
                             : strcmp(name, pattern) == 0;
}

uint32_t metric_rank(const char *name)
{
    uint32_t rank = 0;

    while (rank < METRIC_RANKS && !is_ranked(name, deciding[rank]))
        rank++;
    return rank;
}

/* ---- the list ---- */

struct list {
    struct metric *metric;
    uint32_t       count;
    char           prefix[96];   /* of names: "background." */
    char           behind[96];   /* of labels: ", background" */
};

/* Sets the prefix of the names, and the label, of the metrics added next. */
static void begin(struct list *l, const char *name, const char *label)
{
    snprintf(l->prefix, sizeof(l->prefix), "%.94s%s", name, *name ? "." : "");
    snprintf(l->behind, sizeof(l->behind), "%s%.93s", *label ? ", " : "", label);
}

/* Metrics beyond the limit are left out. Which ones depends on the scenario only. */
static void add_as(struct list *l, const struct figure_info *f, const char *name, const char *label,
                   double value)
{
    struct metric *m = &l->metric[l->count];

    if (l->count == METRICS_MAX)
        return;
    l->count++;
    snprintf(m->name, sizeof(m->name), "%.95s%.32s", l->prefix, name);
    snprintf(m->label, sizeof(m->label), "%.32s%.95s", label, l->behind);
    m->unit = f->unit;
    m->better = f->better;
    m->value = value;
}

static void add(struct list *l, enum figure_id figure, double value)
{
    add_as(l, &figure_info[figure], figure_info[figure].name, figure_info[figure].label, value);
}

enum { MEAN = 1, P50 = 2, P99 = 4, P999 = 8, ALL = 15 };

/* Some of mean, median, p99 and p99.9 of one quantity. */
static void add_stats(struct list *l, enum figure_id figure, unsigned wanted, struct fct_stats s)
{
    const struct figure_info *f = &figure_info[figure];
    const struct { unsigned is; const char *name, *label; double value; } rows[] = {
        { MEAN, "mean", "mean", s.mean }, { P50, "p50", "median", s.p50 },
        { P99, "p99", "p99", s.p99 },     { P999, "p999", "p99.9", s.p999 },
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char full[64], shown[64];

        if (!(wanted & rows[i].is))
            continue;
        snprintf(full, sizeof(full), "%s_%s", f->name, rows[i].name);
        snprintf(shown, sizeof(shown), "%s %s", rows[i].label, f->label);
        add_as(l, f, full, shown, rows[i].value);
    }
}

static void add_slowdown(struct list *l, unsigned wanted, const struct fct_cell *c)
{
    add_stats(l, FIGURE_slowdown, wanted, results_slowdown(c));
}

static void add_fct(struct list *l, unsigned wanted, const struct fct_cell *c)
{
    add_stats(l, FIGURE_fct_us, wanted, results_fct_us(c));
}

/* ---- headline ---- */

static void add_figures(struct list *l, enum figure_output output, const struct results *r)
{
    enum figure_id figure[FIGURE_COUNT];
    uint32_t count = figure_list(output, figure);

    begin(l, "", "");
    for (uint32_t i = 0; i < count; i++)
        add(l, figure[i], r->figure[figure[i]]);
}

/* By size as in PARALEON's text and figure 7 (mean and p99.9) and in HF2T's figure 6 (median and p99). */
static void add_sizes(struct list *l, const struct results *r)
{
    static const char *const names[FCT_BUCKETS] = { "under_10KB", "10KB_100KB", "100KB_1MB", "from_1MB" };

    begin(l, "", "");
    add_slowdown(l, P50 | P999, &r->fct->all);
    add_fct(l, MEAN | P50 | P999, &r->fct->all);
    begin(l, "mice", "flows <120 KB");
    add_slowdown(l, ALL, &r->fct->mice);
    begin(l, "elephants", "flows >=1 MB");
    add_slowdown(l, ALL, &r->fct->elephants);
    for (uint32_t i = 0; i < FCT_BUCKETS; i++) {
        char sizes[48], label[64];

        snprintf(label, sizeof(label), "flows %s", metric_sizes_text(sizes, sizeof(sizes), i));
        begin(l, names[i], label);
        add_slowdown(l, ALL, &r->fct->bucket[i]);
        add_as(l, &figure_info[FIGURE_reordered], "reordered", "out of order", (double)r->size[i].reordered);
        add(l, FIGURE_nacks, (double)r->size[i].nacks);
        add_as(l, &figure_info[FIGURE_resent_bytes], "resent_bytes", "sent again",
               (double)r->size[i].resent_bytes);
    }
}

/* ---- unfinished messages included ---- */

#define STARTED (1 + PREDICT_CLASSES)        /* all, and by class */

struct started { struct fct_cell cell[STARTED]; uint64_t end_ps; };

static void add_unfinished(void *arg, const struct unfinished *m)
{
    struct started *s = arg;
    double          slowdown = unfinished_slowdown(m, s->end_ps);

    if (!(slowdown > 0))
        return;
    fct_cell_add(&s->cell[0], slowdown);
    fct_cell_add(&s->cell[1 + predict_class_of(m->bytes)], slowdown);
}

/* Settings that starve some messages look better if only finished ones count, so these figures count all. */
static void add_started(struct list *l, const struct results *r)
{
    const struct { const char *name, *label; const struct fct_cell *finished; } rows[STARTED] = {
        { "started", "unfinished flows included", &r->fct->all },
        { "started.mice", "flows <120 KB, unfinished ones included", &r->fct->mice },
        { "started.middle", "flows 120 KB-1 MB, unfinished ones included", &r->fct->middle },
        { "started.elephants", "flows >=1 MB, unfinished ones included", &r->fct->elephants },
    };
    struct started s = { .end_ps = r->end_ps };
    bool           has_more = r->flows_unfinished > 0;

    for (uint32_t i = 0; has_more && i < STARTED; i++)
        fct_cell_copy(&s.cell[i], rows[i].finished);
    if (has_more)
        sim_each_unfinished(r->sim, add_unfinished, &s);
    for (uint32_t i = 0; i < STARTED; i++) {
        begin(l, rows[i].name, rows[i].label);
        add_slowdown(l, MEAN | P99, has_more ? &s.cell[i] : rows[i].finished);
        fct_cell_fini(&s.cell[i]);
    }
}

/* ---- monitors ---- */

static double mean_of(double sum, uint64_t count)
{
    return count ? sum / (double)count : NAN;
}

static bool has_truth(const struct watch_cfg *w)
{
    for (uint32_t i = 0; i < w->monitors; i++)
        if (strcmp(w->monitor[i]->name, "exact") == 0)
            return true;
    return false;
}

static void add_watched(struct list *l, const struct results *r)
{
    const struct scores *s = r->scores;
    const struct watch_cfg *w = &r->scenario->watch;

    begin(l, "", "");
    add(l, FIGURE_utility, mean_of(s->utility_sum, s->active));
    add(l, FIGURE_utility_throughput, mean_of(s->terms_sum.throughput, s->active));
    add(l, FIGURE_utility_rtt, mean_of(s->terms_sum.rtt, s->active));
    add(l, FIGURE_utility_pfc, mean_of(s->terms_sum.pfc, s->active));
    for (uint32_t i = 0; has_truth(w) && i < w->monitors; i++) {
        begin(l, w->monitor[i]->name, w->monitor[i]->name);
        add(l, FIGURE_accuracy, mean_of(s->accuracy_sum[i], s->compared));
    }
}

/* ---- the traffic list ---- */

static bool is_taken(const struct results *r, uint32_t entry, const char *name)
{
    static const char *const words[] = { "mice", "elephants", "started", "before", "during", "after",
                                         "under_10KB", "10KB_100KB", "100KB_1MB", "from_1MB" };

    for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(words[i], name) == 0)
            return true;
    for (uint32_t i = 0; i < r->scenario->entries; i++)
        if (i != entry && strcmp(r->scenario->entry[i].name, name) == 0)
            return true;
    return false;
}

/* The name of an entry. If it is not unique, the entry's number in the file follows, as in --set. */
static const char *entry_name(char buf[NAME_MAX_BYTES], const struct results *r, uint32_t entry)
{
    const char *name = r->scenario->entry[entry].name;

    snprintf(buf, NAME_MAX_BYTES, "%s", name);
    for (uint32_t i = 0; i <= r->scenario->entries && is_taken(r, entry, buf); i++)
        snprintf(buf, NAME_MAX_BYTES, "%.60s#%u%.*s", name, entry, (int)(i % 8), "########");
    return buf;
}

/* Adds the two main figures of a job. */
static void add_job_headline(struct list *l, const struct results *r, uint32_t entry)
{
    const struct results_entry *e = &r->entry[entry];

    switch (e->job) {
    case JOB_TRAINING:
        add(l, FIGURE_iteration_us_mean, e->iteration_us_mean);
        add(l, FIGURE_busbw_bps, e->busbw_bps);
        break;
    case JOB_STORAGE:
        add(l, FIGURE_iops, e->ops_per_s);
        add_stats(l, FIGURE_read_us, P99, results_op_us(r, entry, OP_READ));
        break;
    case JOB_RPC:
        add(l, FIGURE_calls_per_s, e->ops_per_s);
        add_stats(l, FIGURE_call_us, P99, results_op_us(r, entry, OP_CALL));
        break;
    case JOB_NONE:
        break;
    }
}

static void add_job_rest(struct list *l, const struct results *r, uint32_t entry)
{
    const struct results_entry *e = &r->entry[entry];

    switch (e->job) {
    case JOB_TRAINING:
        add(l, FIGURE_iteration_started_us_mean, e->iteration_started_us_mean);
        add(l, FIGURE_exposed_us_mean, e->exposed_us_mean);
        add(l, FIGURE_exposed_cold_us, e->exposed_cold_us);
        add(l, FIGURE_exposed_warm_us_mean, e->exposed_warm_us_mean);
        add(l, FIGURE_algbw_bps, e->algbw_bps);
        add(l, FIGURE_bound_share, e->bound_share);
        add_stats(l, FIGURE_collective_us, ALL, results_op_us(r, entry, OP_ITERATION));
        break;
    case JOB_STORAGE:
        add(l, FIGURE_io_bps, e->ops_bps);
        add_stats(l, FIGURE_read_us, MEAN | P50 | P999, results_op_us(r, entry, OP_READ));
        add_stats(l, FIGURE_write_us, ALL, results_op_us(r, entry, OP_WRITE));
        break;
    case JOB_RPC:
        add_stats(l, FIGURE_call_us, MEAN | P50 | P999, results_op_us(r, entry, OP_CALL));
        break;
    case JOB_NONE:
        break;
    }
}

static void add_jobs(struct list *l, const struct results *r, bool is_headline)
{
    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        char name[NAME_MAX_BYTES];

        begin(l, entry_name(name, r, i), r->scenario->entry[i].name);
        (is_headline ? add_job_headline : add_job_rest)(l, r, i);
    }
}

static void add_entries(struct list *l, const struct results *r)
{
    char name[NAME_MAX_BYTES];

    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        begin(l, entry_name(name, r, i), r->scenario->entry[i].name);
        add_slowdown(l, MEAN | P99, &r->fct->entry[i]);
        add_fct(l, P50 | P99, &r->fct->entry[i]);
        add(l, FIGURE_goodput_bps, r->entry[i].goodput_bps);
    }
}

/* ---- phases ---- */

static void add_phase(struct list *l, const struct results *r, uint32_t phase)
{
    enum figure_id figure[FIGURE_COUNT];
    uint32_t count = figure_list(FIGURE_HEADLINE, figure);

    add_slowdown(l, MEAN | P99, &r->fct->phase[phase]);
    add_fct(l, P99, &r->fct->phase[phase]);
    for (uint32_t i = 0; i < count; i++)
        if (figure_is_derived(figure[i]) && figure_info[figure[i]].better != BETTER_NEITHER)
            add(l, figure[i], figure_value(figure[i], &r->phase[phase]));
}

static void add_entry_phases(struct list *l, const struct results *r)
{
    for (uint32_t at = 0; r->has_phases && at < r->scenario->entries * PHASES; at++) {
        const char *phase = phase_names[at % PHASES];
        char        name[NAME_MAX_BYTES], full[96], label[96];

        snprintf(full, sizeof(full), "%s.%s", entry_name(name, r, at / PHASES), phase);
        snprintf(label, sizeof(label), "%s, %s", r->scenario->entry[at / PHASES].name, phase);
        begin(l, full, label);
        add_slowdown(l, P99, &r->fct->entry_phase[at]);
        add(l, FIGURE_goodput_bps, r->entry_phase_bps[at]);
    }
}

uint32_t metrics_of(const struct results *r, struct metric list[METRICS_MAX])
{
    struct list l = { .metric = list };

    begin(&l, "", "");
    add_slowdown(&l, MEAN | P99, &r->fct->all);
    add_fct(&l, P99, &r->fct->all);
    add_figures(&l, FIGURE_HEADLINE, r);
    add_jobs(&l, r, true);
    for (uint32_t i = 0; r->has_phases && i < PHASES; i++) {
        begin(&l, phase_names[i], phase_names[i]);
        add_phase(&l, r, i);
    }
    add_jobs(&l, r, false);
    add_sizes(&l, r);
    add_started(&l, r);
    add_figures(&l, FIGURE_METRIC, r);
    add_watched(&l, r);
    add_entries(&l, r);
    add_entry_phases(&l, r);
    return l.count;
}

struct metric *metrics_new(const struct results *r, uint32_t *count)
{
    struct metric *list = xcalloc(METRICS_MAX, sizeof(*list));

    *count = metrics_of(r, list);
    return list;
}

uint32_t metrics_headlines(const struct results *r)
{
    enum figure_id figure[FIGURE_COUNT];
    uint32_t count = FLOWS_HEADLINE + figure_list(FIGURE_HEADLINE, figure);

    for (uint32_t i = 0; i < r->scenario->entries; i++)
        count += r->entry[i].job != JOB_NONE ? JOB_HEADLINE : 0;
    return count < HEADLINES_MAX ? count : HEADLINES_MAX;
}

uint32_t metrics_of_phase(const struct results *r, enum phase phase, struct metric list[METRICS_MAX])
{
    struct list l = { .metric = list };

    add_phase(&l, r, phase);
    return l.count;
}
