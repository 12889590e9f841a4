/* src/work/traffic/kinds/poisson.c - every host starts flows at random times to random others, at a given
 * load. */
#include "work/traffic/kinds/poisson.h"

#include "core/units.h"
#include "work/traffic/read.h"

#include <math.h>
#include <stdlib.h>

extern const struct traffic_kind traffic_poisson;

void poisson_init(struct poisson *p, struct cdf *cdf, double bps_per_host, uint32_t streams, uint32_t dests)
{
    p->dests = dests;
    p->cdf = *cdf;
    *cdf = (struct cdf){ 0 };
    p->gap_ps_mean = p->cdf.bytes_mean * 8 * (double)PS_PER_S / bps_per_host;
    p->fraction_ps = xcalloc(streams + 1ul, sizeof *p->fraction_ps);
}

void poisson_fini(struct poisson *p)
{
    cdf_fini(&p->cdf);
    free(p->fraction_ps);
}

double poisson_bps(const struct poisson *p)
{
    return p->cdf.bytes_mean * 8 * (double)PS_PER_S / p->gap_ps_mean;
}

double poisson_flows(const struct poisson *p, const struct traffic_common *common, uint32_t hosts)
{
    double flows = (double)(common->stop_ps - common->start_ps) / p->gap_ps_mean * hosts;

    return flows + 6 * sqrt(flows) + 6;
}

bool poisson_next(struct poisson *p, const struct traffic_entry *e, struct traffic_stream *s,
                  struct flow_spec *f)
{
    double  *fraction_ps = &p->fraction_ps[s->number];
    double   gap = rng_exp(&s->rng) * p->gap_ps_mean + *fraction_ps;
    uint32_t to = (uint32_t)rng_below(&s->rng, p->dests - (s->index < p->dests));

    f->bytes = cdf_size(&p->cdf, rng_real(&s->rng));
    f->dst = e->hosts[to + (to >= s->index)];
    if (gap >= (double)(e->common.stop_ps - s->time_ps))
        return false;
    s->time_ps += (uint64_t)gap;
    *fraction_ps = gap - (double)(uint64_t)gap;
    f->at_ps = s->time_ps;
    return true;
}

/* ---- the kind ---- */

static bool next_flow(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    return poisson_next(e->state, e, s, f);
}

static void free_poisson(void *state)
{
    poisson_fini(state);
    free(state);
}

void traffic_add_poisson(struct traffic *t, const struct traffic_common *common, struct cdf *cdf,
                         double bps_per_host, const uint32_t *hosts, uint32_t count)
{
    struct poisson *p = xcalloc(1, sizeof *p);

    poisson_init(p, cdf, bps_per_host, count, count);
    struct traffic_entry *e = traffic_add_entry(t, &traffic_poisson, p, common, hosts, count);
    e->bps = poisson_bps(p);
    e->flows = poisson_flows(p, common, count);
    traffic_expect_some(t, e->flows);
    traffic_add_streams(t);
}

static void read_poisson(struct entry *e)
{
    struct hosts hosts = entry_hosts(e, "hosts", 2, UINT32_MAX);
    struct cdf   cdf = { 0 };
    bool         of_bisection = entry_load(e);

    entry_need_end(e);
    entry_sizes(e, &cdf);
    if (!e->r->rc)
        e->about->bps_per_host = entry_load_bps(e, &hosts, &hosts, e->about->load, of_bisection);
    if (!e->r->rc)
        traffic_add_poisson(e->traffic, &e->common, &cdf, e->about->bps_per_host, hosts.node, hosts.count);
    e->loaded = hosts;
    cdf_fini(&cdf);
}

static const struct key_row keys[] = {
    { "sizes", KEY_NAME, "", "flow sizes: a built-in table (below), a file of `bytes probability` lines, or "
      "a list of rows: `[[1000, 0.5], [1000000, 1]]`" },
    { "load",  KEY_REAL, "0.3",   "of what `of` names" },
    { "of",    KEY_NAME, "hosts",
      "`hosts`: host links; `bisection`: links from switches with hosts to other switches" },
    { "hosts", KEY_LIST, "",      "which; a count: the first; default: all" },
    { 0 },
};

const struct traffic_kind traffic_poisson = {
    .name = "poisson", .about = "every host starts flows at random times to random others, at a given load",
    .keys = keys, .read = read_poisson, .next = next_flow, .free = free_poisson,
};
