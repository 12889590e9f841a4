/* src/cmd/cluster/cmd_collective.c - anole collective: times a collective for a range of sizes, in the format
 * of nccl-tests.
 *
 * Channels, algorithm and protocol are NCCL's for the network and the size (nccl.h), unless options say
 * otherwise. With other traffic (--beside), each size runs alone and next to it.
 */
#include "base/file/outfile.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "cmd/cluster/cmd_collective.h"
#include "cmd/cmd.h"
#include "core/units.h"
#include "work/net/measure.h"
#include "study/report/about.h"
#include "study/report/trace/trace.h"
#include "study/run/sim_world.h"
#include "study/scenario/scenario.h"
#include "sim/sim.h"
#include "work/traffic/cdf.h"
#include "work/traffic/kinds/training.h"
#include "tune/setting.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RUN_PS    (1000 * PS_PER_S)      /* longer than anyone waits */
#define BESIDE_RUN "100s"                /* other traffic ends then: long after any collective */
/* next to other traffic, which does not end by itself, the clock advances by this */
#define SLICE_PS  (50 * PS_PER_US)
#define SAMPLE_PS (10 * PS_PER_US)       /* a trace has the queues this often */
#define TRACE_BYTES_MAX 256000000
#define SEEDS_BESIDE 3
#define BESIDE_NAMES 32                  /* tables of sizes, and storage */
/* Limits of the collective: a link that is busy, or a port that is paused, for this share of the time. */
#define BUSY      0.8
#define PAUSED    0.05

/* nccl-tests' names, and Anole's for the same. */
static void set_kind(void *options, const char *word)
{
    struct collective_options *o = options;

    o->kind = strcmp(word, "all_reduce") == 0 ? BY_SIZE
            : strcmp(word, "alltoall") == 0 ? COLLECTIVE_ALL_TO_ALL
            : (uint32_t)cmd_choice("--collective", word, collective_names);
}

/* "storage", "WebSearch=40%" */
static void set_beside(void *options, const char *text)
{
    struct collective_options *o = options;
    const char *names[BESIDE_NAMES] = { "storage" }, *is = strchr(text, '=');
    char       *what = is ? xprintf("%.*s", (int)(is - text), text) : xstrdup(text);
    struct err  why;

    if (is && text_to_real(is + 1, &o->beside_load, &why))
        cmd_usage("--beside: %s", why.text);
    if (is && !(o->beside_load > 0 && o->beside_load < 1))
        cmd_usage("--beside: a load between 0 and 100%%, not '%s'", is + 1);
    for (int i = 0; cdf_names[i] && i + 2 < BESIDE_NAMES; i++)
        names[i + 1] = cdf_names[i];
    int which = cmd_choice("--beside", what, names);
    o->beside = which == 0 ? "WebSearch" : names[which];
    free(what);
}

static const struct cmd_option option_rows[] = {
    { .help = "What to time:" },
    { "collective", 'c', "NAME", "all_reduce (default: ring or tree, as NCCL chooses by size), "
      "ring_all_reduce, tree_all_reduce, halving_doubling_all_reduce, all_gather, reduce_scatter, "
      "all_to_all (or alltoall)",
      .add = set_kind },
    { "minbytes", 'b', "SIZE", "First size (default: 1MB)", KEY_AT(struct collective_options, from),
      KEY_BYTES, 1, 1e18 },
    { "maxbytes", 'e', "SIZE", "Last size (default: 64MB)", KEY_AT(struct collective_options, to), KEY_BYTES,
      1, 1e18 },
    { "stepfactor", 'f', "N", "Factor between sizes (default: 2)", KEY_AT(struct collective_options, factor),
      KEY_COUNT, 2, 1u << 20 },
    { "iters", 'n', "N", "Collectives of each size, one after the other; times are their mean (default: 1)",
      KEY_AT(struct collective_options, iterations), KEY_COUNT, 1, 1000000 },
    { .help = "NCCL:" },
    { "channels", 0, "N", "Rings at once (default: NCCL's, one for each NIC of a server). 0: one ring "
      "whose steps wait for acknowledgements", KEY_AT(struct collective_options, channels), KEY_COUNT, 0,
      1024 },
    { "protocol", 0, "NAME", "LL, LL128 or Simple (default: as NCCL chooses by size)",
      KEY_AT(struct collective_options, protocol), .choices = nccl_protocol_names },
    { .help = "Scenario:" },
    { "beside", 0, "WHAT[=LOAD]", "Other traffic at the same time: storage (WebSearch message sizes), or "
      "sizes from 'anole list sizes'; its share of the NICs (default: 30%)", .add = set_beside },
    { "seeds", 0, "N", "Seeds with --beside (default: 3)", KEY_AT(struct collective_options, seeds),
      KEY_COUNT, 1, SEEDS_MAX },
    { "seed", 0, "N", "First random seed (default: 1)", KEY_AT(struct collective_options, seed), KEY_COUNT },
    CMD_SET(struct collective_options, set, sets),
    { .help = "Output:" },
    { "save", 0, "FILE", "Save the scenario of the last size, for anole run and anole advise",
      KEY_AT(struct collective_options, save) },
    { "trace", 0, "FILE", "Write the steps, messages, pauses and queues of the last size as JSON for "
      "Perfetto or chrome://tracing", KEY_AT(struct collective_options, trace) },
    { "report", 0, "FILE", "Save the results as a web page; with --beside also what presets would change",
      KEY_AT(struct collective_options, report) },
    { "format", 0, "FORMAT", "Output format: table, csv, or json (default: table)",
      KEY_AT(struct collective_options, format), .choices = cmd_table_csv_or_json },
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "topology", KEY_AT(struct collective_options, topology) },
    .missing = "which topology? anole collective dgx_h100_32; see anole list topology",
    .args = "TOPOLOGY",
    .help = "Times a collective among all hosts of a network for a range of sizes and prints what "
            "nccl-tests print: the time, the algorithm bandwidth (size / time) and the bus bandwidth, with "
            "its share of what the links allow. Channels, algorithm and protocol are those that NCCL would "
            "choose. The time line shows which message held up the slowest steps of the last size. "
            "TOPOLOGY is that of a scenario: a name, or keys in braces."
            "\v"
            "Examples:\n"
            "  anole collective dgx_h100_32 -b 8MB -e 256MB\n"
            "      All-reduce on four servers of eight GPUs.\n"
            "  anole collective dgx_h100_32 -b 64MB --beside storage=30%\n"
            "      The same next to storage traffic.\n"
            "  anole collective dgx_h100_32 --beside storage --report collective.html\n"
            "      Sizes from 1 to 64 MB, what holds them back and what helps, as a page.\n"
            "  anole collective '{kind: star, hosts: 8}' -c all_to_all --set cc=none\n"
            "      All-to-all without congestion control.\n"
            "\n"
            "GPU kernels and memory copies are not modeled: small sizes take longer on real GPUs.",
};

/* ---- the network ---- */

/* Rate of the slowest host, and its share of their mean: the largest load that all can send. */
static double slowest_host(const struct graph *g, double *load_most)
{
    uint32_t *link_of = graph_host_links(g), hosts = 0;
    double    slowest = INFINITY, sum = 0;

    for (uint32_t i = 0; i < g->nodes; i++)
        if (!g->node[i].is_switch) {
            double bps = (double)g->link[link_of[i]].rate_bps;

            slowest = fmin(slowest, bps);
            sum += bps;
            hosts++;
        }
    free(link_of);
    *load_most = slowest * hosts / sum;
    return slowest;
}

/* Reads the topology without running it. */
static int look_at_network(const struct collective_options *o, struct found *f, struct err *err)
{
    char           *text = xprintf("topology: %s\ntraffic:\n  - {kind: training, collective: all_gather, "
                                   "size: 1GB, iterations: 1}\n", o->topology);
    struct scenario s;
    struct sim     *sim;
    struct cluster_network *n = &f->network;
    int             rc = scenario_parse(&s, "collective", text, strlen(text), o->set, o->sets, &o->seed, err);

    free(text);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < s.graph.nodes; i++)
        n->each += s.graph.node[i].server == 1;
    n->each = n->each ? n->each : 1;
    uint32_t  servers = s.entry[0].workers / n->each;
    double    slowest_bps = slowest_host(&s.graph, &n->load_most);
    n->cluster = (struct nccl_cluster){ .ranks = s.entry[0].workers, .servers = servers ? servers : 1,
                                        .channels = o->channels && o->channels != BY_SIZE ? o->channels
                                                                                          : n->each,
                                        .nic_gbytes_per_s = slowest_bps / 8e9 };
    n->inside_gbytes_per_s = (double)s.graph.inside_rate_bps / 8e9;
    rc = scenario_start(&s, &sim, err);
    if (!rc) {
        about_scenario(&f->about, &s, sim);
        sim_free(sim);
    }
    scenario_fini(&s);
    return rc;
}

/* Bus bandwidth if every link were full: of rings, all NICs of a server; of an all-to-all, what leaves a
 * server. */
static double ideal_busbw(const struct cluster_network *n, enum collective_kind kind)
{
    double nic = n->cluster.nic_gbytes_per_s, others = n->cluster.ranks - n->each;

    if (n->cluster.servers == 1)
        return n->inside_gbytes_per_s > 0 ? n->inside_gbytes_per_s : nic;
    if (kind == COLLECTIVE_ALL_TO_ALL)
        return nic * (n->cluster.ranks - 1) / others;
    return collective_has_rings(kind) ? nic * n->each : nic;
}

/* ---- one size ---- */

/* Choices for a size: the user's, or NCCL's. Trees over several NICs of a server are not modeled: a ring
 * takes their place. */
static void choose(const struct collective_options *o, const struct cluster_network *n, struct row *row)
{
    bool               is_all_reduce = o->kind == BY_SIZE || o->kind == COLLECTIVE_RING_ALL_REDUCE;
    bool               has_trees = o->kind == BY_SIZE && n->each == 1;
    struct nccl_choice x = nccl_choose(&n->cluster, is_all_reduce, has_trees, row->bytes);

    row->kind = o->kind != BY_SIZE ? (enum collective_kind)o->kind
                : x.algorithm == NCCL_TREE ? COLLECTIVE_TREE_ALL_REDUCE : COLLECTIVE_RING_ALL_REDUCE;
    row->nccl_has_tree = o->kind == BY_SIZE && !has_trees &&
                         nccl_choose(&n->cluster, true, true, row->bytes).algorithm == NCCL_TREE;
    row->channels = collective_has_rings(row->kind) && o->channels ? n->cluster.channels : 0;
    row->protocol = o->protocol != BY_SIZE ? (enum nccl_protocol)o->protocol
                    : collective_has_rings(row->kind) || row->kind == COLLECTIVE_TREE_ALL_REDUCE
                        ? x.protocol
                        : NCCL_SIMPLE;
    row->ideal = ideal_busbw(n, row->kind);
}

/* Sizes of nccl-tests are those of a rank's whole buffer. */
static char *scenario_text(const struct collective_options *o, const struct cluster_network *n,
                           const struct row *row, bool is_beside)
{
    double   wire = (double)row->bytes * nccl_wire_factor(row->protocol);
    uint64_t bytes = (uint64_t)(row->kind == COLLECTIVE_ALL_TO_ALL ? wire / n->cluster.ranks : wire);
    char    *text;
    FILE    *out = text_stream(&text);

    fprintf(out,
            "topology: %s\ntraffic:\n  - {kind: training, name: collective, collective: %s, size: %" PRIu64
            ", iterations: %" PRIu64,
            o->topology, collective_names[row->kind], bytes ? bytes : 1, o->iterations);
    if (row->channels)
        fprintf(out, ", channels: %u", row->channels);
    if (row->kind == COLLECTIVE_TREE_ALL_REDUCE || row->channels)
        fprintf(out, ", chunk: %u", nccl_chunk_bytes(row->protocol));
    if (row->kind == COLLECTIVE_ALL_TO_ALL && n->each > 1 && n->cluster.servers > 1)
        fputs(", pxn: yes", out);
    fputs("}\n", out);
    if (is_beside)
        fprintf(out, "  - {kind: poisson, name: beside, sizes: %s, load: %.6g}\nrun: " BESIDE_RUN "\n",
                o->beside, o->beside_load);
    fclose(out);
    return text;
}

/* One run. NULL: not wanted. */
struct one_run {
    uint64_t              seed;
    const struct setting *preset;        /* NULL: the setting of the scenario */
    struct found         *nics_of;       /* gets what NICs received */
    struct found         *steps_of;      /* gets the time line */
    FILE                 *trace;         /* gets it, too */
    struct limit_seen    *limit;

    const struct graph   *graph;
    struct nic_seen      *nic;           /* by node */
    struct timeline       timeline;
    struct chrome        *chrome;        /* writes to 'trace' */
    uint64_t              ops, others;   /* collectives; messages of other traffic */
    double                ops_ps, slowdowns;     /* sums */
};

static void on_op(void *arg, const struct op_result *r)
{
    struct one_run *w = arg;

    w->ops++;
    w->ops_ps += (double)r->took_ps;
    if (w->chrome)
        chrome_on_op(w->chrome, r);
}

static void on_flow(void *arg, const struct flow_result *r)
{
    struct one_run *w = arg;

    if (w->chrome)
        chrome_on_flow(w->chrome, r);
    if (r->traffic == 0)
        timeline_on_flow(&w->timeline, r);
    if (r->traffic > 0) {
        w->others++;
        w->slowdowns += (double)r->fct_ps / (double)r->ideal_ps;
    }
    if (!w->nic || graph_is_inside(w->graph, r->src, r->dst))
        return;
    if (r->traffic > 0) {
        w->nic[r->dst].other_bytes += r->bytes;
    } else {
        w->nic[r->dst].lost_ps += r->fct_ps > r->ideal_ps ? (double)(r->fct_ps - r->ideal_ps) : 0;
        snprintf(w->nic[r->dst].from, sizeof(w->nic->from), "%s", w->graph->node[r->src].name);
    }
}

static void on_pfc(void *arg, const struct pfc_result *r)
{
    chrome_on_pfc(((struct one_run *)arg)->chrome, r);
}

/* What holds a collective back: a full link, pauses, a queue whose marks slow NICs, or waiting. */
static void see_limit(const struct sim *s, struct limit_seen *l)
{
    struct sim_port busiest = sim_port(s, 0), paused = busiest, longest = busiest;
    char           *buf = l->text, name[80], queue[32];

    for (uint32_t i = 1; i < sim_ports(s); i++) {
        struct sim_port p = sim_port(s, i);

        if (collective_busy_share(s, &p) > collective_busy_share(s, &busiest))
            busiest = p;
        if (p.counters.paused_ps > paused.counters.paused_ps)
            paused = p;
        if (p.counters.queue_bytes_max > longest.counters.queue_bytes_max)
            longest = p;
    }
    double busy = l->busy_share = collective_busy_share(s, &busiest);
    l->paused_share = (double)paused.counters.paused_ps / (double)sim_now_ps(s);
    l->queue_bytes_max = longest.counters.queue_bytes_max;
    l->marked_share = longest.counters.marked_packets
                      ? (double)longest.counters.marked_packets / (double)longest.counters.data_packets : 0;
    if (!(busy > 0))
        snprintf(buf, sizeof(l->text), "no link carries it, all traffic stays inside servers.");
    else if (busy >= BUSY)
        snprintf(buf, sizeof(l->text), "the link %s is busy %.0f %% of the time.",
                 collective_link_text(name, s, &busiest), 100 * busy);
    else if (l->paused_share > PAUSED)
        snprintf(buf, sizeof(l->text), "PFC pauses %s for %.0f %% of the time.",
                 collective_link_text(name, s, &paused), 100 * l->paused_share);
    else if (l->marked_share > 0)
        snprintf(buf, sizeof(l->text), "the queue at %s grows to %s and marks %.0f %% of its packets, so NICs "
                 "slow down; no link is busy more than %.0f %%.", collective_link_text(name, s, &longest),
                 text_figure(queue, sizeof(queue), "bytes", (double)l->queue_bytes_max),
                 100 * l->marked_share, 100 * busy);
    else
        snprintf(buf, sizeof(l->text),
                 "steps wait for round trips and for each other; no link is busy more than %.0f %%.",
                 100 * busy);
}

/* Names, places and queues of the NICs; those of hosts alone stay. Returns how many. */
static uint32_t describe_nics(const struct sim *s, const struct cluster_network *n, struct nic_seen *nic)
{
    const struct graph *g = sim_graph(s);
    uint32_t            hosts = 0;

    for (uint32_t i = 0; i < sim_ports(s); i++) {
        struct sim_port  p = sim_port(s, i);
        struct nic_seen *x = &nic[p.peer_node];

        if (p.counters.queue_bytes_max > x->queue_bytes_max)
            x->queue_bytes_max = p.counters.queue_bytes_max;
    }
    for (uint32_t i = 0; i < g->nodes; i++) {
        if (g->node[i].is_switch)
            continue;
        nic[hosts] = nic[i];
        snprintf(nic[hosts].name, sizeof(nic[hosts].name), "%s", g->node[i].name);
        nic[hosts].server = hosts / n->each;
        nic[hosts].rail = hosts % n->each;
        hosts++;
    }
    return hosts;
}

/* ---- a run ---- */

static void apply_preset(struct sim *s, const struct setting *preset)
{
    struct world world;

    sim_world_init(&world, s, PS_PER_MS);
    struct knobs knobs = world.start;
    preset->make(&knobs, &world);
    sim_apply(s, &knobs);
    world_fini(&world);
}

static int run_sim(const struct collective_options *o, struct sim *s, bool is_beside, struct one_run *r,
                   struct err *err)
{
    uint64_t slice = r->trace ? SAMPLE_PS : is_beside ? SLICE_PS : RUN_PS;
    int      rc = 0;

    r->graph = sim_graph(s);
    if (r->steps_of)
        timeline_init(&r->timeline, training_iteration(sim_traffic(s), 0)->stage[0].plan);
    r->chrome = r->trace ? chrome_open(r->trace, s, TRACE_BYTES_MAX) : NULL;
    if (r->nics_of) {
        free(r->nics_of->nic);
        r->nics_of->nic = r->nic = xcalloc(sim_graph(s)->nodes, sizeof(*r->nic));
    }
    if (r->preset)
        apply_preset(s, r->preset);
    sim_set_hooks(s, &(struct sim_hooks){ .arg = r, .flow_done = on_flow, .pfc = r->chrome ? on_pfc : NULL });
    traffic_on_op(sim_traffic(s), on_op, r);
    while (r->ops < o->iterations && !sim_is_done(s) && !sim_failure(s) && sim_now_ps(s) < RUN_PS) {
        sim_run_until(s, sim_now_ps(s) + slice);
        traffic_tell(sim_traffic(s));
        if (r->chrome)
            chrome_on_sample(r->chrome, sim_now_ps(s));
    }
    if (sim_failure(s))
        rc = err_set(err, EIO, "%s", sim_failure(s)->text);
    else if (r->ops < o->iterations)
        rc = err_set(err, ETIME, "the collective does not end: flows are stuck");
    if (r->nics_of)
        r->nics_of->nics = describe_nics(s, &r->nics_of->network, r->nic);
    if (r->steps_of && !rc)
        collective_see_steps(s, &r->timeline, r->steps_of);
    if (r->chrome) {
        collective_trace_steps(s, &r->timeline, r->chrome);
        uint64_t left_out = chrome_close(r->chrome);
        if (left_out)
            fprintf(stderr, "anole: warning: %" PRIu64 " events did not fit into the trace\n", left_out);
    }
    timeline_fini(&r->timeline);
    if (r->limit)
        see_limit(s, r->limit);
    return rc;
}

/* "collective:3:5: too many": there is no file with that line. */
static void drop_place(struct err *err)
{
    char *end = strstr(err->text, ": ");

    if (end && strncmp(err->text, "collective:", 11) == 0)
        memmove(err->text, end + 2, strlen(end + 2) + 1);
}

static int run_text(const struct collective_options *o, const char *text, struct one_run *r, struct err *err)
{
    struct scenario scenario;
    struct sim     *s;
    int rc = scenario_parse(&scenario, "collective", text, strlen(text), o->set, o->sets, &r->seed, err);

    if (rc)
        drop_place(err);
    if (rc)
        return rc;
    rc = scenario_start(&scenario, &s, err);
    if (!rc) {
        rc = run_sim(o, s, scenario.entries > 1, r, err);
        sim_free(s);
    }
    scenario_fini(&scenario);
    return rc;
}

/* Runs all seeds; the first one shows what NICs received, and the time line. */
static int measure(const struct collective_options *o, const char *text, uint32_t seeds, struct one_run first,
                   struct timing *t, struct err *err)
{
    double   slowdowns = 0;
    uint32_t known = 0;
    int      rc = 0;

    *t = (struct timing){ .low_us = INFINITY };
    for (uint32_t i = 0; i < seeds && !rc; i++) {
        struct one_run r = i == 0 ? first : (struct one_run){ .preset = first.preset, .limit = first.limit };

        r.seed = o->seed + i;
        rc = run_text(o, text, &r, err);
        double us = r.ops_ps / (double)PS_PER_US / (double)o->iterations;
        t->us += us / seeds;
        t->low_us = fmin(t->low_us, us);
        t->high_us = fmax(t->high_us, us);
        slowdowns += r.others ? r.slowdowns / (double)r.others : 0;
        known += r.others > 0;
    }
    t->slowdown = known ? slowdowns / known : NAN;
    return rc;
}

static int measure_row(const struct collective_options *o, struct found *f, uint64_t bytes, FILE *trace,
                       struct err *err)
{
    struct row *row = &f->row[f->rows];
    bool        is_last = bytes > o->to / o->factor || f->rows + 1 == ROWS_MAX;
    int         rc = 0;

    *row = (struct row){ .bytes = bytes };
    choose(o, &f->network, row);
    for (int is_beside = 0; is_beside <= (o->beside != NULL) && !rc; is_beside++) {
        bool           is_shown = is_last && is_beside == (o->beside != NULL);
        struct one_run r = { .nics_of = o->report ? f : NULL, .limit = &f->limit[is_beside],
                             .steps_of = is_shown ? f : NULL, .trace = is_shown ? trace : NULL };
        char          *text = scenario_text(o, &f->network, row, is_beside);

        rc = measure(o, text, is_beside ? o->seeds : 1, r, is_beside ? &row->beside : &row->alone, err);
        free(text);
    }
    row->algbw = (double)bytes / row->alone.us / 1e3;
    row->busbw = row->algbw * collective_bus_factor(row->kind, f->network.cluster.ranks);
    f->rows += !rc;
    return rc;
}

static int measure_all(const struct collective_options *o, struct found *f, FILE *trace, struct err *err)
{
    int rc = look_at_network(o, f, err);

    for (uint64_t bytes = o->from; bytes <= o->to && f->rows < ROWS_MAX && !rc; bytes *= o->factor)
        rc = measure_row(o, f, bytes, trace, err);
    return rc;
}

/* ---- presets, for the page ---- */

static int try_preset(const struct collective_options *o, struct found *f, const char *text,
                      const struct setting *preset, struct err *err)
{
    struct preset_seen *p = &f->preset[f->presets++];

    *p = (struct preset_seen){ .name = preset ? preset->name : "current",
                               .about = preset ? preset->about : "the setting of this run" };
    return measure(o, text, o->seeds, (struct one_run){ .preset = preset }, &p->time, err);
}

/* The last size next to other traffic, with every preset. */
static int try_presets(const struct collective_options *o, struct found *f, const char *text, struct err *err)
{
    const struct setting *lists[] = { setting_all, setting_thresholds };
    int                   rc = try_preset(o, f, text, NULL, err);

    for (int i = 0; i < 2; i++)
        for (const struct setting *s = lists[i]; s->name && f->presets < PRESETS_MAX && !rc; s++)
            rc = try_preset(o, f, text, s, err);
    return rc;
}

/* Files are opened before the runs, so that a wrong path is reported at once. 'text': the last scenario. */
static int write_page(const struct collective_options *o, struct found *f, const char *text,
                      struct outfile *out, struct err *err)
{
    int         rc = o->beside ? try_presets(o, f, text, err) : 0;
    struct card c;

    if (rc)
        return rc;
    collective_answer(o, f, &c);
    collective_page(o, f, &c, text, out->stream);
    card_fini(&c);
    return outfile_end(out, 0, err);
}

static int time_collective(const struct collective_options *o, struct found *f, struct err *err)
{
    struct outfile page = { 0 }, trace = { 0 };
    char          *text = NULL;
    int            rc = o->report ? outfile_open(&page, o->report, err) : 0;

    if (!rc && o->trace)
        rc = outfile_open(&trace, o->trace, err);
    rc = rc ? rc : measure_all(o, f, trace.stream, err);
    if (!rc)
        text = scenario_text(o, &f->network, &f->row[f->rows - 1], o->beside != NULL);
    if (!rc && o->report)
        rc = write_page(o, f, text, &page, err);
    outfile_abort(&page);
    rc = outfile_end(&trace, rc, err);
    if (!rc && text && o->save)
        rc = outfile_write(o->save, text, strlen(text), err);
    free(text);
    return rc;
}

static int collective_main(int argc, char **argv)
{
    struct collective_options o = { .kind = BY_SIZE, .protocol = BY_SIZE, .channels = BY_SIZE,
                                    .from = 1000000, .to = 64000000, .factor = 2, .iterations = 1, .seed = 1,
                                    .seeds = SEEDS_BESIDE, .beside_load = BESIDE_LOAD, .argc = argc,
                                    .argv = argv };
    struct found *f = xcalloc(1, sizeof(*f));
    struct err    err;

    cmd_parse(&line, argc, argv, &o);
    if (o.from > o.to)
        cmd_usage("--minbytes is more than --maxbytes");
    int rc = time_collective(&o, f, &err);
    if (!rc)
        collective_print(&o, f);
    card_fini(&f->about);
    free(f->nic);
    free(f);
    free(o.set);
    return cmd_end(rc, &err);
}

const struct command command_collective = {
    "collective", "time collectives on a network, in the format of nccl-tests", collective_main,
};
