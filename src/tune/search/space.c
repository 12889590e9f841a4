#include "tune/search/space.h"
#include "base/minmax.h"
#include "core/units.h"

#include <math.h>
#include <string.h>

const char *const space_names[] = { "safe", "artifact", "paper", "poster", NULL };

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* Points have a share of the line rate. */
static bool is_share(enum knob knob)
{
    return knob == KNOB_rate_to_set_on_first_cnp;
}

static struct space_dim *find_dim(struct space *s, enum knob knob)
{
    for (uint32_t i = 0; i < s->dims; i++)
        if (s->dim[i].knob == knob)
            return &s->dim[i];
    return NULL;
}

/* ---- published ---- */

/* The artifact's knobs; fractions are in percent if the knob is. Then two more knobs of the paper, which
 * prints no bounds for them: those of the period are the artifact's for the spacing of CNPs, those of pmax
 * ParaleonPlus'. Then one that only CHAMELEON's poster has, with the bounds and step of the other periods. */
static const struct { enum knob knob; double min, max, step; } published[] = {
    { KNOB_rpg_time_reset,              1,   131071, 50 },
    { KNOB_rpg_ai_rate,                 1,   500,    50 },
    { KNOB_rpg_hai_rate,                10,  5000,   100 },
    { KNOB_rate_to_set_on_first_cnp,    0.1, 1,      0.1 },
    { KNOB_rpg_min_dec_fac,             10,  100,    10 },
    { KNOB_rpg_min_rate,                1,   5000,   300 },
    { KNOB_rpg_gd,                      1,   13,     1 },
    { KNOB_min_time_between_cnps,       0,   4095,   16 },
    { KNOB_dce_tcp_g,                   1,   1019,   16 },
    { KNOB_initial_alpha_value,         1,   1023,   16 },
    { KNOB_kmin,                        10,  1600,   100 },
    { KNOB_kmax,                        40,  6400,   400 },
    { KNOB_rate_reduce_monitor_period,  1,   4095,   16 },
    { KNOB_pmax,                        0.1, 0.4,    0.01 },
    { KNOB_dce_tcp_rtt,                 1,   4095,   16 },
};

enum { ARTIFACT_DIMS = 12, PAPER_DIMS = 14 };

#define ARTIFACT_SHARE 0.5       /* of line rate that a first CNP leaves */

/* The knobs of CHAMELEON's poster, section 2.2. */
static const enum knob poster[] = {
    KNOB_rpg_time_reset, KNOB_rpg_ai_rate, KNOB_rpg_hai_rate, KNOB_rpg_min_dec_fac,
    KNOB_rate_reduce_monitor_period, KNOB_dce_tcp_rtt, KNOB_min_time_between_cnps,
    KNOB_kmin, KNOB_kmax, KNOB_pmax,
};

static void init_published(struct space *s, uint32_t dims)
{
    for (s->dims = 0; s->dims < dims; s->dims++) {
        enum knob               knob = published[s->dims].knob;
        const struct knob_info *k = &knob_info[knob];

        s->dim[s->dims] = (struct space_dim){
            .knob = knob, .min = published[s->dims].min, .max = published[s->dims].max,
            .step = published[s->dims].step, .initial = is_share(knob) ? ARTIFACT_SHARE : k->initial,
            .quantum = !is_share(knob) && k->unit != KNOB_RATIO,
            .automatic = is_share(knob) ? k->automatic / KNOB_REFERENCE_MBPS : 0,
        };
    }
}

static void init_poster(struct space *s)
{
    struct space all;

    init_published(&all, COUNT(published));
    for (size_t i = 0; i < COUNT(poster); i++)
        s->dim[s->dims++] = *find_dim(&all, poster[i]);
}

/* ---- by the rows of knobs.def ---- */

static double round_to(double x, double quantum)
{
    return quantum > 0 ? floor(x / quantum + 0.5) * quantum : x;
}

/* How much larger a knob is here than in the reference network. */
static double times(enum knob knob, const struct world *w)
{
    double faster = (double)w->host_bps / (KNOB_REFERENCE_MBPS * 1e6);
    double longer = (double)w->base_rtt_ps / (double)(KNOB_REFERENCE_RTT_US * PS_PER_US);

    if (knob == KNOB_trim)       /* the network says what its 0 stands for */
        return (double)w->trim_bytes / (knob_info[knob].automatic * 1e3);
    if (knob_info[knob].safe.is_fixed || is_share(knob))
        return 1;
    switch (knob_info[knob].law) {
    case KNOB_BY_RATE: return faster;
    case KNOB_BY_RTT:  return longer;
    case KNOB_BY_BDP:  return faster * longer;
    case KNOB_FIXED:   break;
    }
    return 1;
}

static struct space_dim make_dim(enum knob knob, const struct world *w)
{
    const struct knob_info *k = &knob_info[knob];
    double                  per = is_share(knob) ? KNOB_REFERENCE_MBPS : 1, by = times(knob, w);
    struct space_dim        d = { .knob = knob, .quantum = k->safe.grain, .automatic = k->automatic / per };

    d.initial = d.automatic > 0 ? d.automatic * by : clamp_real(k->initial, k->safe.min, k->safe.max);
    d.min = clamp_real(round_to(k->safe.min / per * by, d.quantum), k->min, k->max);
    d.max = clamp_real(round_to(k->safe.max / per * by, d.quantum), d.min + d.quantum, k->max);
    d.step = fmax(k->safe.step / per * by, d.quantum);
    d.automatic *= by;
    return d;
}

static void add_dim(struct space *s, enum knob knob, const struct world *w)
{
    if (knob_info[knob].safe.step > 0 && world_reads(w, knob) && !find_dim(s, knob) &&
        s->dims < SPACE_DIMS_MAX)
        s->dim[s->dims++] = make_dim(knob, w);
}

/* Lowers the whole range for a small buffer. */
static void cap_threshold(struct space_dim *d, double max)
{
    d->max = fmin(d->max, fmax(floor(max), 4));
    d->min = fmin(d->min, floor(d->max / 4));
    d->step = clamp_real(d->step, d->quantum, (d->max - d->min) / 4);
}

/* ECN must mark before PFC pauses senders. kmin is well below the PFC threshold with one port feeding the
 * queue; kmax is at most the threshold with two. */
static void mark_before_pausing(struct space *s, const struct world *world)
{
    struct space_dim *kmin = find_dim(s, KNOB_kmin), *kmax = find_dim(s, KNOB_kmax);

    if (!kmin || !kmax)
        return;
    if (world->pfc_bytes_one > 0)
        cap_threshold(kmin, 0.8 * (double)world->pfc_bytes_one / 1e3);
    if (world->pfc_bytes_two > 0)
        cap_threshold(kmax, (double)world->pfc_bytes_two / 1e3);
    kmin->max = fmin(kmin->max, kmax->max);   /* so that exchanged values are inside, too */
    kmin->min = fmin(kmin->min, kmax->min);
}

/* The order decides which random number a knob gets: of DCQCN's this, then that of rows, a control's own
 * first. */
static void init_by_rows(struct space *s, const struct world *world)
{
    static const enum knob dcqcn[] = {
        KNOB_rpg_time_reset, KNOB_rpg_ai_rate, KNOB_rpg_hai_rate, KNOB_rate_to_set_on_first_cnp,
        KNOB_rpg_min_dec_fac, KNOB_rpg_min_rate, KNOB_rpg_gd, KNOB_rate_reduce_monitor_period,
        KNOB_min_time_between_cnps, KNOB_dce_tcp_g, KNOB_initial_alpha_value, KNOB_kmin, KNOB_kmax, KNOB_pmax,
    };

    for (size_t i = 0; i < COUNT(dcqcn) && !world->control; i++)
        add_dim(s, dcqcn[i], world);
    for (int i = 1; i <= KNOB_COUNT; i++) {
        enum knob k = (enum knob)((KNOB_pmax + i) % KNOB_COUNT);

        if (k != KNOB_paths && k != KNOB_trim)
            add_dim(s, k, world);
    }
    add_dim(s, KNOB_paths, world);
    add_dim(s, KNOB_trim, world);
    mark_before_pausing(s, world);
    for (uint32_t i = 0; i < s->dims; i++)
        s->dim[i].initial = clamp_real(s->dim[i].initial, s->dim[i].min, s->dim[i].max);
}

/* A cut leaves at least rpg_min_dec_fac of a rate, but the artifact takes a larger one for low delay. */
static int toward_of(enum knob knob, bool physical)
{
    return knob == KNOB_rpg_min_dec_fac && !physical ? -1 : knob_info[knob].toward;
}

void space_init(struct space *s, enum space_kind kind, bool physical, const struct world *world)
{
    *s = (struct space){ .line_mbps = (double)world->host_bps / 1e6 };
    if (world->control || kind == SPACE_SAFE)
        init_by_rows(s, world);
    else if (kind == SPACE_POSTER)
        init_poster(s);
    else
        init_published(s, kind == SPACE_ARTIFACT ? ARTIFACT_DIMS : PAPER_DIMS);
    for (uint32_t i = 0; i < s->dims; i++)
        s->dim[i].toward = toward_of(s->dim[i].knob, physical);
}

/* ---- points ---- */

static void exchange_thresholds(const struct space *s, double *point)
{
    double *kmin = NULL, *kmax = NULL;

    for (uint32_t i = 0; i < s->dims; i++) {
        kmin = s->dim[i].knob == KNOB_kmin ? &point[i] : kmin;
        kmax = s->dim[i].knob == KNOB_kmax ? &point[i] : kmax;
    }
    if (kmin && kmax && *kmin > *kmax) {
        double low = *kmax;

        *kmax = *kmin;
        *kmin = low;
    }
}

void space_round(const struct space *s, double *point)
{
    for (uint32_t i = 0; i < s->dims; i++)
        point[i] = clamp_real(round_to(point[i], s->dim[i].quantum), s->dim[i].min, s->dim[i].max);
    exchange_thresholds(s, point);
}

static double value_of(const struct space *s, const struct space_dim *d, const struct knobs *k)
{
    double value = k->value[d->knob];

    return value > 0 ? value / (is_share(d->knob) ? s->line_mbps : 1) : d->automatic;
}

void space_point(const struct space *s, const struct knobs *k, double *point)
{
    for (uint32_t i = 0; i < s->dims; i++)
        point[i] = value_of(s, &s->dim[i], k);
    space_round(s, point);
}

bool space_has(const struct space *s, const struct knobs *k)
{
    for (uint32_t i = 0; i < s->dims; i++) {
        double value = value_of(s, &s->dim[i], k);

        if (value < s->dim[i].min || value > s->dim[i].max)
            return false;
    }
    return true;
}

void space_knobs(const struct space *s, const double *point, struct knobs *k)
{
    double inside[SPACE_DIMS_MAX];

    memcpy(inside, point, s->dims * sizeof *point);
    space_round(s, inside);
    for (uint32_t i = 0; i < s->dims; i++) {
        enum knob knob = s->dim[i].knob;

        k->value[knob] = inside[i];
        if (is_share(knob))
            k->value[knob] = fmax(floor(inside[i] * s->line_mbps + 0.5), 1);
        k->value[knob] = clamp_real(k->value[knob], knob_info[knob].min, knob_info[knob].max);
    }
}
