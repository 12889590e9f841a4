#include "tune/lag.h"
#include "base/err.h"
#include "core/units.h"

#include <stdlib.h>
#include <string.h>

void lag_init(struct lag *l, uint64_t monitor_ps)
{
    *l = (struct lag){ .monitor_ps = monitor_ps };
}

static void drop_shown(struct lag *l)
{
    if (l->has_shown)
        report_fini(&l->shown);
    l->has_shown = false;
}

void lag_fini(struct lag *l)
{
    drop_shown(l);
    for (uint32_t i = 0; i < l->count; i++)
        report_fini(&l->waiting[i]);
    free(l->waiting);
    *l = (struct lag){ 0 };
}

void lag_add(struct lag *l, const struct report *r)
{
    if (l->count == l->room) {
        l->room = 2 * l->room + 4;
        l->waiting = xrealloc(l->waiting, l->room * sizeof *l->waiting);
    }
    l->waiting[l->count] = (struct report){ 0 };
    report_copy(&l->waiting[l->count++], r);
}

uint64_t lag_next_ps(const struct lag *l)
{
    return l->count ? l->waiting[0].end_ps + l->monitor_ps : NEVER;
}

const struct report *lag_next(struct lag *l, uint64_t now_ps)
{
    bool is_seen = false;

    while (!is_seen && lag_next_ps(l) <= now_ps) {
        drop_shown(l);
        l->shown = l->waiting[0];
        l->has_shown = true;
        memmove(l->waiting, l->waiting + 1, --l->count * sizeof *l->waiting);
        is_seen = l->shown.start_ps >= l->settled_ps;
    }
    return is_seen ? &l->shown : NULL;
}

void lag_settle(struct lag *l, uint64_t at_ps)
{
    l->settled_ps = at_ps;
}
