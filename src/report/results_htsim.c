/* src/report/results_htsim.c - flows of model htsim, in columns that can be compared with uet-htsim. */
#include "report/results.h"
#include "sim/forks/htsim_sim.h"

#include <inttypes.h>

/* Times in ps, windows in bytes; -1: not yet. finish: the sender knows that all has arrived. new, rtx:
 * packets sent first and again. rx_: counted by the receiver. _end: at the end of the run. */
static const char head[] =
    "# i src dst flowid size start_ps finish_ps fct_ps new rtx rts acks nacks pulls rto sleek rx_trimmed rx_dup rx_ooo "
    "rx_ecn cwnd_at_finish cwnd_end maxwnd_end base_rtt_end avg_delay_end in_flight_end\n";

static void print_flow(FILE *out, uint32_t i, const struct htsim_flow *f)
{
    const uint64_t packets[] = { f->sent, f->resent, f->rts, f->acks, f->nacks, f->pulls, f->timeouts, f->sleek,
                                 f->rx_trimmed, f->rx_duplicate, f->rx_out_of_order, f->rx_marked };

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

    htsim_count(s->htsim, &c);
    fputs(head, out);
    for (uint32_t i = 0; i < c.flows; i++) {
        struct htsim_flow f;

        htsim_flow(s->htsim, i, &f);
        print_flow(out, i, &f);
    }
    fprintf(out,
            "# events %" PRIu64 " packet_hops %" PRIu64 " hops_low %" PRIu64 " hops_high %" PRIu64
            " hops_host %" PRIu64 " marks %" PRIu64 " trims %" PRIu64 " drops %" PRIu64 "\n",
            c.events, c.hops_low + c.hops_high + c.hops_host, c.hops_low, c.hops_high, c.hops_host, c.marks,
            c.trims, c.drops);
}
