#include "study/run/passes.h"
#include "base/err.h"

#include <stdlib.h>

void passes_init(struct passes *p, uint32_t entries)
{
    *p = (struct passes){ .entry = xcalloc(entries + 1ul, sizeof(*p->entry)), .entries = entries };
}

void passes_fini(struct passes *p)
{
    for (uint32_t i = 0; i < p->entries; i++)
        free(p->entry[i].pass);
    free(p->entry);
    *p = (struct passes){ 0 };
}

bool passes_add(struct passes *p, const struct op_result *r, struct op_result *whole)
{
    struct entry_passes *e = &p->entry[r->traffic];
    uint64_t             end_ps = r->start_ps + r->took_ps;
    struct pass         *is;

    e->ranks = r->ranks;
    for (; e->count <= r->pass; e->count++) {
        e->pass = xgrow(e->pass, e->count, &e->max, 16, sizeof(*e->pass));
        e->pass[e->count] = (struct pass){ 0 };
    }
    is = &e->pass[r->pass];
    is->end_ps = end_ps > is->end_ps ? end_ps : is->end_ps;
    if (++is->ended < r->ranks)
        return false;
    *whole = *r;
    if (r->pass > 0 && e->pass[r->pass - 1].end_ps > whole->start_ps)
        whole->start_ps = e->pass[r->pass - 1].end_ps;
    whole->took_ps = is->end_ps - whole->start_ps;
    return true;
}
