/* src/cmd/cluster/collective.c - anole collective: a table as nccl-tests print it, one row for each size. */
#include "base/print/safe.h"
#include "base/print/table.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "core/units.h"
#include "scenario/scenario.h"
#include "sim/sim.h"
#include "traffic/collective.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RUN_PS  (1000 * PS_PER_S)        /* longer than anything a person waits for */
#define ROWS_MAX 64

struct options {
    const char     *topology, *collective, *chunk;
    const char    **set;
    uint32_t        sets;
    uint64_t        from, to, factor, channels, iterations, seed;
    enum cmd_format format;
};

struct row { uint64_t bytes; double us, algbw, busbw; };

enum { KEY_SET = 's', KEY_FROM = 'b', KEY_TO = 'e', KEY_FACTOR = 'f', KEY_ITERATIONS = 'n', KEY_COLLECTIVE = 'c', KEY_CHANNELS = 256, KEY_CHUNK,
       KEY_SEED, KEY_FORMAT };

static const struct argp_option option_rows[] = {
    { "collective", KEY_COLLECTIVE, "NAME", 0, "One of those of training: ring_all_reduce (default), tree_all_reduce, halving_doubling_all_reduce, "
      "all_gather, reduce_scatter, all_to_all. As nccl-tests call them: all_reduce (a ring), alltoall", 0 },
    { "minbytes", KEY_FROM, "SIZE", 0, "The first size (default: 1MB)", 0 },
    { "maxbytes", KEY_TO, "SIZE", 0, "The last size (default: 64MB)", 0 },
    { "stepfactor", KEY_FACTOR, "N", 0, "From one size to the next (default: 2)", 0 },
    { "iters", KEY_ITERATIONS, "N", 0, "Collectives of each size, one after the other; times are their mean (default: 1)", 0 },
    { "channels", KEY_CHANNELS, "N", 0, "Rings at once, as NCCL has them (default: 0, one that waits for acknowledgements)", 0 },
    { "chunk", KEY_CHUNK, "SIZE", 0, "Of trees, and of rings with --channels (default: 512KB)", 0 },
    { "set", KEY_SET, "KEY=VALUE", 0, "Change anything else, as for anole run", 0 },
    { "seed", KEY_SEED, "N", 0, "Of random numbers (default: 1)", 0 },
    { "format", KEY_FORMAT, "WORD", 0, "table (default), csv or json", 0 },
    { 0 },
};

static uint64_t size_of(const char *option, const char *text)
{
    uint64_t   bytes = 0;
    struct err why;

    if (text_to_bytes(text, &bytes, &why) || bytes == 0)
        cmd_usage("%s: '%s' is no size, such as 64MB", option, text);
    return bytes;
}

/* nccl-tests' names, and Anole's for the same. */
static const char *collective_of(const char *word)
{
    if (strcmp(word, "all_reduce") == 0)
        return collective_names[COLLECTIVE_RING_ALL_REDUCE];
    if (strcmp(word, "alltoall") == 0)
        return collective_names[COLLECTIVE_ALL_TO_ALL];
    return collective_names[cmd_choice("--collective", "not a collective", word, collective_names)];
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_COLLECTIVE: o->collective = collective_of(arg);                               break;
    case KEY_FROM:       o->from = size_of("--minbytes", arg);                             break;
    case KEY_TO:         o->to = size_of("--maxbytes", arg);                               break;
    case KEY_FACTOR:     o->factor = cmd_count("--stepfactor", arg, 2, 1u << 20);          break;
    case KEY_ITERATIONS: o->iterations = cmd_count("--iters", arg, 1, 1000000);            break;
    case KEY_CHANNELS:   o->channels = cmd_count("--channels", arg, 0, 1024);              break;
    case KEY_CHUNK:      o->chunk = arg;                                                   break;
    case KEY_SET:        cmd_add_set(&o->set, &o->sets, arg);                              break;
    case KEY_SEED:       o->seed = cmd_seed("--seed", arg);                                break;
    case KEY_FORMAT:     o->format = cmd_format(arg);                                      break;
    case ARGP_KEY_ARG:   cmd_take_one(&o->topology, arg, "topology");                      break;
    case ARGP_KEY_NO_ARGS:
        cmd_usage("which topology? anole collective dgx_h100_32; see anole list topology");
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "TOPOLOGY",
    .doc = "Runs a collective among all hosts of a network for a row of sizes and prints what nccl-tests print: the time of one, the algorithm "
           "bandwidth (size / time) and the bus bandwidth. TOPOLOGY is what a scenario has: a name, or keys in braces."
           "\v"
           "Examples:\n"
           "  anole collective dgx_h100_32 --channels 8 -b 8MB -e 256MB\n"
           "  anole collective '{kind: star, hosts: 8}' -c all_to_all --set cc=none --format csv\n",
};

/* ---- one size ---- */

static void on_op(void *arg, const struct op_result *r)
{
    double *sum_ps = arg;

    *sum_ps += (double)r->took_ps;
}

/* Sizes of nccl-tests are those of a rank's whole buffer. */
static char *scenario_text(const struct options *o, uint64_t bytes)
{
    size_t size = 400 + strlen(o->topology) + (o->chunk ? strlen(o->chunk) : 0);
    char  *text = xmalloc(size), more[64] = "";

    if (o->channels)
        snprintf(more, sizeof more, ", channels: %" PRIu64, o->channels);
    snprintf(text, size, "topology: %s\ntraffic:\n  - {kind: training, collective: %s, size: %" PRIu64 ", iterations: %" PRIu64 "%s%s%s}\n",
             o->topology, o->collective, bytes, o->iterations, more, o->chunk ? ", chunk: " : "", o->chunk ? o->chunk : "");
    return text;
}

static int run_text(const struct options *o, const char *text, uint32_t *workers, double *us, struct err *err)
{
    struct scenario scenario;
    double          sum_ps = 0;
    struct sim     *s;
    int             rc = scenario_parse(&scenario, "collective", text, strlen(text), o->set, o->sets, &o->seed, err);

    if (rc)
        return rc;
    *workers = scenario.entry[0].workers;
    rc = scenario_start(&scenario, &s, err);
    if (!rc) {
        traffic_on_op(s->program.traffic, on_op, &sum_ps);
        sim_run_until(s, RUN_PS);
        traffic_tell(s->program.traffic);
        if (s->engine.has_failed)
            rc = err_set(err, EIO, "%s", s->engine.failure.text);
        else if (!s->is_done)
            rc = err_set(err, ETIME, "it does not come to an end: flows are stuck");
        *us = sum_ps / (double)PS_PER_US / (double)o->iterations;
        sim_free(s);
    }
    scenario_fini(&scenario);
    return rc;
}

/* How many workers there are is not known before the first run: a network is asked with a size that fits any. */
static int measure(const struct options *o, uint64_t bytes, uint32_t *workers, struct row *row, struct err *err)
{
    enum collective_kind kind = 0;
    bool                 is_all_to_all = strcmp(o->collective, collective_names[COLLECTIVE_ALL_TO_ALL]) == 0;
    uint64_t             each = is_all_to_all && *workers ? bytes / *workers + (bytes < *workers) : bytes;
    char                *text = scenario_text(o, each);
    int                  rc;

    row->us = 0;
    rc = run_text(o, text, workers, &row->us, err);
    while (strcmp(collective_names[kind], o->collective) != 0)
        kind++;
    free(text);
    row->bytes = bytes;
    row->algbw = (double)bytes / row->us / 1e3;
    row->busbw = row->algbw * collective_bus_factor(kind, *workers ? *workers : 1);
    return rc;
}

static int measure_all(const struct options *o, struct row *row, uint32_t *rows, uint32_t *ranks, struct err *err)
{
    uint32_t workers = 0;
    int      rc = 0;

    if (strcmp(o->collective, collective_names[COLLECTIVE_ALL_TO_ALL]) == 0)
        rc = measure(o, 1, &workers, row, err);
    for (uint64_t bytes = o->from; bytes <= o->to && *rows < ROWS_MAX && !rc; bytes *= o->factor) {
        rc = measure(o, bytes, &workers, &row[*rows], err);
        *rows += !rc;
    }
    *ranks = workers;
    return rc;
}

/* ---- printing ---- */

static bool has_rings(const struct options *o)
{
    for (enum collective_kind kind = 0; kind < COLLECTIVE_KINDS; kind++)
        if (strcmp(collective_names[kind], o->collective) == 0)
            return collective_has_rings(kind);
    return false;
}

static bool has_chunks(const struct options *o)
{
    return strcmp(o->collective, collective_names[COLLECTIVE_TREE_ALL_REDUCE]) == 0 || (has_rings(o) && o->channels);
}

/* The choice of algorithm and channels is the caller's; it stands above the table, as nccl-tests have theirs. */
static void print_choice(const struct options *o, uint32_t ranks)
{
    char channels[48] = "one ring, which waits for acknowledgements";

    if (o->channels)
        snprintf(channels, sizeof channels, "%" PRIu64 " channel%s", o->channels, o->channels == 1 ? "" : "s");
    safe_printf(stdout, "# %s: %u ranks, %s", o->topology, ranks, o->collective);
    if (has_rings(o))
        printf(", %s", channels);
    if (has_chunks(o))
        safe_printf(stdout, ", chunks of %s", o->chunk ? o->chunk : "512KB");
    putchar('\n');
}

static void print_table(const struct row *row, uint32_t rows)
{
    struct table *t = table_new("rrrr");

    for (int i = 0; i < 4; i++)
        table_cell(t, "%s", ((const char *const[]){ "size (B)", "time (us)", "algbw (GB/s)", "busbw (GB/s)" })[i]);
    for (uint32_t i = 0; i < rows; i++) {
        table_cell(t, "%" PRIu64, row[i].bytes);
        table_cell(t, "%.2f", row[i].us);
        table_cell(t, "%.2f", row[i].algbw);
        table_cell(t, "%.2f", row[i].busbw);
    }
    table_print(t, stdout, 0);
    table_free(t);
}

static void print(const struct options *o, const struct row *row, uint32_t rows, uint32_t ranks)
{
    if (o->format == FORMAT_TABLE) {
        print_choice(o, ranks);
        print_table(row, rows);
        return;
    }
    puts(o->format == FORMAT_CSV ? "size_bytes,time_us,algbw_GBps,busbw_GBps" : "[");
    for (uint32_t i = 0; i < rows; i++)
        if (o->format == FORMAT_CSV)
            printf("%" PRIu64 ",%.3f,%.4f,%.4f\n", row[i].bytes, row[i].us, row[i].algbw, row[i].busbw);
        else
            printf(" {\"collective\": \"%s\", \"ranks\": %u, \"channels\": %" PRIu64 ", \"size_bytes\": %" PRIu64 ", \"time_us\": %.3f, \"algbw_GBps\": %.4f, "
                   "\"busbw_GBps\": %.4f}%s\n", o->collective, ranks, o->channels, row[i].bytes, row[i].us, row[i].algbw, row[i].busbw, i + 1 < rows ? "," : "");
    if (o->format == FORMAT_JSON)
        puts("]");
}

static int collective_main(int argc, char **argv)
{
    struct options o = { .collective = collective_names[COLLECTIVE_RING_ALL_REDUCE], .from = 1000000, .to = 64000000, .factor = 2, .iterations = 1,
                         .seed = 1 };
    struct row     row[ROWS_MAX];
    uint32_t       rows = 0, ranks = 0;
    struct err     err;
    int            rc;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (o.from > o.to)
        cmd_usage("--minbytes is more than --maxbytes");
    rc = measure_all(&o, row, &rows, &ranks, &err);
    if (!rc)
        print(&o, row, rows, ranks);
    free(o.set);
    return cmd_end(rc, &err);
}

const struct command command_collective = { "collective", "time collectives on a network, as nccl-tests do", collective_main };
