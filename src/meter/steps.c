#include "meter/steps.h"

#include "base/err.h"

#include <stdbool.h>
#include <stdlib.h>

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
