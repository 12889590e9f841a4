/* src/study/report/results_table.c - results as tables for the terminal. */
#include "base/print/safe.h"
#include "base/print/table.h"
#include "base/print/terminal.h"
#include "base/text.h"
#include "study/report/metrics.h"
#include "study/report/results.h"
#include "study/report/results_text.h"
#include "work/traffic/iteration.h"

#include <math.h>
#include <string.h>

/* ---- what was run ---- */

static void print_traffic(const struct results *r, FILE *out)
{
    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        const struct traffic_about *t = &r->scenario->entry[i];
        const struct results_entry *e = &r->entry[i];
        char load[64] = "";

        if (t->load > 0)
            snprintf(load, sizeof load, "load %.3f realised, %.3f asked; ", e->load, t->load);
        print_line(out, i ? "" : "traffic", "%s: %s%s, %s", t->name, load, flows_text(e->flows_started).buf,
                   bytes_text(e->bytes_started).buf);
    }
}

/* "2.15 ms (2.1 ms to 2.2 ms)" */
static struct text expected_text(const struct expected *v)
{
    struct text t;

    snprintf(t.buf, sizeof t.buf, isnan(v->mean) ? "%.16s" : "%.16s (%.16s to %.16s)",
             metric(UNIT_US, v->mean).buf, metric(UNIT_US, v->low).buf, metric(UNIT_US, v->high).buf);
    return t;
}

/* Where the exposed communication of a run packet by packet would be. */
static void print_spread(const struct results *r, FILE *out)
{
    const struct spread *s = r->spread;
    char                 seeds[80];

    if (s->why_not)
        print_line(out, "exposed", "no interval: %s", s->why_not);
    if (!s->seeds)
        return;
    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        const struct expected *us = &s->us[(size_t)i * EXPOSED_COUNT];

        if (!isnan(us[EXPOSED_MEAN].mean))
            print_line(out, "exposed", "%s: %s packet by packet; cold %s, warm %s",
                       r->scenario->entry[i].name, expected_text(&us[EXPOSED_MEAN]).buf,
                       expected_text(&us[EXPOSED_COLD]).buf, expected_text(&us[EXPOSED_WARM]).buf);
    }
    if (s->seeds > 1)
        snprintf(seeds, sizeof seeds, "spread of %u seeds", s->seeds);
    else
        snprintf(seeds, sizeof seeds, "seeds have no effect");
    print_line(out, "", "95 %% interval for one such run: %s; %.2g %% for the model", seeds, 100 * s->model);
}

static uint64_t simulated_packets(const struct results *r, const struct skip_stats *k)
{
    return sim_counts(r->sim)->data_sent - k->packets;
}

/* What was not simulated packet by packet, and why not more. */
static void print_fidelity(const struct results *r, const struct skip_stats *k, FILE *out)
{
    if (k->packets == 0)
        print_line(out, "fidelity", "fast: nothing was skipped%s%s",
                   k->why_not ? ": " : ", no flow was alone for long", k->why_not ? k->why_not : "");
    else
        print_line(out, "fidelity", "fast: %s of hops skipped, those of flows alone on their way",
                   metric(UNIT_SHARE, (double)k->hops / r->hops).buf);
    if (k->rest_packets && !k->why_not)
        print_line(out, "",
                   "of the packets that were simulated, %s were while skipping rested: it saved too little",
                   metric(UNIT_SHARE, (double)k->rest_packets / (double)simulated_packets(r, k)).buf);
    if (k->packets && k->why_not)
        print_line(out, "", "then every packet was simulated: %s", k->why_not);
    if (k->packets && !r->spread->seeds && sim_has_drawn(r->sim))
        print_line(out, "", "one seed: the same run packet by packet differs from it as another seed does");
    print_spread(r, out);
}

static void print_setup(const struct results *r, FILE *out)
{
    const struct graph *g = sim_graph(r->sim);
    const struct sim_cfg *cfg = sim_settings(r->sim);
    char controls[SIM_CC_TEXT_MAX], time[32];

    print_line(out, "scenario", "%s", r->scenario->path);
    for (uint32_t i = 0; i < r->sets; i++)
        print_line(out, i == 0 ? "set" : "", "%s", r->set[i]);
    print_line(out, "model", "%s, %s, %s, %s", sim_model_names[cfg->model], sim_cc_text(cfg, controls),
               sim_lb_text(cfg), cfg->is_lossless ? "lossless" : "lossy");
    if (r->tuning->algo)
        print_line(out, "tuner", "%s: %s", r->tuning->algo->name, r->tuning->algo->about);
    print_line(out, "network", "%s, %s, %s", counted(g->hosts, "host", "hosts").buf,
               counted(g->nodes - g->hosts, "switch", "switches").buf,
               counted(g->links, "link", "links").buf);
    print_traffic(r, out);
    print_line(out, "time", "%s simulated", text_from_time(time, sizeof(time), r->end_ps));
    if (sim_skipped(r->sim))
        print_fidelity(r, sim_skipped(r->sim), out);
    print_line(out, "seed", "%llu", (unsigned long long)cfg->seed);
}

/* ---- flows ---- */

/* Begins a table of flows; 'first' heads its names. */
static struct table *begin_flows(FILE *out, struct results_look look, const char *heading, const char *first)
{
    struct table *t = table_new("lrrrrrrrrrr");

    print_heading(out, look.has_colour, heading);
    table_cells(t, first, "flows", "bytes", "mean", "p50", "p95", "p99", "p99.9", "max", "FCT p50", "FCT p99",
                NULL);
    return t;
}

static void add_metrics(struct table *t, enum metric_unit unit, uint32_t count, const double *value)
{
    for (uint32_t i = 0; i < count; i++)
        table_cell(t, "%s", metric(unit, value[i]).buf);
}

static void add_row(struct table *t, const char *name, const struct fct_cell *c)
{
    struct fct_stats s = results_slowdown(c), us = results_fct_us(c);

    table_cells(t, name, count_text(c->count).buf, bytes_text(c->bytes).buf, NULL);
    add_metrics(t, UNIT_NONE, 6, (const double[]){ s.mean, s.p50, s.p95, s.p99, s.p999, s.max });
    add_metrics(t, UNIT_US, 2, (const double[]){ us.p50, us.p99 });
}

/* Prints the number of unfinished flows, and a line per reason. */
static void print_unfinished(const struct results *r, FILE *out)
{
    char count[32];

    fprintf(out, "  and %s that had not finished\n", flows_text((uint64_t)r->flows_unfinished).buf);
    for (uint32_t i = 0; i < WAITS; i++)
        if (r->waits[i])
            fprintf(out, "  %10s %s\n", text_from_count(count, sizeof(count), r->waits[i]), wait_texts[i]);
}

static void print_fct(const struct results *r, FILE *out, struct results_look look)
{
    struct table *t = begin_flows(out, look,
                                  "Slowdown (FCT / FCT alone in the network) and FCT, by flow size", "size");

    for (uint32_t i = 0; i < FCT_BUCKETS; i++)
        add_row(t, sizes_text(i).buf, &r->fct->bucket[i]);
    add_row(t, "all", &r->fct->all);
    table_end_fitted(t, out, 2, look.width, "00501706840");
    if (r->flows_unfinished > 0)
        print_unfinished(r, out);
    if (r->stuck_why)
        fprintf(out, "  PARTIAL: nothing moves any more after %s. %s\n", time_text(r->stuck_ps).buf,
                safe_name(r->stuck_why).buf);
    if (r->failure)
        fprintf(out, "  The run ended before its time: %s\n", r->failure);
}

static void print_fct_by_entry(const struct results *r, FILE *out, struct results_look look)
{
    if (r->scenario->entries < 2)
        return;
    struct table *t = begin_flows(out, look, "By traffic", "traffic");

    for (uint32_t i = 0; i < r->scenario->entries; i++)
        add_row(t, r->scenario->entry[i].name, &r->fct->entry[i]);
    table_end_fitted(t, out, 2, look.width, "00501706840");
}

/* ---- jobs ---- */

static bool has_job(const struct results *r, bool is_training)
{
    for (uint32_t i = 0; i < r->scenario->entries; i++)
        if (r->entry[i].job != JOB_NONE && (r->entry[i].job == JOB_TRAINING) == is_training)
            return true;
    return false;
}

static void print_training(const struct results *r, FILE *out, struct results_look look)
{
    struct table *t = table_new("lrrrrrrrrrrrr");

    print_heading(out, look.has_colour,
                  "Training: mean iteration, what computing does not hide (all, first, later), its "
                  "collective, bandwidths as in nccl-tests");
    table_cells(t, "traffic", "iterations", "iteration", "exposed", "cold", "warm", "collective", "p50",
                "p99", "max", "algbw", "busbw", "of line rate", NULL);
    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        const struct results_entry *e = &r->entry[i];
        struct fct_stats s = results_op_us(r, i, OP_ITERATION);

        if (e->job != JOB_TRAINING)
            continue;
        table_cells(t, r->scenario->entry[i].name,
                    count_text(ops_cell(r->ops, i, OP_ITERATION)->count).buf, NULL);
        add_metrics(t, UNIT_US, 8, (const double[]){ e->iteration_us_mean, e->exposed_us_mean,
                    e->exposed_cold_us, e->exposed_warm_us_mean, s.mean, s.p50, s.p99, s.max });
        add_metrics(t, UNIT_BUS, 2, (const double[]){ e->algbw_bps, e->busbw_bps });
        add_metrics(t, UNIT_SHARE, 1, &e->bound_share);
    }
    table_end_fitted(t, out, 2, look.width, "0300440508906");
}

/* Which collectives of training take longer than alone, and the message of each that lost most time. */
static void print_steps(const struct results *r, FILE *out, struct results_look look)
{
    uint64_t messages = 0;

    for (uint32_t i = 0; i < r->scenario->entries * ITERATION_KINDS; i++)
        messages += steps_cell(r->steps, i / ITERATION_KINDS, i % ITERATION_KINDS)->count;
    if (!messages)
        return;
    const struct graph_node *node = sim_graph(r->sim)->node;
    struct table            *t = table_new("lllrrlrr");

    print_heading(out, look.has_colour,
                  "Messages of training: how many times longer than alone, and the one held up most");
    table_cells(t, "traffic", "collective", "groups", "messages", "slowdown", "held up most", "takes",
                "alone", NULL);
    for (uint32_t i = 0; i < r->scenario->entries * ITERATION_KINDS; i++) {
        const struct steps_cell *c = steps_cell(r->steps, i / ITERATION_KINDS, i % ITERATION_KINDS);
        const char              *group, *name = iteration_kind_name(i % ITERATION_KINDS, &group);

        if (c->count == 0)
            continue;
        table_cells(t, r->scenario->entry[i / ITERATION_KINDS].name, name, group, count_text(c->count).buf,
                    metric(UNIT_NONE, (double)c->fct_ps_sum / (double)c->ideal_ps_sum).buf, NULL);
        table_cell(t, "%s -> %s", node[c->worst.src].name, node[c->worst.dst].name);
        table_cells(t, time_text(c->worst.fct_ps).buf, time_text(c->worst.ideal_ps).buf, NULL);
    }
    table_end_fitted(t, out, 2, look.width, "90063000");
}

/* The first row of an entry has the rate of all its operations. */
static void add_op_rows(struct table *t, const struct results *r, uint32_t entry)
{
    const struct results_entry *e = &r->entry[entry];

    for (const enum op_kind *all = results_ops_of(e->job), *k = all; *k != OP_KINDS; k++) {
        const struct ops_cell *c = ops_cell(r->ops, entry, *k);
        struct fct_stats s = results_op_us(r, entry, *k);

        if (k == all)
            table_cells(t, r->scenario->entry[entry].name, metric(UNIT_PER_S, e->ops_per_s).buf,
                        metric(UNIT_BPS, e->ops_bps).buf, NULL);
        else
            table_cells(t, "", "", "", NULL);
        table_cell(t, "%ss", results_op_names[*k]);
        table_cells(t, count_text(c->count).buf, bytes_text(c->bytes).buf, NULL);
        add_metrics(t, UNIT_US, 5, (const double[]){ s.mean, s.p50, s.p99, s.p999, s.max });
    }
}

static void print_ops(const struct results *r, FILE *out, struct results_look look)
{
    struct table *t = table_new("lrrlrrrrrrr");

    print_heading(out, look.has_colour, "Storage and calls: how many a second, and how long each took");
    table_cells(t, "traffic", "per second", "payload", "", "done", "bytes", "mean", "p50", "p99", "p99.9",
                "max", NULL);
    for (uint32_t i = 0; i < r->scenario->entries; i++)
        if (r->entry[i].job != JOB_TRAINING)
            add_op_rows(t, r, i);
    table_end_fitted(t, out, 2, look.width, "00900704068");
}

/* ---- before, during, after ---- */

static void add_phase_row(struct table *t, const char *phase, const char *name, const struct fct_cell *c,
                          double goodput_bps)
{
    struct fct_stats s = results_slowdown(c);

    table_cells(t, phase, name, count_text(c->count).buf, NULL);
    add_metrics(t, UNIT_NONE, 2, (const double[]){ s.mean, s.p99 });
    table_cells(t, metric(UNIT_US, results_fct_us(c).p99).buf, metric(UNIT_BPS, goodput_bps).buf, NULL);
}

static void print_phases(const struct results *r, FILE *out, struct results_look look)
{
    struct table *t = table_new("llrrrrrrr");

    print_heading(out, look.has_colour,
                  "Before, during and after the influx; a flow belongs to the phase it starts in");
    table_cells(t, "phase", "traffic", "flows", "slowdown", "p99", "FCT p99", "goodput", "RTT mean",
                "paused", NULL);
    for (uint32_t i = 0; i < PHASES; i++) {
        const struct figure_span *p = &r->phase[i];

        add_phase_row(t, phase_names[i], "all", &r->fct->phase[i], figure_value(FIGURE_goodput_bps, p));
        table_cells(t, metric(UNIT_US, figure_value(FIGURE_rtt_us_mean, p)).buf,
                    metric(UNIT_SHARE, figure_value(FIGURE_paused_share, p)).buf, NULL);
        for (uint32_t e = 0; r->scenario->entries > 1 && e < r->scenario->entries; e++) {
            add_phase_row(t, "", r->scenario->entry[e].name, &r->fct->entry_phase[e * PHASES + i],
                          r->entry_phase_bps[e * PHASES + i]);
            table_cells(t, "", "", NULL);
        }
    }
    table_end_fitted(t, out, 2, look.width, "005005004");
}

/* ---- over time ---- */

#define COLUMNS 44               /* makes lines as wide as the tables */
#define WORDS   43               /* maximum width of the text beside them */

_Static_assert(COLUMNS <= SPARK_COLUMNS, "as wide as a sparkline can be");

struct over_time {               /* a series, resampled to the columns of a line */
    uint32_t            columns;
    struct series_point column[COLUMNS];
};

static void fold(struct over_time *o, const struct series *s, int width)
{
    uint32_t room = width > WORDS + COLUMNS || width <= 0 ? COLUMNS
                    : width > WORDS + 10                  ? (uint32_t)(width - WORDS)
                                                          : 10;

    o->columns = s->points < room ? s->points : room;
    for (uint32_t i = 0; i < o->columns; i++)
        o->column[i] = series_sum(s, i * s->points / o->columns, (i + 1) * s->points / o->columns);
}

static void print_spark(FILE *out, const char *what, enum figure_id figure, bool is_zero_shown,
                        const struct series *s, const struct over_time *o, bool is_utf8)
{
    enum metric_unit unit = figure_info[figure].unit;
    char   line[SPARK_BYTES];
    double values[COLUMNS], low, high;

    for (uint32_t i = 0; i < o->columns; i++) {
        struct figure_span seen = series_span(s, &o->column[i]);

        values[i] = figure_value(figure, &seen);
    }
    if (!spark_range(values, o->columns, &low, &high) || (!is_zero_shown && high <= 0))
        return;
    spark_draw(line, values, o->columns, is_utf8);
    print_line(out, what, low == high ? "%s  %s" : "%s  %s .. %s", line, metric(unit, low).buf,
               metric(unit, high).buf);
}

/* Prints dashes under marked columns. */
static void print_marks(FILE *out, const char *what, const bool *is_marked, uint32_t columns)
{
    char line[COLUMNS];
    int  length = 0;

    for (uint32_t i = 0; i < columns; i++) {
        line[i] = is_marked[i] ? '-' : ' ';
        length = is_marked[i] ? (int)i + 1 : length;
    }
    print_line(out, what, "%.*s", length, line);
}

/* Columns in which a link was down. */
static void print_outages(const struct results *r, FILE *out, const struct over_time *o)
{
    const struct sim_cfg *cfg = sim_settings(r->sim);
    bool                  was_down[COLUMNS], is_any = false;
    uint32_t              down = 0, k = 0;

    for (uint32_t i = 0; i < o->columns; i++) {
        was_down[i] = down > 0;
        for (; k < cfg->changes && cfg->change[k].at_ps < o->column[i].end_ps; k++) {
            down += cfg->change[k].is_up ? -1u : 1;
            was_down[i] |= down > 0;
        }
        is_any |= was_down[i];
    }
    if (is_any)
        print_marks(out, "link down", was_down, o->columns);
}

/* Columns in which there was an influx. */
static void print_windows(const struct results *r, FILE *out, const struct over_time *o)
{
    bool is_inside[COLUMNS];

    for (uint32_t i = 0; i < o->columns; i++)
        is_inside[i] = phases_overlap_ps(&r->series->phases, PHASE_DURING, o->column[i].start_ps,
                                         o->column[i].end_ps) > 0;
    print_marks(out, "influx", is_inside, o->columns);
}

static void print_over_time(const struct results *r, FILE *out, struct results_look look)
{
    static const struct { const char *what; enum figure_id figure; bool is_zero_shown; } rows[] = {
        { "goodput", FIGURE_goodput_bps, true }, { "RTT mean", FIGURE_rtt_us_mean, true },
        { "paused", FIGURE_paused_share, false }, { "longest queue", FIGURE_queue_bytes_max, true },
        { "dropped", FIGURE_dropped_packets, false }, { "NACKs", FIGURE_nacks, false },
        { "time-outs", FIGURE_timeouts, false },         /* zeros are reported below in words */
    };
    struct over_time o;
    char heading[160], first[32], time[32];

    fold(&o, r->series, look.width);
    if (o.columns < 2)
        return;
    snprintf(heading, sizeof(heading), "Over time, %s .. %s, with the least and the largest value",
             text_from_time(first, sizeof(first), o.column[0].start_ps),
             text_from_time(time, sizeof(time), o.column[o.columns - 1].end_ps));
    print_heading(out, look.has_colour, heading);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        print_spark(out, rows[i].what, rows[i].figure, rows[i].is_zero_shown, r->series, &o, look.is_utf8);
    if (r->has_phases)
        print_windows(r, out, &o);
    print_outages(r, out, &o);
}

/* ---- the network ---- */

static void print_pauses(const struct results *r, FILE *out)
{
    const struct sim_counters *c = sim_counts(r->sim);

    if (c->pauses == 0) {
        print_line(out, "PFC", "no pauses");
        return;
    }
    print_line(out, "PFC", "%s; %s in all on %s", counted(c->pauses, "pause", "pauses").buf,
               time_text((uint64_t)r->paused_ps).buf,
               counted((uint64_t)r->paused_ports, "port", "ports").buf);
    for (uint32_t i = 0; i < r->paused_count; i++) {
        uint64_t paused_ps = sim_port_paused_ps(r->sim, r->paused[i], r->end_ps);
        char name[PORT_NAME_MAX];

        print_line(out, i == 0 ? "paused most" : "", "%s %s, %s of the time",
                   results_port_name(name, r->sim, r->paused[i]), time_text(paused_ps).buf,
                   metric(UNIT_SHARE, r->span_ps ? (double)paused_ps / (double)r->span_ps : 0).buf);
    }
}

static void print_queues(const struct results *r, FILE *out)
{
    for (uint32_t i = 0; i < r->queued_count; i++) {
        char name[PORT_NAME_MAX];

        print_line(out, i == 0 ? "longest queue" : "", "%s %s", results_port_name(name, r->sim, r->queued[i]),
                   bytes_text(sim_port(r->sim, r->queued[i]).counters.queue_bytes_max).buf);
    }
}

static void print_drops(const struct results *r, FILE *out)
{
    const struct sim_counters *c = sim_counts(r->sim);
    const struct { const char *why; uint64_t count; } rows[] = {
        { "no room in a switch", c->dropped_buffer }, { "lost on the wire", c->dropped_wire },
        { "link went down", c->dropped_down },        { "no route", c->dropped_no_route },
        { "no room in a slow host", c->dropped_host },
    };
    const char *what = "drops";

    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i].count) {
            print_line(out, what, "%s %s", count_text(rows[i].count).buf, rows[i].why);
            what = "";
        }
    if (*what)
        print_line(out, what, "none");
}

static void print_balancing(const struct results *r, FILE *out)
{
    const struct sim_counters *c = sim_counts(r->sim);

    if (sim_settings(r->sim)->lb->is_woven)
        print_line(out, "balancing", "%s, %s held by switches, %s late of %s",
                   counted(c->conweave.reroutings, "rerouting", "reroutings").buf,
                   counted(c->conweave.packets_held, "packet", "packets").buf,
                   count_text(c->conweave.replies_sent - c->conweave.replies_timely).buf,
                   counted(c->conweave.replies_sent, "round trip", "round trips").buf);
    else if (sim_is_balanced(r->sim) || c->flowlets)
        print_line(out, "balancing", "%s, %s on another path than the last; %s held by hosts",
                   counted(c->flowlets, "flowlet", "flowlets").buf, count_text(c->reroutes).buf,
                   counted(c->delayed, "packet", "packets").buf);
}

/* Model uet: trimming, credit and spraying. */
static void print_uet(const struct results *r, FILE *out)
{
    const struct sim_counters *c = sim_counts(r->sim);

    if (sim_settings(r->sim)->has_trim)
        print_line(out, "trimming", "%s trimmed, %s lost", counted(c->trimmed, "packet", "packets").buf,
                   counted(c->dropped_headers, "header", "headers").buf);
    if (sim_settings(r->sim)->cc->has_credit)
        print_line(out, "credit", "%s, %s", counted(c->pulls_sent, "pull", "pulls").buf,
                   counted(c->rts_sent, "request", "requests").buf);
    if (isfinite(r->path_spread))
        print_line(out, "paths", "the busiest link between switches carried %.3g times the mean",
                   r->path_spread);
}

/* Load of links by tier, and feedback on paths to senders. */
static void print_paths(const struct results *r, FILE *out)
{
    const struct sim_counters *c = sim_counts(r->sim);

    for (uint32_t i = 0; i < r->tiers; i++)
        print_line(out, i == 0 ? "link load" : "", "%s: %s busiest, %s median, %s least of %u",
                   r->tier[i].name, metric(UNIT_SHARE, r->tier[i].busiest).buf,
                   metric(UNIT_SHARE, r->tier[i].median).buf, metric(UNIT_SHARE, r->tier[i].least).buf,
                   r->tier[i].links);
    if (sim_settings(r->sim)->lb->entropy)
        print_line(out, "path states", "%s without a mark, %s marked, %s trimmed, %s; %s skipped",
                   counted(c->paths_good, "answer", "answers").buf, count_text(c->paths_marked).buf,
                   count_text(c->paths_trimmed).buf, counted(c->paths_timed_out, "time-out", "time-outs").buf,
                   counted(c->paths_skipped, "path", "paths").buf);
}

/* UET has no CNPs: ACKs echo each mark. */
static void print_ecn(const struct results *r, FILE *out)
{
    const struct sim_counters *c = sim_counts(r->sim);
    char                       cnps[128] = "";

    if (sim_settings(r->sim)->model != MODEL_UET || sim_roce_prios(sim_settings(r->sim)))
        snprintf(cnps, sizeof cnps, ", %s%s",
                 counted(r->cnps_are_flags ? c->cnps_received : c->cnps_sent, "CNP", "CNPs").buf,
                 r->cnps_are_flags ? " as flags of ACKs" : "");
    print_line(out, "ECN", "%s (%s of data packets)%s",
               counted((uint64_t)r->marked_packets, "mark", "marks").buf,
               metric(UNIT_SHARE, r->marked_share).buf, cnps);
}

/* Losses and reordering by flow size. */
static void print_recovery(const struct results *r, FILE *out)
{
    for (uint32_t i = 0; i < FCT_BUCKETS; i++) {
        const struct results_size *z = &r->size[i];

        if (z->resent_bytes || z->nacks || z->reordered)
            print_line(out, "", "%s: %s out of order, %s, %s", sizes_text(i).buf,
                       count_text(z->reordered).buf, counted(z->nacks, "NACK", "NACKs").buf,
                       bytes_text(z->resent_bytes).buf);
    }
}

static void print_network(const struct results *r, FILE *out, bool has_colour)
{
    const struct sim_counters *c = sim_counts(r->sim);

    print_heading(out, has_colour, "Network");
    print_line(out, "goodput", "%s (%s of payload delivered)", metric(UNIT_BPS, r->goodput_bps).buf,
               bytes_text(c->payload_received).buf);
    print_line(out, "data packets", "%s sent", count_text(c->data_sent).buf);
    print_ecn(r, out);
    if (isfinite(r->rtt_us_mean))
        print_line(out, "RTT", "%s mean, %s at most; %s on the longest path when it is empty",
                   metric(UNIT_US, r->rtt_us_mean).buf, metric(UNIT_US, r->rtt_us_max).buf,
                   time_text(sim_idle_rtt_ps(r->sim)).buf);
    print_pauses(r, out);
    print_queues(r, out);
    print_drops(r, out);
    print_balancing(r, out);
    if (sim_settings(r->sim)->model == MODEL_UET)
        print_uet(r, out);
    print_paths(r, out);
    print_line(out, "recovery", "%s out of order, %s, %s, %s of payload sent again",
               counted(c->reordered, "packet", "packets").buf, counted(c->nacks_sent, "NACK", "NACKs").buf,
               counted(c->timeouts, "time-out", "time-outs").buf, bytes_text((uint64_t)r->resent_bytes).buf);
    if (c->payload_spurious)
        print_line(out, "",
                   "%s of that in vain: time-outs had it sent again, and it had arrived; see host: rto",
                   bytes_text(c->payload_spurious).buf);
    print_recovery(r, out);
}

/* Load and waiting times of threads. */
static void print_parts(const struct results *r, FILE *out)
{
    double work_s = 0, wait_s = 0, most = 0, events = 0;

    if (sim_threads(r->sim) < 2)
        return;
    for (uint32_t i = 0; i < sim_threads(r->sim); i++) {
        struct sim_thread t = sim_thread_time(r->sim, i);

        work_s += t.work_s;
        wait_s += t.wait_s;
        events += (double)t.events;
        most = (double)t.events > most ? (double)t.events : most;
    }
    fprintf(out, "\n%u threads: the busiest had %.1f %% of the events (%.1f %% is even); %.1f %% of their "
            "time was work, the rest waiting for each other", sim_threads(r->sim),
            events > 0 ? 100 * most / events : 0, 100.0 / sim_threads(r->sim),
            work_s + wait_s > 0 ? 100 * work_s / (work_s + wait_s) : 0);
}

void results_print_table(const struct results *r, FILE *out, struct results_look look)
{
    card_end(results_answer(r, EMPTY_CARD, true), out, look.has_colour);
    print_heading(out, look.has_colour, "What was run");
    print_setup(r, out);
    if (has_job(r, true)) {
        print_training(r, out, look);
        results_print_passes(r, out, look);
        print_steps(r, out, look);
    }
    if (has_job(r, false))
        print_ops(r, out, look);
    print_fct(r, out, look);
    print_fct_by_entry(r, out, look);
    if (r->has_phases)
        print_phases(r, out, look);
    print_over_time(r, out, look);
    print_network(r, out, look.has_colour);
    print_parts(r, out);
    fprintf(out, "\n%s packet-hops%s in %.2f s, %s hops/s, %s events\n", count_text((uint64_t)r->hops).buf,
            sim_skipped(r->sim) ? ", skipped ones included," : "", r->wall_s,
            count_text(r->wall_s > 0 ? (uint64_t)(r->hops / r->wall_s) : 0).buf,
            count_text(sim_counts(r->sim)->events).buf);
}
