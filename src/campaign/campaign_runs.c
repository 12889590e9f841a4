#include "campaign/campaign_runs.h"
#include "base/print/safe.h"
#include "report/metrics.h"
#include "report/page.h"
#include "run/progress.h"
#include "base/file/interrupt.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOGGED_S 60              /* between two lines of progress where there is no terminal */

enum { WITH_PAGE = 1 };          /* pool_job.flags */

/* A run's number is that of its variant and, counting faster, of its seed. */
static const struct variant *variant_of(const struct campaign_runs *c, uint32_t run)
{
    return &c->variants->list[run / c->seeds];
}

static uint64_t seed_of(const struct campaign_runs *c, uint32_t run)
{
    return c->seed[run % c->seeds];
}

/* ---- in a process of its own ---- */

static void write_metrics(const struct results *r, FILE *out)
{
    uint32_t count;
    struct metric *list = metrics_new(r, &count);
    json_t *made = json_object();

    for (uint32_t i = 0; i < count; i++)
        json_object_set_new(made, list[i].name,
                            isfinite(list[i].value) ? json_real(list[i].value) : json_null());
    json_dumpf(made, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(made);
    free(list);
}

/* Whether the simulation is the one that was meant: a file may have changed, or be another one here than on
 * the host of rank 0. */
static bool is_meant(const struct variant *v, const struct digest *digest, uint64_t seed, const char *key)
{
    struct variant read = *v;
    char is[DIGEST_TEXT_SIZE];

    read.digest = *digest;
    return strcmp(variant_key(is, &read, seed), key) == 0;
}

static void refuse(FILE *out)
{
    char host[65] = "";

    gethostname(host, sizeof(host) - 1);
    if (executor_is_mpi())
        fprintf(out, "on %s the program or a file that it reads is not that of rank 0", host);
    else
        fputs("a file that it reads has changed meanwhile; start again", out);
}

/* The figures on one line, the part of the page on the next; or the error. */
static int work(void *arg, const struct pool_job *job, FILE *out)
{
    const struct campaign_runs *c = arg;
    const struct variant *v = variant_of(c, job->number);
    uint64_t seed = seed_of(c, job->number);
    struct simulation s;
    struct digest digest;
    struct results r;
    struct err err;

    if (variant_open(v, &seed, &s, &digest, &err)) {
        fputs(err.text, out);
        return EXIT_FAILURE;
    }
    if (!is_meant(v, &digest, seed, job->key)) {
        refuse(out);
        return EXIT_FAILURE;
    }
    simulation_run(&s, NULL, NULL);
    if (simulation_failed(&s, &err)) {
        fputs(err.text, out);
        simulation_close(&s);
        return EXIT_FAILURE;
    }
    results_init(&r, &s);
    write_metrics(&r, out);
    if (job->flags & WITH_PAGE) {
        static const char *const no_files[] = { NULL };
        json_t *page = page_run(&r, v->name, no_files);

        json_dumpf(page, out, JSON_COMPACT);
        json_decref(page);
    }
    results_fini(&r);
    simulation_close(&s);
    return EXIT_SUCCESS;
}

/* ---- which is next ---- */

static void describe_job(const struct campaign_runs *c, uint32_t run, struct pool_job *job)
{
    *job = (struct pool_job){ .number = run, .flags = c->with_pages ? WITH_PAGE : 0 };
    _Static_assert(sizeof(job->key) >= DIGEST_TEXT_SIZE, "a key fits");
    variant_key(job->key, variant_of(c, run), seed_of(c, run));
}

/* Reads the store as late as possible: another campaign may use it too. */
static enum pool_next next(void *arg, struct pool_job *job)
{
    struct campaign_runs *c = arg;

    if (c->agains > 0) {
        describe_job(c, c->again[--c->agains], job);
        return POOL_JOB;
    }
    while (c->position < c->runs) {
        uint32_t variant = c->which[c->position % c->count], seed = c->position / c->count;

        c->position++;
        describe_job(c, variant * c->seeds + seed, job);
        if (campaign_has(c->store, job->key, c->with_pages, NULL) != 1)
            return POOL_JOB;
        c->kept++;
    }
    return POOL_NONE;
}

/* ---- what comes back ---- */

static void clear_progress(struct campaign_runs *c)
{
    if (c->is_drawn)
        fputs("\r\033[K", stderr);
    c->is_drawn = false;
}

/* Something is wrong with the run itself if it says so; else it has crashed, which may be the machine's
 * fault. */
static bool is_worth_another_try(struct campaign_runs *c, uint32_t run, int status, const char *text)
{
    bool has_crashed = WIFSIGNALED(status) || status == 0 || !*text;

    if (!has_crashed || c->is_second[run])
        return false;
    c->is_second[run] = 1;
    c->again = xrealloc(c->again, (c->agains + 1ul) * sizeof(*c->again));
    c->again[c->agains++] = run;
    return true;
}

static void print_failure(struct campaign_runs *c, uint32_t run, int status, const char *text)
{
    bool is_tried_again = is_worth_another_try(c, run, status, text);
    const char *behind = is_tried_again      ? "; trying once more"
                         : c->is_second[run] ? ", for the second time"
                                             : "";

    c->failed += !is_tried_again;
    clear_progress(c);
    safe_printf(stderr, "anole: variant '%s', seed %" PRIu64 ": ", variant_of(c, run)->name, seed_of(c, run));
    if (WIFSIGNALED(status))
        fprintf(stderr, "ended by signal %d (%s)%s\n", WTERMSIG(status), strsignal(WTERMSIG(status)), behind);
    else if (status != 0 && *text)
        fprintf(stderr, "%s\n", safe_name(text).buf);
    else
        fprintf(stderr, "ended with status %d and without results%s\n", WEXITSTATUS(status), behind);
}

static int done(void *arg, const struct pool_job *job, int status, const char *text, size_t length)
{
    struct campaign_runs *c = arg;
    const struct variant *v = variant_of(c, job->number);
    char *metrics, *page;
    int rc;

    if (status != 0 || !strchr(text, '\n')) {
        print_failure(c, job->number, status, text);
        return 0;
    }
    metrics = xmalloc(length + 1);
    memcpy(metrics, text, length + 1);
    page = strchr(metrics, '\n');
    *page++ = '\0';
    /* All results that come in at once are one transaction: see tick(). */
    rc = campaign_begin(c->store, c->err);
    if (!rc)
        rc = campaign_add(c->store,
                          &(struct campaign_run){ job->key, v->name, seed_of(c, job->number), metrics,
                                                  *page ? page : NULL },
                          c->err);
    c->simulated += rc == 0;
    free(metrics);
    return rc;
}

/* On a terminal a line that is redrawn; in the log of a large job a line now and then. */
static void draw_progress(struct campaign_runs *c, uint32_t running)
{
    double now_s = progress_clock_s(), passed_s = now_s - c->start_s;
    uint32_t ended = c->simulated + c->failed, left = c->runs - c->kept - ended;
    bool is_terminal = isatty(STDERR_FILENO);

    if (c->is_quiet || (!is_terminal && !executor_is_mpi()) || passed_s < 1 ||
        now_s - c->drawn_s < (is_terminal ? 0.2 : LOGGED_S))
        return;
    fprintf(stderr, "%s%u of %u runs done, %u running", is_terminal ? "\r\033[K" : "anole: ", c->runs - left,
            c->runs, running);
    if (ended > 0) {
        unsigned left_s = (unsigned)(passed_s / ended * left);

        fprintf(stderr, ", about %u:%02u:%02u left", left_s / 3600, left_s / 60 % 60, left_s % 60);
    }
    if (!is_terminal)
        fputc('\n', stderr);
    c->drawn_s = now_s;
    c->is_drawn = is_terminal;
}

static int tick(void *arg, uint32_t running)
{
    struct campaign_runs *c = arg;

    draw_progress(c, running);
    return campaign_commit(c->store, c->err);
}

/* ---- all of them ---- */

static uint32_t slots_of(const struct campaign_runs *c)
{
    cpu_set_t set;

    if (c->slots)
        return c->slots < POOL_WORKERS_MAX ? c->slots : POOL_WORKERS_MAX;
    if (executor_is_mpi())
        return 1;                /* there is a rank for every core */
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

int campaign_runs_open(struct campaign_runs *c, struct err *err)
{
    c->hooks = (struct pool_hooks){ .arg = c, .next = next, .work = work, .done = done, .tick = tick,
                                    .wake = -1 };
    c->is_second = xcalloc((uint64_t)c->variants->count * c->seeds, 1);
    if (!c->store_path && !c->is_quiet)
        fputs("anole: note: results are not saved. Add --out or --store to be able to resume\n", stderr);
    return executor_open(&c->executor, &c->hooks, slots_of(c), err);
}

static int report_interruption(const struct campaign_runs *c, int signal_number, struct err *err)
{
    if (c->store_path)
        err_write(err, "interrupted: %u of %u runs are in %s; the same command goes on from there",
                  c->kept + c->simulated, c->runs, c->store_path);
    else
        err_write(err, "interrupted; nothing is kept without --out or --store");
    return signal_number;
}

int campaign_runs_do(struct campaign_runs *c, const uint32_t *which, uint32_t count, bool with_pages,
                     struct err *err)
{
    int rc;

    c->which = which;
    c->count = count;
    c->with_pages = with_pages;
    c->runs = count * c->seeds;
    c->position = c->kept = c->simulated = c->failed = 0;
    c->err = err;
    c->start_s = c->drawn_s = progress_clock_s();
    rc = executor_run(c->executor);
    clear_progress(c);
    if (campaign_commit(c->store, rc ? NULL : err) && !rc)
        rc = -EIO;
    if (rc > 0)
        return report_interruption(c, rc, err);
    if (rc == -EAGAIN || rc == -ENOMEM || rc == -EMFILE || rc == -EPIPE)
        return err_set(err, -rc, "no process for a run could be started: %s", strerror(-rc));
    if (!rc && c->failed)
        rc = err_set(err, EIO, "%u of %u runs failed%s%s", c->failed, c->runs,
                     c->store_path ? "; the others are kept in " : "", c->store_path ? c->store_path : "");
    return rc;
}

void campaign_runs_print(const struct campaign_runs *c)
{
    if (c->store_path && !c->is_quiet)
        fprintf(stderr, "anole: %u runs simulated, %u were in %s\n", c->simulated, c->kept,
                safe_name(c->store_path).buf);
}

void campaign_runs_close(struct campaign_runs *c)
{
    executor_close(c->executor);
    free(c->again);
    free(c->is_second);
    c->executor = NULL;
    c->again = NULL;
    c->is_second = NULL;
}

int campaign_runs_serve(struct campaign_runs *c, struct err *err)
{
    c->hooks = (struct pool_hooks){ .arg = c, .work = work };
    variant_read_program();
    return executor_serve(&c->hooks, slots_of(c), err);
}

/* ---- plan ---- */

static int read_files(struct plan *p, struct err *err)
{
    const struct campaign_request *r = p->request;
    int rc = 0;

    p->file = xcalloc(r->paths, sizeof(*p->file));
    for (uint32_t i = 0; i < r->paths && !rc; i++)
        rc = scenario_file_read(&p->file[i], r->path[i], err);
    return rc;
}

static int combine(struct plan *p, const struct axis *others, uint32_t count, uint32_t max, struct err *err)
{
    const struct campaign_request *r = p->request;
    uint32_t axes = 0;
    int rc;

    axis_of_files(&p->files, p->file, r->paths);
    p->axis = xcalloc(r->varies + count + 2ul, sizeof(*p->axis));
    p->axis[axes++] = p->files;
    if (r->named.choices > 0)
        p->axis[axes++] = r->named;
    for (uint32_t i = 0; i < r->varies; i++)
        p->axis[axes++] = r->vary[i];
    for (uint32_t i = 0; i < count; i++)
        p->axis[axes++] = others[i];
    rc = variants_init(&p->variants, p->axis, axes, p->file, r->set, r->sets, max, err);
    for (uint32_t i = 0; !rc && i < p->variants.count; i++)
        p->variants.list[i].until_ps = r->until_ps;
    if (!rc && (uint64_t)p->variants.count * r->seeds > CAMPAIGN_RUNS_MAX)
        rc = err_set(err, EINVAL, "more than %u runs", CAMPAIGN_RUNS_MAX);
    return rc;
}

int plan_open(struct plan *p, const struct campaign_request *r, const struct axis *others, uint32_t count,
              uint32_t max, struct err *err)
{
    int rc;

    *p = (struct plan){ .request = r };
    rc = read_files(p, err);
    rc = rc ? rc : combine(p, others, count, max, err);
    p->runs = (struct campaign_runs){ .variants = &p->variants, .seed = r->seed, .seeds = r->seeds,
                                      .slots = r->jobs, .is_quiet = r->is_quiet };
    return rc;
}

static char *path_beside(const char *out)
{
    size_t length = strlen(out);

    while (length > 1 && out[length - 1] == '/')
        length--;
    return xprintf("%.*s.sqlite", (int)length, out);
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
    p->store_path = r->store ? xstrdup(r->store) : r->out ? path_beside(r->out) : NULL;
    rc = campaign_open(&p->store, p->store_path, err);
    if (rc)
        return rc;
    p->runs.store = p->store;
    p->runs.store_path = p->store_path;
    return campaign_runs_open(&p->runs, err);
}

int plan_commit(struct plan *p, struct err *err)
{
    int rc;

    interrupt_hold();
    rc = outdir_commit(p->dir, err);
    p->dir = NULL;
    interrupt_end();
    return rc;
}

void plan_close(struct plan *p)
{
    campaign_runs_close(&p->runs);
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
