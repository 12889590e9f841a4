/* src/cmd/cmd_run.c - anole run: simulates a scenario and prints its results. */
#include "base/file/interrupt.h"
#include "base/print/safe.h"
#include "base/print/terminal.h"
#include "base/text.h"
#include "study/campaign/further_seeds.h"
#include "cmd/cmd.h"
#include "core/units.h"
#include "study/report/run_files.h"
#include "study/run/progress.h"
#include "study/run/simulation.h"
#include "sim/sim.h"
#include "study/twin/maker.h"

#include <stdlib.h>

/* ---- options ---- */

struct options {
    const char            *path;
    const char           **set;
    uint32_t               sets;
    uint64_t               seed;
    bool                   has_seed, is_quiet;
    uint32_t               threads;      /* 0: as many as pay */
    uint64_t               until_ps;     /* 0: to the end */
    struct run_files_paths files;
    enum cmd_format        format;
};

#define LIMIT_MIN 65536

static const struct cmd_option option_rows[] = {
    { .help = "Scenario:" },
    CMD_SET(struct options, set, sets),
    CMD_SEED(struct options, seed, has_seed),
    CMD_UNTIL(struct options, until_ps),
    { .help = "Results:" },
    CMD_FORMATS(struct options, format, ""),
    { "out", 'o', "DIR", "Write report.html, CSV files, and summary.json to DIR, atomically when the run "
      "ends", KEY_AT(struct options, files.out) },
    CMD_QUIET(struct options, is_quiet),
    { .help = "Recordings:" },
    { "trace", 0, "FILE", "Write flows, pauses, queues, and iterations as JSON for Perfetto or "
      "chrome://tracing", KEY_AT(struct options, files.single[RUN_FILE_TRACE]) },
    { "trace-limit", 0, "SIZE", "Maximum size of the trace (default: 256MB)",
      KEY_AT(struct options, files.trace_bytes_max), KEY_BYTES, LIMIT_MIN, 1e18 },
    { "samples", 0, "FILE", "Write queue lengths and flow rates over time as CSV. Uses one thread",
      KEY_AT(struct options, files.single[RUN_FILE_SAMPLES]) },
    { "samples-limit", 0, "SIZE", "Maximum size of the samples (default: 256MB)",
      KEY_AT(struct options, files.samples_bytes_max), KEY_BYTES, LIMIT_MIN, 1e18 },
    { "sample-every", 0, "TIME", "Sampling period of --samples and --trace (default: 10us)",
      KEY_AT(struct options, files.sample_ps), KEY_TIME, 1, KEY_TIME_PS_MAX },
    { "pcap", 0, "FILE", "Write the frames on host links as pcapng for Wireshark. Uses one thread",
      KEY_AT(struct options, files.single[RUN_FILE_PCAP]) },
    { "pcap-limit", 0, "SIZE", "Maximum size of the capture (default: 1GB)",
      KEY_AT(struct options, files.pcap_bytes_max), KEY_BYTES, LIMIT_MIN, 1e18 },
    { "pcap-headers", 0, NULL, "Capture headers only. The file is about ten times smaller, but Wireshark "
      "reports data packets as malformed", KEY_AT(struct options, files.is_pcap_cut) },
    { "hpcc-fct", 0, "FILE", "Write completed flows in the format of the HPCC ns-3 fork (fct.txt)",
      KEY_AT(struct options, files.single[RUN_FILE_HPCC_FCT]) },
    { "hpcc-pfc", 0, "FILE", "Write PFC frames in the format of the HPCC ns-3 fork (pfc.txt)",
      KEY_AT(struct options, files.single[RUN_FILE_HPCC_PFC]) },
    { "htsim-flows", 0, "FILE", "Model htsim: write each flow with its packets, windows, and delays, in 26 "
      "columns", KEY_AT(struct options, files.single[RUN_FILE_HTSIM_FLOWS]) },
    { .help = "Speed:" },
    CMD_THREADS(struct options, threads),
    { 0 },
};

/* Refuses options for an output that was not requested, and fills in defaults. */
static void settle_files(struct run_files_paths *f)
{
    const char *pcap = f->single[RUN_FILE_PCAP], *trace = f->single[RUN_FILE_TRACE],
               *samples = f->single[RUN_FILE_SAMPLES];
    const struct { uint64_t *value, otherwise; const char *option, *file, *of; } rows[] = {
        { &f->pcap_bytes_max, 1000000000, "--pcap-limit", pcap, "--pcap" },
        { &f->trace_bytes_max, 256000000, "--trace-limit", trace, "--trace" },
        { &f->samples_bytes_max, 256000000, "--samples-limit", samples, "--samples" },
        { &f->sample_ps, 10 * PS_PER_US, "--sample-every", samples ? samples : trace,
          "--samples or --trace" },
    };

    if (f->is_pcap_cut && !pcap)
        cmd_usage("--pcap-headers goes with --pcap FILE");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (*rows[i].value && !rows[i].file)
            cmd_usage("%s goes with %s FILE", rows[i].option, rows[i].of);
        if (!*rows[i].value)
            *rows[i].value = rows[i].otherwise;
    }
}

static const struct cmd_line command_line = {
    .options = option_rows,
    .argument = { "scenario", KEY_AT(struct options, path) },
    .missing = "which scenario? anole run SCENARIO.yaml; see anole run --help",
    .args = "SCENARIO.yaml",
    .help = "Simulates a scenario packet by packet and prints the results: flow completion times and "
            "slowdowns by flow size, goodput, RTT, queue lengths, ECN marks, PFC pauses, and losses. "
            "Training, storage, and RPC traffic also report iterations, I/O operations, and calls. Instead "
            "of a file, the name of an example is enough (anole list scenario)."
            "\v"
            "When a recording reaches its size limit, Anole counts what it omits.\n"
            "\n"
            "Examples:\n"
            "  anole run incast.yaml\n"
            "      Print the results as a table.\n"
            "  anole run incast.yaml --set kmin=200KB --seed 7 --out results\n"
            "      Change an ECN threshold and the seed. Write every flow to\n"
            "      results/flows.csv and a report to results/report.html.\n"
            "\n"
            "The same scenario, settings and seed give the same results on every machine. Ctrl-C stops a "
            "run and removes its partial results. During the further seeds of fidelity fast it keeps the "
            "run's results.",
};

/* ---- output ---- */

static void print(const struct options *o, const struct results *r)
{
    struct results_look look = { cmd_has_colour(stdout), spark_is_utf8(), terminal_width(stdout) };

    if (o->format == FORMAT_CSV)
        results_print_csv(r, stdout);
    else if (o->format == FORMAT_JSON)
        results_print_json(r, stdout, true);
    else
        results_print_table(r, stdout, look);
    if (!o->files.out || o->format != FORMAT_TABLE)
        return;
    /* Where to look next; for people, and so not where other programs read. */
    safe_printf(stdout, "Report: %s/report.html", o->files.out);
    if (r->tuning->algo)
        safe_printf(stdout, "; what the tuner did: anole explain %s", o->files.out);
    fputc('\n', stdout);
}

/* The run goes on until all flows are done or its time is up, unless nothing moves any more. */
static void warn_unfinished(const struct results *r)
{
    char count[32], when[32];
    bool is_one = r->flows_unfinished == 1;

    if (r->stuck_why)
        fprintf(stderr, "anole: warning: %s flow%s never finished: nothing moves any more after %s; %s\n",
                text_from_count(count, sizeof(count), (uint64_t)r->flows_unfinished), is_one ? "" : "s",
                text_from_time(when, sizeof(when), r->stuck_ps), safe_name(r->stuck_why).buf);
}

/* Says where fidelity fast took as long as packets would have. */
static void note_fidelity(const struct results *r)
{
    const struct skip_stats *k = sim_skipped(r->sim);

    if (!k)
        return;
    if (k->why_not)
        fprintf(stderr, "anole: note: fidelity fast simulated every packet%s: %s\n",
                k->packets ? " from some time on" : "", k->why_not);
    else if (2 * k->rest_packets > sim_counts(r->sim)->data_sent)
        fputs("anole: note: fidelity fast saved too little and simulated most packets: few flows are alone\n",
              stderr);
}

/* ---- from options to exit status ---- */

/* Runs further seeds when the results of the run are in place, because that may take minutes and fail.
 * Returns the number of a signal that ended them. */
static int find_interval(struct simulation *s, uint32_t seeds, struct progress *progress,
                         struct run_files *files, struct results *r, struct err *err)
{
    int number = further_seeds_run(s, seeds, progress), rc;

    progress_clear(progress);
    results_fini(r);
    results_init(r, s);
    rc = run_files_update(files, r, err);
    if (!rc && number)
        err_write(err, "interrupted after the run: its results have no interval");
    return rc ? rc : number;
}

static int simulate(const struct options *o, struct simulation *s, struct run_files *files, struct err *err)
{
    struct simulation_hooks hooks = run_files_hooks(files);
    struct progress         progress;
    struct results          results;
    struct err              why;
    int                     interval_rc = 0;

    interrupt_watch(sim_clock(s->sim));
    progress_start(&progress, !o->is_quiet);
    simulation_run(s, &hooks, &progress);
    int      failed = simulation_failed(s, &why);        /* results so far are printed all the same */
    uint32_t seeds = failed ? 0 : further_seeds_wanted(s);
    progress_clear(&progress);
    results_init(&results, s);
    int rc = run_files_write(files, &results, err);
    if (!rc && seeds)
        interval_rc = find_interval(s, seeds, &progress, files, &results, err);
    if (!rc) {
        warn_unfinished(&results);
        note_fidelity(&results);
        if (!o->is_quiet || o->format != FORMAT_TABLE)
            print(o, &results);
    }
    results_fini(&results);
    return failed && !rc ? err_set(err, -failed, "%s", why.text) : rc ? rc : interval_rc;
}

static int run_file(const struct options *o, const struct scenario_file *file, struct err *err)
{
    struct simulation_input input = scenario_file_input(file);
    struct simulation simulation;
    struct run_files files;

    input.set = o->set;
    input.sets = o->sets;
    input.seed = o->has_seed ? &o->seed : NULL;
    input.threads = o->files.single[RUN_FILE_PCAP] || o->files.single[RUN_FILE_SAMPLES] ? 1 : o->threads;
    input.until_ps = o->until_ps;
    input.maker = &twin_maker;
    int rc = simulation_open(&simulation, &input, err);
    if (rc)
        return rc;
    cmd_print_warnings(simulation.scenario.warning);
    rc = run_files_open(&files, &o->files, &simulation, err);
    rc = rc ? rc : simulate(o, &simulation, &files, err);
    run_files_abort(&files);
    simulation_close(&simulation);
    return rc;
}

static int run_main(int argc, char **argv)
{
    struct options o = { 0 };
    struct scenario_file file;
    struct err err;

    cmd_parse(&command_line, argc, argv, &o);
    settle_files(&o.files);
    interrupt_catch();
    int rc = scenario_file_read(&file, o.path, &err);
    rc = rc ? rc : run_file(&o, &file, &err);
    scenario_file_fini(&file);
    free(o.set);
    return cmd_end(rc, &err);
}

const struct command command_run = { "run", "simulate a scenario and print the results", run_main };
