#include "study/report/run_files.h"
#include "base/file/interrupt.h"
#include "study/report/page.h"

#include <stdlib.h>

/* ---- files of the folder ---- */

/* The page comes first and links to the others. */
enum file {
    PAGE, CHARTS, FLOWS, INTERVALS, PORTS, SUMMARY, MANIFEST, SCENARIO, TUNING, GAPS, QUEUES, UNFINISHED
};

static const struct {
    const char *name;
    bool        is_live;         /* written during the run */
    bool        has_interval;    /* shows the interval of further seeds */
} rows[] = {
    [PAGE] = { "report.html", .has_interval = true },
    [CHARTS] = { "charts.json", .has_interval = true },
    [FLOWS] = { "flows.csv", .is_live = true },
    [INTERVALS] = { "intervals.csv", .is_live = true },
    [PORTS] = { "ports.csv" },
    [SUMMARY] = { "summary.json", .has_interval = true },
    [MANIFEST] = { "manifest.json" },
    [SCENARIO] = { "scenario.yaml" },
    [TUNING] = { "tuning.jsonl" },
    [GAPS] = { "gaps.csv" },
    [QUEUES] = { "queues.csv", .is_live = true },
    [UNFINISHED] = { "unfinished.csv" },
};

static void print_file(const struct run_files *f, enum file file, const struct results *r, FILE *out)
{
    switch (file) {
    case PAGE:       page_print(f->page, out);                  break;
    case CHARTS:     page_print_charts(f->page, out);           break;
    case PORTS:      results_print_ports(r, out);               break;
    case SUMMARY:    results_print_json(r, out, false);         break;
    case MANIFEST:   results_print_manifest(r, f->name, out);   break;
    case SCENARIO:   fwrite(r->text, 1, r->text_bytes, out);    break;
    case TUNING:     tuning_print(r->tuning, out);              break;
    case GAPS:       results_print_gaps(r, out);                break;
    case UNFINISHED: results_print_unfinished(r, out);          break;
    case FLOWS:
    case INTERVALS:
    case QUEUES:     break;
    }
}

#define ROWS (sizeof(rows) / sizeof(*rows))

/* True if a run like this has the file. */
static bool is_there(const struct run_files *f, uint32_t file)
{
    const struct simulation   *s = f->simulation;
    const struct sim_counters *c = sim_counts(s->sim);

    switch (file) {
    case TUNING:     return s->loop.tuner.algo != NULL;
    case GAPS:       return sim_settings(s->sim)->record_gaps;
    case QUEUES:     return s->scenario.tuner.is_recorded;
    case UNFINISHED: return c->flows_started != c->flows_done && !s->scenario.htsim; /* see --htsim-flows */
    default:         return true;
    }
}

static void list_names(struct run_files *f)
{
    uint32_t count = 0;

    _Static_assert(ROWS < RUN_FILES_MAX, "there is room for all and the end");
    for (uint32_t i = 0; i < ROWS; i++)
        if (is_there(f, i))
            f->name[count++] = rows[i].name;
    f->name[count] = NULL;
}

/* ---- during the run ---- */

static void on_flow_done(void *arg, const struct flow_result *r)
{
    struct run_files *f = arg;

    if (f->flows)
        results_print_flow(f->flows, f->simulation->sim, &f->simulation->scenario, r);
    if (f->single[RUN_FILE_HPCC_FCT].stream)
        results_print_hpcc_fct(f->single[RUN_FILE_HPCC_FCT].stream, r);
    if (f->chrome)
        chrome_on_flow(f->chrome, r);
}

static void on_pfc(void *arg, const struct pfc_result *r)
{
    struct run_files *f = arg;

    if (f->single[RUN_FILE_HPCC_PFC].stream)
        results_print_hpcc_pfc(f->single[RUN_FILE_HPCC_PFC].stream, r);
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
    bool is_sampled = (f->chrome || f->samples) && !sim_skipped(f->simulation->sim);

    return (struct simulation_hooks){ .arg = f, .flow_done = on_flow_done, .op = f->chrome ? on_op : NULL,
                                      .sample = is_sampled ? on_sample : NULL, .sample_ps = f->sample_ps,
                                      .pfc = f->single[RUN_FILE_HPCC_PFC].stream || f->chrome ? on_pfc : NULL,
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

    rc = rc ? rc : open_file(f, "flows.csv", &f->flows, err);
    rc = rc ? rc : open_file(f, "intervals.csv", &f->intervals, err);
    if (!rc && is_there(f, QUEUES))
        rc = open_file(f, "queues.csv", &f->queues, err);
    if (rc)
        return rc;
    fputs(results_flow_head, f->flows);
    results_print_interval_head(f->intervals, &f->simulation->scenario);
    if (f->queues)
        fputs(results_queue_head, f->queues);
    return 0;
}

/* Refuses captures of models htsim (no packets) and uet (not RoCEv2), and htsim's columns of other models. */
static int check_model(const struct run_files_paths *p, const struct sim *s, struct err *err)
{
    const char *const *path = p->single;
    const char *none = path[RUN_FILE_PCAP] ? "--pcap" : path[RUN_FILE_TRACE] ? "--trace" :
                       path[RUN_FILE_SAMPLES] ? "--samples" : path[RUN_FILE_HPCC_PFC] ? "--hpcc-pfc" : NULL;

    if (sim_settings(s)->htsim && none)
        return err_set(err, EINVAL, "%s: model htsim has no such file; --htsim-flows is its own", none);
    if (!sim_settings(s)->htsim && path[RUN_FILE_HTSIM_FLOWS])
        return err_set(err, EINVAL, "--htsim-flows needs model htsim");
    if (path[RUN_FILE_PCAP] && sim_settings(s)->model == MODEL_UET)
        return err_set(err, EINVAL, "--pcap writes RoCEv2 frames; model uet has none");
    return 0;
}

int run_files_open(struct run_files *f, const struct run_files_paths *paths, const struct simulation *s,
                   struct err *err)
{
    int rc = check_model(paths, s->sim, err);

    *f = (struct run_files){ .simulation = s, .sample_ps = paths->sample_ps, .out = paths->out };
    if (!rc && paths->single[RUN_FILE_SAMPLES] && sim_skipped(s->sim))
        rc = err_set(err, EINVAL, "--samples needs every packet: fidelity fast skips some");
    if (!rc && paths->out)
        rc = open_dir(f, paths->out, err);
    for (int i = 0; i < RUN_FILES_SINGLE && !rc; i++)
        if (paths->single[i])
            rc = outfile_open(&f->single[i], paths->single[i], err);
    if (rc)
        return rc;
    if (paths->single[RUN_FILE_SAMPLES])
        f->samples = samples_open(f->single[RUN_FILE_SAMPLES].stream, s, paths->samples_bytes_max);
    if (paths->single[RUN_FILE_PCAP])
        f->pcap = pcap_open(f->single[RUN_FILE_PCAP].stream, s->sim, paths->pcap_bytes_max,
                            !paths->is_pcap_cut);
    if (paths->single[RUN_FILE_TRACE])
        f->chrome = chrome_open(f->single[RUN_FILE_TRACE].stream, s->sim, paths->trace_bytes_max);
    return 0;
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

        if (rows[i].is_live || !is_there(f, i))
            continue;
        rc = open_file(f, rows[i].name, &out, err);
        if (!rc)
            print_file(f, (enum file)i, r, out);
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
    for (int i = 0; i < RUN_FILES_SINGLE && !rc; i++)
        rc = outfile_commit(&f->single[i], err);
    return rc;
}

/* Reports events that did not fit into the trace. */
static void close_traces(struct run_files *f, bool warns)
{
    const struct { enum run_file file; uint64_t left_out; const char *what, *limit; } traces[] = {
        { RUN_FILE_PCAP, f->pcap ? pcap_close(f->pcap) : 0, "frames",
          "--pcap-limit, or they are not RoCEv2" },
        { RUN_FILE_TRACE, f->chrome ? chrome_close(f->chrome) : 0, "events", "--trace-limit" },
        { RUN_FILE_SAMPLES, f->samples ? samples_close(f->samples) : 0, "rows", "--samples-limit" },
    };

    for (int i = 0; warns && i < 3; i++)
        if (traces[i].left_out)
            fprintf(stderr, "anole: warning: %s: %llu %s are not in it: it would be larger than %s\n",
                    f->single[traces[i].file].shown, (unsigned long long)traces[i].left_out, traces[i].what,
                    traces[i].limit);
    f->pcap = NULL;
    f->chrome = NULL;
    f->samples = NULL;
}

/* Checks all files before it moves the first into place. */
int run_files_write(struct run_files *f, const struct results *r, struct err *err)
{
    int rc = write_dir(f, r, err);

    close_traces(f, true);
    if (f->single[RUN_FILE_HTSIM_FLOWS].stream)
        results_print_htsim(f->single[RUN_FILE_HTSIM_FLOWS].stream, f->simulation->sim);
    for (int i = 0; i < RUN_FILES_SINGLE && !rc; i++)
        rc = outfile_close(&f->single[i], err);
    if (rc)
        return rc;
    interrupt_hold();
    rc = commit(f, err);
    interrupt_end();
    return rc;
}

static int replace_file(const struct run_files *f, enum file which, const struct results *r, struct err *err)
{
    char          *path = xprintf("%s/%s", f->out, rows[which].name);
    struct outfile file;
    int            rc = outfile_open(&file, path, err);

    if (!rc)
        print_file(f, which, r, file.stream);
    rc = outfile_end(&file, rc, err);
    free(path);
    return rc;
}

int run_files_update(struct run_files *f, const struct results *r, struct err *err)
{
    int rc = 0;

    interrupt_hold();
    f->page = f->out ? page_of_run(r, f->name + 1) : NULL;
    for (uint32_t i = 0; f->out && i < ROWS && !rc; i++)
        if (rows[i].has_interval)
            rc = replace_file(f, (enum file)i, r, err);
    json_decref(f->page);
    f->page = NULL;
    interrupt_end();
    return rc;
}

void run_files_abort(struct run_files *f)
{
    close_traces(f, false);
    for (int i = RUN_FILES_SINGLE - 1; i >= 0; i--)
        outfile_abort(&f->single[i]);
    outdir_abort(f->dir);
    f->dir = NULL;
}
