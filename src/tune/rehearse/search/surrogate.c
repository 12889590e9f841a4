/* src/tune/rehearse/search/surrogate.c - see surrogate.h. */
#include "tune/rehearse/search/surrogate.h"
#include "base/rng.h"
#include "core/units.h"
#include "learn/model.h"
#include "tune/cma.h"
#include "tune/rehearse/traffic/traffic_model.h"
#include "tune/rehearse/search/twin_search.h"
#include "tune/setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH        48          /* of hidden layers */
/* share of bits in collectives and closed loops above which it knows nothing */
#define FOLLOWING    0.2
#define DOUBT        1.0         /* standard deviations of heads that count against a setting */
#define BOUND_MORE   0.02        /* harm that is not counted: heads are not that sure */
#define GENERATIONS  60
#define POPULATION   16
#define SIGMA        0.15
#define LN2          0.69314718055994531

void surrogate_shape(struct net_shape *s)
{
    *s = (struct net_shape){ .inputs = SURROGATE_INPUTS, .layers = 3, .layer = {
        { .width = WIDTH, .activation = NET_TANH }, { .width = WIDTH, .activation = NET_TANH },
        { .width = SURROGATE_OUTPUTS, .activation = NET_LINEAR } } };
}

/* Ends the model. */
static int load_model(struct surrogate *s, struct model *m, const char *name, struct err *err)
{
    struct net_shape shape;
    const char      *error = model_get(m, "error");
    int              rc;

    surrogate_shape(&shape);
    rc = model_check(m, name, SURROGATE_KIND, &shape, err);
    if (!rc) {
        net_init(&s->net, &shape);
        net_copy(&s->net, &m->net);
        s->error = error ? strtod(error, NULL) : 0;
    }
    model_fini(m);
    return rc;
}

int surrogate_open(struct surrogate *s, const char *name, struct err *err)
{
    struct model m;
    struct err   why;
    int          rc;

    *s = (struct surrogate){ 0 };
    if (strcmp(name, "shipped") == 0 && twin_model_bytes == 0)
        return 0;                        /* a build without it begins with nothing */
    if (strcmp(name, "shipped") == 0)
        rc = model_parse(&m, name, twin_model, twin_model_bytes, &why);
    else
        rc = model_load(&m, name, &why);
    if (!rc)
        rc = load_model(s, &m, name, &why);
    return rc ? err_set(err, -rc, "model: %s", why.text) : 0;
}

void surrogate_close(struct surrogate *s)
{
    net_fini(&s->net);
}

/* ---- inputs ---- */

struct speeds { double hosts_bps, host_max, host_min, uplinks_bps, uplink_max, uplink_min; uint32_t hosts; };

static void add_port(struct speeds *s, const struct world *w, const struct world_port *p)
{
    double bps = (double)p->rate_bps;

    if (p->peer != WORLD_NONE && w->device[w->port[p->peer].device].tier == WORLD_HOSTS) {
        s->hosts_bps += bps;
        s->host_max = fmax(s->host_max, bps);
        s->host_min = s->hosts++ ? fmin(s->host_min, bps) : bps;
    } else {
        s->uplink_min = s->uplinks_bps > 0 ? fmin(s->uplink_min, bps) : bps;
        s->uplink_max = fmax(s->uplink_max, bps);
        s->uplinks_bps += bps;
    }
}

/* Of switches with hosts. */
static struct speeds speeds_of(const struct world *w)
{
    struct speeds s = { 0 };

    for (uint32_t i = 0; i < w->ports; i++)
        if (w->device[w->port[i].device].tier == WORLD_TORS)
            add_port(&s, w, &w->port[i]);
    if (!s.hosts)                        /* ports are not reported */
        s = (struct speeds){ (double)w->host_bps, (double)w->host_bps, (double)w->host_bps, 0, 0, 0, 1 };
    return s;
}

static float clipped(double x)
{
    return (float)fmin(2, fmax(-2, x));
}

static double log2_of(double x)
{
    return rng_log(fmax(1e-9, x)) / LN2;
}

static void look_at_network(const struct world *w, const struct speeds *s, double bdp, float *about)
{
    *about++ = clipped(log2_of((double)w->host_bps / 1e11) / 2);
    *about++ = clipped(log2_of(bdp / 1e5) / 3);
    *about++ = w->pfc_bytes_one ? clipped(log2_of((double)w->pfc_bytes_one / bdp) / 4) : 2;
    *about++ = s->uplinks_bps > 0 ? 1 : -1;
    *about++ = s->uplinks_bps > 0 ? clipped(log2_of(s->hosts_bps / s->uplinks_bps) / 2) : 0;
    *about++ = (float)(s->hosts_bps / s->hosts / s->host_max);
    *about++ = (float)(s->host_min / s->host_max);
    *about++ = s->uplinks_bps > 0 ? (float)(s->uplink_min / s->uplink_max) : 1;
    *about++ = clipped(log2_of(fmin(64, s->hosts) / 16) / 2);
}

/* Mean size, and mean size of the message that a byte is of. */
static void mean_sizes(const struct traffic_sizes *s, double *mean, double *of_bytes)
{
    double sum = 0, squares = 0;

    for (uint32_t i = 1; i < s->rows; i++) {
        double middle = (s->row[i - 1].bytes + s->row[i].bytes) / 2, share = s->row[i].p - s->row[i - 1].p;

        sum += share * middle;
        squares += share * middle * middle;
    }
    *mean = fmax(1, sum);
    *of_bytes = sum > 0 ? squares / sum : 1;
}

static void look_at_traffic(const struct traffic_model *m, const struct speeds *s, double bdp, float *about)
{
    double mean, of_bytes, host_bps = s->hosts_bps / s->hosts, load = m->bps_per_host / host_bps;
    double burst_bps = m->bursts_per_s * m->burst_senders * m->burst_bytes * 8;
    double up = s->uplinks_bps > 0 ? load * (1 - m->local) * s->hosts_bps / s->uplinks_bps : 0;

    mean_sizes(&m->sizes, &mean, &of_bytes);
    *about++ = clipped(2 * load - 1);
    for (int i = 0; i < PREDICT_CLASSES; i++)
        *about++ = (float)model_byte_share(m, i);
    *about++ = clipped(log2_of(mean / bdp) / 6);
    *about++ = clipped(log2_of(of_bytes / bdp) / 6);
    *about++ = s->uplinks_bps > 0 ? clipped(2 * m->local - 1) : 1;
    *about++ = clipped(4 * burst_bps / host_bps);
    *about++ = burst_bps > 0 ? clipped(log2_of(m->burst_senders) / 4) : 0;
    *about++ = burst_bps > 0 ? clipped(log2_of(m->burst_bytes * m->burst_senders / bdp) / 6) : 0;
    *about++ = clipped(2 * up - 1);
}

static void note_parts(struct surrogate_ask *a, const struct traffic_model *m)
{
    for (int i = 0; i < PREDICT_CLASSES; i++)
        a->has[GOAL_MICE + i] = model_byte_share(m, i) > 0
                                || (m->bursts_per_s > 0 &&
                                    (int)predict_class_of((uint64_t)m->burst_bytes) == i);
    a->has[GOAL_ALL] = true;
}

/* ---- outputs ---- */

void surrogate_input(const struct surrogate_ask *a, const double *unit, float *input)
{
    for (uint32_t i = 0; i < SURROGATE_ABOUT; i++)
        input[i] = a->about[i];
    for (uint32_t i = 0; i < SURROGATE_DIMS; i++)
        input[SURROGATE_ABOUT + i] = (float)(2 * unit[i] - 1);
}

static void run(const struct surrogate_ask *a, const double *unit, double part[SURROGATE_HEADS][GOAL_PARTS])
{
    float input[SURROGATE_INPUTS], output[SURROGATE_OUTPUTS];

    surrogate_input(a, unit, input);
    net_run(&a->surrogate->net, input, output);
    for (int h = 0; h < SURROGATE_HEADS; h++)
        for (int i = 0; i < GOAL_PARTS; i++)
            part[h][i] = (double)output[h * GOAL_PARTS + i] - a->base_part[h][i];
}

static double goal_of(const struct surrogate_ask *a, const double part[GOAL_PARTS])
{
    double sum = 0, weights = 0;

    for (int i = 0; i < GOAL_PARTS; i++)
        if (a->has[i]) {
            sum += a->goal->weight[i] * part[i];
            weights += a->goal->weight[i];
        }
    return weights > 0 ? sum / weights : part[GOAL_ALL];
}

static double harm_of(const struct surrogate_ask *a, const double part[GOAL_PARTS])
{
    double sum = 0;

    for (int i = GOAL_MICE; i < GOAL_PARTS; i++)
        sum += a->has[i] ? fmax(0, part[i] - a->goal->bound - BOUND_MORE) : 0;
    return sum;
}

struct surrogate_word surrogate_say(const struct surrogate_ask *a, const double *unit)
{
    double part[SURROGATE_HEADS][GOAL_PARTS], mean[GOAL_PARTS] = { 0 }, squares = 0, gain;

    run(a, unit, part);
    if (a->head >= 0)
        return (struct surrogate_word){ goal_of(a, part[a->head]),
                                        goal_of(a, part[a->head]) + harm_of(a, part[a->head]) };
    for (int h = 0; h < SURROGATE_HEADS; h++)
        for (int i = 0; i < GOAL_PARTS; i++)
            mean[i] += part[h][i] / SURROGATE_HEADS;
    gain = goal_of(a, mean);
    for (int h = 0; h < SURROGATE_HEADS; h++)
        squares += (goal_of(a, part[h]) - gain) * (goal_of(a, part[h]) - gain);
    return (struct surrogate_word){ gain,
                                    gain + DOUBT * sqrt(squares / (SURROGATE_HEADS - 1)) + harm_of(a, mean) };
}

bool surrogate_begin(struct surrogate_ask *a, const struct surrogate *s, const struct world *w,
                     const struct traffic_model *m, const struct goal *goal, const struct knobs *base)
{
    struct speeds speeds = speeds_of(w);
    double        bdp = fmax(1, (double)w->host_bps / 8 * (double)w->base_rtt_ps / (double)PS_PER_S);
    double        unit[CODED_DIMS_MAX], part[SURROGATE_HEADS][GOAL_PARTS];

    if (w->knobs || m->sizes.rows < 2 || model_following(m) > FOLLOWING)
        return false;
    *a = (struct surrogate_ask){ .surrogate = s, .world = w, .goal = goal, .base = *base, .head = -1 };
    coded_init(&a->coded, w);
    if (a->coded.dims > SURROGATE_DIMS)
        a->coded.dims = SURROGATE_DIMS;
    look_at_network(w, &speeds, bdp, a->about);
    look_at_traffic(m, &speeds, bdp, a->about + 9);
    note_parts(a, m);
    coded_from_knobs(&a->coded, base, unit);
    if (s)
        run(a, unit, part);
    for (int h = 0; s && h < SURROGATE_HEADS; h++)
        for (int i = 0; i < GOAL_PARTS; i++)
            a->base_part[h][i] = part[h][i];
    return true;
}

/* ---- proposals ---- */

static void propose(const struct surrogate_ask *a, struct surrogate_proposal *p, const struct knobs *k,
                    const char *name)
{
    double unit[CODED_DIMS_MAX];

    coded_from_knobs(&a->coded, k, unit);
    *p = (struct surrogate_proposal){ *k, name, surrogate_say(a, unit) };
}

static uint32_t propose_named(const struct surrogate_ask *a, const struct setting *list,
                              struct surrogate_proposal *out, uint32_t count)
{
    for (; list->name && count < SURROGATE_PROPOSALS; list++) {
        struct knobs k = a->base;

        list->make(&k, a->world);
        propose(a, &out[count++], &k, list->name);
    }
    return count;
}

static int by_score(const void *left, const void *right)
{
    const struct surrogate_proposal *a = left, *b = right;

    return (a->word.score > b->word.score) - (a->word.score < b->word.score);
}

/* CMA-ES costs nothing here. */
void surrogate_climb(const struct surrogate_ask *a, uint64_t seed, const struct knobs *from, struct knobs *to)
{
    struct cma *cma = xmalloc(sizeof(*cma));
    double      unit[CMA_DIMS_MAX], score[POPULATION];

    cma_init(cma, a->coded.dims, POPULATION, seed);
    coded_from_knobs(&a->coded, from, unit);
    cma_begin(cma, unit, SIGMA);
    for (uint32_t g = 0; g < GENERATIONS; g++) {
        for (uint32_t i = 0; i < POPULATION; i++) {
            cma_draw(cma, i, unit);
            score[i] = -surrogate_say(a, unit).score;
        }
        cma_learn(cma, score);
    }
    cma_mean(cma, unit);
    *to = a->base;
    coded_to_knobs(&a->coded, unit, to);
    free(cma);
}

uint32_t surrogate_propose(const struct surrogate_ask *a, uint64_t seed,
                           struct surrogate_proposal out[SURROGATE_PROPOSALS])
{
    struct knobs start[REHEARSE_STARTS], top;
    uint32_t     count = propose_named(a, setting_all, out, 0),
                 starts = rehearse_starts(a->world, &a->base, start);

    count = propose_named(a, setting_thresholds, out, count);
    for (uint32_t i = 0; i < starts && count < SURROGATE_PROPOSALS; i++)
        propose(a, &out[count++], &start[i], NULL);
    qsort(out, count, sizeof(*out), by_score);
    surrogate_climb(a, seed, &out[0].knobs, &top);
    if (count < SURROGATE_PROPOSALS)
        propose(a, &out[count++], &top, NULL);
    qsort(out, count, sizeof(*out), by_score);
    return count;
}
