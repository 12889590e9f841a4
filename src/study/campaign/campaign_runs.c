#include "study/campaign/campaign_runs.h"
#include "base/print/safe.h"
#include "study/report/metrics.h"
#include "study/report/page.h"
#include "base/file/interrupt.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MPI_LOG_S 60

enum { WITH_PAGE = 1 };          /* pool_job.flags */

/* A run's number is that of its variant and, counting faster, of its seed. */
static const struct variant *variant_of(const struct plan *p, uint32_t run)
{
    return &p->variants.list[run / p->request->seeds];
}

static uint64_t seed_of(const struct plan *p, uint32_t run)
{
    return p->request->seed[run % p->request->seeds];
}

/* ---- in a process of its own ---- */

/* Refuses to run another simulation than rank 0 asked for: a file may have changed, or differ between
 * hosts. */
static int check_key(const struct variant *v, const struct digest *digest, uint64_t seed, const char *key,
                     struct err *err)
{
    struct variant read = *v;
    char           is[DIGEST_TEXT_SIZE], host[65] = "";

    read.digest = *digest;
    if (strcmp(variant_key(is, &read, seed), key) == 0)
        return 0;
    gethostname(host, sizeof(host) - 1);
    if (executor_is_mpi())
        return err_set(err, EINVAL, "on %s the program or a file that it reads is not that of rank 0", host);
    return err_set(err, EINVAL, "a file that it reads has changed meanwhile; start again");
}

/* The figures on one line, the part of the page on the next. */
static void write_run(const struct simulation *s, const char *name, bool with_page, FILE *out)
{
    static const char *const no_files[] = { NULL };
    struct results           r;
    uint32_t                 count;

    results_init(&r, s);
    struct metric *list = metrics_new(&r, &count);
    json_t        *made = json_object();
    for (uint32_t i = 0; i < count; i++)
        json_object_set_new(made, list[i].name,
                            isfinite(list[i].value) ? json_real(list[i].value) : json_null());
    json_dumpf(made, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(made);
    free(list);
    if (with_page) {
        json_t *page = page_run(&r, name, no_files);

        json_dumpf(page, out, JSON_COMPACT);
        json_decref(page);
    }
    results_fini(&r);
}

/* Writes the run, or the error. */
static int work(void *arg, const struct pool_job *job, FILE *out)
{
    const struct plan    *p = arg;
    const struct variant *v = variant_of(p, job->number);
    uint64_t              seed = seed_of(p, job->number);
    struct simulation     s;
    struct digest         digest;
    struct err            err;
    int                   rc = variant_open(v, &seed, &s, &digest, &err);

    if (!rc) {
        rc = check_key(v, &digest, seed, job->key, &err);
        if (!rc) {
            simulation_run(&s, NULL, NULL);
            rc = simulation_failed(&s, &err);
        }
        if (!rc)
            write_run(&s, v->name, job->flags & WITH_PAGE, out);
        simulation_close(&s);
    }
    if (rc)
        fputs(err.text, out);
    return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- which is next ---- */

static void describe_job(const struct plan *p, uint32_t run, struct pool_job *job)
{
    *job = (struct pool_job){ .number = run, .flags = p->with_pages ? WITH_PAGE : 0 };
    _Static_assert(sizeof(job->key) >= DIGEST_TEXT_SIZE, "a key fits");
    variant_key(job->key, variant_of(p, run), seed_of(p, run));
}

/* Reads the store as late as possible: another campaign may use it too. */
static enum pool_next next(void *arg, struct pool_job *job)
{
    struct plan *p = arg;

    if (p->agains > 0) {
        describe_job(p, p->again[--p->agains], job);
        return POOL_JOB;
    }
    while (p->position < p->runs) {
        uint32_t variant = p->which[p->position % p->count], seed = p->position / p->count;

        p->position++;
        describe_job(p, variant * p->request->seeds + seed, job);
        if (campaign_has(p->store, job->key, p->with_pages, NULL) != 1)
            return POOL_JOB;
        p->kept++;
    }
    return POOL_NONE;
}

/* ---- what comes back ---- */

/* A run that reports an error is not retried. One that ends without a reason has crashed, perhaps because of
 * the machine, and is retried once. */
static void print_failure(struct plan *p, uint32_t run, int status, const char *text)
{
    bool        has_crashed = WIFSIGNALED(status) || status == 0 || !*text;
    bool        is_tried_again = has_crashed && !p->is_second[run];
    const char *behind = is_tried_again      ? "; trying once more"
                         : p->is_second[run] ? ", for the second time"
                                             : "";

    if (is_tried_again) {
        p->is_second[run] = 1;
        p->again = xrealloc(p->again, (p->agains + 1ul) * sizeof(*p->again));
        p->again[p->agains++] = run;
    }
    p->failed += !is_tried_again;
    progress_clear(&p->progress);
    safe_printf(stderr, "anole: variant '%s', seed %" PRIu64 ": ", variant_of(p, run)->name, seed_of(p, run));
    if (WIFSIGNALED(status))
        fprintf(stderr, "ended by signal %d (%s)%s\n", WTERMSIG(status), strsignal(WTERMSIG(status)), behind);
    else if (status != 0 && *text)
        fprintf(stderr, "%s\n", safe_name(text).buf);
    else
        fprintf(stderr, "ended with status %d and without results%s\n", WEXITSTATUS(status), behind);
}

static int done(void *arg, const struct pool_job *job, int status, const char *text, size_t length)
{
    struct plan *p = arg;

    if (status != 0 || !strchr(text, '\n')) {
        print_failure(p, job->number, status, text);
        return 0;
    }
    char *metrics = xcopy(text, length + 1, 1), *page = strchr(metrics, '\n');
    *page++ = '\0';
    const struct campaign_run run = { job->key, variant_of(p, job->number)->name, seed_of(p, job->number),
                                      metrics, *page ? page : NULL };
    /* All results that come in at once are one transaction: see tick(). */
    int rc = campaign_begin(p->store, p->err);
    rc = rc ? rc : campaign_add(p->store, &run, p->err);
    p->simulated += rc == 0;
    free(metrics);
    return rc;
}

static int tick(void *arg, uint32_t running)
{
    struct plan *p = arg;

    progress_update_runs(&p->progress, p->kept, p->kept + p->simulated + p->failed, p->runs, running);
    return campaign_commit(p->store, p->err);
}

/* ---- all of them ---- */

static uint32_t slots_of(const struct campaign_request *r)
{
    cpu_set_t set;

    if (r->jobs)
        return r->jobs;
    if (executor_is_mpi())
        return 1;                /* there is a rank for every core */
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static int report_interruption(const struct plan *p, int signal_number, struct err *err)
{
    if (p->store_path)
        err_write(err, "interrupted: %u of %u runs are in %s; the same command goes on from there",
                  p->kept + p->simulated, p->runs, p->store_path);
    else
        err_write(err, "interrupted; nothing is kept without --out or --store");
    return signal_number;
}

int plan_run(struct plan *p, const uint32_t *which, uint32_t count, bool with_pages, struct err *err)
{
    p->which = which;
    p->count = count;
    p->with_pages = with_pages;
    p->runs = count * p->request->seeds;
    p->position = p->kept = p->simulated = p->failed = 0;
    p->err = err;
    progress_start(&p->progress, !p->request->is_quiet);
    if (executor_is_mpi() && !p->request->is_quiet)
        progress_log(&p->progress, MPI_LOG_S);
    int rc = executor_run(p->executor);
    progress_clear(&p->progress);
    if (campaign_commit(p->store, rc ? NULL : err) && !rc)
        rc = -EIO;
    if (rc > 0)
        return report_interruption(p, rc, err);
    if (rc == -EAGAIN || rc == -ENOMEM || rc == -EMFILE || rc == -EPIPE)
        return err_set(err, -rc, "no process for a run could be started: %s", strerror(-rc));
    if (!rc && p->failed)
        rc = err_set(err, EIO, "%u of %u runs failed%s%s", p->failed, p->runs,
                     p->store_path ? "; the others are kept in " : "", p->store_path ? p->store_path : "");
    return rc;
}

void plan_print(const struct plan *p)
{
    if (p->store_path && !p->request->is_quiet)
        fprintf(stderr, "anole: %u runs simulated, %u were in %s\n", p->simulated, p->kept,
                safe_name(p->store_path).buf);
}

int plan_serve(struct plan *p, struct err *err)
{
    p->hooks = (struct pool_hooks){ .arg = p, .work = work };
    variant_read_program();
    return executor_serve(&p->hooks, slots_of(p->request), err);
}

/* ---- plan ---- */

static int combine(struct plan *p, const struct axis *others, uint32_t count, uint32_t max, struct err *err)
{
    const struct campaign_request *r = p->request;
    uint32_t axes = 0;

    axis_of_files(&p->files, p->file, r->paths);
    p->axis = xcalloc(r->varies + count + 2ul, sizeof(*p->axis));
    p->axis[axes++] = p->files;
    if (r->named.choices > 0)
        p->axis[axes++] = r->named;
    for (uint32_t i = 0; i < r->varies; i++)
        p->axis[axes++] = r->vary[i];
    for (uint32_t i = 0; i < count; i++)
        p->axis[axes++] = others[i];
    int rc = variants_init(&p->variants, p->axis, axes, p->file, r->set, r->sets, max, err);
    for (uint32_t i = 0; !rc && i < p->variants.count; i++)
        p->variants.list[i].until_ps = r->until_ps;
    if (!rc && (uint64_t)p->variants.count * r->seeds > CAMPAIGN_RUNS_MAX)
        rc = err_set(err, EINVAL, "more than %u runs", CAMPAIGN_RUNS_MAX);
    return rc;
}

int plan_open(struct plan *p, const struct campaign_request *r, const struct axis *others, uint32_t count,
              uint32_t max, struct err *err)
{
    int rc = 0;

    *p = (struct plan){ .request = r, .file = xcalloc(r->paths, sizeof(*p->file)) };
    for (uint32_t i = 0; i < r->paths && !rc; i++)
        rc = scenario_file_read(&p->file[i], r->path[i], err);
    return rc ? rc : combine(p, others, count, max, err);
}

/* The folder of results is replaced by another, while the store is open. */
static int check_store(const char *store, const char *out, struct err *err)
{
    char *folder = xstrdup(store), *slash = strrchr(folder, '/'), *real, *real_out = realpath(out, NULL);
    int rc = 0;

    if (slash)
        slash[slash == folder] = '\0';
    real = realpath(slash ? folder : ".", NULL);
    if (real && real_out && strncmp(real, real_out, strlen(real_out)) == 0 &&
        strchr("/", real[strlen(real_out)]))
        rc =
            err_set(err, EINVAL, "%s: lies in the folder that --out replaces; name a file outside it", store);
    free(real);
    free(real_out);
    free(folder);
    return rc;
}

int plan_start(struct plan *p, const char *kind, struct err *err)
{
    const struct campaign_request *r = p->request;
    int rc = r->store && r->out ? check_store(r->store, r->out, err) : 0;

    if (!rc && r->out)
        rc = outdir_open(&p->dir, r->out, kind, err);
    if (rc)
        return rc;
    if (r->store) {
        p->store_path = xstrdup(r->store);
    } else if (r->out) {
        size_t length = strlen(r->out);

        while (length > 1 && r->out[length - 1] == '/')
            length--;
        p->store_path = xprintf("%.*s.sqlite", (int)length, r->out);
    }
    rc = campaign_open(&p->store, p->store_path, err);
    if (rc)
        return rc;
    p->hooks = (struct pool_hooks){ .arg = p, .next = next, .work = work, .done = done, .tick = tick,
                                    .wake = -1 };
    p->is_second = xcalloc((uint64_t)p->variants.count * r->seeds, 1);
    if (!p->store_path && !r->is_quiet)
        fputs("anole: note: results are not saved. Add --out or --store to be able to resume\n", stderr);
    return executor_open(&p->executor, &p->hooks, slots_of(r), err);
}

int plan_commit(struct plan *p, struct err *err)
{
    interrupt_hold();
    int rc = outdir_commit(p->dir, err);
    p->dir = NULL;
    interrupt_end();
    return rc;
}

void plan_close(struct plan *p)
{
    executor_close(p->executor);
    free(p->again);
    free(p->is_second);
    outdir_abort(p->dir);
    campaign_close(p->store);
    variants_fini(&p->variants);
    axis_fini(&p->files);
    for (uint32_t i = 0; p->file && i < p->request->paths; i++)
        scenario_file_fini(&p->file[i]);
    free(p->file);
    free(p->axis);
    free(p->store_path);
    *p = (struct plan){ 0 };
}
