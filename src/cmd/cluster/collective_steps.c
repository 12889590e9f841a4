#include "cmd/cluster/collective_steps.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

/* messages whose dependencies are resolved, in an order that respects them */
struct order {
    uint8_t  *waits;
    uint32_t *step_of, *ready, count;
};

static void resolve(struct order *o, uint32_t m, uint32_t step)
{
    if (step > o->step_of[m])
        o->step_of[m] = step;
    if (--o->waits[m] == 0)
        o->ready[o->count++] = m;
}

static void find_steps(struct timeline *t, const struct collective *c)
{
    struct order o = { xmalloc(c->messages + 1ul), t->step_of, xcalloc(c->messages + 1ul, sizeof(uint32_t)), 0 };

    memcpy(o.waits, c->waits, c->messages);
    for (; o.count < c->roots; o.count++)
        o.ready[o.count] = c->root[o.count];
    for (uint32_t i = 0; i < o.count; i++) {
        uint32_t m = o.ready[i], step = t->step_of[m] + 1;

        for (uint32_t k = c->arrival_at[m]; k < c->arrival_at[m + 1]; k++)
            resolve(&o, c->arrival[k], step);
        for (uint32_t k = c->sent_at[m]; k < c->sent_at[m + 1]; k++)
            resolve(&o, c->sent[k], step);
        if (step > t->steps)
            t->steps = step;
    }
    free(o.waits);
    free(o.ready);
}

void timeline_init(struct timeline *t, const struct collective *c)
{
    *t = (struct timeline){ .messages = c->messages, .step_of = xcalloc(c->messages + 1ul, sizeof(*t->step_of)),
                            .is_done = xcalloc(c->messages + 1ul, sizeof(*t->is_done)) };
    find_steps(t, c);
    t->step = xcalloc(t->steps + 1ul, sizeof(*t->step));
}

void timeline_fini(struct timeline *t)
{
    free(t->step_of);
    free(t->is_done);
    free(t->step);
    *t = (struct timeline){ 0 };
}

void timeline_on_flow(struct timeline *t, const struct flow_result *r)
{
    struct timeline_step *s;
    uint64_t              end_ps = r->start_ps + r->fct_ps;

    if (r->tag >= t->messages || t->is_done[r->tag])
        return;
    t->is_done[r->tag] = true;
    s = &t->step[t->step_of[r->tag]];
    if (s->messages++ == 0 || r->start_ps < s->start_ps)
        s->start_ps = r->start_ps;
    if (end_ps >= s->end_ps) {
        s->end_ps = end_ps;
        s->last = *r;
    }
}

/* How far the end of a step is behind that of the step before. */
static uint64_t took_ps(const struct timeline *t, uint32_t step)
{
    uint64_t before_ps = step ? t->step[step - 1].end_ps : t->step[0].start_ps;

    return t->step[step].end_ps > before_ps ? t->step[step].end_ps - before_ps : 0;
}

uint32_t timeline_rows(const struct timeline *t, struct timeline_row row[TIMELINE_ROWS])
{
    uint64_t start_ps = t->steps ? t->step[0].start_ps : 0, end_ps = start_ps;
    uint32_t rows = 0;

    for (uint32_t i = 0; i < t->steps; i++)
        end_ps = t->step[i].end_ps > end_ps ? t->step[i].end_ps : end_ps;
    for (uint32_t i = 0; i < t->steps; i++) {
        struct timeline_row *r = &row[rows];

        if (i == 0 || (row[rows - 1].last + 1 == i && rows < TIMELINE_ROWS &&
                       (t->step[i - 1].end_ps - start_ps) * TIMELINE_ROWS >= (end_ps - start_ps) * rows)) {
            *r = (struct timeline_row){ i, i, i };
            rows++;
        } else {
            r--;
            r->last = i;
            r->slowest = took_ps(t, i) > took_ps(t, r->slowest) ? i : r->slowest;
        }
    }
    return rows;
}
