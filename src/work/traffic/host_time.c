#include "work/traffic/host_time.h"
#include "base/text.h"
#include "core/units.h"
#include "work/traffic/read.h"

#include <stdlib.h>
#include <string.h>

struct host_cpus {
    struct host_times times;
    uint64_t         *free_ps;   /* by worker: its CPU is busy until then */
};

/* ---- distributions ---- */

static uint64_t draw(const struct host_time *t, struct rng *rng)
{
    switch (t->kind) {
    case TIME_FIXED:       return t->ps;
    case TIME_UNIFORM:     return t->ps + rng_below(rng, t->ps_max - t->ps + 1);
    case TIME_EXPONENTIAL: return (uint64_t)(rng_exp(rng) * (double)t->ps);
    case TIME_TABLE:       return cdf_size(&t->table, rng_real(rng)) * PS_PER_NS;
    }
    return 0;
}

static bool is_set(const struct host_time *t)
{
    return t->kind != TIME_FIXED || t->ps;
}

bool host_times_are_set(const struct host_times *h)
{
    return is_set(&h->post) || is_set(&h->poll) || is_set(&h->think) || h->copy_bps;
}

void host_times_fini(struct host_times *h)
{
    cdf_fini(&h->post.table);
    cdf_fini(&h->poll.table);
    cdf_fini(&h->think.table);
}

/* ---- reading ---- */

/* "1us..3us" */
static int read_bounds(const char *text, const char *dots, struct host_time *t, struct err *why)
{
    char first[64];

    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    int rc = text_to_time(first, &t->ps, why);
    rc = rc ? rc : text_to_time(dots + 2, &t->ps_max, why);
    if (!rc && t->ps > t->ps_max)
        rc = err_set(why, EINVAL, "'%s' is not a range: its start is after its end", text);
    t->kind = TIME_UNIFORM;
    return rc;
}

void entry_host_time(const struct entry *e, const char *key, struct host_time *t)
{
    const char *text = section_text(&e->sec, key), *dots = text ? strstr(text, "..") : NULL;
    struct err  why;
    int         rc = 0;

    if (!text)
        return;
    if (dots && !strchr(text, '/')) {
        rc = read_bounds(text, dots, t, &why);
    } else if (strncmp(text, "exp ", 4) == 0) {
        t->kind = TIME_EXPONENTIAL;
        rc = text_to_time(text + 4, &t->ps, &why);
    } else if (strchr(text, '.') == NULL || (text[0] >= '0' && text[0] <= '9')) {
        rc = text_to_time(text, &t->ps, &why);
    } else {
        char *path = section_file(&e->sec, key);

        t->kind = TIME_TABLE;
        if (path)
            reader_keep(e->r, cdf_read(&t->table, path, NULL, &why), &why, section_get(&e->sec, key));
        free(path);
    }
    if (rc)
        section_refuse(&e->sec, key, "%s: %s", key, why.text);
}

void entry_host_times(const struct entry *e, struct host_times *h)
{
    entry_host_time(e, "post_time", &h->post);
    entry_host_time(e, "poll_time", &h->poll);
}

/* ---- CPUs ---- */

void job_use_host_time(struct job *j, struct host_times *times)
{
    j->cpus = xcalloc(1, sizeof *j->cpus);
    *j->cpus = (struct host_cpus){ *times, xcalloc(j->workers + 1ul, sizeof *j->cpus->free_ps) };
    *times = (struct host_times){ .copy_bps = times->copy_bps };
}

void host_time_free(struct job *j)
{
    if (!j->cpus)
        return;
    host_times_fini(&j->cpus->times);
    free(j->cpus->free_ps);
    free(j->cpus);
}

static uint64_t work(struct job *j, uint32_t worker, uint64_t now_ps, uint64_t ps)
{
    uint64_t *free_ps = &j->cpus->free_ps[worker];

    return *free_ps = (*free_ps > now_ps ? *free_ps : now_ps) + ps;
}

uint64_t job_cpu_post(struct job *j, uint32_t worker, uint64_t now_ps)
{
    return j->cpus ? work(j, worker, now_ps, draw(&j->cpus->times.post, job_rng(j, worker))) : now_ps;
}

uint64_t job_cpu_take(struct job *j, uint32_t worker, uint64_t now_ps, uint64_t bytes)
{
    uint64_t copy_bps = j->cpus ? j->cpus->times.copy_bps : 0;
    uint64_t copy_ps = copy_bps ? (uint64_t)((unsigned __int128)bytes * 8 * PS_PER_S / copy_bps) : 0;

    if (!j->cpus)
        return now_ps;
    return work(j, worker, now_ps, draw(&j->cpus->times.poll, job_rng(j, worker)) + copy_ps);
}

uint64_t job_think(struct job *j, uint32_t worker, uint64_t now_ps)
{
    return j->cpus ? now_ps + draw(&j->cpus->times.think, job_rng(j, worker)) : now_ps;
}
