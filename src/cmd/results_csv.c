/* src/cmd/results_csv.c - results for other programs: raw units, said in the column's name. */
#include "cmd/results.h"

#include <inttypes.h>

static void print_row(FILE *out, const char *kind, const char *name, const struct fct_cell *c)
{
    struct fct_stats s = fct_slowdown_stats(c), t = fct_us_stats(c);

    fprintf(out, "%s,%s,%" PRIu64 ",%" PRIu64, kind, name, c->count, c->bytes);
    if (c->count == 0)
        fputs(",,,,,,,,,,,,\n", out);
    else
        fprintf(out, ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", s.mean, s.p50, s.p95, s.p99,
                s.p999, s.max, t.mean, t.p50, t.p95, t.p99, t.p999, t.max);
}

/* A name may hold commas and quotes: it is the user's. */
static const char *quoted(char buf[160], const char *name)
{
    char *to = buf;

    *to++ = '"';
    for (; *name; name++) {
        if (*name == '"')
            *to++ = '"';
        *to++ = *name;
    }
    *to++ = '"';
    *to = '\0';
    return buf;
}

void results_print_csv(const struct results *r, FILE *out)
{
    char name[160];

    fputs("set,name,flows,bytes,slowdown_mean,slowdown_p50,slowdown_p95,slowdown_p99,slowdown_p999,slowdown_max,"
          "fct_us_mean,fct_us_p50,fct_us_p95,fct_us_p99,fct_us_p999,fct_us_max\n", out);
    for (uint32_t i = 0; i < FCT_BUCKETS; i++)
        print_row(out, "size", fct_buckets[i].name, &r->fct->bucket[i]);
    print_row(out, "all", "all", &r->fct->all);
    for (uint32_t i = 0; i < r->scenario->entries; i++)
        print_row(out, "traffic", quoted(name, r->scenario->entry[i].name), &r->fct->entry[i]);
}

void results_print_ports(const struct results *r, FILE *out)
{
    fputs("node,port,peer,rate_bps,tx_bytes,data_packets,ack_packets,nack_packets,cnp_packets,pfc_packets,"
          "marked_packets,queue_bytes_max,pauses,paused_us\n", out);
    for (uint32_t i = 0; i < r->sim->ports; i++) {
        const struct port *p = &r->sim->port[i];
        const struct port_counters *c = &p->counters;
        char peer[PORT_NAME_MAX];

        fprintf(out, "%s,%u,%s,%" PRIu64 ",%" PRIu64, r->sim->graph.node[p->node->id].name, p->index,
                results_port_name(peer, r->sim, p->peer), p->rate_bps, c->tx_bytes);
        for (int kind = PACKET_DATA; kind <= PACKET_PFC; kind++)
            fprintf(out, ",%" PRIu64, c->tx_packets[kind]);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f\n", c->marked_packets, c->queue_bytes_max, c->pauses,
                (double)port_paused_ps(p, r->end_ps) / (double)PS_PER_US);
    }
}

static uint64_t whole_ns(uint64_t ps)
{
    return ps / PS_PER_NS;
}

/* Nanoseconds with the picoseconds behind the point: nothing is lost. */
static void print_ns(FILE *out, uint64_t ps)
{
    fprintf(out, ",%" PRIu64 ".%03u", whole_ns(ps), (unsigned)(ps % PS_PER_NS));
}

void results_print_flow_head(FILE *out)
{
    fputs("src,dst,sport,dport,prio,traffic,bytes,start_ns,fct_ns,ideal_ns,slowdown,resent_bytes\n", out);
}

void results_print_flow(FILE *out, const struct sim *s, const struct scenario *scenario, const struct flow_result *r)
{
    char name[160];

    fprintf(out, "%s,%s,%u,%u,%u,%s,%" PRIu64, s->graph.node[r->src].name, s->graph.node[r->dst].name, r->sport,
            r->dport, r->prio, quoted(name, scenario->entry[r->traffic].name), r->bytes);
    print_ns(out, r->start_ps);
    print_ns(out, r->fct_ps);
    print_ns(out, r->ideal_ps);
    fprintf(out, ",%.6f,%" PRIu64 "\n", fct_slowdown(r), r->resent_bytes);
}

void results_print_hpcc_fct(FILE *out, const struct flow_result *r)
{
    fprintf(out, "%08x %08x %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", sim_ip(r->src), sim_ip(r->dst),
            r->sport, r->dport, r->bytes, whole_ns(r->start_ps), whole_ns(r->fct_ps), whole_ns(r->ideal_ps));
}

void results_print_hpcc_pfc(FILE *out, const struct pfc_result *r)
{
    fprintf(out, "%" PRIu64 " %u %u %u %u\n", whole_ns(r->at_ps), r->node, r->is_switch, r->port, r->is_pause);
}
