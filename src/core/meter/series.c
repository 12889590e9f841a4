#include "core/meter/series.h"
#include "base/err.h"
#include "core/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void series_init(struct series *s, uint32_t ports, uint32_t entries)
{
    memset(s, 0, sizeof *s);
    s->merged = s->heat_merged = 1;
    s->ports = ports;
    s->entries = entries;
    s->entry_bytes = xcalloc((size_t)SERIES_POINTS * (entries + 1ul), sizeof *s->entry_bytes);
    s->heat_bytes = xcalloc((size_t)SERIES_HEAT * (ports + 1ul), sizeof *s->heat_bytes);
    s->util_max = xcalloc(ports + 1ul, sizeof *s->util_max);
    s->phase_entry_bytes = xcalloc((entries + 1ul) * PHASES, sizeof *s->phase_entry_bytes);
}

void series_begin_idle(struct series *s, uint64_t intervals)
{
    while (intervals / SERIES_POINTS >= s->merged)
        s->merged *= 2;
    while (intervals / SERIES_HEAT >= s->heat_merged)
        s->heat_merged *= 2;
}

void series_fini(struct series *s)
{
    free(s->entry_bytes);
    free(s->heat_bytes);
    free(s->util_max);
    free(s->phase_entry_bytes);
    free(s->knob);
    memset(s, 0, sizeof *s);
}

/* ---- points ---- */

static void join(struct series_point *a, const struct series_point *b)
{
    a->end_ps = b->end_ps;
    figure_add(a->count, b->count);
}

static void halve_points(struct series *s)
{
    for (uint32_t i = 0; i < SERIES_POINTS / 2; i++) {
        uint64_t *to = &s->entry_bytes[(size_t)i * s->entries], *from = &s->entry_bytes[2ul * i * s->entries];

        s->point[i] = s->point[2ul * i];
        join(&s->point[i], &s->point[2ul * i + 1]);
        for (uint32_t e = 0; e < s->entries; e++)
            to[e] = from[e] + from[s->entries + e];
    }
    s->points = SERIES_POINTS / 2;
    s->merged *= 2;
}

static void add_point(struct series *s, const struct report *r)
{
    struct series_point p = { .start_ps = r->start_ps, .end_ps = r->end_ps };
    bool      is_new = s->intervals % s->merged == 0;

    memcpy(p.count, r->count, sizeof p.count);
    if (is_new && s->points == SERIES_POINTS) {
        halve_points(s);
        is_new = s->intervals % s->merged == 0;
    }
    if (is_new)
        s->point[s->points++] = p;
    else
        join(&s->point[s->points - 1], &p);
    uint64_t *bytes = &s->entry_bytes[(size_t)(s->points - 1) * s->entries];
    for (uint32_t e = 0; e < s->entries; e++)
        bytes[e] = (is_new ? 0 : bytes[e]) + r->entry_bytes[e];
}

struct series_point series_sum(const struct series *s, uint32_t first, uint32_t end)
{
    struct series_point sum = s->point[first];

    for (uint32_t i = first + 1; i < end; i++)
        join(&sum, &s->point[i]);
    return sum;
}

struct figure_span series_span(const struct series *s, const struct series_point *p)
{
    return figure_span(p->count, p->end_ps - p->start_ps, s->ports);
}

/* ---- ports ---- */

static void halve_heat(struct series *s)
{
    for (uint32_t i = 0; i < SERIES_HEAT / 2; i++) {
        uint64_t *to = &s->heat_bytes[(size_t)i * s->ports], *from = &s->heat_bytes[2ul * i * s->ports];

        for (uint32_t p = 0; p < s->ports; p++)
            to[p] = from[p] + from[s->ports + p];
        s->heat_start_ps[i] = s->heat_start_ps[2ul * i];
        s->heat_end_ps[i] = s->heat_end_ps[2ul * i + 1];
    }
    s->heats = SERIES_HEAT / 2;
    s->heat_merged *= 2;
}

static double share(uint64_t bytes, uint64_t rate_bps, uint64_t ps)
{
    return ps && rate_bps ? (double)bytes * 8 * (double)PS_PER_S / ((double)rate_bps * (double)ps) : 0;
}

static void add_heat(struct series *s, const struct report *r)
{
    bool is_new = s->intervals % s->heat_merged == 0;

    if (is_new && s->heats == SERIES_HEAT) {
        halve_heat(s);
        is_new = s->intervals % s->heat_merged == 0;
    }
    if (is_new)
        s->heat_start_ps[s->heats++] = r->start_ps;
    s->heat_end_ps[s->heats - 1] = r->end_ps;
    uint64_t *bytes = &s->heat_bytes[(size_t)(s->heats - 1) * s->ports];
    for (uint32_t p = 0; p < s->ports; p++) {
        double busy = share(r->port[p].tx_bytes, r->port[p].rate_bps, r->end_ps - r->start_ps);

        bytes[p] = (is_new ? 0 : bytes[p]) + r->port[p].tx_bytes;
        s->util_max[p] = busy > s->util_max[p] ? busy : s->util_max[p];
    }
}

double series_heat(const struct series *s, uint32_t column, uint32_t port, uint64_t rate_bps)
{
    return share(s->heat_bytes[(size_t)column * s->ports + port], rate_bps,
                 s->heat_end_ps[column] - s->heat_start_ps[column]);
}

double series_busiest(const struct series *s, uint32_t port, uint64_t rate_bps)
{
    double most = s->is_growing ? 0 : s->util_max[port];

    for (uint32_t i = 0; s->is_growing && i < s->heats; i++) {
        double busy = series_heat(s, i, port, rate_bps);

        most = busy > most ? busy : most;
    }
    return most;
}

/* ---- knobs and phases ---- */

void series_set_knobs(struct series *s, uint64_t at_ps, const struct knobs *knobs)
{
    bool is_first = s->knobs == 0;

    for (uint32_t i = 0; i < KNOB_COUNT; i++) {
        if (!is_first && knobs->value[i] == s->knobs_last.value[i])
            continue;
        s->knob = xgrow(s->knob, s->knobs, &s->knobs_max, 64, sizeof *s->knob);
        s->knob[s->knobs++] = (struct series_knob){ at_ps, i, knobs->value[i] };
    }
    s->knobs_last = *knobs;
}

void series_add(struct series *s, const struct report *r, uint64_t intervals)
{
    add_point(s, r);
    add_heat(s, r);
    uint64_t all = r->end_ps - r->start_ps;
    for (int i = 0; all && i < PHASES; i++) {
        uint64_t             ps = phases_overlap_ps(&s->phases, (enum phase)i, r->start_ps, r->end_ps);
        double               part = (double)ps / (double)all;
        struct series_phase *p = &s->phase[i];
        p->ps += ps;
        for (int c = 0; c < FIGURE_COUNTS; c++)
            if (figure_info[c].how == FIGURE_SUM)
                p->count[c] += part * (double)r->count[c];
        for (uint32_t e = 0; ps && e < s->entries; e++)
            s->phase_entry_bytes[e * PHASES + (uint32_t)i] += part * (double)r->entry_bytes[e];
    }
    s->intervals += intervals;
}
