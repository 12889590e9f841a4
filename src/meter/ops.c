#include "meter/ops.h"
#include "base/err.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
