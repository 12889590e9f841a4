/* src/cmd/results_table.c - results for people. */
#include "cmd/results.h"
#include "base/table.h"
#include "base/text.h"

#include <stdarg.h>

struct text { char buf[48]; };

static struct text time_text(uint64_t ps)
{
    struct text t;

    text_from_time(t.buf, sizeof(t.buf), ps);
    return t;
}

static struct text us_text(double us)
{
    return time_text((uint64_t)(us * (double)PS_PER_US));
}

static struct text bytes_text(uint64_t bytes)
{
    struct text t;

    text_from_bytes(t.buf, sizeof(t.buf), (double)bytes);
    return t;
}

static struct text rate_text(double bps)
{
    struct text t;

    text_from_rate(t.buf, sizeof(t.buf), bps);
    return t;
}

static struct text count_text(uint64_t n)
{
    struct text t;

    text_from_count(t.buf, sizeof(t.buf), n);
    return t;
}

/* "1 flow", "2,000 flows" */
static struct text counted(uint64_t n, const char *one, const char *many)
{
    struct text number = count_text(n), t;

    snprintf(t.buf, sizeof(t.buf), "%.30s %.16s", number.buf, n == 1 ? one : many);
    return t;
}

static struct text flows_text(uint64_t n)
{
    return counted(n, "flow", "flows");
}

static void print_heading(FILE *out, bool has_colour, const char *text)
{
    fprintf(out, "\n%s%s%s\n", has_colour ? "\033[1m" : "", text, has_colour ? "\033[0m" : "");
}

/* A line of "what   how much". */
static void print_line(FILE *out, const char *what, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void print_line(FILE *out, const char *what, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fprintf(out, "  %-14s ", what);
    vfprintf(out, format, args);
    fputc('\n', out);
    va_end(args);
}

/* ---- what was run ---- */

static void print_traffic(const struct results *r, FILE *out)
{
    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        const struct scenario_traffic *t = &r->scenario->entry[i];
        const char *what = i == 0 ? "traffic" : "";

        if (t->load > 0)
            print_line(out, what, "%s: load %.3f realised, %.3f asked; %s, %s", t->name, r->entry[i].load,
                       t->load, flows_text(r->entry[i].flows_started).buf, bytes_text(r->entry[i].bytes_started).buf);
        else
            print_line(out, what, "%s: %s, %s", t->name, flows_text(r->entry[i].flows_started).buf,
                       bytes_text(r->entry[i].bytes_started).buf);
    }
}

static void print_setup(const struct results *r, FILE *out)
{
    const struct graph *g = &r->sim->graph;
    const struct sim_cfg *cfg = &r->sim->cfg;

    print_line(out, "scenario", "%s", r->scenario->path);
    for (uint32_t i = 0; i < r->sets; i++)
        print_line(out, i == 0 ? "set" : "", "%s", r->set[i]);
    print_line(out, "model", "%s, %s, %s, %s", cfg->model == MODEL_HPCC ? "hpcc" : "nic", cfg->cc->name, cfg->lb->name,
               cfg->is_lossless ? "lossless" : "lossy");
    print_line(out, "network", "%s, %s, %s", counted(g->hosts, "host", "hosts").buf,
               counted(g->nodes - g->hosts, "switch", "switches").buf, counted(g->links, "link", "links").buf);
    print_traffic(r, out);
    print_line(out, "time", "%s simulated", time_text(r->end_ps).buf);
    print_line(out, "seed", "%llu", (unsigned long long)cfg->seed);
}

/* ---- flows ---- */

static void add_heads(struct table *t, const char *first)
{
    static const char *const heads[] = { "flows", "bytes", "mean", "p50", "p95", "p99", "p99.9", "max",
                                         "FCT p50", "FCT p99" };

    table_cell(t, "%s", first);
    for (unsigned i = 0; i < sizeof(heads) / sizeof(*heads); i++)
        table_cell(t, "%s", heads[i]);
}

static void add_row(struct table *t, const char *name, const struct fct_cell *c)
{
    struct fct_stats s = fct_slowdown_stats(c), us = fct_us_stats(c);
    const double slowdown[] = { s.mean, s.p50, s.p95, s.p99, s.p999, s.max };

    table_cell(t, "%s", name);
    table_cell(t, "%s", count_text(c->count).buf);
    table_cell(t, "%s", bytes_text(c->bytes).buf);
    if (c->count == 0) {
        for (int i = 0; i < 8; i++)
            table_cell(t, "-");
        return;
    }
    for (int i = 0; i < 6; i++)
        table_cell(t, "%.2f", slowdown[i]);
    table_cell(t, "%s", us_text(us.p50).buf);
    table_cell(t, "%s", us_text(us.p99).buf);
}

static void print_fct(const struct results *r, FILE *out, bool has_colour)
{
    struct table *t = table_new("lrrrrrrrrrr");

    print_heading(out, has_colour, "Slowdown (FCT / FCT alone in the network) and FCT, by flow size");
    add_heads(t, "size");
    for (uint32_t i = 0; i < FCT_BUCKETS; i++)
        add_row(t, fct_buckets[i].name, &r->fct->bucket[i]);
    add_row(t, "all", &r->fct->all);
    table_print(t, out, 2);
    table_free(t);
    if (r->unfinished)
        fprintf(out, "  and %s that had not finished\n", flows_text(r->unfinished).buf);
}

static void print_fct_by_entry(const struct results *r, FILE *out, bool has_colour)
{
    struct table *t;

    if (r->scenario->entries < 2)
        return;
    t = table_new("lrrrrrrrrrr");
    print_heading(out, has_colour, "By traffic");
    add_heads(t, "traffic");
    for (uint32_t i = 0; i < r->scenario->entries; i++)
        add_row(t, r->scenario->entry[i].name, &r->fct->entry[i]);
    table_print(t, out, 2);
    table_free(t);
}

/* ---- the network ---- */

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void print_pauses(const struct results *r, FILE *out)
{
    const struct sim_counters *c = &r->sim->counters;

    if (c->pauses == 0) {
        print_line(out, "PFC", "no pauses");
        return;
    }
    print_line(out, "PFC", "%s; %s in all on %s", counted(c->pauses, "pause", "pauses").buf,
               time_text(r->paused_ps).buf, counted(r->paused_ports, "port", "ports").buf);
    for (uint32_t i = 0; i < r->paused_count; i++) {
        const struct port *p = &r->sim->port[r->paused[i]];
        uint64_t paused_ps = port_paused_ps(p, r->end_ps);
        char name[PORT_NAME_MAX];

        print_line(out, i == 0 ? "paused most" : "", "%s %s, %.2f%% of the time", results_port_name(name, r->sim, p),
                   time_text(paused_ps).buf, percent(paused_ps, r->end_ps));
    }
}

static void print_queues(const struct results *r, FILE *out)
{
    for (uint32_t i = 0; i < r->queued_count; i++) {
        const struct port *p = &r->sim->port[r->queued[i]];
        char name[PORT_NAME_MAX];

        print_line(out, i == 0 ? "longest queue" : "", "%s %s", results_port_name(name, r->sim, p),
                   bytes_text(p->counters.queue_bytes_max).buf);
    }
}

static void print_drops(const struct results *r, FILE *out)
{
    const struct sim_counters *c = &r->sim->counters;
    const struct { const char *why; uint64_t count; } rows[] = {
        { "no room in a switch", c->dropped_buffer }, { "lost on the wire", c->dropped_wire },
        { "link went down", c->dropped_down },        { "no route", c->dropped_no_route },
    };
    int printed = 0;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i].count)
            print_line(out, printed++ == 0 ? "drops" : "", "%s %s", count_text(rows[i].count).buf, rows[i].why);
    if (!printed)
        print_line(out, "drops", "none");
}

static void print_network(const struct results *r, FILE *out, bool has_colour)
{
    const struct sim_counters *c = &r->sim->counters;

    print_heading(out, has_colour, "Network");
    print_line(out, "goodput", "%s (%s of payload delivered)", rate_text(r->goodput_bps).buf,
               bytes_text(c->payload_received).buf);
    print_line(out, "data packets", "%s sent; %s of payload sent again", count_text(c->data_sent).buf,
               bytes_text(r->resent_bytes).buf);
    print_line(out, "ECN", "%s (%.2f%% of data packets), %s", counted(r->marked_packets, "mark", "marks").buf,
               percent(r->marked_packets, c->data_sent), counted(c->cnps_sent, "CNP", "CNPs").buf);
    print_pauses(r, out);
    print_queues(r, out);
    print_drops(r, out);
    print_line(out, "recovery", "%s, %s", counted(c->nacks_sent, "NACK", "NACKs").buf,
               counted(c->timeouts, "time-out", "time-outs").buf);
}

void results_print_table(const struct results *r, FILE *out, bool has_colour)
{
    print_setup(r, out);
    print_fct(r, out, has_colour);
    print_fct_by_entry(r, out, has_colour);
    print_network(r, out, has_colour);
    fprintf(out, "\n%s packet-hops in %.2f s, %s hops/s, %s events\n", count_text(r->hops).buf, r->wall_s,
            count_text(r->wall_s > 0 ? (uint64_t)((double)r->hops / r->wall_s) : 0).buf,
            count_text(r->sim->counters.events).buf);
}
