/* src/scenario/scenario_tcp.c - the kind 'tcp': how it is sent. Who sends what is as in poisson or incast. */
#include "scenario/scenario_traffic.h"

#include "core/units.h"

#include <string.h>

#define MSS_BYTES_MIN   64
#define MSS_BYTES_MAX   9000
#define BURST_BYTES_MAX (1u << 20)
#define RTO_PS_MIN      (10 * PS_PER_US)

static const struct tcp_algo *read_algorithm(const struct entry *e)
{
    const char *names[16] = { NULL };
    int         chosen;

    for (int i = 0; tcp_all[i] && i < 15; i++)
        names[i] = tcp_all[i]->name;
    chosen = section_choice(&e->sec, "algorithm", "an algorithm of TCP", names);
    return chosen < 0 ? NULL : tcp_all[chosen];
}

static void read_ecn(const struct entry *e, struct tcp_cfg *cfg)
{
    cfg->is_ecn = cfg->algo && cfg->algo->is_ecn;
    if (!section_get(&e->sec, "ecn"))
        return;
    section_bool(&e->sec, "ecn", &cfg->is_ecn);
    if (!e->r->rc && cfg->algo->is_ecn && !cfg->is_ecn)
        reader_refuse(e->r, section_get(&e->sec, "ecn"), "%s cannot do without ECN", cfg->algo->name);
}

static void read_cfg(const struct entry *e, struct tcp_cfg *cfg)
{
    uint64_t mss = 0, burst = 0;

    cfg->algo = read_algorithm(e);
    read_ecn(e, cfg);
    section_bytes(&e->sec, "mss", MSS_BYTES_MIN, MSS_BYTES_MAX, &mss);
    section_bytes(&e->sec, "burst", 1, BURST_BYTES_MAX, &burst);
    section_time(&e->sec, "min_rto", &cfg->rto_ps_min);
    section_time(&e->sec, "wake", &cfg->wake_ps_max);
    if (!e->r->rc && cfg->rto_ps_min < RTO_PS_MIN)
        reader_refuse(e->r, section_get(&e->sec, "min_rto"), "'min_rto' must be 10us or more");
    cfg->mss_bytes = (uint32_t)mss;
    cfg->burst_bytes = (uint32_t)burst;
}

static bool is_same(const struct tcp_cfg *a, const struct tcp_cfg *b)
{
    return a->algo == b->algo && a->mss_bytes == b->mss_bytes && a->burst_bytes == b->burst_bytes &&
           a->rto_ps_min == b->rto_ps_min && a->wake_ps_max == b->wake_ps_max && a->is_ecn == b->is_ecn;
}

/* Entries of the same settings share one. Returns its number, from 1. */
static uint8_t add_cfg(const struct entry *e, const struct tcp_cfg *cfg)
{
    struct sim_cfg *c = &e->r->s->cfg;
    uint32_t        i = 0;

    while (i < c->tcps && !is_same(&c->tcp[i], cfg))
        i++;
    if (i == TCP_CFGS_MAX) {
        reader_refuse(e->r, e->sec.map, "more than %d different settings of tcp", TCP_CFGS_MAX);
        return 0;
    }
    c->tcp[i] = *cfg;
    c->tcps = i == c->tcps ? i + 1 : c->tcps;
    return (uint8_t)(i + 1);
}

static void refuse_keys(const struct entry *e, const char *const *keys, const char *beside)
{
    for (; *keys; keys++)
        if (section_get(&e->sec, *keys))
            reader_refuse_key(e->r, section_get(&e->sec, *keys),
                              "'%s' beside '%s': flows come either at a load ('sizes', 'load', 'of', 'hosts') "
                              "or from 'senders' ('receiver', 'size', 'flows', 'period')", *keys, beside);
}

void entry_read_tcp(struct entry *e)
{
    static const char *const of_load[] = { "load", "of", "hosts", NULL };
    static const char *const of_senders[] = { "senders", "receiver", "size", "flows", "period", NULL };
    bool                     at_load = section_get(&e->sec, "sizes");
    struct tcp_cfg           cfg = { 0 };
    uint8_t                  number;

    if (e->r->s->cfg.model != MODEL_NIC)
        reader_refuse(e->r, e->sec.map, "there is no tcp in the model hpcc");
    read_cfg(e, &cfg);
    refuse_keys(e, at_load ? of_senders : of_load, at_load ? "sizes" : "senders");
    if (e->r->rc)
        return;
    number = add_cfg(e, &cfg);
    if (!e->r->rc)
        (at_load ? entry_read_poisson : entry_read_incast)(e);
    if (!e->r->rc)
        traffic_use_tcp(e->r->s->traffic, number);
}
