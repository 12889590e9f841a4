/* src/tune/search/fingerprint.c - see fingerprint.h. */
#include "tune/search/fingerprint.h"
#include "base/rng.h"
#include "core/units.h"
#include "tune/rehearse/traffic/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOAD_APART      0.40     /* of log load, as in rehearse/traffic/model.c */
#define TWICE           0.70     /* of a log ratio */
#define ASYMMETRY_APART 0.25
#define ELEPHANTS_APART 0.40     /* twice what search_flows.c takes for the same */
#define SOME            0.05     /* of bits: bursts and collectives that carry less say nothing */

static double apart(double a, double b, double unit)
{
    return fabs(a - b) / unit;
}

static double log_apart(double a, double b, double unit)
{
    return a > 0 && b > 0 ? fabs(rng_log(a / b)) / unit : 0;
}

/* ---- making one ---- */

/* Half the mean deviation over the mean is the share of bytes that would have to move. */
static void look_at_uplinks(struct fingerprint_interval *x, const struct report *r, uint32_t *hosts)
{
    double sum = 0, off = 0;

    *hosts = 0;
    for (uint32_t i = 0; i < r->ports; i++)
        if (r->port[i].is_uplink && r->port[i].rate_bps) {
            sum += (double)r->port[i].tx_bytes * 8 / (double)r->port[i].rate_bps;
            ++*hosts;
        }
    if (sum <= 0)
        return;
    for (uint32_t i = 0; i < r->ports; i++)
        if (r->port[i].is_uplink && r->port[i].rate_bps)
            off += fabs((double)r->port[i].tx_bytes * 8 / (double)r->port[i].rate_bps - sum / *hosts);
    x->busy = sum / *hosts / x->seconds;
    x->asymmetry = off / 2 / sum;
}

bool fingerprint_add(struct fingerprint_window *w, const struct report *r)
{
    struct fingerprint_interval *x = &w->last[w->count % FINGERPRINT_WINDOW];
    uint32_t                     hosts;

    if (r->end_ps <= r->start_ps)
        return false;
    *x = (struct fingerprint_interval){ .seconds = (double)(r->end_ps - r->start_ps) / (double)PS_PER_S, .fsd = r->fsd };
    look_at_uplinks(x, r, &hosts);
    if (x->busy <= 0)
        return false;
    x->has_seen = r->has_seen;
    if (r->has_seen)
        x->seen = r->seen;
    w->hosts = hosts;
    w->count++;
    return true;
}

void fingerprint_make(struct fingerprint *f, const struct fingerprint_window *w, uint32_t intervals)
{
    struct seen seen = { 0 };
    struct fsd  fsd = { 0 };
    double      seconds = 0;
    uint32_t    n = 0;
    bool        has_seen = true;

    *f = (struct fingerprint){ 0 };
    for (uint32_t i = intervals < FINGERPRINT_WINDOW ? intervals : FINGERPRINT_WINDOW; i-- > 0;) {
        const struct fingerprint_interval *x;

        if (i >= w->count)
            continue;
        x = &w->last[(w->count - 1 - i) % FINGERPRINT_WINDOW];
        seen_add(&seen, &x->seen);
        has_seen = has_seen && x->has_seen;
        fsd_add(&fsd, &x->fsd);
        seconds += x->seconds;
        f->busy += x->busy;
        f->asymmetry += x->asymmetry;
        n++;
    }
    if (n == 0)
        return;
    f->is_known = true;
    f->busy /= n;
    f->asymmetry /= n;
    f->elephants = fsd_elephant_share(&fsd);
    f->has_model = has_seen && model_make(&f->model, &seen, seconds, w->hosts);
}

/* ---- comparing ---- */

static double burst_share(const struct traffic_model *m)
{
    return m->bursts_per_s * m->burst_senders * m->burst_bytes * 8 / fmax(1, model_bps(m));
}

/* Of the job that carries most; 0: there is none, or it never pauses. */
static double pause_of(const struct traffic_model *m)
{
    const struct traffic_job *most = NULL;

    for (uint32_t i = 0; i < m->jobs; i++)
        if (!most || m->job[i].bps_per_host > most->bps_per_host)
            most = &m->job[i];
    return most && most->bps_per_host > SOME * model_bps(m) ? most->pause_s : 0;
}

static double models_apart(const struct traffic_model *a, const struct traffic_model *b)
{
    double sum = model_distance(a, b);

    if (burst_share(a) > SOME && burst_share(b) > SOME)
        sum = fmax(sum, log_apart(a->burst_senders, b->burst_senders, TWICE));
    return fmax(sum, log_apart(pause_of(a), pause_of(b), TWICE));
}

/* Collectives and closed loops post as fast as the setting lets them: there, how busy uplinks are is no sign of another traffic. */
double fingerprint_distance(const struct fingerprint *a, const struct fingerprint *b)
{
    double sum;

    if (!a->is_known || !b->is_known)
        return a->is_known == b->is_known ? 0 : HUGE_VAL;
    sum = fmax(apart(a->asymmetry, b->asymmetry, ASYMMETRY_APART), apart(a->elephants, b->elephants, ELEPHANTS_APART));
    return fmax(sum, a->has_model && b->has_model ? models_apart(&a->model, &b->model) : log_apart(a->busy, b->busy, LOAD_APART));
}

char *fingerprint_text(const struct fingerprint *f, char *buf, size_t size)
{
    size_t at;

    buf[0] = '\0';
    if (f->has_model)
        model_text(&f->model, buf, size);
    at = strlen(buf);
    snprintf(buf + at, size - at, "%suplinks %.0f %% busy", at ? "; " : "", 100 * f->busy);
    return buf;
}
