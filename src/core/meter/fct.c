#include "core/meter/fct.h"
#include "base/err.h"
#include "core/predict.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SLOWDOWN_ONE 4294967296.0            /* 2^32 */

/* ---- phases ---- */

const char *const phase_names[PHASES] = { "before", "during", "after" };

void phases_add(struct phases *p, uint64_t start_ps, uint64_t stop_ps)
{
    if (p->windows == PHASE_WINDOWS_MAX) {
        uint64_t *end = &p->window[p->windows - 1].stop_ps, *start = &p->window[p->windows - 1].start_ps;

        *end = stop_ps > *end ? stop_ps : *end;
        *start = start_ps < *start ? start_ps : *start;
        return;
    }
    p->window[p->windows].start_ps = start_ps;
    p->window[p->windows++].stop_ps = stop_ps;
}

enum phase phases_at(const struct phases *p, uint64_t at_ps)
{
    enum phase is = PHASE_BEFORE;

    for (uint32_t i = 0; i < p->windows; i++) {
        if (at_ps >= p->window[i].start_ps && at_ps < p->window[i].stop_ps)
            return PHASE_DURING;
        if (at_ps >= p->window[i].stop_ps)
            is = PHASE_AFTER;
    }
    return is;
}

/* Returns the next time after at_ps at which a window starts or ends, or end_ps. */
static uint64_t next_edge(const struct phases *p, uint64_t at_ps, uint64_t end_ps)
{
    uint64_t next = end_ps;

    for (uint32_t i = 0; i < p->windows; i++) {
        if (p->window[i].start_ps > at_ps && p->window[i].start_ps < next)
            next = p->window[i].start_ps;
        if (p->window[i].stop_ps > at_ps && p->window[i].stop_ps < next)
            next = p->window[i].stop_ps;
    }
    return next;
}

uint64_t phases_overlap_ps(const struct phases *p, enum phase phase, uint64_t from_ps, uint64_t to_ps)
{
    uint64_t sum = 0;

    while (from_ps < to_ps) {
        uint64_t next = next_edge(p, from_ps, to_ps);

        if (phases_at(p, from_ps) == phase)
            sum += next - from_ps;
        from_ps = next;
    }
    return sum;
}

/* ---- flows ---- */

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

static void fini_cells(struct fct_cell *c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(c[i].slowdown);
        free(c[i].fct_ns);
    }
}

void fct_cell_fini(struct fct_cell *c)
{
    fini_cells(c, 1);
}

void fct_fini(struct fct *f)
{
    fini_cells(&f->all, 1);
    fini_cells(f->bucket, FCT_BUCKETS);
    fini_cells(&f->mice, 1);
    fini_cells(&f->middle, 1);
    fini_cells(&f->elephants, 1);
    fini_cells(f->size, FCT_SIZES);
    fini_cells(f->phase, PHASES);
    fini_cells(f->entry, f->entries);
    fini_cells(f->entry_phase, f->entries * PHASES);
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

/* ---- operations ---- */

void ops_init(struct ops *o, uint32_t entries)
{
    o->cell = xcalloc((size_t)entries * OP_KINDS + 1, sizeof(*o->cell));
    o->entries = entries;
}

void ops_fini(struct ops *o)
{
    for (uint32_t i = 0; i < o->entries * OP_KINDS; i++)
        free(o->cell[i].took_ns);
    free(o->cell);
    memset(o, 0, sizeof(*o));
}

const struct ops_cell *ops_cell(const struct ops *o, uint32_t entry, enum op_kind kind)
{
    assert(entry < o->entries && kind < OP_KINDS);
    return &o->cell[entry * OP_KINDS + kind];
}

void ops_add(struct ops *o, const struct op_result *r)
{
    struct ops_cell *c = &o->cell[r->traffic * OP_KINDS + r->kind];
    uint64_t         end_ps = r->start_ps + r->took_ps;

    assert(r->traffic < o->entries && r->kind < OP_KINDS);
    if (c->count == 0) {
        c->took_ns = xcalloc(1, sizeof(*c->took_ns));        /* large: only for kinds that occur */
        c->first_ps = r->start_ps;
    }
    if (r->start_ps < c->first_ps || (r->start_ps == c->first_ps && r->took_ps > c->first_took_ps))
        c->first_took_ps = r->took_ps;
    c->count++;
    c->bytes += r->bytes;
    c->first_ps = r->start_ps < c->first_ps ? r->start_ps : c->first_ps;
    c->last_ps = end_ps > c->last_ps ? end_ps : c->last_ps;
    c->took_ps_sum += r->took_ps;
    hist_add(c->took_ns, (double)r->took_ps / 1e3);
}

struct fct_stats ops_us_stats(const struct ops_cell *c)
{
    if (c->count == 0)
        return (struct fct_stats){ 0 };
    return fct_stats_of(c->took_ns, (double)c->took_ps_sum / 1e6 / (double)c->count, 1e3);
}

double ops_later_us_mean(const struct ops_cell *c)
{
    return c->count > 1 ? (double)(c->took_ps_sum - c->first_took_ps) / 1e6 / (double)(c->count - 1) : NAN;
}

/* ---- messages of training ---- */

void steps_init(struct steps *s, uint32_t entries, uint32_t kinds)
{
    *s = (struct steps){ xcalloc((size_t)entries * kinds + 1, sizeof *s->cell), entries, kinds };
}

void steps_fini(struct steps *s)
{
    free(s->cell);
    *s = (struct steps){ 0 };
}

static uint64_t lost_ps(const struct flow_result *r)
{
    return r->fct_ps > r->ideal_ps ? r->fct_ps - r->ideal_ps : 0;
}

static bool is_worse(const struct flow_result *a, const struct flow_result *b)
{
    if (lost_ps(a) != lost_ps(b))
        return lost_ps(a) > lost_ps(b);
    return a->start_ps != b->start_ps ? a->start_ps < b->start_ps : a->tag < b->tag;
}

void steps_add(struct steps *s, uint32_t kind, const struct flow_result *r)
{
    struct steps_cell *c = &s->cell[r->traffic * s->kinds + kind];

    if (c->count++ == 0 || is_worse(r, &c->worst))
        c->worst = *r;
    c->fct_ps_sum += r->fct_ps;
    c->ideal_ps_sum += r->ideal_ps;
}

const struct steps_cell *steps_cell(const struct steps *s, uint32_t entry, uint32_t kind)
{
    return &s->cell[entry * s->kinds + kind];
}
