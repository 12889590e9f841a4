#include "sim/switch/ecn.h"

void ecn_mark(struct sim *s, struct node *n, struct port *p, struct packet *k, uint32_t queue_bytes)
{
    const struct ecn_cfg *e = s->sw.ecn_prios >> k->prio & 1 ? &s->sw.ecn_class[k->prio] : &p->ecn;

    queue_bytes -= queue_bytes < s->model.unmarked_bytes ? queue_bytes : s->model.unmarked_bytes;
    if (queue_bytes <= e->kmin_bytes || k->flags & PACKET_NOT_ECT)
        return;
    if (queue_bytes <= e->kmax_bytes) {
        double probability = e->pmax * (double)(queue_bytes - e->kmin_bytes) /
                             (double)(e->kmax_bytes - e->kmin_bytes);

        if (sim_random(s, n) >= probability)
            return;
    }
    p->counters.marked_packets += s->model.marked_kinds >> k->kind & 1 && !(k->flags & s->model.marked_flags);
    k->flags |= PACKET_ECN;
}

void ecn_set(const struct sim *s, struct port *p, const struct ecn_cfg *ecn)
{
    uint32_t kmin, unmarked = s->model.unmarked_bytes;

    p->ecn = *ecn;
    if (!s->cfg.ecn_on)
        p->ecn.kmin_bytes = UINT32_MAX;
    kmin = p->ecn.kmin_bytes;
    for (uint32_t c = 0; c < PRIOS; c++)     /* the least: ecn_mark() looks closer */
        if (s->sw.ecn_prios >> c & 1 && s->sw.ecn_class[c].kmin_bytes < kmin)
            kmin = s->sw.ecn_class[c].kmin_bytes;
    p->mark_above_bytes = kmin < UINT32_MAX - unmarked ? kmin + unmarked : UINT32_MAX;
    if (s->cfg.ecn_at_enqueue)
        p->mark_above_bytes = UINT32_MAX;
}

void ecn_set_by_knobs(const struct sim *s, struct port *p, bool use_table)
{
    struct knobs    own = knobs_at_speed(&s->cfg.knobs, (double)p->rate_bps / (double)s->hosts.fastest_bps);
    const double   *k = own.value;
    struct ecn_rate e = { 0, k[KNOB_kmin], k[KNOB_kmax], k[KNOB_pmax] };

    for (uint32_t i = 0; use_table && i < s->cfg.ecn_rates; i++)
        if (s->cfg.ecn_rate[i].rate_bps == p->rate_bps)
            e = s->cfg.ecn_rate[i];
    ecn_set(s, p, &(struct ecn_cfg){ (uint32_t)(e.kmin_kb * 1000), (uint32_t)(e.kmax_kb * 1000), e.pmax });
}
