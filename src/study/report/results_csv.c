/* src/study/report/results_csv.c - results as CSV, with units in the column names. */
#include "base/err.h"
#include "base/print/safe.h"
#include "work/net/address.h"
#include "study/report/metrics.h"
#include "study/report/results.h"
#include "study/run/slots.h"
#include "sim/nic/gaps.h"
#include "sim/forks/htsim_sim.h"
#include "sim/unfinished.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct csv_text node_field(const struct sim *s, uint32_t node)
{
    return csv_field(sim_graph(s)->node[node].name);
}

/* ---- --format csv: one table of everything ---- */

static void print_six(FILE *out, struct fct_stats s)
{
    const double value[] = { s.mean, s.p50, s.p95, s.p99, s.p999, s.max };

    for (int i = 0; i < 6; i++)
        fprintf(out, isfinite(value[i]) ? ",%.6f" : ",", value[i]);
}

static void print_row(FILE *out, const char *kind, const char *name, const struct fct_cell *c)
{
    fprintf(out, "%s,%s,%" PRIu64 ",%" PRIu64, kind, name, c->count, c->bytes);
    print_six(out, results_slowdown(c));
    print_six(out, results_fct_us(c));
    fputs(",,\n", out);
}

/* Iterations, reads, writes and calls have no slowdown. */
static void print_ops(const struct results *r, uint32_t entry, FILE *out)
{
    for (const enum op_kind *k = results_ops_of(r->entry[entry].job); *k != OP_KINDS; k++) {
        const struct ops_cell *c = ops_cell(r->ops, entry, *k);

        fprintf(out, "%s,%s,%" PRIu64 ",%" PRIu64 ",,,,,,", results_op_names[*k],
                csv_quoted(r->scenario->entry[entry].name).buf, c->count, c->bytes);
        print_six(out, results_op_us(r, entry, *k));
        fputs(",,\n", out);
    }
}

static void print_phases(const struct results *r, FILE *out)
{
    for (uint32_t i = 0; r->has_phases && i < PHASES; i++) {
        print_row(out, "phase", phase_names[i], &r->fct->phase[i]);
        for (uint32_t e = 0; e < r->scenario->entries; e++)
            print_row(out, phase_names[i], csv_quoted(r->scenario->entry[e].name).buf,
                      &r->fct->entry_phase[e * PHASES + i]);
    }
}

static void print_metrics(const struct results *r, FILE *out)
{
    uint32_t       count;
    struct metric *list = metrics_new(r, &count);

    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "metric,%s,,,,,,,,,,,,,,,", csv_quoted(list[i].name).buf);
        if (isfinite(list[i].value))
            fprintf(out, "%.15g", list[i].value);
        fprintf(out, ",%s\n", metric_unit_name(list[i].unit));
    }
    free(list);
}

void results_print_csv(const struct results *r, FILE *out)
{
    fputs("set,name,flows,bytes,slowdown_mean,slowdown_p50,slowdown_p95,slowdown_p99,slowdown_p999,"
          "slowdown_max,fct_us_mean,fct_us_p50,fct_us_p95,fct_us_p99,fct_us_p999,fct_us_max,value,unit\n",
          out);
    for (uint32_t i = 0; i < FCT_BUCKETS; i++)
        print_row(out, "size", fct_buckets[i].name, &r->fct->bucket[i]);
    print_row(out, "all", "all", &r->fct->all);
    for (uint32_t i = 0; i < r->scenario->entries; i++)
        print_row(out, "traffic", csv_quoted(r->scenario->entry[i].name).buf, &r->fct->entry[i]);
    print_phases(r, out);
    for (uint32_t i = 0; i < r->scenario->entries; i++)
        print_ops(r, i, out);
    print_metrics(r, out);
}

/* ---- files of a run ---- */

void results_print_ports(const struct results *r, FILE *out)
{
    fputs("node,port,peer,rate_bps", out);
    for (int c = 0; c < PORT_COUNTS; c++)
        fprintf(out, ",%s", port_info[c].key);
    fputc('\n', out);
    for (uint32_t i = 0; i < sim_ports(r->sim); i++) {
        struct sim_port p = sim_port(r->sim, i);
        struct port_counters now = p.counters;
        char peer[PORT_NAME_MAX];

        now.paused_ps = sim_port_paused_ps(r->sim, i, r->end_ps);
        fprintf(out, "%s,%u,%s,%" PRIu64, node_field(r->sim, p.node).buf, p.index,
                csv_field(results_port_name(peer, r->sim, p.peer)).buf, p.rate_bps);
        for (int c = 0; c < PORT_COUNTS; c++)
            if (port_info[c].unit == UNIT_PS)
                fprintf(out, ",%.6f", (double)now.count[c] / (double)PS_PER_US);
            else
                fprintf(out, ",%" PRIu64, now.count[c]);
        fputc('\n', out);
    }
}

void results_print_gaps(const struct results *r, FILE *out)
{
    struct gaps rdma, tcp;

    gaps_recorded(r->sim, &rdma, &tcp);
    fputs("from_ns,to_ns,rdma,tcp\n", out);
    for (uint32_t i = 0; i < GAPS_BINS; i++)
        if (rdma.bin[i] || tcp.bin[i])
            fprintf(out, "%.3f,%.3f,%" PRIu64 ",%" PRIu64 "\n", (double)gaps_edge_ps(i) / 1e3,
                    (double)gaps_edge_ps(i + 1) / 1e3, rdma.bin[i], tcp.bin[i]);
}

static uint64_t whole_ns(uint64_t ps)
{
    return ps / PS_PER_NS;
}

/* Prints nanoseconds with three decimals, which is exact. */
static void print_ns(FILE *out, uint64_t ps)
{
    fprintf(out, ",%" PRIu64 ".%03u", whole_ns(ps), (unsigned)(ps % PS_PER_NS));
}

const char results_flow_head[] =
    "src,dst,sport,dport,prio,traffic,bytes,start_ns,fct_ns,ideal_ns,slowdown,resent_bytes\n";

void results_print_flow(FILE *out, const struct sim *s, const struct scenario *scenario,
                        const struct flow_result *r)
{
    fprintf(out, "%s,%s,%u,%u,%u,%s,%" PRIu64, node_field(s, r->src).buf, node_field(s, r->dst).buf, r->sport,
            r->dport, r->prio, csv_quoted(scenario->entry[r->traffic].name).buf, r->bytes);
    print_ns(out, r->start_ps);
    print_ns(out, r->fct_ps);
    print_ns(out, r->ideal_ps);
    fprintf(out, ",%.6f,%" PRIu64 "\n", fct_slowdown(r), r->resent_bytes);
}

/* ---- unfinished.csv ---- */

struct row { struct unfinished m; enum wait wait; };

struct rows { struct row *row; uint64_t count; const struct waits *waits; };

static uint32_t ports_of(const struct sim_flow *f)
{
    return (uint32_t)f->dport << 16 | f->sport;
}

/* An order that does not depend on the partition. */
static int compare_unfinished(const void *left, const void *right)
{
    const struct unfinished *a = &((const struct row *)left)->m, *b = &((const struct row *)right)->m;
    const uint64_t x[] = { a->start_ps, a->flow.src, ports_of(&a->flow), a->flow.dst, a->place },
                   y[] = { b->start_ps, b->flow.src, ports_of(&b->flow), b->flow.dst, b->place };
    int            i = 0;

    while (i < 4 && x[i] == y[i])
        i++;
    return x[i] < y[i] ? -1 : x[i] > y[i];
}

static void add_row(void *arg, const struct unfinished *m)
{
    struct rows *rows = arg;

    rows->row[rows->count++] =
        (struct row){ *m, m->place ? WAIT_QUEUE_PAIR : waits_of(rows->waits, m->flow.id) };
}

void results_print_unfinished(const struct results *r, FILE *out)
{
    const struct sim *s = r->sim;
    struct waits     *waits = waits_new(s);
    struct rows       rows = { xcalloc((size_t)r->flows_unfinished + 1, sizeof(*rows.row)), 0, waits };

    sim_each_unfinished(s, add_row, &rows);
    qsort(rows.row, rows.count, sizeof(*rows.row), compare_unfinished);
    fputs("src,dst,sport,dport,prio,traffic,bytes,start_ns,acked_bytes,resent_bytes,waits_for\n", out);
    for (uint64_t i = 0; i < rows.count; i++) {
        const struct unfinished *m = &rows.row[i].m;
        const struct sim_flow   *f = &m->flow;

        fprintf(out, "%s,%s,%u,%u,%u,%s,%" PRIu64, node_field(s, f->src).buf,
                node_field(s, f->dst).buf, f->sport, f->dport, f->prio,
                csv_quoted(r->scenario->entry[f->traffic].name).buf, m->bytes);
        print_ns(out, m->start_ps);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%s\n", m->acked_bytes, m->resent_bytes,
                wait_names[rows.row[i].wait]);
    }
    waits_free(waits);
    free(rows.row);
}

void results_print_hpcc_fct(FILE *out, const struct flow_result *r)
{
    fprintf(out, "%08x %08x %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", address_of_node(r->src),
            address_of_node(r->dst), r->sport, r->dport, r->bytes, whole_ns(r->start_ps),
            whole_ns(r->fct_ps), whole_ns(r->ideal_ps));
}

void results_print_hpcc_pfc(FILE *out, const struct pfc_result *r)
{
    fprintf(out, "%" PRIu64 " %u %u %u %u\n", whole_ns(r->at_ps), r->node, r->is_switch, r->port,
            r->is_pause);
}

/* ---- intervals.csv ---- */

/* The column name of a knob ends in its unit, if the unit is a word. */
static const char *knob_column_unit(enum knob_unit unit)
{
    static const char *const names[] = {
        [KNOB_MBPS] = "_mbps", [KNOB_US] = "_us", [KNOB_KB] = "_kb", [KNOB_PERCENT] = "_percent",
        [KNOB_BLOCKS] = "_blocks", [KNOB_Q10] = "_per_1024", [KNOB_RATIO] = "", [KNOB_LOG2] = "",
        [KNOB_NUMBER] = "", [KNOB_BITS] = "",
    };

    return names[unit];
}

void results_print_interval_head(FILE *out, const struct scenario *s)
{
    enum figure_id column[FIGURE_COUNT];
    uint32_t columns = figure_list(FIGURE_INTERVALS, column);

    fputs("start_us,end_us", out);
    for (uint32_t i = 0; i < columns; i++)
        fprintf(out, ",%s", figure_info[column[i]].name);
    for (uint32_t i = 0; i < s->entries; i++) {
        char name[80];

        snprintf(name, sizeof(name), "%s.goodput_bps", s->entry[i].name);
        fprintf(out, ",%s", csv_quoted(name).buf);
    }
    if (s->watch.monitors)
        fputs(",utility,utility_throughput,utility_rtt,utility_pfc", out);
    for (uint32_t i = 0; i < s->watch.monitors; i++)
        fprintf(out, ",%s.flows,%s.elephant_share,%s.accuracy", s->watch.monitor[i]->name,
                s->watch.monitor[i]->name, s->watch.monitor[i]->name);
    for (uint32_t i = 0; i < KNOB_COUNT; i++)
        fprintf(out, ",%s%s", knob_info[i].name, knob_column_unit(knob_info[i].unit));
    fputc('\n', out);
}

static void print_us(FILE *out, uint64_t ps)
{
    uint64_t whole = ps / PS_PER_US;

    fprintf(out, "%" PRIu64 ".%06u", whole, (unsigned)(ps % PS_PER_US));
}

/* Prints a comma and the value; nothing for NAN. */
static void print_figure(FILE *out, enum figure_id figure, const struct figure_span *seen)
{
    double value = figure_raw(figure, seen);

    fputc(',', out);
    if (isfinite(value) && figure_info[figure].unit == UNIT_US)
        print_us(out, (uint64_t)value);
    else if (isfinite(value))
        fprintf(out, "%.*f", figure_info[figure].unit == UNIT_SHARE ? 6 : 0, value);
}

/* Utility is empty if nothing was sent, accuracy if there is no ground truth. */
static void print_watched(FILE *out, const struct report *r)
{
    struct score s = score_of(r);

    if (s.is_active)
        fprintf(out, ",%.6f,%.6f,%.6f,%.6f", s.utility, s.terms.throughput, s.terms.rtt, s.terms.pfc);
    else
        fputs(",,,,", out);
    for (uint32_t i = 0; i < r->monitors; i++) {
        const struct fsd *f = &r->monitor[i].fsd;
        double            accuracy = score_accuracy(r, i);

        fprintf(out, ",%.3f,%.6f,", (double)(f->elephants + f->mice) / FSD_ONE, fsd_elephant_share(f));
        if (isfinite(accuracy))
            fprintf(out, "%.6f", accuracy);
    }
}

void results_print_interval(FILE *out, const struct report *r)
{
    uint64_t ps = r->end_ps - r->start_ps;
    double   bps_per_byte = 8 * (double)PS_PER_S / (double)ps;
    struct figure_span seen = figure_span(r->count, ps, r->ports);
    enum figure_id column[FIGURE_COUNT];
    uint32_t columns = figure_list(FIGURE_INTERVALS, column);

    print_us(out, r->start_ps);
    fputc(',', out);
    print_us(out, r->end_ps);
    for (uint32_t i = 0; i < columns; i++)
        print_figure(out, column[i], &seen);
    for (uint32_t i = 0; i < r->entries; i++)
        fprintf(out, ",%.0f", (double)r->entry_bytes[i] * bps_per_byte);
    if (r->monitors)
        print_watched(out, r);
    for (uint32_t i = 0; i < KNOB_COUNT; i++)
        fprintf(out, ",%.10g", r->knobs.value[i]);
    fputc('\n', out);
}

void results_print_points(FILE *out, const struct results *r)
{
    const struct series *s = r->series;
    struct report report = { .ports = s->ports, .entries = s->entries };
    uint32_t changed = 0;

    knobs_init(&report.knobs);
    for (uint32_t i = 0; i < s->points; i++) {
        const struct series_point *p = &s->point[i];

        for (; changed < s->knobs && s->knob[changed].at_ps <= p->end_ps; changed++)
            report.knobs.value[s->knob[changed].knob] = s->knob[changed].value;
        report.start_ps = p->start_ps;
        report.end_ps = p->end_ps;
        report.entry_bytes = &s->entry_bytes[(size_t)i * s->entries];
        memcpy(report.count, p->count, sizeof(report.count));
        results_print_interval(out, &report);
    }
}

/* ---- queues.csv ---- */

const char results_queue_head[] =
    "start_us,node,port,peer,queue_bytes_mean,tx_share,marked_share,kmin_bytes,kmax_bytes,pmax,changed\n";

void results_print_queue(FILE *out, const struct sim *s, const struct slots_row *r)
{
    const struct queue_slot *seen = r->seen;
    struct sim_port          p = sim_port(s, r->port);
    double bytes_max = (double)p.rate_bps / 8 * (double)r->slot_ps / (double)PS_PER_S;
    char peer[PORT_NAME_MAX];

    print_us(out, r->start_ps);
    fprintf(out, ",%s,%u,%s,%" PRIu64 ",%.6f,", node_field(s, p.node).buf, p.index,
            csv_field(results_port_name(peer, s, p.peer)).buf, seen->queue_bytes_mean,
            (double)seen->tx_bytes / bytes_max);
    if (seen->tx_bytes)
        fprintf(out, "%.6f", (double)seen->marked_bytes / (double)seen->tx_bytes);
    fprintf(out, ",%u,%u,%.10g,%d\n", r->ecn.kmin_bytes, r->ecn.kmax_bytes, r->ecn.pmax, r->is_changed);
}

/* ---- flows of model htsim ---- */

/* Times in ps, windows in bytes; -1: not yet. finish: the sender knows that all has arrived. new, rtx:
 * packets sent first and again. rx_: counted by the receiver. _end: at the end of the run. */
static const char htsim_head[] =
    "# i src dst flowid size start_ps finish_ps fct_ps new rtx rts acks nacks pulls rto sleek rx_trimmed "
    "rx_dup rx_ooo rx_ecn cwnd_at_finish cwnd_end maxwnd_end base_rtt_end avg_delay_end in_flight_end\n";

static void print_htsim_flow(FILE *out, uint32_t i, const struct htsim_flow *f)
{
    const uint64_t packets[] = { f->sent, f->resent, f->rts, f->acks, f->nacks, f->pulls, f->timeouts,
                                 f->sleek, f->rx_trimmed, f->rx_duplicate, f->rx_out_of_order, f->rx_marked };

    fprintf(out, "%u %u %u %u %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64, i, f->src, f->dst, f->id,
            f->bytes, f->start_ps, f->finish_ps, f->finish_ps < 0 ? -1 : f->finish_ps - f->start_ps);
    for (size_t k = 0; k < sizeof(packets) / sizeof(*packets); k++)
        fprintf(out, " %" PRIu64, packets[k]);
    fprintf(out, " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRId64 "\n",
            f->cwnd_at_finish, f->cwnd_bytes, f->maxwnd_bytes, f->base_rtt_ps, f->avg_delay_ps,
            f->in_flight_bytes);
}

void results_print_htsim(FILE *out, const struct sim *s)
{
    struct htsim_counters c;
    struct htsim_flow     f;

    htsim_count(htsim_of(s), &c);
    fputs(htsim_head, out);
    for (uint32_t i = 0; i < c.flows; i++) {
        htsim_flow(htsim_of(s), i, &f);
        print_htsim_flow(out, i, &f);
    }
    fprintf(out,
            "# events %" PRIu64 " packet_hops %" PRIu64 " hops_low %" PRIu64 " hops_high %" PRIu64
            " hops_host %" PRIu64 " marks %" PRIu64 " trims %" PRIu64 " drops %" PRIu64 "\n",
            c.events, c.hops_low + c.hops_high + c.hops_host, c.hops_low, c.hops_high, c.hops_host, c.marks,
            c.trims, c.drops);
}
