#include "tune/search/space.h"
#include "base/minmax.h"
#include "core/units.h"

#include <math.h>
#include <string.h>

#define AUTOMATIC_SHARE 0.85     /* of line rate: a NIC's rate if rate_to_set_on_first_cnp is 0 */

const char *const space_names[] = { "safe", "artifact", "paper", "poster", NULL };

/* The artifact's knobs; fractions are in percent if the knob is. Then two more knobs of the paper, which
 * prints no bounds for them: those of the period are the artifact's for the spacing of CNPs, those of pmax
 * ParaleonPlus'. Then one that only CHAMELEON's poster has, with the bounds and step of the other periods. */
static const struct space_dim published[] = {
    /* knob                        toward  min  max     step  initial quantum automatic */
    { KNOB_rpg_time_reset,              -1, 1,   131071, 50,   300,  1, 0 },
    { KNOB_rpg_ai_rate,                 1,  1,   500,    50,   5,    1, 0 },
    { KNOB_rpg_hai_rate,                1,  10,  5000,   100,  50,   1, 0 },
    { KNOB_rate_to_set_on_first_cnp,    1,  0.1, 1,      0.1,  0.5,  0, 0 },
    { KNOB_rpg_min_dec_fac,             -1, 10,  100,    10,   50,   1, 0 },    /* physically it is +1 */
    { KNOB_rpg_min_rate,                1,  1,   5000,   300,  1,    1, 0 },
    { KNOB_rpg_gd,                      1,  1,   13,     1,    11,   1, 0 },
    { KNOB_min_time_between_cnps,       1,  0,   4095,   16,   4,    1, 0 },
    { KNOB_dce_tcp_g,                   -1, 1,   1019,   16,   1019, 1, 0 },
    { KNOB_initial_alpha_value,         -1, 1,   1023,   16,   1023, 1, 0 },
    { KNOB_kmin,                        1,  10,  1600,   100,  400,  1, 0 },
    { KNOB_kmax,                        1,  40,  6400,   400,  1600, 1, 0 },
    { KNOB_rate_reduce_monitor_period,  1,  1,   4095,   16,   4,    1, 0 },
    { KNOB_pmax,                        -1, 0.1, 0.4,    0.01, 0.2,  0, 0 },
    { KNOB_dce_tcp_rtt,                 -1, 1,   4095,   16,   1,    1, 0 },
};

enum { ARTIFACT_DIMS = 12, PAPER_DIMS = 14 };

/* The knobs of CHAMELEON's poster, section 2.2. */
static const enum knob named[] = {
    KNOB_rpg_time_reset, KNOB_rpg_ai_rate, KNOB_rpg_hai_rate, KNOB_rpg_min_dec_fac,
    KNOB_rate_reduce_monitor_period, KNOB_dce_tcp_rtt, KNOB_min_time_between_cnps,
    KNOB_kmin, KNOB_kmax, KNOB_pmax,
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static struct space_dim *find_dim(struct space *s, enum knob knob)
{
    for (uint32_t i = 0; i < s->dims; i++)
        if (s->dim[i].knob == knob)
            return &s->dim[i];
    return NULL;
}

static void copy_dims(struct space *s, const struct space_dim *dim, size_t dims)
{
    memcpy(s->dim, dim, dims * sizeof *dim);
    s->dims = (uint32_t)dims;
}

static void init_poster(struct space *s)
{
    struct space all = *s;

    copy_dims(&all, published, COUNT(published));
    for (size_t i = 0; i < COUNT(named); i++)
        s->dim[s->dims++] = *find_dim(&all, named[i]);
}

/* ---- the safe space ---- */

/* For 100 Gb/s and a round trip of 40 us: a bandwidth-delay product of 500 KB. No corner starves flows:
 * with every knob at its low-delay end, rates recover within a few hundred round trips; with every knob at
 * its throughput end, the minimum rates of an incast add up to a small part of a link. */
static const struct space_dim safe[] = {
    { KNOB_rpg_time_reset,              -1, 40,  160,    20,   160,  1, 0 },
    { KNOB_rpg_ai_rate,                 1,  20,  100,    10,   20,   1, 0 },
    { KNOB_rpg_hai_rate,                1,  100, 600,    60,   100,  1, 0 },
    { KNOB_rate_to_set_on_first_cnp,    1,  0.5, 1,      0.1,  0.85, 0, 0 },
    { KNOB_rpg_min_dec_fac,             -1, 50,  80,     5,    50,   1, 0 },    /* physically +1 */
    { KNOB_rpg_min_rate,                1,  1,   500,    50,   1,    1, 0 },
    { KNOB_rpg_gd,                      1,  11,  12,     1,    11,   1, 0 },
    { KNOB_rate_reduce_monitor_period,  1,  4,   80,     8,    4,    1, 0 },
    { KNOB_min_time_between_cnps,       1,  4,   80,     8,    4,    1, 0 },
    { KNOB_dce_tcp_g,                   -1, 960, 1020,   5,    1019, 1, 0 },
    { KNOB_initial_alpha_value,         -1, 512, 1023,   50,   1023, 1, 0 },
    { KNOB_kmin,                        1,  20,  800,    50,   400,  1, 0 },
    { KNOB_kmax,                        1,  80,  1600,   150,  1600, 1, 0 },
    { KNOB_pmax,                        -1, 0.1, 0.5,    0.05, 0.2,  0.01, 0 },
};

#define SAFE_BPS 100e9
#define SAFE_RTT_PS (40 * PS_PER_US)

static void scale(struct space_dim *d, double by)
{
    d->min = clamp_real(floor(d->min * by + 0.5), knob_info[d->knob].min, knob_info[d->knob].max);
    d->max = clamp_real(floor(d->max * by + 0.5), d->min + 1, knob_info[d->knob].max);
    d->step = fmax(d->step * by, d->quantum);
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

    if (world->pfc_bytes_one > 0)
        cap_threshold(kmin, 0.8 * (double)world->pfc_bytes_one / 1e3);
    if (world->pfc_bytes_two > 0)
        cap_threshold(kmax, (double)world->pfc_bytes_two / 1e3);
    kmin->max = fmin(kmin->max, kmax->max);   /* so that exchanged values are inside, too */
    kmin->min = fmin(kmin->min, kmax->min);
}

static void init_safe(struct space *s, const struct world *world)
{
    static const enum knob rate[] = { KNOB_rpg_ai_rate, KNOB_rpg_hai_rate, KNOB_rpg_min_rate };
    double speed = (double)world->host_bps / SAFE_BPS;
    double longer = (double)world->base_rtt_ps / (double)SAFE_RTT_PS;

    copy_dims(s, safe, COUNT(safe));
    for (size_t i = 0; i < COUNT(rate); i++)
        scale(find_dim(s, rate[i]), speed);
    scale(find_dim(s, KNOB_rpg_time_reset), longer);
    scale(find_dim(s, KNOB_kmin), speed * longer);
    scale(find_dim(s, KNOB_kmax), speed * longer);
    mark_before_pausing(s, world);
    for (uint32_t i = 0; i < s->dims; i++)
        s->dim[i].initial = clamp_real(s->dim[i].initial, s->dim[i].min, s->dim[i].max);
}

/* ---- other congestion controls ---- */

enum by { BY_NOTHING, BY_SPEED, BY_RTT };    /* what bounds scale with */

/* For 100 Gb/s and 40 us. */
static const struct { struct space_dim dim; enum by by; } control[] = {
    { { KNOB_hpcc_eta,       1,  0.85, 0.99, 0.02,  0.95,   0.005, 0 },   BY_NOTHING },
    { { KNOB_hpcc_max_stage, 1,  0,    10,   1,     5,      1,     0 },   BY_NOTHING },
    { { KNOB_hpcc_ai,        1,  10,   400,  20,    40,     0,     40 },  BY_SPEED },
    { { KNOB_timely_tlow,    1,  44,   200,  10,    50,     0.1,   0 },   BY_RTT },
    { { KNOB_timely_thigh,   1,  200,  1000, 50,    500,    0.1,   0 },   BY_RTT },
    { { KNOB_timely_beta,    -1, 0.2,  1,    0.1,   0.8,    0.01,  0 },   BY_NOTHING },
    { { KNOB_timely_ai,      1,  20,   500,  40,    100,    0,     100 }, BY_SPEED },
    { { KNOB_dctcp_g,        -1, 0.01, 0.5,  0.05,  0.0625, 0,     0 },   BY_NOTHING },
    { { KNOB_dctcp_ai,       1,  50,   2000, 100,   615,    0,     0 },   BY_SPEED },
    { { KNOB_swift_base,     1,  40,   120,  5,     40,     0.1,   40 },  BY_RTT },
    { { KNOB_swift_hop,      1,  0,    20,   1,     0.5,    0.1,   0 },   BY_RTT },
    { { KNOB_swift_fs_range, 1,  10,   300,  20,    120,    0.1,   120 }, BY_RTT },
    { { KNOB_swift_beta,     -1, 0.2,  1,    0.1,   0.8,    0.01,  0 },   BY_NOTHING },
    { { KNOB_swift_max_mdf,  -1, 0.1,  0.9,  0.1,   0.5,    0.01,  0 },   BY_NOTHING },
    { { KNOB_nscc_target_delay, 1, 4,  120,  5,     30,     0.1,   30 },  BY_RTT },
    { { KNOB_nscc_fi,        1,  0.5,  20,   1,     5,      0.01,  0 },   BY_NOTHING },
    { { KNOB_nscc_eta,       1,  0.02, 2,    0.1,   0.15,   0.01,  0 },   BY_NOTHING },
    { { KNOB_nscc_gamma,     -1, 0.2,  1,    0.1,   0.8,    0.01,  0 },   BY_NOTHING },
    { { KNOB_nscc_max_md_jump, 1, 0.1, 0.9,  0.1,   0.5,    0.01,  0 },   BY_NOTHING },
    { { KNOB_rttcc_target,   1,  44,   160,  5,     60,     0.1,   60 },  BY_RTT },
};

static double round_to(double x, double quantum)
{
    return quantum > 0 ? floor(x / quantum + 0.5) * quantum : x;
}

static void scale_control(struct space_dim *d, double by)
{
    const struct knob_info *k = &knob_info[d->knob];

    d->min = clamp_real(round_to(d->min * by, d->quantum), k->min, k->max);
    d->max = clamp_real(round_to(d->max * by, d->quantum), d->min + d->quantum, k->max);
    d->step = fmax(d->step * by, d->quantum);
    d->automatic *= by;
    d->initial = clamp_real(d->automatic > 0 ? d->automatic : d->initial, d->min, d->max);
}

/* Knobs for spraying and trimming under any control, relative to the automatic limit, here 500 KB. */
static const struct space_dim paths = { KNOB_paths, 1, 1, 256, 16, 64, 1, 0 };
static const struct space_dim trim = { KNOB_trim, 1, 50, 2000, 100, 500, 1, 500 };

static void add_spraying(struct space *s, const struct world *world)
{
    if (world->has_paths && s->dims < SPACE_DIMS_MAX)
        s->dim[s->dims++] = paths;
    if (world->trim_bytes && s->dims < SPACE_DIMS_MAX) {
        s->dim[s->dims] = trim;
        scale_control(&s->dim[s->dims++], (double)world->trim_bytes / (trim.automatic * 1e3));
    }
}

static void add_control(struct space *s, enum knob knob, double speed, double longer)
{
    for (size_t i = 0; i < COUNT(control) && s->dims < SPACE_DIMS_MAX; i++)
        if (control[i].dim.knob == knob) {
            s->dim[s->dims] = control[i].dim;
            scale_control(&s->dim[s->dims++],
                          control[i].by == BY_SPEED ? speed : control[i].by == BY_RTT ? longer : 1);
        }
}

/* ECN thresholds and the minimum rate are those of the safe space. */
static void init_control(struct space *s, const struct world *world)
{
    struct space shared = *s;

    init_safe(&shared, world);
    for (int i = 1; i <= KNOB_COUNT; i++) {
        enum knob k = (enum knob)((KNOB_pmax + i) % KNOB_COUNT);         /* its own first */
        bool      is_ecn = k == KNOB_kmin || k == KNOB_kmax || k == KNOB_pmax;

        if (!knob_is_read_by(k, world->control) && !(is_ecn && world->reads_marks))
            continue;
        add_control(s, k, (double)world->host_bps / SAFE_BPS,
                    (double)world->base_rtt_ps / (double)SAFE_RTT_PS);
        if (find_dim(&shared, k) && s->dims < SPACE_DIMS_MAX)
            s->dim[s->dims++] = *find_dim(&shared, k);
    }
    add_spraying(s, world);
}

void space_init(struct space *s, enum space_kind kind, bool physical, const struct world *world)
{
    *s = (struct space){ .line_mbps = (double)world->host_bps / 1e6 };
    if (world->control)
        init_control(s, world);
    else switch (kind) {
    case SPACE_SAFE:      init_safe(s, world); break;
    case SPACE_ARTIFACT:  copy_dims(s, published, ARTIFACT_DIMS); break;
    case SPACE_PAPER:     copy_dims(s, published, PAPER_DIMS); break;
    case SPACE_POSTER:    init_poster(s); break;
    }
    for (uint32_t i = 0; physical && i < s->dims; i++)
        s->dim[i].toward = knob_info[s->dim[i].knob].toward;
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

    if (d->knob != KNOB_rate_to_set_on_first_cnp)
        return value > 0 ? value : value + d->automatic;
    return value > 0 ? value / s->line_mbps : AUTOMATIC_SHARE;
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
        if (knob == KNOB_rate_to_set_on_first_cnp)
            k->value[knob] = fmax(floor(inside[i] * s->line_mbps + 0.5), 1);
        k->value[knob] = clamp_real(k->value[knob], knob_info[knob].min, knob_info[knob].max);
    }
}
