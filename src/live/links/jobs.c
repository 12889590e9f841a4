#include "live/links/jobs.h"
#include "base/err.h"
#include "base/minmax.h"
#include "live/controller/roster.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which ---- */

static void read_patterns(struct reader *r, const struct yaml_node *list, struct job_names *j)
{
    if (list->kind != YAML_LIST || !list->count || list->count > JOBS_PATTERNS_MAX)
        reader_refuse(r, list, "%s: a list of 1 to %u names or patterns of devices is wanted", list->key,
                      JOBS_PATTERNS_MAX);
    for (const struct yaml_node *n = list->kind == YAML_LIST ? list->child : NULL; n && !r->rc; n = n->next) {
        if (n->kind != YAML_SCALAR || !*n->text || strlen(n->text) >= MSG_NAME_SIZE)
            reader_refuse(r, n, "a name of a device is wanted, or a pattern such as 'rack7-*'");
        else
            j->pattern[j->patterns++] = xstrdup(n->text);
    }
}

void jobs_read(struct reader *r, const struct yaml_node *map, struct job_list *l)
{
    *l = (struct job_list){ 0 };
    if (!map || r->rc)
        return;
    if (map->kind != YAML_MAP || map->count > JOBS_MAX) {
        reader_refuse(r, map, "jobs is a map of at most %u names, each with a list of devices", JOBS_MAX);
        return;
    }
    l->job = xcalloc(map->count + 1ul, sizeof *l->job);
    for (const struct yaml_node *n = map->child; n && !r->rc; n = n->next) {
        struct job_names *j = &l->job[l->jobs++];

        if (!*n->key || strlen(n->key) >= sizeof j->name)
            reader_refuse_key(r, n, "the name of a job has 1 to %d characters", JOBS_NAME_SIZE - 1);
        else
            memcpy(j->name, n->key, strlen(n->key) + 1);
        read_patterns(r, n, j);
    }
}

void jobs_list_fini(struct job_list *l)
{
    for (uint32_t i = 0; i < l->jobs; i++)
        for (uint32_t k = 0; k < l->job[i].patterns; k++)
            free(l->job[i].pattern[k]);
    free(l->job);
    *l = (struct job_list){ 0 };
}

void jobs_init(struct jobs *s, const struct job_list *list)
{
    *s = (struct jobs){ .list = list, .past = xcalloc(list->jobs + 1ul, sizeof *s->past) };
}

void jobs_fini(struct jobs *s)
{
    free(s->past);
    free(s->is_in);
    *s = (struct jobs){ 0 };
}

static bool has_device(const struct job_names *j, const char *name)
{
    for (uint32_t i = 0; i < j->patterns; i++)
        if (fnmatch(j->pattern[i], name, 0) == 0)
            return true;
    return false;
}

static void find_devices(struct jobs *s, const struct controller *c)
{
    s->is_in = xrealloc(s->is_in, ((size_t)c->peers * s->list->jobs + 1) * sizeof *s->is_in);
    if (s->roster != c->roster)
        s->devices = 0;          /* one may have been forgotten, and others have moved */
    s->roster = c->roster;
    for (; s->devices < c->peers; s->devices++)
        for (uint32_t k = 0; k < s->list->jobs; k++)
            s->is_in[(size_t)s->devices * s->list->jobs + k] = has_device(&s->list->job[k],
                                                                          c->peer[s->devices].name);
}

/* ---- looking ---- */

/* Mean over hosts that it was measured to, in round trips of the empty network; NAN: not known. */
static double stretch(const struct peer *p)
{
    double   sum = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; p->has_detail && i < p->detail->pairs; i++) {
        const struct msg_pair *q = &p->detail->pair[i];

        if (q->rtt_samples && q->base_rtt_ps) {
            sum += (double)q->rtt_ps_sum / (double)q->rtt_samples / (double)q->base_rtt_ps;
            count++;
        }
    }
    return count ? sum / count : NAN;
}

/* The sum that follows counts the looks with a value. */
static void add_known(struct job_point *to, enum job_sum which, double value)
{
    to->sum[which] += isnan(value) ? 0 : value;
    to->sum[which + 1] += !isnan(value);
}

static void add_nic(struct job_point *to, const struct controller *c, uint32_t i, uint64_t now_us)
{
    const struct peer       *p = &c->peer[i];
    const struct msg_sample *m = &p->sample;

    to->nics++;
    if (!roster_is_fresh(c, p, now_us)) {
        to->silent++;
        return;
    }
    if (!m->interval_us || m->is_brief)
        return;
    to->sum[JOB_LOOKS]++;
    to->sum[JOB_CNPS] += m->cnps > 0;
    to->sum[JOB_CNPS_KNOWN] += !(m->unknown & MSG_UNKNOWN(cnps));
    to->sum[JOB_RETRANSMISSIONS] += m->retransmissions > 0;
    add_known(to, JOB_PAUSED, m->paused);
    add_known(to, JOB_USE, msg_use(m));
    add_known(to, JOB_RTT, stretch(p));
    if (m->paused > to->paused_most) {
        to->paused_most = m->paused;
        to->paused_most_at = i;
    }
}

void jobs_look(struct jobs *s, const struct controller *c, uint64_t now_us)
{
    uint32_t         jobs = s->list ? s->list->jobs : 0;
    struct job_point now[JOBS_MAX + 1] = { 0 };

    if (!jobs)
        return;
    if (c->peers != s->devices || c->roster != s->roster)
        find_devices(s, c);
    for (uint32_t i = 0; i < c->peers; i++) {
        bool is_free = true;

        for (uint32_t k = 0; k <= jobs && c->peer[i].where == KNOB_NIC; k++)
            if (k == jobs ? is_free : s->is_in[(size_t)i * jobs + k]) {
                add_nic(&now[k], c, i, now_us);
                is_free = false;
            }
    }
    for (uint32_t k = 0; k <= jobs; k++)
        s->past[k].point[s->past[k].looks++ % JOBS_POINTS] = now[k];
}

/* ---- as JSON ---- */

static struct job_point sum_of(const struct job_past *past)
{
    struct job_point sum = { 0 };

    for (uint32_t i = 0; i < min_u64(past->looks, JOBS_POINTS); i++) {
        const struct job_point *p = &past->point[i];

        for (int k = 0; k < JOB_SUMS; k++)
            sum.sum[k] += p->sum[k];
        if (p->paused_most > sum.paused_most) {
            sum.paused_most = p->paused_most;
            sum.paused_most_at = p->paused_most_at;
        }
    }
    if (past->looks) {
        const struct job_point *last = &past->point[(past->looks - 1) % JOBS_POINTS];

        sum.nics = last->nics;
        sum.silent = last->silent;
    }
    return sum;
}

static double ratio(const struct job_point *p, enum job_sum a, enum job_sum b)
{
    return p->sum[b] > 0 ? p->sum[a] / p->sum[b] : NAN;
}

static json_t *signs_json(const struct job_point *p)
{
    const struct { const char *name; bool is_there; } sign[] = {
        { "paused", ratio(p, JOB_PAUSED, JOB_PAUSED_KNOWN) >= JOBS_PAUSED },
        { "CNPs", ratio(p, JOB_CNPS, JOB_CNPS_KNOWN) >= JOBS_CNPS },
        { "retransmissions", p->sum[JOB_RETRANSMISSIONS] > 0 },
        { "round trips", ratio(p, JOB_RTT, JOB_RTT_KNOWN) >= JOBS_RTT },
    };
    json_t *list = json_array();

    for (size_t i = 0; i < sizeof sign / sizeof *sign; i++)
        if (sign[i].is_there)
            json_array_append_new(list, json_string(sign[i].name));
    return list;
}

static json_t *job_json(const char *name, const struct job_past *past, const struct controller *c)
{
    struct job_point p = sum_of(past);
    bool             has_most = p.paused_most > 0 && p.paused_most_at < c->peers;

    return JSON_OF({ "name", json_of_text(name) },
                   { "seconds", json_of_count(min_u64(past->looks, JOBS_POINTS)) },
                   { "nics", json_of_count(p.nics) }, { "silent", json_of_count(p.silent) },
                   { "looks", json_of_count((uint64_t)p.sum[JOB_LOOKS]) },
                   { "utilisation", json_of_number(ratio(&p, JOB_USE, JOB_USE_KNOWN)) },
                   { "paused", json_of_number(ratio(&p, JOB_PAUSED, JOB_PAUSED_KNOWN)) },
                   { "paused_most", json_of_number(p.sum[JOB_PAUSED_KNOWN] > 0 ? p.paused_most : NAN) },
                   { "paused_most_at", json_of_text(has_most ? c->peer[p.paused_most_at].name : "") },
                   { "with_cnps", json_of_number(ratio(&p, JOB_CNPS, JOB_CNPS_KNOWN)) },
                   { "with_retransmissions", json_of_number(ratio(&p, JOB_RETRANSMISSIONS, JOB_LOOKS)) },
                   { "rtt_stretch", json_of_number(ratio(&p, JOB_RTT, JOB_RTT_KNOWN)) },
                   { "signs", signs_json(&p) });
}

json_t *jobs_json(const struct jobs *s, const struct controller *c)
{
    if (!s->list || !s->list->jobs)
        return NULL;
    json_t *list = json_array();
    for (uint32_t k = 0; k <= s->list->jobs; k++)
        json_array_append_new(list, job_json(k < s->list->jobs ? s->list->job[k].name : "", &s->past[k], c));
    return list;
}
