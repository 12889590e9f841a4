#include "sim/switch/ecn_view.h"

#include "base/err.h"

#include <stdlib.h>

void ecn_view_build(struct sim *s)
{
    if (s->cfg.ecn_on && (s->cfg.ecn_cell_bytes || s->cfg.ecn_lag_ps))
        s->sw.view = xcalloc((size_t)s->net.ports * PRIOS + 1, sizeof *s->sw.view);
}

void ecn_view_free(struct sim *s)
{
    for (uint32_t i = 0; s->sw.view && i < s->net.ports * PRIOS; i++)
        free(s->sw.view[i].past);
    free(s->sw.view);
}

static struct ecn_view *view_of(const struct sim *s, const struct port *out, uint32_t prio)
{
    return &s->sw.view[(size_t)out->id * PRIOS + prio];
}

static uint32_t cells_of(const struct sim *s, const struct packet *k)
{
    uint32_t cell = s->cfg.ecn_cell_bytes;

    return cell ? (k->bytes + cell - 1) / cell * cell : k->bytes;
}

/* Doubles the capacity of the ring. */
static void grow(struct ecn_view *v)
{
    uint32_t         max = v->max ? 2 * v->max : 64;
    struct ecn_past *past = xmalloc(max * sizeof *past);

    for (uint32_t i = 0; i < v->count; i++)
        past[i] = v->past[(v->first + i) & (v->max - 1)];
    free(v->past);
    v->past = past;
    v->first = 0;
    v->max = max;
}

/* Drops changes older than the lag; the last of them is the length that marking uses. */
static void pass_time(const struct sim *s, struct ecn_view *v)
{
    while (v->count && v->past[v->first].at_ps + s->cfg.ecn_lag_ps <= s->engine.now_ps) {
        v->old_bytes = v->past[v->first].bytes;
        v->first = (v->first + 1) & (v->max - 1);
        v->count--;
    }
}

static void change(const struct sim *s, struct ecn_view *v, uint32_t bytes)
{
    v->bytes = bytes;
    if (!s->cfg.ecn_lag_ps) {
        v->old_bytes = bytes;
        return;
    }
    pass_time(s, v);
    if (v->count == v->max)
        grow(v);
    v->past[(v->first + v->count++) & (v->max - 1)] = (struct ecn_past){ s->engine.now_ps, bytes };
}

void ecn_view_add(struct sim *s, const struct port *out, const struct packet *k)
{
    struct ecn_view *v = view_of(s, out, k->prio);

    change(s, v, v->bytes + cells_of(s, k));
}

void ecn_view_remove(struct sim *s, const struct port *out, const struct packet *k)
{
    struct ecn_view *v = view_of(s, out, k->prio);

    change(s, v, v->bytes - cells_of(s, k));
}

uint32_t ecn_view_bytes(struct sim *s, const struct port *out, uint32_t prio)
{
    struct ecn_view *v = view_of(s, out, prio);

    pass_time(s, v);
    return v->old_bytes;
}

uint32_t ecn_view_threshold(const struct sim *s, uint32_t bytes)
{
    uint32_t cell = s->cfg.ecn_cell_bytes;

    return cell ? bytes / cell * cell : bytes;
}
