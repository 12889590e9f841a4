#include "meter/fct.h"
#include "base/err.h"
#include "core/predict.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SLOWDOWN_ONE 4294967296.0            /* 2^32 */

const struct fct_bucket fct_buckets[FCT_BUCKETS] = {
    { "<10KB",       0,       10000 },
    { "10KB-100KB",  10000,   100000 },
    { "100KB-1MB",   100000,  1000000 },
    { ">=1MB",       1000000, UINT64_MAX },
};

uint64_t fct_size_min(uint32_t i)
{
    static const uint64_t digit[] = { 1, 2, 5 };
    uint64_t power = 100;

    if (i == 0 || i >= FCT_SIZES)
        return i == 0 ? 0 : UINT64_MAX;
    for (uint32_t k = 0; k < (i - 1) / 3; k++)
        power *= 10;
    return digit[(i - 1) % 3] * power;
}

void fct_init(struct fct *f, uint32_t entries, const struct phases *phases)
{
    memset(f, 0, sizeof(*f));
    f->entry = xcalloc(entries ? entries : 1, sizeof(*f->entry));
    f->entry_phase = xcalloc((entries + 1ul) * PHASES, sizeof(*f->entry_phase));
    f->entries = entries;
    f->phases = phases && phases->windows ? phases : NULL;
}

void fct_cell_fini(struct fct_cell *c)
{
    free(c->slowdown);
    free(c->fct_ns);
}

void fct_fini(struct fct *f)
{
    fct_cell_fini(&f->all);
    for (uint32_t i = 0; i < FCT_BUCKETS; i++)
        fct_cell_fini(&f->bucket[i]);
    fct_cell_fini(&f->mice);
    fct_cell_fini(&f->middle);
    fct_cell_fini(&f->elephants);
    for (uint32_t i = 0; i < FCT_SIZES; i++)
        fct_cell_fini(&f->size[i]);
    for (uint32_t i = 0; i < PHASES; i++)
        fct_cell_fini(&f->phase[i]);
    for (uint32_t i = 0; i < f->entries; i++)
        fct_cell_fini(&f->entry[i]);
    for (uint32_t i = 0; i < f->entries * PHASES; i++)
        fct_cell_fini(&f->entry_phase[i]);
    free(f->entry);
    free(f->entry_phase);
    memset(f, 0, sizeof(*f));
}

double fct_slowdown(const struct flow_result *r)
{
    assert(r->ideal_ps > 0);
    return r->fct_ps > r->ideal_ps ? (double)r->fct_ps / (double)r->ideal_ps : 1;
}

static void add_to(struct fct_cell *c, const struct flow_result *r, double slowdown)
{
    uint64_t done_ps = r->start_ps + r->fct_ps;

    if (c->count == 0) {
        c->slowdown = xcalloc(1, sizeof(*c->slowdown));      /* large, and many sets of flows stay empty */
        c->fct_ns = xcalloc(1, sizeof(*c->fct_ns));
        c->first_ps = r->start_ps;
    }
    c->first_ps = r->start_ps < c->first_ps ? r->start_ps : c->first_ps;
    c->last_ps = done_ps > c->last_ps ? done_ps : c->last_ps;
    c->count++;
    c->bytes += r->bytes;
    c->resent_bytes += r->resent_bytes;
    c->fct_ps_sum += r->fct_ps;
    c->slowdown_sum += (unsigned __int128)(slowdown * SLOWDOWN_ONE);
    hist_add(c->slowdown, slowdown);
    hist_add(c->fct_ns, (double)r->fct_ps / 1e3);
}

uint32_t fct_bucket_of(uint64_t bytes)
{
    uint32_t i = 0;

    while (i + 1 < FCT_BUCKETS && bytes >= fct_buckets[i].bytes_end)
        i++;
    return i;
}

static uint32_t size_of(uint64_t bytes)
{
    uint32_t i = 0;

    while (i + 1 < FCT_SIZES && bytes >= fct_size_min(i + 1))
        i++;
    return i;
}

void fct_add(struct fct *f, const struct flow_result *r)
{
    struct fct_cell *const class[] = { &f->mice, &f->middle, &f->elephants };
    double                 slowdown = fct_slowdown(r);

    assert(r->traffic < f->entries);
    add_to(&f->all, r, slowdown);
    add_to(&f->bucket[fct_bucket_of(r->bytes)], r, slowdown);
    add_to(&f->entry[r->traffic], r, slowdown);
    add_to(&f->size[size_of(r->bytes)], r, slowdown);
    add_to(class[predict_class_of(r->bytes)], r, slowdown);
    if (f->phases) {
        enum phase phase = phases_at(f->phases, r->start_ps);

        add_to(&f->phase[phase], r, slowdown);
        add_to(&f->entry_phase[r->traffic * PHASES + phase], r, slowdown);
    }
}

void fct_cell_copy(struct fct_cell *c, const struct fct_cell *from)
{
    *c = (struct fct_cell){ .count = from->count, .slowdown_sum = from->slowdown_sum };
    c->slowdown = xcalloc(1, sizeof(*c->slowdown));
    if (from->slowdown)
        *c->slowdown = *from->slowdown;
}

void fct_cell_add(struct fct_cell *c, double slowdown)
{
    slowdown = slowdown < 1 ? 1 : slowdown;
    c->count++;
    c->slowdown_sum += (unsigned __int128)(slowdown * SLOWDOWN_ONE);
    hist_add(c->slowdown, slowdown);
}

struct fct_stats fct_stats_of(const struct hist *h, double mean, double unit)
{
    return (struct fct_stats){
        .mean = mean,
        .p50 = hist_quantile(h, 0.5) / unit,
        .p95 = hist_quantile(h, 0.95) / unit,
        .p99 = hist_quantile(h, 0.99) / unit,
        .p999 = hist_quantile(h, 0.999) / unit,
        .max = h->max / unit,
    };
}

struct fct_stats fct_slowdown_stats(const struct fct_cell *c)
{
    if (c->count == 0)
        return (struct fct_stats){ 0 };
    return fct_stats_of(c->slowdown, (double)c->slowdown_sum / SLOWDOWN_ONE / (double)c->count, 1);
}

struct fct_stats fct_us_stats(const struct fct_cell *c)
{
    if (c->count == 0)
        return (struct fct_stats){ 0 };
    return fct_stats_of(c->fct_ns, (double)c->fct_ps_sum / 1e6 / (double)c->count, 1e3);
}
