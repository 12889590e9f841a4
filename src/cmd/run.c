/* src/cmd/run.c - anole run: simulates a scenario and tells what became of it. */
#include "base/file/interrupt.h"
#include "base/print/safe.h"
#include "base/print/terminal.h"
#include "base/print/spark.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "core/units.h"
#include "report/run_files.h"
#include "run/progress.h"
#include "run/scenario_file.h"
#include "sim/partition.h"
#include "twin/maker.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

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

enum { KEY_SET = 's', KEY_OUT = 'o', KEY_FORMAT = 'f', KEY_QUIET = 'q', KEY_SEED = 256, KEY_THREADS,
       KEY_UNTIL, KEY_HTSIM_FLOWS, KEY_HPCC_FCT, KEY_HPCC_PFC, KEY_PCAP, KEY_PCAP_LIMIT, KEY_PCAP_HEADERS, KEY_TRACE, KEY_TRACE_LIMIT, KEY_SAMPLES,
       KEY_SAMPLES_LIMIT, KEY_SAMPLE_EVERY };

static const struct argp_option option_rows[] = {
    { "set", KEY_SET, "KEY=VALUE", 0, "Change the scenario: a knob (kmin=200KB), or a path of keys "
      "(topology.delay=2us, traffic.0.load=0.5; fidelity=fast skips what repeats). May be given more than "
      "once", 0 },
    { "seed", KEY_SEED, "N", 0, "Start of the random numbers, in place of the scenario's", 0 },
    { "until", KEY_UNTIL, "TIME", 0, "End the run at this simulated time at the latest (500us)", 0 },
    { "threads", KEY_THREADS, "N", 0, "Share the work among N threads (default: the processors there are, if the run is "
      "long enough to gain). The results are the same. With fidelity=fast there is always one", 0 },
    { "out", KEY_OUT, "DIR", 0, "Write report.html, flows.csv, intervals.csv, ports.csv, summary.json, manifest.json, "
      "a copy of the scenario and, with a tuner, tuning.jsonl into DIR; unfinished.csv if flows had not finished; gaps.csv and "
      "queues.csv if the scenario has them recorded. It is there whole when the run has ended, or not at all", 0 },
    { "format", KEY_FORMAT, "table|csv|json", 0, "How results are printed (default: table)", 0 },
    { "hpcc-fct", KEY_HPCC_FCT, "FILE", 0, "Write completed flows as the HPCC ns-3 simulator does (fct.txt)", 0 },
    { "hpcc-pfc", KEY_HPCC_PFC, "FILE", 0, "Write PFC frames as the HPCC ns-3 simulator does (pfc.txt)", 0 },
    { "htsim-flows", KEY_HTSIM_FLOWS, "FILE", 0, "Model htsim: write every flow with its packets, windows and delays, in 26 columns", 0 },
    { "pcap", KEY_PCAP, "FILE", 0, "Write the frames of hosts' links for Wireshark (pcapng). Then one thread does the work", 0 },
    { "pcap-headers", KEY_PCAP_HEADERS, NULL, 0, "Of these frames, headers alone: the file is a tenth as large, but Wireshark calls data malformed", 0 },
    { "pcap-limit", KEY_PCAP_LIMIT, "SIZE", 0, "Of that file; what does not fit is counted (default: 1GB)", 0 },
    { "trace", KEY_TRACE, "FILE", 0, "Write flows, pauses, queues and iterations for Perfetto or chrome://tracing (JSON)", 0 },
    { "trace-limit", KEY_TRACE_LIMIT, "SIZE", 0, "Of that file; what does not fit is counted (default: 256MB)", 0 },
    { "samples", KEY_SAMPLES, "FILE", 0, "Write the queue of every switch port and the rate of every flow over time (CSV). Then one thread does the work", 0 },
    { "samples-limit", KEY_SAMPLES_LIMIT, "SIZE", 0, "Of that file; what does not fit is counted (default: 256MB)", 0 },
    { "sample-every", KEY_SAMPLE_EVERY, "TIME", 0, "How often --samples and --trace look at queues and rates (default: 10us)", 0 },
    { "quiet", KEY_QUIET, NULL, 0, "Print errors only", 0 },
    { 0 },
};

static uint64_t limit_of(const char *option, const char *text)
{
    uint64_t   bytes = 0;
    struct err why;

    if (text_to_bytes(text, &bytes, &why) || bytes < 65536)
        cmd_usage("%s: '%s' is no size of 64KiB or more, such as 100MB", option, text);
    return bytes;
}

/* An option about a file that nobody asked for would do nothing: refused. What is not given is filled in. */
static void settle(uint64_t *value, uint64_t otherwise, const char *option, const char *file, const char *of)
{
    if (*value && !file)
        cmd_usage("%s goes with %s FILE, which is not there", option, of);
    if (!*value)
        *value = otherwise;
}

static void settle_files(struct run_files_paths *f)
{
    if (f->is_pcap_cut && !f->pcap)
        cmd_usage("--pcap-headers goes with --pcap FILE, which is not there");
    settle(&f->pcap_bytes_max, 1000000000, "--pcap-limit", f->pcap, "--pcap");
    settle(&f->trace_bytes_max, 256000000, "--trace-limit", f->trace, "--trace");
    settle(&f->samples_bytes_max, 256000000, "--samples-limit", f->samples, "--samples");
    settle(&f->sample_ps, 10 * PS_PER_US, "--sample-every", f->samples ? f->samples : f->trace, "--samples or --trace");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_SET:      cmd_add_set(&o->set, &o->sets, arg);                              break;
    case KEY_SEED:     o->seed = cmd_seed("--seed", arg); o->has_seed = true;            break;
    case KEY_THREADS:  o->threads = (uint32_t)cmd_count("--threads", arg, 1, PARTS_MAX); break;
    case KEY_UNTIL:    o->until_ps = cmd_time("--until", arg, "a run of no time");       break;
    case KEY_OUT:      o->files.out = arg;                                               break;
    case KEY_FORMAT:   o->format = cmd_format(arg);                                      break;
    case KEY_HPCC_FCT: o->files.hpcc_fct = arg;                                          break;
    case KEY_HPCC_PFC: o->files.hpcc_pfc = arg;                                          break;
    case KEY_HTSIM_FLOWS: o->files.htsim_flows = arg;                                    break;
    case KEY_PCAP:     o->files.pcap = arg;                                              break;
    case KEY_TRACE:    o->files.trace = arg;                                             break;
    case KEY_PCAP_HEADERS: o->files.is_pcap_cut = true;                                  break;
    case KEY_PCAP_LIMIT:  o->files.pcap_bytes_max = limit_of("--pcap-limit", arg);       break;
    case KEY_TRACE_LIMIT: o->files.trace_bytes_max = limit_of("--trace-limit", arg);     break;
    case KEY_SAMPLES:  o->files.samples = arg;                                           break;
    case KEY_SAMPLES_LIMIT: o->files.samples_bytes_max = limit_of("--samples-limit", arg);   break;
    case KEY_SAMPLE_EVERY:  o->files.sample_ps = cmd_time("--sample-every", arg, "samples all the time");  break;
    case KEY_QUIET:    o->is_quiet = true;                                               break;
    case ARGP_KEY_ARG: cmd_take_one(&o->path, arg, "scenario");                          break;
    case ARGP_KEY_END: settle_files(&o->files);                                          break;
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

/* ---- what is told ---- */

static void print(const struct options *o, const struct results *r)
{
    struct results_look look = { cmd_has_colour(stdout), spark_is_utf8(), terminal_width(stdout) };

    switch (o->format) {
    case FORMAT_TABLE: results_print_table(r, stdout, look); break;
    case FORMAT_CSV:   results_print_csv(r, stdout);         break;
    case FORMAT_JSON:  results_print_json(r, stdout, true);  break;
    }
}

/* Where to look next; for people, and so not where other programs read. */
static void tell_where(const struct options *o, const struct results *r)
{
    if (!o->files.out || o->format != FORMAT_TABLE)
        return;
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

/* Prints each line; NULL: there is none. */
static void print_warnings(const char *text)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        char  *line = strndup(text, length);

        fprintf(stderr, "anole: warning: %s\n", safe_name(line ? line : "").buf);
        free(line);
        text += length + (text[length] == '\n');
    }
}

/* ---- from options to exit status ---- */

static int simulate(const struct options *o, struct simulation *s, struct run_files *files, struct err *err)
{
    struct simulation_hooks hooks = run_files_hooks(files);
    struct progress progress;
    struct results results;
    struct err why;
    int rc, failed;

    interrupt_watch(&s->sim->now_ps);
    progress_start(&progress, !o->is_quiet);
    simulation_run(s, &hooks, &progress);
    progress_clear(&progress);
    failed = simulation_failed(s, &why);     /* what was found until then is told all the same */
    results_init(&results, s);
    rc = run_files_write(files, &results, err);
    if (!rc) {
        warn_unfinished(&results);
        if (!o->is_quiet) {
            print(o, &results);
            tell_where(o, &results);
        }
    }
    results_fini(&results);
    return failed && !rc ? err_set(err, -failed, "%s", why.text) : rc;
}

static int run_file(const struct options *o, const struct scenario_file *file, struct err *err)
{
    struct simulation_input input = scenario_file_input(file);
    struct simulation simulation;
    struct run_files files;
    int rc;

    input.set = o->set;
    input.sets = o->sets;
    input.seed = o->has_seed ? &o->seed : NULL;
    input.threads = o->files.pcap || o->files.samples ? 1 : o->threads;
    input.until_ps = o->until_ps;
    input.maker = &twin_maker;
    rc = simulation_open(&simulation, &input, err);
    if (rc)
        return rc;
    print_warnings(simulation.scenario.warning);
    rc = run_files_open(&files, &o->files, &simulation, err);
    if (!rc)
        rc = simulate(o, &simulation, &files, err);
    run_files_abort(&files);
    simulation_close(&simulation);
    return rc;
}

static int run_main(int argc, char **argv)
{
    struct options o = { 0 };
    struct scenario_file file;
    struct err err;
    int rc;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    interrupt_catch();
    rc = scenario_file_read(&file, o.path, &err);
    if (!rc)
        rc = run_file(&o, &file, &err);
    scenario_file_fini(&file);
    free(o.set);
    return cmd_end(rc, &err);
}

const struct command command_run = { "run", "simulate a scenario and print the results", run_main };
