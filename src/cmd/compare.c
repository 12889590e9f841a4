/* src/cmd/compare.c - anole compare: runs variants of a scenario with many seeds and tells which
 * differences are more than chance. */
#include "cmd/compare.h"
#include "base/outdir.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/compare_options.h"
#include "cmd/interrupt.h"
#include "cmd/page.h"
#include "cmd/pool.h"
#include "cmd/progress.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCENARIO_BYTES_MAX (64u << 20)
#define RUNS_MAX           1000000u

/* What is printed unless --metrics says otherwise, as far as the scenario has it. */
static const char metrics_default[] =
    "slowdown_mean,slowdown_p99,fct_us_p99,mice.slowdown_p99,elephants.slowdown_mean,goodput_bps,rtt_us_mean,"
    "paused_share,queue_bytes_max,marked_share,dropped_packets,during.slowdown_p99,during.goodput_bps,"
    "during.rtt_us_mean,*.iteration_us_mean,*.busbw_bps,*.iops,*.read_us_p99,*.write_us_p99,*.call_us_p99";

/* ---- what is compared ---- */

struct compare {
    struct options       opt;
    struct compare_file *file;
    struct axis          files;
    struct axis         *axis;           /* of files, of --variant, of each --vary; owned by others */
    struct variants      variants;
    struct comparison    comparison;
    char                *title;
    struct outdir       *dir;
    struct campaign     *store;
    char                *store_path;     /* NULL: in memory */
    uint32_t             runs, kept, simulated, failed;      /* kept: they were in the store */
    double               start_s, drawn_s;
    bool                 is_drawn;       /* a line of progress */
    struct err          *err;
};

static int read_files(struct compare *c, struct err *err)
{
    int rc = 0;

    c->file = xcalloc(c->opt.paths, sizeof(*c->file));
    for (uint32_t i = 0; i < c->opt.paths && !rc; i++) {
        struct compare_file *f = &c->file[i];

        f->path = c->opt.path[i];
        rc = text_read_file(f->path, SCENARIO_BYTES_MAX, &f->text, &f->text_bytes, err);
    }
    return rc;
}

static int combine(struct compare *c, struct err *err)
{
    const struct options *o = &c->opt;
    uint32_t axes = 0;
    int rc;

    axis_of_files(&c->files, c->file, o->paths);
    c->axis = xcalloc(o->varies + 2ul, sizeof(*c->axis));
    c->axis[axes++] = c->files;
    if (o->named.choices > 0)
        c->axis[axes++] = o->named;
    for (uint32_t i = 0; i < o->varies; i++)
        c->axis[axes++] = o->vary[i];
    rc = variants_init(&c->variants, c->axis, axes, c->file, o->set, o->sets, err);
    if (!rc && (uint64_t)c->variants.count * o->seeds > RUNS_MAX)
        rc = err_set(err, EINVAL, "more than %u runs", RUNS_MAX);
    return rc;
}

/* Opens the simulation of each variant, for its digest and its figures, and so that what is wrong is found
 * before anything runs. */
static int check_variants(struct compare *c, struct err *err)
{
    struct metric *list = xcalloc(METRICS_MAX, sizeof(*list));
    int rc = 0;

    for (uint32_t i = 0; i < c->variants.count && !rc; i++) {
        struct variant *v = &c->variants.list[i];
        struct simulation s;
        struct results r;

        rc = variant_open(v, &c->opt.seed[0], &s, &v->digest, err);
        if (rc)
            break;
        results_init(&r, &s);
        comparison_add_metrics(&c->comparison, list, metrics_of(&r, list));
        results_fini(&r);
        simulation_close(&s);
    }
    free(list);
    return rc;
}

/* Marks the figures that a name or pattern stands for; returns how many. */
static uint32_t show(struct comparison *c, const char *pattern)
{
    uint32_t shown = 0;

    for (uint32_t i = 0; i < c->rows; i++)
        if (fnmatch(pattern, c->row[i].metric.name, 0) == 0) {
            c->row[i].is_shown = true;
            shown++;
        }
    return shown;
}

static int refuse_metric(const struct comparison *c, const char *word, struct err *err)
{
    const char **names = xcalloc(c->rows + 2ul, sizeof(*names));
    char hint[160];

    for (uint32_t i = 0; i < c->rows; i++)
        names[i] = c->row[i].metric.name;
    names[c->rows] = "all";
    cmd_did_you_mean(hint, sizeof(hint), word, names);
    free(names);
    return err_set(err, EINVAL, "--metrics: '%s' is not a figure of these runs%s", word,
                   *hint ? hint : "; --format csv prints them all");
}

static int choose_metrics(struct comparison *c, const char *wanted, struct err *err)
{
    char *copy = xstrdup(wanted ? wanted : metrics_default), *rest = copy, *word;
    int rc = 0;

    while (!rc && (word = strsep(&rest, ",")))
        if (show(c, strcmp(word, "all") == 0 ? "*" : word) == 0 && wanted)
            rc = refuse_metric(c, word, err);
    free(copy);
    return rc;
}

/* "a.yaml, b.yaml" */
static char *title_of(const struct options *o)
{
    size_t length;
    char *text;
    FILE *f = open_memstream(&text, &length);

    if (!f)
        die("no memory");
    for (uint32_t i = 0; i < o->paths; i++) {
        const char *slash = strrchr(o->path[i], '/');

        fprintf(f, "%s%s", i ? ", " : "", slash ? slash + 1 : o->path[i]);
    }
    fclose(f);
    return text;
}

static int prepare(struct compare *c, struct err *err)
{
    int baseline, rc = read_files(c, err);

    if (!rc)
        rc = combine(c, err);
    if (rc)
        return rc;
    c->title = title_of(&c->opt);
    c->comparison = (struct comparison){ .variants = &c->variants, .seed = c->opt.seed, .seeds = c->opt.seeds,
                                         .title = c->title };
    baseline = c->opt.baseline ? variants_find(&c->variants, c->opt.baseline, err) : 0;
    if (baseline < 0)
        return baseline;
    c->comparison.baseline = (uint32_t)baseline;
    rc = check_variants(c, err);
    if (!rc)
        rc = choose_metrics(&c->comparison, c->opt.metrics, err);
    c->runs = c->variants.count * c->opt.seeds;
    return rc;
}

/* ---- where it goes ---- */

static char *path_beside(const char *out)
{
    size_t length = strlen(out);
    char *made = xmalloc(length + sizeof(".sqlite"));

    while (length > 1 && out[length - 1] == '/')
        length--;
    sprintf(made, "%.*s.sqlite", (int)length, out);
    return made;
}

/* The folder of results is replaced as a whole: what else is in it would be lost. */
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

static int open_places(struct compare *c, struct err *err)
{
    const struct options *o = &c->opt;
    int rc = 0;

    if (o->store && o->out)
        rc = check_store(o->store, o->out, err);
    if (!rc && o->out)
        rc = outdir_open(&c->dir, o->out, err);
    if (rc)
        return rc;
    c->store_path = o->store ? xstrdup(o->store) : o->out ? path_beside(o->out) : NULL;
    return campaign_open(&c->store, c->store_path, err);
}

/* ---- running ---- */

/* All variants of the first seed, then all of the second: an interrupted comparison has whole seeds. */
static const struct variant *variant_of(const struct compare *c, uint32_t job)
{
    return &c->variants.list[job % c->variants.count];
}

static uint64_t seed_of(const struct compare *c, uint32_t job)
{
    return c->opt.seed[job / c->variants.count];
}

static bool is_needed(void *arg, uint32_t job)
{
    struct compare *c = arg;
    char key[DIGEST_TEXT_SIZE];
    bool is_there = campaign_has(c->store, variant_key(key, variant_of(c, job), seed_of(c, job)), NULL) == 1;

    c->kept += is_there;
    return !is_there;
}

static void write_metrics(const struct results *r, FILE *out)
{
    struct metric *list = xcalloc(METRICS_MAX, sizeof(*list));
    uint32_t count = metrics_of(r, list);
    json_t *made = json_object();

    for (uint32_t i = 0; i < count; i++)
        json_object_set_new(made, list[i].name,
                            isfinite(list[i].value) ? json_real(list[i].value) : json_null());
    json_dumpf(made, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(made);
    free(list);
}

static void write_page(const struct results *r, const char *name, FILE *out)
{
    static const char *const no_files[] = { NULL };
    json_t *page = page_run(r, name, no_files);

    json_dumpf(page, out, JSON_COMPACT);
    json_decref(page);
}

/* In a process of its own: the figures on one line, the part of the page on the next; or what is wrong. */
static int work(void *arg, uint32_t job, FILE *out)
{
    const struct compare *c = arg;
    const struct variant *v = variant_of(c, job);
    uint64_t seed = seed_of(c, job);
    struct simulation s;
    struct digest digest;
    struct results r;
    struct err err;

    if (variant_open(v, &seed, &s, &digest, &err)) {
        fputs(err.text, out);
        return EXIT_FAILED;
    }
    if (digest.state != v->digest.state) {
        fputs("a file that it reads has changed meanwhile; compare again", out);
        return EXIT_FAILED;
    }
    simulation_run(&s, NULL, NULL);
    results_init(&r, &s);
    write_metrics(&r, out);
    if (c->store_path)
        write_page(&r, v->name, out);
    else
        fputs("null", out);
    results_fini(&r);
    simulation_close(&s);
    return EXIT_SUCCESS;
}

static void clear_progress(struct compare *c)
{
    if (c->is_drawn)
        fputs("\r\033[K", stderr);
    c->is_drawn = false;
}

static void tell_failure(struct compare *c, uint32_t job, int status, const char *text)
{
    c->failed++;
    clear_progress(c);
    fprintf(stderr, "anole: variant '%s', seed %" PRIu64 ": ", variant_of(c, job)->name, seed_of(c, job));
    if (WIFSIGNALED(status))
        fprintf(stderr, "ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (status != 0 && *text)
        fprintf(stderr, "%s\n", text);
    else
        fprintf(stderr, "ended with status %d and without results\n", WEXITSTATUS(status));
}

static int on_done(void *arg, uint32_t job, int status, const char *text, size_t length)
{
    struct compare *c = arg;
    char key[DIGEST_TEXT_SIZE], *metrics, *page;
    int rc;

    if (status != 0 || !strchr(text, '\n')) {
        tell_failure(c, job, status, text);
        return 0;
    }
    metrics = xmalloc(length + 1);
    memcpy(metrics, text, length + 1);
    page = strchr(metrics, '\n');
    *page++ = '\0';
    rc = campaign_add(c->store,
                      &(struct campaign_run){
                          variant_key(key, variant_of(c, job), seed_of(c, job)),
                          variant_of(c, job)->name,
                          seed_of(c, job),
                          metrics,
                          page,
                      },
                      c->err);
    c->simulated += rc == 0;
    free(metrics);
    return rc;
}

static void on_tick(void *arg, uint32_t running)
{
    struct compare *c = arg;
    double now_s = progress_clock_s(), passed_s = now_s - c->start_s;
    uint32_t done = c->kept + c->simulated + c->failed, ended = c->simulated + c->failed;

    if (c->opt.is_quiet || !isatty(STDERR_FILENO) || passed_s < 1 || now_s - c->drawn_s < 0.2)
        return;
    fprintf(stderr, "\r\033[K%u of %u runs done, %u running", done, c->runs, running);
    if (ended > 0) {
        unsigned left_s = (unsigned)(passed_s / ended * (c->runs - done));

        fprintf(stderr, ", about %u:%02u left", left_s / 60, left_s % 60);
    }
    c->drawn_s = now_s;
    c->is_drawn = true;
}

static uint32_t cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

/* Does not return if a signal came. */
static int run_all(struct compare *c, struct err *err)
{
    const struct pool_hooks hooks = { c, is_needed, work, on_done, on_tick };
    uint32_t jobs = c->opt.jobs ? c->opt.jobs : cores();
    int rc;

    c->err = err;
    c->start_s = progress_clock_s();
    if (!c->store_path && !c->opt.is_quiet)
        fputs("anole: without --out or --store nothing is kept; interrupted, it starts anew\n", stderr);
    rc = pool_run(&hooks, c->runs, jobs < POOL_WORKERS_MAX ? jobs : POOL_WORKERS_MAX);
    clear_progress(c);
    if (rc > 0) {
        outdir_abort(c->dir);
        campaign_close(c->store);
        if (c->store_path)
            fprintf(stderr,
                    "anole: interrupted: %u of %u runs are in %s; the same command goes on from there\n",
                    c->kept + c->simulated, c->runs, c->store_path);
        else
            fputs("anole: interrupted; nothing is kept without --out or --store\n", stderr);
        exit(128 + rc);
    }
    if (rc == -EAGAIN || rc == -ENOMEM || rc == -EMFILE)
        return err_set(err, -rc, "no process for a run could be started: %s", strerror(-rc));
    if (!rc && c->failed)
        rc = err_set(err, EIO, "%u of %u runs failed%s%s", c->failed, c->runs,
                     c->store_path ? "; the others are kept in " : "", c->store_path ? c->store_path : "");
    if (!rc && c->store_path && !c->opt.is_quiet)
        fprintf(stderr, "anole: %u runs simulated, %u were in %s\n", c->simulated, c->kept, c->store_path);
    return rc;
}

/* ---- telling ---- */

static int write_page_file(struct compare *c, struct err *err)
{
    FILE *f = outdir_file(c->dir, "report.html", err);
    json_t *page = f ? comparison_page(&c->comparison, c->store, err) : NULL;

    if (!page)
        return -EIO;
    page_print(page, f);
    json_decref(page);
    return 0;
}

static void print_csv(const struct comparison *c, FILE *f)
{
    comparison_print_csv(c, f, true);
}

static void print_json(const struct comparison *c, FILE *f)
{
    comparison_print_json(c, f, true);
}

static int write_files(struct compare *c, struct err *err)
{
    static const struct { const char *name; void (*print)(const struct comparison *, FILE *);
    } files[] = {
        { "comparison.csv", print_csv },
        { "comparison.json", print_json },
        { "runs.csv", comparison_print_runs },
    };
    int rc = write_page_file(c, err);

    for (unsigned i = 0; i < sizeof(files) / sizeof(*files) && !rc; i++) {
        FILE *f = outdir_file(c->dir, files[i].name, err);

        if (f)
            files[i].print(&c->comparison, f);
        rc = f ? 0 : -EIO;
    }
    if (rc)
        return rc;
    interrupt_hold();
    rc = outdir_commit(c->dir, err);
    c->dir = NULL;
    interrupt_end();
    return rc;
}

static void print(const struct compare *c)
{
    bool all = !c->opt.metrics;

    switch (c->opt.format) {
    case FORMAT_TABLE: comparison_print_table(&c->comparison, stdout, cmd_has_colour(stdout)); break;
    case FORMAT_CSV:   comparison_print_csv(&c->comparison, stdout, all);                      break;
    case FORMAT_JSON:  comparison_print_json(&c->comparison, stdout, all);                     break;
    }
    if (c->opt.format == FORMAT_TABLE && c->opt.out)
        printf("\nReport: %s/report.html\n", c->opt.out);
}

static int compare_all(struct compare *c, struct err *err)
{
    int rc = prepare(c, err);

    if (!rc)
        rc = open_places(c, err);
    if (!rc)
        rc = run_all(c, err);
    if (!rc)
        rc = comparison_load(&c->comparison, c->store, err);
    if (rc)
        return rc;
    comparison_judge(&c->comparison);
    if (c->dir)
        rc = write_files(c, err);
    if (!rc && !c->opt.is_quiet)
        print(c);
    return rc;
}

static void compare_fini(struct compare *c)
{
    outdir_abort(c->dir);
    campaign_close(c->store);
    comparison_fini(&c->comparison);
    variants_fini(&c->variants);
    axis_fini(&c->files);
    for (uint32_t i = 0; c->file && i < c->opt.paths; i++)
        free(c->file[i].text);
    free(c->file);
    free(c->axis);
    free(c->store_path);
    free(c->title);
    options_fini(&c->opt);
}

static int compare_main(int argc, char **argv)
{
    struct compare c = { 0 };
    struct err err;
    int rc;

    options_parse(&c.opt, argc, argv);
    interrupt_catch();
    rc = compare_all(&c, &err);
    compare_fini(&c);
    return rc ? cmd_fail(&err) : cmd_close_stdout();
}

const struct command command_compare = { "compare", "run variants of a scenario and tell how they differ",
                                         compare_main };
