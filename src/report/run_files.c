#include "report/run_files.h"
#include "report/charts_file.h"
#include "base/file/interrupt.h"
#include "report/page.h"

/* ---- files of the folder ---- */

static bool is_tuned(const struct run_files *f)
{
    return f->simulation->loop.tuner.algo != NULL;
}

static bool has_gaps(const struct run_files *f)
{
    return f->simulation->sim->hosts.gap_record != NULL;
}

static bool has_queues(const struct run_files *f)
{
    return f->simulation->scenario.tuner.is_recorded;
}

static bool has_unfinished(const struct run_files *f)
{
    const struct sim_counters *c = &f->simulation->sim->engine.counters;

    /* Model htsim has them among its own columns: see --htsim-flows. */
    return c->flows_started != c->flows_done && !f->simulation->sim->htsim;
}

static void print_page(const struct run_files *f, const struct results *r, FILE *out)
{
    (void)r;
    page_print(f->page, out);
}

static void print_charts(const struct run_files *f, const struct results *r, FILE *out)
{
    (void)r;
    charts_file_print(f->page, out);
}

static void print_ports(const struct run_files *f, const struct results *r, FILE *out)
{
    (void)f;
    results_print_ports(r, out);
}

static void print_summary(const struct run_files *f, const struct results *r, FILE *out)
{
    (void)f;
    results_print_json(r, out, false);
}

static void print_manifest(const struct run_files *f, const struct results *r, FILE *out)
{
    results_print_manifest(r, f->name, out);
}

static void print_scenario(const struct run_files *f, const struct results *r, FILE *out)
{
    (void)f;
    fwrite(r->text, 1, r->text_bytes, out);
}

static void print_tuning(const struct run_files *f, const struct results *r, FILE *out)
{
    (void)f;
    tuning_print(r->tuning, out);
}

static void print_gaps(const struct run_files *f, const struct results *r, FILE *out)
{
    (void)f;
    results_print_gaps(r, out);
}

static void print_unfinished(const struct run_files *f, const struct results *r, FILE *out)
{
    (void)f;
    results_print_unfinished(r, out);
}

/* The page comes first and links to the others. */
static const struct row {
    const char *name;
    bool (*is_there)(const struct run_files *);          /* NULL: always */
    /* NULL: written during the run */
    void (*print)(const struct run_files *, const struct results *, FILE *);
} rows[] = {
    { "report.html",   NULL,       print_page },
    { "charts.json",   NULL,       print_charts },
    { "flows.csv",     NULL,       NULL },
    { "intervals.csv", NULL,       NULL },
    { "ports.csv",     NULL,       print_ports },
    { "summary.json",  NULL,       print_summary },
    { "manifest.json", NULL,       print_manifest },
    { "scenario.yaml", NULL,       print_scenario },
    { "tuning.jsonl",  is_tuned,   print_tuning },
    { "gaps.csv",      has_gaps,   print_gaps },
    { "queues.csv",    has_queues, NULL },
    { "unfinished.csv", has_unfinished, print_unfinished },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

static bool is_there(const struct run_files *f, const struct row *row)
{
    return !row->is_there || row->is_there(f);
}

static void list_names(struct run_files *f)
{
    uint32_t count = 0;

    _Static_assert(ROWS < RUN_FILES_MAX, "there is room for all and the end");
    for (uint32_t i = 0; i < ROWS; i++)
        if (is_there(f, &rows[i]))
            f->name[count++] = rows[i].name;
    f->name[count] = NULL;
}

/* ---- during the run ---- */

static void on_flow_done(void *arg, const struct flow_result *r)
{
    struct run_files *f = arg;

    if (f->flows)
        results_print_flow(f->flows, f->simulation->sim, &f->simulation->scenario, r);
    if (f->hpcc_fct.stream)
        results_print_hpcc_fct(f->hpcc_fct.stream, r);
    if (f->chrome)
        chrome_on_flow(f->chrome, r);
}

static void on_pfc(void *arg, const struct pfc_result *r)
{
    struct run_files *f = arg;

    if (f->hpcc_pfc.stream)
        results_print_hpcc_pfc(f->hpcc_pfc.stream, r);
    if (f->chrome)
        chrome_on_pfc(f->chrome, r);
}

static void on_report(void *arg, const struct report *r)
{
    struct run_files *f = arg;

    results_print_interval(f->intervals, r);
}

static void on_queue(void *arg, const struct slots_row *r)
{
    struct run_files *f = arg;

    results_print_queue(f->queues, f->simulation->sim, r);
}

static void on_op(void *arg, const struct op_result *r)
{
    struct run_files *f = arg;

    chrome_on_op(f->chrome, r);
}

static void on_sample(void *arg, uint64_t now_ps)
{
    struct run_files *f = arg;

    if (f->chrome)
        chrome_on_sample(f->chrome, now_ps);
    if (f->samples)
        samples_look(f->samples, now_ps);
}

struct simulation_hooks run_files_hooks(struct run_files *f)
{
    bool is_sampled = (f->chrome || f->samples) && !f->simulation->sim->skip;

    return (struct simulation_hooks){ .arg = f, .flow_done = on_flow_done, .op = f->chrome ? on_op : NULL,
                                      .sample = is_sampled ? on_sample : NULL, .sample_ps = f->sample_ps,
                                      .pfc = f->hpcc_pfc.stream || f->chrome ? on_pfc : NULL,
                                      .report = f->intervals ? on_report : NULL,
                                      .queue = f->queues ? on_queue : NULL };
}

/* ---- opening ---- */

static int open_file(struct run_files *f, const char *name, FILE **out, struct err *err)
{
    *out = outdir_file(f->dir, name, err);
    return *out ? 0 : -EIO;
}

static int open_dir(struct run_files *f, const char *path, struct err *err)
{
    int rc = outdir_open(&f->dir, path, "anole run", err);

    if (!rc)
        rc = open_file(f, "flows.csv", &f->flows, err);
    if (!rc)
        rc = open_file(f, "intervals.csv", &f->intervals, err);
    if (!rc && has_queues(f))
        rc = open_file(f, "queues.csv", &f->queues, err);
    if (rc)
        return rc;
    results_print_flow_head(f->flows);
    results_print_interval_head(f->intervals, &f->simulation->scenario);
    if (f->queues)
        results_print_queue_head(f->queues);
    return 0;
}

/* Refuses captures of models htsim (no packets) and uet (not RoCEv2), and htsim's columns of other models. */
static int check_model(const struct run_files_paths *p, const struct sim *s, struct err *err)
{
    const char *none = p->pcap ? "--pcap" : p->trace ? "--trace" : p->samples ? "--samples" :
                       p->hpcc_pfc ? "--hpcc-pfc" : NULL;

    if (s->htsim && none)
        return err_set(err, EINVAL, "%s: model htsim has no such file; --htsim-flows is its own", none);
    if (!s->htsim && p->htsim_flows)
        return err_set(err, EINVAL, "--htsim-flows needs model htsim");
    if (p->pcap && s->cfg.model == MODEL_UET)
        return err_set(err, EINVAL, "--pcap writes RoCEv2 frames; model uet has none");
    return 0;
}

int run_files_open(struct run_files *f, const struct run_files_paths *paths, const struct simulation *s,
                   struct err *err)
{
    int rc = check_model(paths, s->sim, err);

    *f = (struct run_files){ .simulation = s, .sample_ps = paths->sample_ps };
    if (!rc && paths->htsim_flows)
        rc = outfile_open(&f->htsim_flows, paths->htsim_flows, err);
    if (!rc && paths->out)
        rc = open_dir(f, paths->out, err);
    if (!rc && paths->hpcc_fct)
        rc = outfile_open(&f->hpcc_fct, paths->hpcc_fct, err);
    if (!rc && paths->hpcc_pfc)
        rc = outfile_open(&f->hpcc_pfc, paths->hpcc_pfc, err);
    if (!rc && paths->pcap)
        rc = outfile_open(&f->pcap_file, paths->pcap, err);
    if (!rc && paths->trace)
        rc = outfile_open(&f->trace_file, paths->trace, err);
    if (!rc && paths->samples && s->sim->skip)
        rc = err_set(err, EINVAL, "--samples needs every packet: fidelity fast skips some");
    if (!rc && paths->samples)
        rc = outfile_open(&f->samples_file, paths->samples, err);
    if (!rc && paths->samples)
        f->samples = samples_open(f->samples_file.stream, s, paths->samples_bytes_max);
    if (!rc && paths->pcap)
        f->pcap = pcap_open(f->pcap_file.stream, s->sim, paths->pcap_bytes_max, !paths->is_pcap_cut);
    if (!rc && paths->trace)
        f->chrome = chrome_open(f->trace_file.stream, s->sim, paths->trace_bytes_max);
    return rc;
}

/* ---- at the end ---- */

static int write_dir(struct run_files *f, const struct results *r, struct err *err)
{
    int rc = 0;

    list_names(f);
    if (f->dir && !simulation_has_intervals(f->simulation))
        results_print_points(f->intervals, r);
    f->page = f->dir ? page_of_run(r, f->name + 1) : NULL;
    for (uint32_t i = 0; f->dir && i < ROWS && !rc; i++) {
        FILE *out;

        if (!rows[i].print || !is_there(f, &rows[i]))
            continue;
        rc = open_file(f, rows[i].name, &out, err);
        if (!rc)
            rows[i].print(f, r, out);
    }
    json_decref(f->page);
    f->page = NULL;
    return rc;
}

static int commit(struct run_files *f, struct err *err)
{
    int rc = 0;

    if (f->dir) {
        rc = outdir_commit(f->dir, err);
        f->dir = NULL;
    }
    if (!rc)
        rc = outfile_commit(&f->htsim_flows, err);
    if (!rc)
        rc = outfile_commit(&f->hpcc_fct, err);
    if (!rc)
        rc = outfile_commit(&f->hpcc_pfc, err);
    if (!rc)
        rc = outfile_commit(&f->pcap_file, err);
    if (!rc)
        rc = outfile_commit(&f->trace_file, err);
    if (!rc)
        rc = outfile_commit(&f->samples_file, err);
    return rc;
}

/* Reports events that did not fit into the trace. */
static void close_traces(struct run_files *f)
{
    uint64_t frames = f->pcap ? pcap_close(f->pcap) : 0, events = f->chrome ? chrome_close(f->chrome) : 0;
    uint64_t samples = f->samples ? samples_close(f->samples) : 0;

    if (frames)
        fprintf(stderr,
                "anole: warning: %s: %llu frames are not in it: it would be larger than --pcap-limit, or "
                "they are not RoCEv2\n",
                f->pcap_file.shown, (unsigned long long)frames);
    if (events)
        fprintf(stderr,
                "anole: warning: %s: %llu events are not in it: it would be larger than --trace-limit\n",
                f->trace_file.shown, (unsigned long long)events);
    if (samples)
        fprintf(stderr,
                "anole: warning: %s: %llu rows are not in it: it would be larger than --samples-limit\n",
                f->samples_file.shown, (unsigned long long)samples);
    f->pcap = NULL;
    f->chrome = NULL;
    f->samples = NULL;
}

/* Checks all files before it moves the first into place. */
int run_files_write(struct run_files *f, const struct results *r, struct err *err)
{
    int rc = write_dir(f, r, err);

    close_traces(f);
    if (f->htsim_flows.stream)
        results_print_htsim(f->htsim_flows.stream, f->simulation->sim);
    if (!rc)
        rc = outfile_close(&f->htsim_flows, err);
    if (!rc)
        rc = outfile_close(&f->hpcc_fct, err);
    if (!rc)
        rc = outfile_close(&f->hpcc_pfc, err);
    if (!rc)
        rc = outfile_close(&f->pcap_file, err);
    if (!rc)
        rc = outfile_close(&f->trace_file, err);
    if (!rc)
        rc = outfile_close(&f->samples_file, err);
    if (rc)
        return rc;
    interrupt_hold();
    rc = commit(f, err);
    interrupt_end();
    return rc;
}

void run_files_abort(struct run_files *f)
{
    if (f->pcap)
        pcap_close(f->pcap);
    if (f->chrome)
        chrome_close(f->chrome);
    if (f->samples)
        samples_close(f->samples);
    outfile_abort(&f->htsim_flows);
    outfile_abort(&f->samples_file);
    outfile_abort(&f->trace_file);
    outfile_abort(&f->pcap_file);
    outfile_abort(&f->hpcc_pfc);
    outfile_abort(&f->hpcc_fct);
    outdir_abort(f->dir);
    f->dir = NULL;
}
