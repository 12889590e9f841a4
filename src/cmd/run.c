/* src/cmd/run.c - anole run: simulates a scenario and tells what became of it. */
#include "base/err.h"
#include "base/file/outdir.h"
#include "base/spark.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "base/file/interrupt.h"
#include "base/file/outfile.h"
#include "report/page.h"
#include "run/progress.h"
#include "report/results.h"
#include "run/simulation.h"
#include "sim/partition.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIO_BYTES_MAX (64u << 20)

enum run_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

static const char *const format_names[] = { "table", "csv", "json", NULL };

/* ---- options ---- */

struct options {
    const char     *path;
    const char    **set;
    uint32_t        sets;
    uint64_t        seed;
    bool            has_seed, is_quiet;
    uint32_t        threads;     /* 0: as many as pay */
    uint64_t        until_ps;    /* 0: to the end */
    const char     *out, *hpcc_fct, *hpcc_pfc;
    enum run_format format;
};

enum { KEY_SET = 's', KEY_OUT = 'o', KEY_FORMAT = 'f', KEY_QUIET = 'q', KEY_SEED = 256, KEY_THREADS,
       KEY_UNTIL, KEY_HPCC_FCT, KEY_HPCC_PFC };

static const struct argp_option option_rows[] = {
    { "set", KEY_SET, "KEY=VALUE", 0, "Change the scenario: a knob (kmin=200KB), or a path of keys "
      "(topology.delay=2us, traffic.0.load=0.5). May be given more than once", 0 },
    { "seed", KEY_SEED, "N", 0, "Start of the random numbers, in place of the scenario's", 0 },
    { "until", KEY_UNTIL, "TIME", 0, "End the run at this simulated time at the latest (500us)", 0 },
    { "threads", KEY_THREADS, "N", 0, "Share the work among N threads (default: the processors there are, if the run is "
      "long enough to gain). The results are the same", 0 },
    { "out", KEY_OUT, "DIR", 0, "Write report.html, flows.csv, intervals.csv, ports.csv, summary.json, manifest.json, "
      "a copy of the scenario and, with a tuner, tuning.jsonl into DIR; gaps.csv and queues.csv if the scenario "
      "has them recorded. It is there whole when the run has ended, or not at all", 0 },
    { "format", KEY_FORMAT, "table|csv|json", 0, "How results are printed (default: table)", 0 },
    { "hpcc-fct", KEY_HPCC_FCT, "FILE", 0, "Write completed flows as the HPCC ns-3 simulator does (fct.txt)", 0 },
    { "hpcc-pfc", KEY_HPCC_PFC, "FILE", 0, "Write PFC frames as the HPCC ns-3 simulator does (pfc.txt)", 0 },
    { "quiet", KEY_QUIET, NULL, 0, "Print no results and no progress, only what is wrong", 0 },
    { 0 },
};

static enum run_format format_of(const char *word)
{
    char hint[64];

    for (int i = 0; format_names[i]; i++)
        if (strcmp(format_names[i], word) == 0)
            return (enum run_format)i;
    text_did_you_mean(hint, sizeof(hint), word, format_names);
    cmd_usage("'%s' is not a format%s", word, *hint ? hint : "; there are table, csv and json");
}

static uint64_t time_of(const char *text)
{
    struct err err;
    uint64_t ps;

    if (text_to_time(text, &ps, &err))
        cmd_usage("--until: %s", err.text);
    if (ps == 0)
        cmd_usage("--until: a run of no time");
    return ps;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_SET:      cmd_add_set(&o->set, &o->sets, arg); break;
    case KEY_SEED:     o->seed = cmd_seed("--seed", arg); o->has_seed = true; break;
    case KEY_THREADS:  o->threads = (uint32_t)cmd_count("--threads", arg, 1, PARTS_MAX); break;
    case KEY_UNTIL:    o->until_ps = time_of(arg);                    break;
    case KEY_OUT:      o->out = arg;                                  break;
    case KEY_FORMAT:   o->format = format_of(arg);                    break;
    case KEY_HPCC_FCT: o->hpcc_fct = arg;                             break;
    case KEY_HPCC_PFC: o->hpcc_pfc = arg;                             break;
    case KEY_QUIET:    o->is_quiet = true;                            break;
    case ARGP_KEY_ARG:
        if (o->path)
            cmd_usage("one scenario at a time: '%s' and '%s'", o->path, arg);
        o->path = arg;
        break;
    case ARGP_KEY_NO_ARGS:
        cmd_usage("which scenario? anole run SCENARIO.yaml; see anole run --help");
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "SCENARIO.yaml",
    .doc = "Simulates a scenario, packet by packet, and prints what became of its flows: slowdowns and "
           "completion times by flow size, iterations, IOs and calls, what an influx did, goodput, RTT, PFC and queues "
           "over time, ECN marks and losses."
           "\v"
           "Examples:\n"
           "  anole run incast.yaml\n"
           "      A table of the results.\n"
           "  anole run incast.yaml --set kmin=200KB --seed 7 --out results\n"
           "      Another ECN threshold, other random numbers, every flow in\n"
           "      results/flows.csv, and results/report.html to look at.\n"
           "\n"
           "The same scenario, settings and seed give the same results on every machine. Ctrl-C ends a run and leaves "
           "nothing behind.",
};

/* ---- the run ---- */

struct run {
    struct options    opt;
    char             *text;      /* of the scenario */
    size_t            text_bytes;
    struct simulation sim;
    struct outdir    *dir;       /* NULL: not wanted */
    const char       *files[12]; /* of dir: see list_files() */
    FILE             *flows, *intervals;     /* in dir */
    FILE             *queues;    /* the same; NULL: nobody asks */
    struct outfile    hpcc_fct, hpcc_pfc;
};

static void on_flow_done(void *arg, const struct flow_result *r)
{
    struct run *run = arg;

    if (run->flows)
        results_print_flow(run->flows, run->sim.sim, &run->sim.scenario, r);
    if (run->hpcc_fct.stream)
        results_print_hpcc_fct(run->hpcc_fct.stream, r);
}

static void on_pfc(void *arg, const struct pfc_result *r)
{
    struct run *run = arg;

    results_print_hpcc_pfc(run->hpcc_pfc.stream, r);
}

static void on_report(void *arg, const struct report *r)
{
    struct run *run = arg;

    results_print_interval(run->intervals, r);
}

static void on_queue(void *arg, const struct slots_row *r)
{
    struct run *run = arg;

    results_print_queue(run->queues, run->sim.sim, r);
}

/* ---- what it writes ---- */

/* The page first: it links to those behind it. The last are there if there was a tuner, and if
 * gaps or queues were recorded. */
static void list_files(struct run *run)
{
    static const char *const plain[] = { "report.html", "flows.csv", "intervals.csv", "ports.csv", "summary.json",
                                         "manifest.json", "scenario.yaml" };
    uint32_t count = sizeof(plain) / sizeof(*plain);

    memcpy(run->files, plain, sizeof(plain));
    if (run->sim.tuner.algo)
        run->files[count++] = "tuning.jsonl";
    if (run->sim.sim->gap_record)
        run->files[count++] = "gaps.csv";
    if (run->queues)
        run->files[count++] = "queues.csv";
    run->files[count] = NULL;
}

static void print_page(const struct run *run, const struct results *r, FILE *out)
{
    json_t *page = page_of_run(r, run->files + 1);

    page_print(page, out);
    json_decref(page);
}

static int write_dir(struct run *run, const struct results *r, struct err *err)
{
    bool is_tuned = run->sim.tuner.algo, has_gaps = run->sim.sim->gap_record;
    FILE *ports, *summary, *scenario, *manifest, *page, *tuning, *gaps;

    if (!run->dir)
        return 0;
    list_files(run);
    ports = outdir_file(run->dir, "ports.csv", err);
    summary = ports ? outdir_file(run->dir, "summary.json", err) : NULL;
    scenario = summary ? outdir_file(run->dir, "scenario.yaml", err) : NULL;
    manifest = scenario ? outdir_file(run->dir, "manifest.json", err) : NULL;
    page = manifest ? outdir_file(run->dir, "report.html", err) : NULL;
    tuning = page && is_tuned ? outdir_file(run->dir, "tuning.jsonl", err) : NULL;
    gaps = page && has_gaps ? outdir_file(run->dir, "gaps.csv", err) : NULL;
    if (!page || (is_tuned && !tuning) || (has_gaps && !gaps))
        return -1;
    results_print_ports(r, ports);
    results_print_json(r, summary, false);
    fwrite(run->text, 1, run->text_bytes, scenario);
    if (tuning)
        tuning_print(&run->sim.tuning, tuning);
    if (gaps)
        results_print_gaps(r, gaps);
    results_print_manifest(r, run->files, manifest);
    print_page(run, r, page);
    return 0;
}

static int commit(struct run *run, struct err *err)
{
    int rc = 0;

    if (run->dir) {
        rc = outdir_commit(run->dir, err);
        run->dir = NULL;
    }
    if (!rc)
        rc = outfile_commit(&run->hpcc_fct, err);
    if (!rc)
        rc = outfile_commit(&run->hpcc_pfc, err);
    return rc;
}

/* All files are checked before the first is put into place. */
static int write_files(struct run *run, const struct results *r, struct err *err)
{
    int rc = write_dir(run, r, err);

    if (!rc)
        rc = outfile_close(&run->hpcc_fct, err);
    if (!rc)
        rc = outfile_close(&run->hpcc_pfc, err);
    if (rc)
        return rc;
    interrupt_hold();
    rc = commit(run, err);
    interrupt_end();
    return rc;
}

static void print(const struct options *o, const struct results *r)
{
    struct results_look look = { cmd_has_colour(stdout), spark_is_utf8() };

    switch (o->format) {
    case FORMAT_TABLE: results_print_table(r, stdout, look); break;
    case FORMAT_CSV:   results_print_csv(r, stdout);         break;
    case FORMAT_JSON:  results_print_json(r, stdout, true);  break;
    }
}

/* Without an end the run goes on until all flows are done, unless nothing moves any more. */
static void warn_unfinished(const struct run *run, const struct results *r)
{
    char count[32], when[32];
    bool is_one = r->unfinished == 1;

    if (run->sim.scenario.run_ps == NEVER && r->unfinished)
        fprintf(stderr, "anole: warning: %s flow%s never finished: nothing moves any more after %s\n",
                text_from_count(count, sizeof(count), r->unfinished), is_one ? "" : "s",
                text_from_time(when, sizeof(when), r->end_ps));
}

/* ---- from options to exit status ---- */

static int open_dir(struct run *run, struct err *err)
{
    bool is_recorded = run->sim.scenario.tuner.is_recorded;
    int rc = outdir_open(&run->dir, run->opt.out, err);

    if (rc)
        return rc;
    run->flows = outdir_file(run->dir, "flows.csv", err);
    run->intervals = run->flows ? outdir_file(run->dir, "intervals.csv", err) : NULL;
    run->queues = run->intervals && is_recorded ? outdir_file(run->dir, "queues.csv", err) : NULL;
    if (!run->intervals || (is_recorded && !run->queues))
        return -1;
    results_print_flow_head(run->flows);
    results_print_interval_head(run->intervals, &run->sim.scenario);
    if (run->queues)
        results_print_queue_head(run->queues);
    return 0;
}

/* Opens what is to be written before anything runs: a wrong name must not cost hours. */
static int open_files(struct run *run, struct err *err)
{
    const struct options *o = &run->opt;
    int rc = 0;

    if (o->out)
        rc = open_dir(run, err);
    if (!rc && o->hpcc_fct)
        rc = outfile_open(&run->hpcc_fct, o->hpcc_fct, err);
    if (!rc && o->hpcc_pfc)
        rc = outfile_open(&run->hpcc_pfc, o->hpcc_pfc, err);
    return rc;
}

static int simulate(struct run *run, struct err *err)
{
    struct simulation_hooks hooks = { .arg = run, .flow_done = on_flow_done,
                                      .pfc = run->hpcc_pfc.stream ? on_pfc : NULL,
                                      .report = run->intervals ? on_report : NULL,
                                      .queue = run->queues ? on_queue : NULL };
    struct progress progress;
    struct results results;
    int rc;

    interrupt_watch(&run->sim.sim->now_ps);
    progress_start(&progress, !run->opt.is_quiet);
    simulation_run(&run->sim, &hooks, &progress);
    progress_clear(&progress);
    results_init(&results, &run->sim);
    rc = write_files(run, &results, err);
    if (!rc) {
        warn_unfinished(run, &results);
        if (!run->opt.is_quiet)
            print(&run->opt, &results);
    }
    results_fini(&results);
    return rc;
}

static int run_scenario(struct run *run, struct err *err)
{
    const struct options *o = &run->opt;
    struct simulation_input input = { .name = text_file_name(o->path), .set = o->set,
                                      .sets = o->sets, .seed = o->has_seed ? &o->seed : NULL, .threads = o->threads,
                                      .until_ps = o->until_ps };
    int rc = text_read_file(o->path, SCENARIO_BYTES_MAX, &run->text, &run->text_bytes, err);

    if (rc)
        return rc;
    input.text = run->text;
    input.text_bytes = run->text_bytes;
    rc = simulation_open(&run->sim, &input, err);
    if (rc)
        goto free_text;
    rc = open_files(run, err);
    if (!rc)
        rc = simulate(run, err);
    outfile_abort(&run->hpcc_pfc);
    outfile_abort(&run->hpcc_fct);
    outdir_abort(run->dir);
    simulation_close(&run->sim);
free_text:
    free(run->text);
    return rc;
}

static int run_main(int argc, char **argv)
{
    struct run run = { 0 };
    struct err err;
    int rc;

    argp_parse(&argp, argc, argv, 0, NULL, &run.opt);
    interrupt_catch();
    rc = run_scenario(&run, &err);
    free(run.opt.set);
    return rc ? cmd_fail(&err) : cmd_close_stdout();
}

const struct command command_run = { "run", "simulate a scenario and print the results", run_main };
