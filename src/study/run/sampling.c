#include "study/run/sampling.h"
#include "base/minmax.h"

#define POINT_PS_FIRST (PS_PER_US / 8)
#define BYTES_CERTAIN  1e9       /* of an entry: some of them are sent in the second half of its time */
#define PORTS_FEW      1024u     /* sampling this many ports at every point is negligible */
#define PORTS_MANY     16384u    /* with this many, sampling is noticeable in an idle network: 80 ns per
                                  * port */

_Static_assert(PS_PER_MS % SERIES_POINTS == 0, "points end where intervals of 1 ms do");

static uint64_t first_ps(const struct scenario *s)
{
    uint64_t first = s->entries ? NEVER : 0;

    for (uint32_t i = 0; i < s->entries; i++)
        first = min_u64(first, s->entry[i].start_ps);
    return first;
}

struct pace pace_of(const struct scenario *s, uint32_t ports, bool has_readers)
{
    struct pace p = { .interval_ps = s->interval_ps, .point_ps = s->interval_ps };
    uint64_t    first = first_ps(s);

    for (uint32_t i = 0; i < s->entries; i++)
        first = s->entry[i].is_influx ? 0 : first; /* what is before it counts, too */
    p.origin_ps = s->interval_ps ? first - first % s->interval_ps : 0;
    if (s->has_interval)
        return p;
    p.is_growing = true;
    if (!has_readers)
        p.interval_ps = NEVER;
    p.point_ps = has_readers ? s->interval_ps / SERIES_POINTS : POINT_PS_FIRST;
    for (; ports > PORTS_FEW; ports /= 2)
        p.point_ps *= ports > PORTS_MANY ? 8 : 2;
    p.point_ps = min_u64(p.point_ps, s->interval_ps);
    if (!has_readers)
        p.origin_ps = first - first % p.point_ps;
    return p;
}

/* The middle of an entry's time, or 0 if it may send nothing later. */
static uint64_t middle_ps(const struct scenario *s, const struct traffic_about *e)
{
    uint64_t stop_ps = min_u64(e->stop_ps, s->run_ps);

    if (e->load <= 0 || stop_ps == NEVER || stop_ps <= e->start_ps ||
        e->bps_per_host * e->hosts / 8 * (double)(stop_ps - e->start_ps) / PS_PER_S < BYTES_CERTAIN)
        return 0;
    return e->start_ps + (stop_ps - e->start_ps) / 2;
}

uint64_t pace_reached_ps(const struct scenario *s)
{
    uint64_t last_ps = 0;

    for (uint32_t i = 0; i < s->entries; i++)
        last_ps = max_u64(last_ps, middle_ps(s, &s->entry[i]));
    return max_u64(first_ps(s), last_ps);
}

/* A merged point is complete when the next one ends; from then on each sample covers a whole point. */
uint64_t pace_next_ps(const struct pace *p, const struct series *s, uint64_t looked_ps)
{
    uint64_t point_ps;

    if (!p->is_growing)
        return looked_ps + p->point_ps;
    point_ps = p->origin_ps;
    if (looked_ps >= p->origin_ps)
        point_ps += (s->intervals - s->intervals % s->merged + s->merged) * p->point_ps;
    if (p->interval_ps == NEVER)
        return point_ps;
    return min_u64(point_ps, (looked_ps / p->interval_ps + 1) * p->interval_ps);
}

bool pace_is_interval(const struct pace *p, uint64_t now_ps)
{
    return p->interval_ps != NEVER && now_ps % p->interval_ps == 0;
}

uint64_t pace_points(const struct pace *p, uint64_t ps)
{
    return p->is_growing ? (ps + p->point_ps - 1) / p->point_ps : 1;
}
